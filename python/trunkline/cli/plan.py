"""``trunkline plan``: lay a collective over a cluster, or show a plan file."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from trunkline import _core
from trunkline.cli.cluster import link_name
from trunkline.cli.options import ClusterArgument
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster, nearest_first
from trunkline.errors import BadInput
from trunkline.placement import bounded_placement, root_rank
from trunkline.planned import Planned, lay_plan, read_plan_over
from trunkline.registry import check_collective
from trunkline.report.draw_plan import draw_steps, tree_name
from trunkline.report.draw_terminal import line_over_switches, rank_tree, rounds_in_words
from trunkline.units import parse_segment

__all__ = ["plan"]


def plan(
    cluster: ClusterArgument,
    collective: Annotated[
        str | None,
        typer.Option(metavar="|".join(_core.collectives()), help="The collective operation; default: bcast."),
    ] = None,
    shape: Annotated[
        str | None, typer.Option("--algorithm", "--shape", help="One of 'trunkline algorithms'; default: linear.")
    ] = None,
    root: Annotated[
        str | None, typer.Option(metavar="HOST|RANK", help="Where the message starts; default: rank 0.")
    ] = None,
    ranks_per_host: Annotated[int | None, typer.Option(metavar="N", help="Ranks on every host; default: 1.")] = None,
    file: Annotated[
        str | None, typer.Option("--plan", metavar="PLAN", help="Show the plan of this file instead of laying one.")
    ] = None,
    segment: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Segment to write into the plan file; else chosen by message.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the plan file; '-' for standard output.")
    ] = None,
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the plan as JSON; '-' for standard output.")
    ] = None,
    svg: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw it as SVG, trees over the switches and rounds as a table; '-' for standard output.",
        ),
    ] = None,
) -> None:
    """Lay a collective over a cluster, or read a plan, and say which channels it loads how much."""
    check_outputs({"--output": output, "--json": json, "--svg": svg})
    network = load_cluster(cluster)
    names = network.hosts
    placement = bounded_placement(network, 1 if ranks_per_host is None else ranks_per_host)
    segment_bytes = None if segment is None else parse_segment(segment, "--segment")
    if segment is not None and not output:
        raise BadInput(f"--segment {segment} goes into the plan file: name one with --output FILE")
    if file is not None:
        told = {"--collective": collective, "--algorithm": shape, "--root": root, "--segment": segment}
        _check_left_out(file, [option for option, value in told.items() if value is not None])
        planned = read_plan_over(network, file, placement)
        if planned.file.host_of_rank:
            _check_left_out(file, ["--ranks-per-host"] if ranks_per_host is not None else [])
    else:
        collective, shape = check_collective(collective or "bcast"), shape or "linear"
        _check_shape(collective, shape)
        start = root_rank(network, placement, root or "0")
        planned = lay_plan(network, collective, shape, placement, start, segment_bytes)
    laid = planned.file.plan
    contention = _core.contention_of(network, planned.placement, laid)

    if output:
        write_text(_core.write_plan(planned.file).rstrip("\n"), output)
    if json:
        write_json(_as_json(network, planned, laid, contention), json)
    if svg:
        title = f"{planned.what}, over {network.name} from {names[planned.placement[laid.root]]}"
        write_text(draw_steps(network, planned.placement, laid, title), svg)
    if "-" not in (output, json, svg):
        _print(network, planned.placement, laid, contention, planned.what)


def _check_left_out(file: str, options: Sequence[str]) -> None:
    if options:
        raise BadInput(
            f"--plan {file} says itself what {' and '.join(options)} would say; leave that out, or change the file"
        )


def _check_shape(collective: str, shape: str) -> None:
    known = _core.algorithms()
    shapes = [a.name for a in known if a.collective == collective and a.name != "native"]
    listed = ", ".join(name for name in _core.algorithm_names(collective) if name != "native")
    if shape == "native":
        raise BadInput(f"native is the MPI library's own algorithm, which has no plan; there are: {listed}")
    if shape not in shapes:
        near = nearest_first(shape, shapes)[0]
        raise BadInput(f"there is no algorithm '{shape}' of {collective}; the nearest is {near}; there are: {listed}")


def _as_json(
    network: _core.Cluster, planned: Planned, laid: _core.Plan, contention: _core.Contention
) -> dict[str, object]:
    return {
        "cluster": network.name,
        "collective": planned.file.collective,
        "shape": planned.file.algorithm,
        "root": laid.root,
        "ranks": len(laid),
        "hosts": [network.hosts[host] for host in planned.placement],
        **_steps_as_json(laid),
        "contention_free": contention.contention_free,
        "max_channel_load": contention.max_channel_load,
        "busiest_channels": [
            {"channel": network.channel_name(load.channel), "load": load.senders} for load in contention.busiest
        ],
        "unused_links": [link_name(link) for link in network.unused_links],
    }


def _steps_as_json(laid: _core.Plan) -> dict[str, object]:
    if laid.trees is not None:
        drawn = [_tree_as_json(tree) for tree in laid.trees]
        return drawn[0] if len(drawn) == 1 else {"trees": drawn}
    steps: dict[str, object] = {"generator": laid.generator}
    if laid.round_list is not None:
        steps["blocks"] = laid.round_list.blocks
        steps["rounds"] = [
            [{"from": t.sender, "to": t.receiver, "first": t.first, "count": t.count} for t in transfers]
            for transfers in laid.round_list.rounds
        ]
    return steps


def _tree_as_json(tree: _core.Tree) -> dict[str, object]:
    return {
        "parent": {str(rank): parent for rank, parent in enumerate(tree.parent)},
        "children": {str(rank): children for rank, children in enumerate(tree.children)},
        "height": tree.height,
        "max_degree": tree.max_degree,
    }


def _print(
    network: _core.Cluster,
    placement: Sequence[int],
    laid: _core.Plan,
    contention: _core.Contention,
    what: str,
) -> None:
    console = Console(highlight=False)
    console.print(
        f"[bold]{what}[/] over {escape(network.name)} from rank {laid.root} "
        f"({escape(network.hosts[placement[laid.root]])}): {len(laid)} ranks, {_extent(laid)}",
        soft_wrap=True,
    )
    if contention.contention_free:
        when = "" if laid.trees is not None else " in one round"
        console.print(f"[green]Contention-free[/]: no channel carries the transfers of two senders{when}.")
    else:
        channels = ", ".join(escape(network.channel_name(load.channel)) for load in contention.busiest)
        console.print(f"[red]Contention[/]: {contention.max_channel_load} senders share each of {channels}.")
    for link in network.unused_links:
        console.print(f"Link {escape(link_name(link))} stays unused: the plan is laid over the spanning tree.")
    for row in rounds_in_words(laid) if laid.trees is None else []:
        console.print(escape(row), soft_wrap=True)
    trees = laid.trees or []
    for number, tree in enumerate(trees):
        console.print()
        if len(trees) > 1:
            console.print(tree_name(number, len(trees)))
        if tree.max_degree <= 1:
            for row in line_over_switches(network, placement, tree):
                console.print(row)
        else:
            console.print(rank_tree(network, placement, tree))


def _extent(laid: _core.Plan) -> str:
    if laid.trees is not None:
        return f"height {max(t.height for t in laid.trees)}, degree {max(t.max_degree for t in laid.trees)}"
    if laid.blocks is None:
        return "any number of blocks"
    return f"{laid.blocks} blocks in {laid.round_count(laid.blocks)} rounds"
