"""``python -m trunkline_papers``."""

from trunkline_papers.cli import main

main()
