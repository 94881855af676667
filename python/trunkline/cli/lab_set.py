"""``trunkline lab set``: other links on a lab that runs."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from trunkline import _core
from trunkline.cli.output import check_outputs, write_json
from trunkline.lab.running import change_links, pick_lab
from trunkline.terminal import tell


def set_links(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="LINK... CHANGE...",
            help="Links: s0-s1 between two nodes, 's0->s1' one direction, h3 all of a node, '*' all; host lists for "
            "several. Changes: rate=1Mbit, or rate=10% of what it started with; latency=20ms, jitter=2ms, loss=1%, "
            "corrupt, garble, duplicate, reorder, reorder_by; down for a link that fails, up for its return.",
        ),
    ],
    lab: Annotated[
        Optional[int], typer.Option(metavar="PID", help="The process that started the lab; default: the only one.")
    ] = None,
    json: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="Write what changed, and when, as JSON; '-': standard output.")
    ] = None,
) -> None:
    """Change links of a lab that runs: all that is named at once, or, where something is wrong, nothing."""
    check_outputs({"--json": json})
    running = pick_lab(lab)
    said = change_links(running, words)
    name = running.cluster.name
    tell(f"{name}: at {said['seconds']:.2f} s {said['text']}")
    if not running.single_frames and _core.parse_link_change(running.cluster, words).impairs:
        tell(
            f"trunkline: warning: hosts of {name} hand over up to two frames in one piece, which are lost and delayed "
            "together; start the lab with --single-frames, or with an impaired link, for each by itself"
        )
    if json:
        write_json({"cluster": name, "lab": running.owner, **said}, json)
