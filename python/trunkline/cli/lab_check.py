"""``trunkline lab check``: how true the emulated cluster is."""

from typing import Annotated, Optional

import typer

from trunkline import _core
from trunkline.cli.options import ClusterOption
from trunkline.cli.output import check_outputs, write_json
from trunkline.cluster import load_cluster
from trunkline.lab.accuracy import MOST_BUSY, Accuracy, measure_accuracy
from trunkline.lab.rate import LADDER, find_rate, remember_rate, warn_of_slow_links
from trunkline.lab.session import Lab
from trunkline.terminal import console, titled_table
from trunkline.units import format_bytes, format_rate, format_seconds, parse_rate


def check(
    cluster: ClusterOption,
    rate: Annotated[
        str,
        typer.Option(
            metavar="RATE",
            help="Rate of the fastest link (20Mbit), or auto: look for the highest that holds, and keep it.",
        ),
    ] = "auto",
    json: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="Write what was measured as JSON; '-' for standard output.")
    ] = None,
) -> None:
    """Measure the emulated cluster with plain sockets against theory. Exit status 1 where it is not true enough."""
    check_outputs({"--json": json})
    network = _core.unimpaired(load_cluster(cluster))  # what is lost on purpose says nothing of the machine
    given = None if rate == "auto" else parse_rate(rate)
    with console.status(f"{network.name}: looking for the highest true rate") as status:

        def show(what: str) -> None:
            status.update(f"{network.name}: {what}")

        warn_of_slow_links(network, given)
        rate_bps = find_rate(network, show) if given is None else given
        with Lab(network, rate_bps) as lab:
            accuracy = measure_accuracy(lab, on_step=show)
            # The search measures less than the check; a rate that it found with nothing to spare may not pass.
            lower = [rung for rung in LADDER if rung < rate_bps] if given is None else []
            while accuracy.reasons() and lower:
                lab.set_rate(lower.pop())
                accuracy = measure_accuracy(lab, on_step=show)
    reasons = accuracy.reasons()
    if given is None and not reasons:
        remember_rate(network, accuracy.rate_bps)
    _print(accuracy)
    write_json(accuracy.as_json(), json)
    if reasons:
        raise typer.Exit(1)


def _print(accuracy: Accuracy) -> None:
    head = f"{accuracy.cluster} at {format_rate(accuracy.rate_bps)}, {accuracy.processors} processors"
    title = f"{head}: half a ping-pong, plain sockets"
    ping_pong = titled_table(title, "message", "T(m)", "on the wire", "off by")
    for row in accuracy.ping_pong:
        ping_pong.add_row(
            format_bytes(row.message_bytes),
            format_seconds(row.seconds),
            format_seconds(row.wire_seconds),
            f"{row.error:+.1%}",
        )
    console.print(ping_pong)
    console.print(f"T(m) = time on the wire + {format_seconds(accuracy.start_up_seconds)} of start-up")
    columns = ("segment", "time", "theory", "off by", "processors busy")
    relay = titled_table("1 MiB through all hosts, plain sockets", *columns)
    for line in accuracy.relay:
        relay.add_row(
            format_bytes(line.segment_bytes),
            format_seconds(line.seconds),
            format_seconds(line.theory_seconds),
            f"{line.error:+.1%}",
            f"{line.busy:.0%} (at most {MOST_BUSY:.0%})",
        )
    console.print(relay)
    late = accuracy.network
    console.print(
        f"Deliveries: {late['late_mean_s'] * 1e6:+.0f} us in the mean, {late['late_mean_off_s'] * 1e6:.0f} us "
        f"either way, 99 % within {late['late_p99_s'] * 1e6:.0f} us; network's priority: {accuracy.priority}"
    )
    reasons = accuracy.reasons()
    console.print("[red]Not true enough:[/] " + "; ".join(reasons) if reasons else "[green]True.[/]")
