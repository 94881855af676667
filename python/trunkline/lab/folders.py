"""Where things are within a lab."""

from pathlib import Path

FOLDER = Path("/run/trunkline")
CLUSTER_FILE = FOLDER / "cluster.yaml"
"""The cluster as it is emulated, its rates included, readable on every host."""
DOOR = FOLDER / "control"
"""The socket on which a running lab takes changes of its links."""
SUPER_FRAME = FOLDER / "super-frame"
"""How many frames the hosts' kernels may hand to the network in one piece."""
TEMPORARY = FOLDER / "tmp"
