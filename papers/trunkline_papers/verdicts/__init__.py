"""Verdicts: what each paper says, what came out here, and how the two compare."""
