"""A plan as the command shows it: for people, as JSON, as a picture, as a file."""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from trunkline import _core
from trunkline.cli.cluster import link_name
from trunkline.cli.output import write_json, write_text
from trunkline.draw.plan import draw_steps, tree_name
from trunkline.draw.terminal import line_over_switches, rank_tree, rounds_in_words
from trunkline.planned import Planned

__all__ = ["put_out"]


def put_out(network: _core.Cluster, planned: Planned, output: str | None, json: str | None, svg: str | None) -> None:
    """Write a plan to the files that are named, and say what it is where none of them is standard output.

    Args:
        network: What it is laid over.
        planned: The plan.
        output: The plan file.
        json: The plan with its loads.
        svg: The picture.
    """
    laid = planned.file.plan
    contention = _core.contention_of(network, planned.placement, laid)
    if output:
        write_text(_core.write_plan(planned.file).rstrip("\n"), output)
    if json:
        write_json(_as_json(network, planned, laid, contention), json)
    if svg:
        title = f"{planned.what}, over {network.name} from {network.hosts[planned.placement[laid.root]]}"
        write_text(draw_steps(network, planned.placement, laid, title), svg)
    if "-" not in (output, json, svg):
        _print(network, planned.placement, laid, contention, planned.what)


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
        "most_senders": contention.most_senders,
        "busiest_channels": [
            {"channel": network.channel_name(load.channel), "load": load.senders, "room": load.room}
            for load in contention.busiest
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
    console.print(_verdict(network, laid, contention), soft_wrap=True)
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


def _verdict(network: _core.Cluster, laid: _core.Plan, contention: _core.Contention) -> str:
    when = "" if laid.trees is not None else " in one round"
    if contention.contention_free and contention.most_senders <= 1:
        return f"[green]Contention-free[/]: no channel carries the transfers of two senders{when}."
    if contention.contention_free:
        most = contention.most_senders
        return f"[green]Contention-free[/]: up to {most} senders share a channel{when}, and each has room for its own."
    names = [escape(network.channel_name(load.channel)) for load in contention.busiest]
    if all(load.room == 1 for load in contention.busiest):
        return f"[red]Contention[/]: {contention.max_channel_load} senders share each of {', '.join(names)}."
    shared = zip(contention.busiest, names, strict=True)
    return "[red]Contention[/]: " + "; ".join(
        f"{load.senders} senders share {name}, which has room for {load.room}" for load, name in shared
    )


def _extent(laid: _core.Plan) -> str:
    if laid.trees is not None:
        return f"height {max(t.height for t in laid.trees)}, degree {max(t.max_degree for t in laid.trees)}"
    if laid.blocks is None:
        return "any number of blocks"
    return f"{laid.blocks} blocks in {laid.round_count(laid.blocks)} rounds"
