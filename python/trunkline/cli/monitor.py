"""``trunkline monitor``: measures a network again and again, and writes its file anew where plans would gain."""

from __future__ import annotations

import os
import time
from datetime import datetime, timedelta, timezone
from json import dumps
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from trunkline import _core
from trunkline.cli.options import RanksOnHostOption, mpi_option, multicasts_wanted, sizes_option
from trunkline.cli.output import check_outputs
from trunkline.cluster import load_cluster
from trunkline.compat import zip_equal
from trunkline.errors import BadInput, Failed
from trunkline.files import is_file, is_folder, read_text, replace_file
from trunkline.launchers import mpi_of_job
from trunkline.monitor.gain import Call, CallGain, gains, parse_calls
from trunkline.monitor.history import Forecasts, History
from trunkline.mpi import Mpi, require_mpi
from trunkline.pairs.fit import fit_pairs, uneven_lines
from trunkline.pairs.measuring import measure_pairs
from trunkline.placement import bounded_placement
from trunkline.terminal import tell
from trunkline.units import format_seconds, parse_bytes

CALLS = "bcast:8KiB,bcast:100000,allreduce:8KiB,allreduce:100000"
MOST_MESSAGE_BYTES = 1 << 20
CLOCK_SET_S = 60.0
"""Between two looks at both clocks: more was no drift."""


def monitor(
    cluster: Annotated[
        Path,
        typer.Option(
            metavar="CLUSTER", envvar="TRUNKLINE_CLUSTER", help="The cluster file that the job follows; rewritten."
        ),
    ],
    launcher: Annotated[
        Optional[list[str]],
        typer.Argument(metavar="-- MPIEXEC ...", help="What starts a job on the hosts to measure, up to its program."),
    ] = None,
    pairs: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="Take this measurement instead of making one; with --once.")
    ] = None,
    history: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", help="A line a measurement; default: that of CLUSTER with .history behind it."),
    ] = None,
    every: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="From one measurement to the next.")] = 60.0,
    share: Annotated[
        float, typer.Option(min=0.001, max=1, help="Most of the time that is spent on measuring; else they are rarer.")
    ] = 0.1,
    once: Annotated[bool, typer.Option("--once", help="One measurement, for cron.")] = False,
    most_pairs: Annotated[int, typer.Option(min=1, help="Of more pairs, a sample that tells the links apart.")] = 40,
    size: Annotated[
        str,
        sizes_option(
            "Of the messages of streams. A stream has 16 at least, and fills the slowest link.", several=False
        ),
    ] = "2KiB",
    least: Annotated[int, typer.Option(min=1, help="Fewest samples of a figure.")] = 2,
    budget: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="How long a figure is repeated that varies.")
    ] = 0.0,
    patience: Annotated[float, typer.Option(min=1, metavar="SECONDS", help="How long a pair may take.")] = 30.0,
    most_seconds: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="After which a measurement is ended.")
    ] = 300.0,
    max_age: Annotated[float, typer.Option(min=0, metavar="HOURS", help="Older measurements are not used.")] = 1.0,
    margin: Annotated[
        float, typer.Option(min=0, help="The file is written where a call would be faster by more than this share.")
    ] = 0.1,
    calls: Annotated[str, typer.Option(metavar="COLLECTIVE:SIZE,...", help="The calls that count.")] = CALLS,
    ranks_per_host: RanksOnHostOption = 1,
    mpi: Annotated[Optional[str], mpi_option("The MPI library; default: the launcher's.")] = None,
    host_costs: Annotated[
        str,
        typer.Option(
            metavar="COSTS", envvar="TRUNKLINE_HOST_COSTS", help="What messages cost hosts; default: the library's."
        ),
    ] = "",
    json: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="A line of JSON a measurement; '-' for standard output.")
    ] = None,
) -> None:
    """Measure pairs of hosts again and again, and write the cluster file anew where plans would gain.

    A job with TRUNKLINE_FOLLOW=1 takes the new file while it runs. Exit status 1 with --once: it could not be measured.
    """
    if (pairs is None) == (not launcher):
        raise BadInput("give either what starts the measuring job, behind --, or --pairs FILE")
    if pairs is not None and not once:
        raise BadInput("--pairs: is one measurement; add --once")
    if is_folder(cluster):
        raise BadInput(f"--cluster: '{cluster}' is a folder; name the cluster file")
    if not is_file(cluster):
        raise BadInput(f"{cluster}: there is no such file; a bundled cluster is written by 'trunkline cluster export'")
    check_outputs({"--json": json})
    wanted = parse_calls(calls)
    message_bytes = parse_bytes(size)
    if not 1 <= message_bytes <= MOST_MESSAGE_BYTES:
        raise BadInput("--sizes: from 1 byte to 1 MiB")
    if launcher:
        library = mpi_of_job(launcher, mpi, os.environ)
    elif mpi:
        library = require_mpi(mpi)
    else:
        raise BadInput("--pairs: say with --mpi which MPI library the job has")
    stated = load_cluster(str(cluster))
    file = Path(history) if history else cluster.with_name(cluster.name + ".history")
    age = timedelta(hours=max_age)

    def measured(launcher: list[str], only: list[tuple[str, str]]) -> str:
        return measure_pairs(
            launcher,
            library,
            cluster,
            most_pairs=most_pairs,
            only=only,
            message_bytes=message_bytes,
            least=least,
            budget_s=budget,
            patience_s=patience,
            most_s=most_seconds,
            environment=os.environ,
        )

    with History(file, stated, datetime.now(timezone.utc)) as kept:
        for note in kept.notes:
            tell(f"trunkline: warning: {note}")
        clocks = _Clocks()
        while True:
            start = time.monotonic()
            problem = None
            try:
                if launcher:
                    far = kept.add(measured(launcher, []), datetime.now(timezone.utc), age)
                    # Forecasts follow what was measured twice. So what is far from them is measured again at once.
                    if far:
                        again = [(stated.hosts[a], stated.hosts[b]) for a, b in far]
                        kept.add(measured(launcher, again), datetime.now(timezone.utc), age)
                else:
                    kept.add(read_text(str(pairs)), datetime.now(timezone.utc), age)
            except Failed as failed:
                problem = str(failed)
                tell(f"not measured: {problem}")
            took = time.monotonic() - start
            if problem is None:
                step = _step(cluster, kept, age, margin, wanted, ranks_per_host, library, host_costs, took)
                _write_line(json, step)
            else:
                _write_line(json, {"seconds": took, "problem": problem})
            clocks.tell()
            if once:
                raise typer.Exit(0 if problem is None else 1)
            time.sleep(max(0.0, max(every, took / share) - took))


class _Clocks:
    """Says where the clock that dates measurements was set: durations and ages do not follow it."""

    def __init__(self) -> None:
        self._apart = time.time() - time.monotonic()

    def tell(self) -> None:
        apart = time.time() - time.monotonic()
        if abs(apart - self._apart) > CLOCK_SET_S:
            tell(f"the clock was set by {apart - self._apart:+.0f} s; measurements keep their age")
        self._apart = apart


def _step(
    file: Path,
    kept: History,
    age: timedelta,
    margin: float,
    calls: list[Call],
    ranks_per_host: int,
    library: Mpi,
    host_costs: str,
    took: float,
) -> dict[str, Any]:
    """What follows from the measurements so far; writes the file where that gains."""
    was = load_cluster(str(file))
    expected = kept.forecasts(age)
    if expected is None:
        tell("no measurement is young enough (--max-age)")
        return {"seconds": took, "wrote": False, "gains": []}
    _check_hosts(was, expected.pairs.hosts)
    fitted = fit_pairs(was, expected.pairs)
    for line in uneven_lines(fitted):
        tell(line)
    placement = bounded_placement(was, ranks_per_host)
    found = gains(was, fitted.cluster, calls, placement, library, host_costs, multicasts=multicasts_wanted())
    best = max(found, key=lambda one: one.ratio)
    writes = best.ratio > 1 + margin
    if writes:
        when = expected.pairs.measured.isoformat(timespec="seconds")
        about = f"# Rates, latencies and injection times: as 'trunkline monitor' expects them from {when} on.\n"
        replace_file(file, about + _core.write_cluster(fitted.cluster))
    used, all_of_them = kept.count(age)
    tell(
        f"{len(expected.pairs.pairs)} pairs measured in {took:.2g} s, forecasts from {used} of {all_of_them} "
        f"measurements; {_words(best)}: {file} {'is written anew' if writes else 'stays'}"
    )
    return {
        "seconds": took,
        "wrote": writes,
        "measurements": used,
        "gains": [_gain_json(one) for one in found],
        "pairs": _pairs_json(was, expected),
    }


def _check_hosts(cluster: _core.Cluster, measured: list[int]) -> None:
    """Whether pairs tell a host's own link from the one behind its switch: with another host of that switch they do."""
    places = {name: host for host, name in enumerate(cluster.hosts)}
    of_switch: dict[str, list[int]] = {}
    for link in cluster.links:
        for host, switch in ((link.a, link.b), (link.b, link.a)):
            if host in places:
                of_switch.setdefault(switch, []).append(places[host])
    for switch, hosts in of_switch.items():
        here = [host for host in hosts if host in measured]
        if len(here) == 1 and len(hosts) > 1:
            raise BadInput(
                f"{cluster.hosts[here[0]]} is the only host of {switch} that is measured, so its link and those beyond "
                f"{switch} are not told apart: start the measuring job on two hosts of each switch"
            )


def _words(gain: CallGain) -> str:
    return (
        f"a {gain.call} would take {format_seconds(gain.old_s)} with the plan that runs ({gain.old}), and "
        f"{format_seconds(gain.new_s)} with a new one ({gain.new})"
    )


def _gain_json(gain: CallGain) -> dict[str, Any]:
    return {
        "collective": gain.call.collective,
        "message_bytes": gain.call.message_bytes,
        "old": gain.old,
        "old_seconds": gain.old_s,
        "new": gain.new,
        "new_seconds": gain.new_s,
        "ratio": gain.ratio,
    }


def _pairs_json(cluster: _core.Cluster, expected: Forecasts) -> list[dict[str, Any]]:
    return [
        {
            "hosts": [cluster.hosts[host] for host in pair.hosts],
            "latency_seconds": pair.latency_s,
            "predictor": forecast.predictor,
            "error_seconds": forecast.error,
            "bandwidth_bps": list(pair.bandwidth_bps),
            "one_way_seconds": list(pair.one_way.seconds) if pair.one_way else None,
            "one_way_error_seconds": pair.one_way.error_s if pair.one_way else None,
        }
        for pair, forecast in zip_equal(expected.pairs.pairs, expected.latencies)
    ]


def _write_line(file: str | None, data: dict[str, Any]) -> None:
    if file is None:
        return
    line = dumps(data)
    if file == "-":
        print(line, flush=True)
        return
    try:
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")
    except OSError as error:
        raise BadInput(f"cannot write {file}: {error.strerror}") from error
