"""``trunkline plan --weights``: a broadcast laid over weights, as the command shows it."""

from __future__ import annotations

from rich.markup import escape

from trunkline import _core
from trunkline.cli.output import write_json, write_text
from trunkline.draw.arrivals import draw_arrivals
from trunkline.draw.terminal import named_tree
from trunkline.errors import BadInput
from trunkline.kinds.trees import tree_as_json
from trunkline.terminal import output, tell
from trunkline.units import format_bytes, format_seconds, parse_sizes
from trunkline.weights import WeightedPlan, load_weights, plan_over_weights

USUAL_SHAPE = "local-search"
"""Where none is named: the best of those that any number of hosts has."""


def lay_over_weights(
    file: str,
    *,
    collective: str | None,
    shape: str | None,
    root: str | None,
    size: str | None,
    segment: int | None,
    output: str | None,
    json: str | None,
    svg: str | None,
) -> None:
    """Lay a broadcast over the weights of a file, and say when each host has the message.

    Args:
        file: Weights, or pairs that were measured.
        collective: As asked for.
        shape: The same.
        root: The same.
        size: The same, as text.
        segment: Bytes, for the plan file to keep.
        output: The plan file.
        json: The plan with its times.
        svg: The picture.

    Raises:
        BadInput: with what is wrong with the file, or with what is asked for.
    """
    if collective not in (None, "bcast"):
        raise BadInput(f"--collective {collective}: weights say how long broadcasts take; leave it out")
    weights = load_weights(file)
    if weights.left_out:
        tell(f"{file}: {weights.left_out} ways have no rate that was measured, and are left out")
    message = None if size is None else parse_sizes(size)[0]
    planned = plan_over_weights(weights, shape or USUAL_SHAPE, root or "0", message)
    if output:
        write_text(_core.write_plan(planned.file(segment)).rstrip("\n"), output)
    write_json(_as_json(planned), json)
    if svg:
        write_text(_drawn(planned), svg)
    if "-" not in (output, json, svg):
        _print(planned)


def _as_json(planned: WeightedPlan) -> dict[str, object]:
    return {
        "weights": planned.weights.network.name,
        "origin": planned.weights.origin,
        "collective": "bcast",
        "shape": planned.shape,
        "root": planned.tree.root,
        "ranks": len(planned.tree),
        "message_bytes": planned.message_bytes,
        "hosts": planned.weights.network.hosts,
        **tree_as_json(planned.tree),
        "seconds": planned.seconds,
        "arrival_seconds": planned.arrivals_s,
        "injection_seconds": planned.injections_s,
    }


def _what(planned: WeightedPlan) -> str:
    """The plan in a few words, those of its weights as they stand in the file."""
    network = planned.weights.network
    return f"bcast, {planned.shape}, for {format_bytes(planned.message_bytes)}, over {network.name}"


def _drawn(planned: WeightedPlan) -> str:
    hosts = planned.weights.network.hosts
    title = f"{_what(planned)} from {hosts[planned.tree.root]}"
    return draw_arrivals(hosts, planned.tree, planned.arrivals_s, planned.injections_s, title)


def _print(planned: WeightedPlan) -> None:
    hosts, tree = planned.weights.network.hosts, planned.tree
    printed = output(highlight=False)
    printed.print(
        f"[bold]bcast, {planned.shape}, for {format_bytes(planned.message_bytes)}[/] over "
        f"{escape(planned.weights.network.name)} ({escape(planned.weights.origin)}) from rank {tree.root} "
        f"({escape(hosts[tree.root])}): {len(tree)} ranks, height {tree.height}, degree {tree.max_degree}",
        soft_wrap=True,
    )
    printed.print(
        f"All have the message after {format_seconds(planned.seconds)}, each sent as a whole, one after another, on "
        "ways that do not share a link.",
        soft_wrap=True,
    )
    printed.print()
    when = [format_seconds(seconds) for seconds in planned.arrivals_s]
    when[tree.root] = "from the start"
    printed.print(named_tree(hosts, tree, when))
