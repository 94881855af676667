#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the plans of papers/plans anew, and their pictures: runs the commands that their page names."""

import re
import shlex
import subprocess
from pathlib import Path

PLANS = Path(__file__).resolve().parents[1] / "plans"


def commands() -> list[list[str]]:
    """The words of each command of the page, and those that draw what they made."""
    block = re.search(r"```commands\n(.*?)```", (PLANS / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None, "the page has no block of commands"
    made = [shlex.split(line) for line in block[1].splitlines()]
    drawn = [["trunkline", "plan", "show", words[-1], "--svg", f"{Path(words[-1]).stem}.svg"] for words in made]
    return [*made, *drawn]


if __name__ == "__main__":
    for words in commands():
        subprocess.run(words, cwd=PLANS, check=True, stdout=subprocess.DEVNULL)
