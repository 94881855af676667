#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of choice in docs/choice.md from the core's; with --check only says whether they are the same."""

import sys
from collections import defaultdict
from pathlib import Path

from trunkline import _core
from trunkline.units import format_bytes

PAGE = Path(__file__).resolve().parents[1] / "docs" / "choice.md"
BEGIN = "<!-- made by tools/choice_rule.py -->\n"
END = "<!-- end -->\n"
HEAD = (
    "| algorithms | a predicted time counts as | must be faster than native | measured |",
    "|---|---|---|---|",
)
THERE_FOR = {
    "tree": "long messages: pipelined without contention",
    "wide tree": "short messages on fast links: few levels",
    "blind": "where messages cost more than links: few of them for each rank",
    "rounds": "where there is no root, or each rank has a share",
    "scattered": "a block for each rank, then all to all",
    "to all at once": "where switches copy what goes to a multicast group",
    "shared hosts": "where ranks share hosts",
    "sites": "where long links lie between ranks",
}


def tables() -> str:
    """The candidates by what they are for, then by how far their predicted times may be off."""
    lines = ["| there for | algorithms | `auto` compares them for |", "|---|---|---|"]
    compared: dict[tuple[str, str], set[str]] = defaultdict(set)
    served: dict[tuple[str, str], set[str]] = defaultdict(set)
    about: dict[str, tuple[_core.Uncertainty, list[str]]] = {}
    for collective in _core.collectives():
        for one in _core.candidates(collective):
            served[one.role, one.name].add(collective)
            if one.is_compared:
                compared[one.role, one.name].add(collective)
                algorithms = about.setdefault(one.uncertainty.name, (one.uncertainty, []))[1]
                if one.name not in algorithms:
                    algorithms.append(one.name)
    for role, there_for in THERE_FOR.items():
        names: dict[str, list[str]] = defaultdict(list)
        for (of_role, name), where in served.items():
            if of_role == role:
                whom = compared[role, name]
                words = "all that they serve" if whom == where else ", ".join(sorted(whom))
                names[words or "nothing: `trunkline tune` measures them"].append(name)
        lines += [f"| {there_for} | {listed(known)} | {words} |" for words, known in names.items()]
    replays = _core.uncertainty_of_replays()
    lines += [
        "",
        f"On one site whose hosts have processors of their own, times count as they are, and what runs must be "
        f"{replays.margin:g} times as fast as native: {replays.source}.",
        "",
        "Over long links, and on the lab, whose hosts share the processors of one machine, these count. So do those of "
        "multicasts of results and of shares everywhere:",
        "",
        *HEAD,
    ]
    shared: dict[str, _core.Uncertainty] = {}
    for uncertainty, algorithms in about.values():
        elsewhere = {name for other, names in about.values() if other is not uncertainty for name in names}
        told_apart = len(algorithms) < 4 and elsewhere.isdisjoint(algorithms)
        lines.append(row(listed(algorithms) if told_apart else uncertainty.name, uncertainty))
        if uncertainty.shared_hosts:
            shared[uncertainty.shared_hosts.name] = uncertainty.shared_hosts
    lines += ["", "And where hosts have several ranks:", "", *HEAD]
    lines += [row(name, uncertainty) for name, uncertainty in shared.items()]
    return "\n".join(lines) + "\n"


def row(who: str, one: _core.Uncertainty) -> str:
    """Of the table of uncertainties."""
    return f"| {who} | {counts_as(one)} | {one.margin:g} times | {one.source} |"


def counts_as(one: _core.Uncertainty) -> str:
    """What becomes of a predicted time before it is compared."""
    parts = [f"{one.handicap:g} times as long"] if one.handicap != 1.0 else []
    if one.lost_of_links == 1.0:
        parts.append("longer by what others may keep from a port")
    elif one.lost_of_links:
        parts.append(f"{one.lost_of_links:g} of the links' time more")
    if one.long_block_bytes:
        parts.append(
            f"{one.short_block_handicap:g} times as long where blocks are below {format_bytes(one.long_block_bytes)}"
        )
    if one.least_block_bytes:
        parts.append(f"not compared below {format_bytes(one.least_block_bytes)}")
    return ", ".join(parts) or "it is"


def listed(names: list[str]) -> str:
    """In code's letters."""
    return ", ".join(f"`{name}`" for name in names)


def page() -> str:
    """The page with the tables as they should be."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return head + BEGIN + "\n" + tables() + "\n" + END + tail


if __name__ == "__main__":
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != page():
        sys.exit("docs/choice.md does not have the table of choice as it is: run tools/choice_rule.py")
