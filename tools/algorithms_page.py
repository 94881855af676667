#!/usr/bin/env python3
"""Writes docs/algorithms.md from the registry; with --check only says whether it is as the registry has it."""

import sys
from pathlib import Path

from trunkline import _core

PAGE = Path(__file__).resolve().parents[1] / "docs" / "algorithms.md"
HEAD = """# Algorithms

Made from the registry by `tools/algorithms_page.py`. X segments or blocks, P ranks, H the height of a tree, K its
degree, m bytes, T(m) half a ping-pong of m bytes. A setting forces one, `TRUNKLINE_<COLLECTIVE>=NAME[:SEGMENT]`
([settings.md](settings.md#names-and-segments)); else `auto` chooses ([choice.md](choice.md)).
"""


def page() -> str:
    """The text of the page."""
    lines = [HEAD.rstrip()]
    for collective in _core.collectives():
        lines += ["", f"## {collective}", "", "| name | what | cost | needs |", "|---|---|---|---|"]
        for one in (a for a in _core.algorithms() if a.collective == collective):
            lines.append(f"| `{one.name}` | {one.description} | {one.cost} | {one.restrictions or 'nothing'} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page())
    elif not PAGE.exists() or PAGE.read_text() != page():
        sys.exit("docs/algorithms.md is not what the registry says: run tools/algorithms_page.py")
