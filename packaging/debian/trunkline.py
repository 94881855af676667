#!/usr/bin/python3
"""The command trunkline. Debian's Typer is older than it needs, so a newer one comes along, for the command alone."""

import sys

sys.path.insert(0, "/usr/share/trunkline/python")

from trunkline.cli import main

main()
