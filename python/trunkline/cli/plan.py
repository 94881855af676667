"""``trunkline plan``: lay a collective over a cluster."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from trunkline import __version__, _core
from trunkline.cli.cluster import link_name
from trunkline.cli.options import ClusterArgument
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster, nearest_first
from trunkline.errors import BadInput
from trunkline.report.draw_plan import draw_trees, tree_name
from trunkline.report.draw_svg import below_each_other
from trunkline.report.draw_terminal import line_over_switches, rank_tree
from trunkline.units import parse_segment

__all__ = ["plan", "root_rank"]

MOST_RANKS = 1_000_000


def plan(
    cluster: ClusterArgument,
    collective: Annotated[str, typer.Option(help="The collective operation: bcast.")] = "bcast",
    shape: Annotated[str, typer.Option(help="An algorithm of 'trunkline algorithms', such as linear.")] = "linear",
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
    most = MOST_RANKS // len(names)
    if not 1 <= ranks_per_host <= most:
        raise BadInput(f"--ranks-per-host must be from 1 to {most} on {len(names)} hosts, not {ranks_per_host}")
    segment_bytes = None if segment is None else parse_segment(segment, "--segment")
    if segment is not None and not output:
        raise BadInput(f"--segment {segment} goes into the plan file: name one with --output FILE")
    _check_shape(collective, shape)
    placement = _core.block_placement(network, ranks_per_host)
    trees = _core.lay_trees(collective, shape, network, placement, root_rank(network, placement, root))
    contention = _core.contention_of(network, placement, trees)
    hosts = [names[host] for host in placement]

    if output:
        write_text(_plan_file(network, collective, shape, trees, hosts, segment_bytes).rstrip("\n"), output)
    if json:
        write_json(_as_json(network, collective, shape, trees, hosts, contention), json)
    if svg:
        title = f"{collective}, {shape}, over {network.name} from {hosts[trees[0].root]}"
        write_text(below_each_other(draw_trees(network, placement, trees, title)), svg)
    if "-" not in (output, json, svg):
        _print(network, placement, trees, contention, f"{collective}, {shape}")


def _check_shape(collective: str, shape: str) -> None:
    known = _core.algorithms()
    collectives = list(dict.fromkeys(a.collective for a in known))
    if collective not in collectives:
        raise BadInput(
            f"there are no plans for a collective '{collective}'; there are: "
            + ", ".join(nearest_first(collective, collectives))
        )
    no_trees = {a.name for a in known if a.collective == collective and not a.trees}
    shapes = [a.name for a in known if a.collective == collective and a.trees]
    listed = ", ".join(name for name in _core.algorithm_names(collective) if name not in no_trees)
    if shape == "native":
        raise BadInput(f"native is the MPI library's own algorithm, which has no plan; there are: {listed}")
    if shape in no_trees:
        raise BadInput(
            f"{shape} is no tree, and has no plan: blocks reach each rank from several others; it runs with "
            f"TRUNKLINE_BCAST={shape}; there are: {listed}"
        )
    if shape not in shapes:
        near = nearest_first(shape, shapes)[0]
        raise BadInput(f"there is no shape '{shape}' for {collective}; the nearest is {near}; there are: {listed}")


def root_rank(cluster: _core.Cluster, placement: Sequence[int], root: str) -> int:
    """The rank of this number, or the first one on the host of this name.

    Raises:
        BadInput: where there is none.
    """
    if root.isascii() and root.isdigit():
        if int(root) >= len(placement):
            raise BadInput(f"there is no rank {root}; the ranks are 0 to {len(placement) - 1}")
        return int(root)
    host = cluster.find_host(root)
    if host is None:
        near = ", ".join(nearest_first(root, cluster.hosts[:10_000])[:3])
        raise BadInput(
            f"there is no host '{root}' in {cluster.name}; near to it are: {near} "
            f"(or give a rank, 0 to {len(placement) - 1})"
        )
    return placement.index(host)


def _plan_file(
    network: _core.Cluster,
    collective: str,
    shape: str,
    trees: list[_core.Tree],
    hosts: list[str],
    segment: int | None,
) -> str:
    plan = _core.PlanFile()
    plan.collective, plan.algorithm, plan.plan = collective, shape, _core.Plan(trees)
    plan.cluster, plan.cluster_fingerprint, plan.host_of_rank = network.name, network.topology_fingerprint, hosts
    plan.provenance = f"trunkline plan {__version__}"
    plan.segment_bytes = segment
    return _core.write_plan(plan)


def _as_json(
    network: _core.Cluster,
    collective: str,
    shape: str,
    trees: Sequence[_core.Tree],
    hosts: list[str],
    contention: _core.Contention,
) -> dict[str, object]:
    drawn = [_tree_as_json(tree) for tree in trees]
    return {
        "cluster": network.name,
        "collective": collective,
        "shape": shape,
        "root": trees[0].root,
        "ranks": len(trees[0]),
        "hosts": hosts,
        **(drawn[0] if len(drawn) == 1 else {"trees": drawn}),
        "contention_free": contention.contention_free,
        "max_channel_load": contention.max_channel_load,
        "busiest_channels": [
            {"channel": network.channel_name(load.channel), "load": load.senders} for load in contention.busiest
        ],
        "unused_links": [link_name(link) for link in network.unused_links],
    }


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
    trees: Sequence[_core.Tree],
    contention: _core.Contention,
    what: str,
) -> None:
    console = Console(highlight=False)
    tree = trees[0]
    height, degree = max(t.height for t in trees), max(t.max_degree for t in trees)
    console.print(
        f"[bold]{what}[/] over {escape(network.name)} from rank {tree.root} "
        f"({escape(network.hosts[placement[tree.root]])}): {len(tree)} ranks, height {height}, "
        f"degree {degree}",
        soft_wrap=True,
    )
    if contention.contention_free:
        console.print("[green]Contention-free[/]: no channel carries the transfers of two senders.")
    else:
        channels = ", ".join(escape(network.channel_name(load.channel)) for load in contention.busiest)
        console.print(f"[red]Contention[/]: {contention.max_channel_load} senders share each of {channels}.")
    for link in network.unused_links:
        console.print(f"Link {escape(link_name(link))} stays unused: the plan is laid over the spanning tree.")
    for number, tree in enumerate(trees):
        console.print()
        if len(trees) > 1:
            console.print(tree_name(number, len(trees)))
        if tree.max_degree <= 1:
            for row in line_over_switches(network, placement, tree):
                console.print(row)
        else:
            console.print(rank_tree(network, placement, tree))
