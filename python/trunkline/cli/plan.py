"""``trunkline plan``: lay a collective over a cluster."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from trunkline import __version__, _core
from trunkline.cli.cluster import link_name
from trunkline.cli.options import ClusterArgument, CollectiveOption
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster, nearest_first
from trunkline.errors import BadInput
from trunkline.placement import bounded_placement, root_rank
from trunkline.report.draw_plan import draw_trees, tree_name
from trunkline.report.draw_svg import below_each_other
from trunkline.report.draw_terminal import line_over_switches, rank_tree
from trunkline.units import parse_segment

__all__ = ["plan"]

MOST_REPLAYED = 512
"""Ranks whose rounds are replayed here: the tests have proved them for any number, and time grows with the square."""


def plan(
    cluster: ClusterArgument,
    collective: CollectiveOption = "bcast",
    shape: Annotated[
        str, typer.Option("--algorithm", "--shape", help="One of 'trunkline algorithms', such as linear.")
    ] = "linear",
    root: Annotated[str, typer.Option(metavar="HOST|RANK", help="Where the message starts.")] = "0",
    ranks_per_host: Annotated[int, typer.Option(metavar="N", help="Ranks on every host.")] = 1,
    segment: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Segment to write into the plan file; else chosen by message.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the plan file; '-' for standard output.")
    ] = None,
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the plan as JSON; '-' for standard output.")
    ] = None,
    svg: Annotated[str | None, typer.Option(metavar="FILE", help="Draw it as SVG; '-' for standard output.")] = None,
) -> None:
    """Lay a collective over a cluster, and say which channels it loads how much."""
    check_outputs({"--output": output, "--json": json, "--svg": svg})
    network = load_cluster(cluster)
    names = network.hosts
    placement = bounded_placement(network, ranks_per_host)
    segment_bytes = None if segment is None else parse_segment(segment, "--segment")
    if segment is not None and not output:
        raise BadInput(f"--segment {segment} goes into the plan file: name one with --output FILE")
    _check_shape(collective, shape)
    laid = _core.lay(collective, shape, network, placement, root_rank(network, placement, root))
    if svg and laid.trees is None:
        raise BadInput(f"{shape} goes by rounds: --svg draws trees alone; --output and --json have its rounds")
    if laid.trees is None and len(laid) <= MOST_REPLAYED:
        laid.check()
    contention = _core.contention_of(network, placement, laid)
    hosts = [names[host] for host in placement]

    if output:
        write_text(_plan_file(network, collective, shape, laid, hosts, segment_bytes).rstrip("\n"), output)
    if json:
        write_json(_as_json(network, collective, shape, laid, hosts, contention), json)
    if svg and laid.trees is not None:
        title = f"{collective}, {shape}, over {network.name} from {hosts[laid.root]}"
        write_text(below_each_other(draw_trees(network, placement, laid.trees, title)), svg)
    if "-" not in (output, json, svg):
        _print(network, placement, laid, contention, f"{collective}, {shape}")


def _check_shape(collective: str, shape: str) -> None:
    known = _core.algorithms()
    shapes = [a.name for a in known if a.collective == collective and a.name != "native"]
    listed = ", ".join(name for name in _core.algorithm_names(collective) if name != "native")
    if shape == "native":
        raise BadInput(f"native is the MPI library's own algorithm, which has no plan; there are: {listed}")
    if shape not in shapes:
        near = nearest_first(shape, shapes)[0]
        raise BadInput(f"there is no algorithm '{shape}' of {collective}; the nearest is {near}; there are: {listed}")


def _plan_file(
    network: _core.Cluster,
    collective: str,
    shape: str,
    laid: _core.Plan,
    hosts: list[str],
    segment: int | None,
) -> str:
    plan = _core.PlanFile()
    plan.collective, plan.algorithm, plan.plan = collective, shape, laid
    plan.cluster, plan.cluster_fingerprint, plan.host_of_rank = network.name, network.topology_fingerprint, hosts
    plan.provenance = f"trunkline plan {__version__}"
    plan.segment_bytes = segment
    return _core.write_plan(plan)


def _as_json(
    network: _core.Cluster,
    collective: str,
    shape: str,
    laid: _core.Plan,
    hosts: list[str],
    contention: _core.Contention,
) -> dict[str, object]:
    return {
        "cluster": network.name,
        "collective": collective,
        "shape": shape,
        "root": laid.root,
        "ranks": len(laid),
        "hosts": hosts,
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
    if laid.trees is None:
        _print_rounds(console, laid)
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
    if laid.round_list is None:
        return "any number of blocks"
    return f"{laid.round_list.blocks} blocks in {len(laid.round_list.rounds)} rounds"


def _print_rounds(console: Console, laid: _core.Plan) -> None:
    """The first transfers of the first rounds: enough to see how it goes."""
    most_rounds, most_transfers = 12, 6
    if laid.round_list is None:
        console.print(f"The generator {laid.generator} makes the rounds from the number of blocks.")
        return
    console.print()
    rounds = laid.round_list.rounds
    for number, transfers in enumerate(rounds[:most_rounds]):
        shown = [f"{t.sender} -> {t.receiver}: {_blocks(t)}" for t in transfers[:most_transfers]]
        more = f", and {len(transfers) - most_transfers} more" if len(transfers) > most_transfers else ""
        console.print(f"round {number}: {', '.join(shown)}{more}", soft_wrap=True)
    if len(rounds) > most_rounds:
        console.print(f"... {len(rounds) - most_rounds} more rounds: --json or --output has them all")


def _blocks(transfer: _core.Transfer) -> str:
    last = transfer.first + transfer.count - 1
    return f"block {last}" if transfer.count == 1 else f"blocks {transfer.first}-{last}"
