"""Broadcasts under SimGrid: Trunkline's own executors, and the algorithms of other libraries, on any cluster."""
