"""The allreduce paper's study repeated: its configurations measured, traced, and set beside its numbers."""
