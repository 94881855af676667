"""A plan as the command shows it: for people, as JSON, as a picture, as a file."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape

from trunkline import _core
from trunkline.cli.cluster import link_name
from trunkline.cli.output import write_json, write_text
from trunkline.compat import zip_equal
from trunkline.kinds import kind_of
from trunkline.planned import Planned
from trunkline.terminal import output
from trunkline.units import format_bytes


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
    write_json(_as_json(network, planned, laid, contention), json)
    if svg:
        title = f"{planned.what}, over {network.name} from {network.hosts[planned.placement[laid.root]]}"
        write_text(kind_of(laid).draw(network, planned.placement, laid, title), svg)
    if "-" not in (output, json, svg):
        size = "" if planned.message_bytes is None else f", for {format_bytes(planned.message_bytes)}"
        _print(network, planned.placement, laid, contention, planned.what + size)


def _as_json(
    network: _core.Cluster, planned: Planned, laid: _core.Plan, contention: _core.Contention
) -> dict[str, object]:
    return {
        "cluster": network.name,
        "collective": planned.file.collective,
        "shape": planned.file.algorithm,
        "root": laid.root,
        "ranks": len(laid),
        **({} if planned.message_bytes is None else {"message_bytes": planned.message_bytes}),
        "hosts": [network.hosts[host] for host in planned.placement],
        **kind_of(laid).as_json(laid),
        "contention_free": contention.contention_free,
        "max_channel_load": contention.max_channel_load,
        "most_senders": contention.most_senders,
        "busiest_channels": [
            {"channel": network.channel_name(load.channel), "load": load.senders, "capacity": load.capacity}
            for load in contention.busiest
        ],
        "unused_links": [link_name(link) for link in network.unused_links],
    }


def _print(
    network: _core.Cluster,
    placement: Sequence[int],
    laid: _core.Plan,
    contention: _core.Contention,
    what: str,
) -> None:
    console = output(highlight=False)
    console.print(
        f"[bold]{what}[/] over {escape(network.name)} from rank {laid.root} "
        f"({escape(network.hosts[placement[laid.root]])}): {len(laid)} ranks, {kind_of(laid).extent(laid)}",
        soft_wrap=True,
    )
    console.print(_verdict(network, laid, contention), soft_wrap=True)
    for link in network.unused_links:
        why = "it is on no shortest path" if network.is_routed else "the plan is laid over the spanning tree"
        console.print(f"Link {escape(link_name(link))} stays unused: {why}.")
    kind_of(laid).show(console, network, placement, laid)


def _verdict(network: _core.Cluster, laid: _core.Plan, contention: _core.Contention) -> str:
    when = kind_of(laid).at_once
    if contention.contention_free and contention.most_senders <= 1:
        return f"[green]Contention-free[/]: no channel carries the transfers of two senders{when}."
    if contention.contention_free:
        most = contention.most_senders
        return f"[green]Contention-free[/]: up to {most} senders share a channel{when}, and each has room for its own."
    names = [escape(network.channel_name(load.channel)) for load in contention.busiest]
    if all(load.capacity == 1 for load in contention.busiest):
        return f"[red]Contention[/]: {contention.max_channel_load} senders share each of {', '.join(names)}."
    shared = zip_equal(contention.busiest, names)
    return "[red]Contention[/]: " + "; ".join(
        f"{load.senders} senders share {name}, which has room for {load.capacity}" for load, name in shared
    )
