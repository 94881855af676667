"""The allreduce paper: its sums, its configurations measured, traced and simulated, beside its numbers."""
