"""Rules for a library's own algorithms: measured, written in its own words, and seen to be followed."""
