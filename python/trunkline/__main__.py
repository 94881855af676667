"""``python -m trunkline``: the command."""

from trunkline.cli import main

main()
