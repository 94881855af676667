"""Finding by measurement what is fastest, and writing it down for the preload library."""
