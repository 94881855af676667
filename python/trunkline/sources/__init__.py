"""Clusters from what other programs know: Slurm, LLDP, SimGrid; and back to SimGrid.

Each source is read into a ``Network``, checked with positions in the source, and written by the core.
"""
