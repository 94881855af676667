"""Measuring collectives on the lab, and what comes out of it."""
