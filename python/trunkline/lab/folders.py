"""Where things are within a lab."""

from pathlib import Path

__all__ = ["CLUSTER_FILE", "FOLDER", "TEMPORARY"]

FOLDER = Path("/run/trunkline")
CLUSTER_FILE = FOLDER / "cluster.yaml"
"""The cluster as it is emulated, its rates included, readable on every host."""
TEMPORARY = FOLDER / "tmp"
