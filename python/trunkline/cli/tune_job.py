"""``trunkline tune`` inside a job, and what it has in common with tuning on the lab."""

from __future__ import annotations

import os
import sys
from datetime import datetime, timezone
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from trunkline import __version__, _core
from trunkline.bench.job import Repetition, program
from trunkline.bench.own_job import OwnJob
from trunkline.cli.output import check_outputs, write_text, write_whole
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput, Failed
from trunkline.mpi import BUILD_IT, Mpi, require_mpi, running_mpi
from trunkline.predict import knowledge_of
from trunkline.terminal import console, progress_bar, titled_table
from trunkline.tune.job_tuner import JobTuner, tuner_words
from trunkline.tune.tuner import Winner, entry_of, load_tuning, merged
from trunkline.units import format_bytes, format_rate, format_seconds, parse_bench_sizes


def tune_job(
    rank: int,
    cluster: str,
    mpi: str | None,
    output: str,
    collective: str,
    sizes: str,
    minutes: float,
    merge: str | None,
    measured: str | None,
) -> None:
    """One rank's part; rank 0 writes the file anew after each size, so that it is whole whenever the job ends.

    Raises:
        BadInput: as :class:`JobTuner`; where nothing was built for the library, or the tables are for another network.
        Failed: where the job ends, or there was time for no size.
    """
    library = require_mpi(mpi) if mpi else running_mpi()
    if not Path(program(library)).exists():
        raise BadInput(f"nothing was built for {library.name}; now that it is installed, run {BUILD_IT}")
    network = load_cluster(cluster)
    wanted = parse_bench_sizes(sizes)
    words = tuner_words(library, collective)
    if rank != 0:
        sys.stdout.flush()
        os.execv(words[0], words)
    check_outputs({"--output": output})
    old = load_tuning(merge).entries if merge else []
    knowledge = knowledge_of(network, library, measured=measured)
    winners: list[Winner] = []
    text = ""
    with OwnJob(words) as job, progress_bar(len(wanted), "looking at the job") as bar:
        tuner = JobTuner(job, library, collective, network, knowledge)
        hosts = len(set(tuner.placement))
        where = f"{network.name}, {hosts} hosts, {library.name}"

        def show(repetition: Repetition) -> None:
            bar.show(f"{where}: {repetition.text}")

        for winner in tuner.winners(wanted, minutes * 60, show):
            winners.append(winner)
            if winner.noise is not None:
                console.print(escape(_noisy(winner)), soft_wrap=True)
            bar.show(done=1)
            entry = entry_of(
                network, library, collective, hosts, tuner.ranks_per_host, winners, tuner.rates, tuner.ranks_by_host
            )
            if len(winners) == 1 and (told := entry.contradiction(network)):
                console.print(escape(f"measured rates are not those of the cluster file: {told}"), soft_wrap=True)
            text = tuning_text(old, [entry], _range([rate.bps for rate in tuner.rates]))
            if output != "-":
                write_whole(text, Path(output))
    if not winners:
        raise Failed("there was no time for any size: give it more --minutes")
    if output == "-":
        write_text(text, output)
    console.print(winners_table(where, library, sorted(winners, key=lambda winner: winner.message_bytes)))


def _noisy(winner: Winner) -> str:
    chosen = f"{winner.algorithm}, {winner.segment_bytes} B" if winner.segment_bytes else winner.algorithm
    return (
        f"{format_bytes(winner.message_bytes)}: too noisy to tell the fastest (95 % intervals up to "
        f"{100 * (winner.noise or 0):.0f} % wide); the model decides: {chosen}"
    )


def _range(rates: list[float]) -> str:
    if not rates:
        return "one host"
    low, high = (format_rate(rate) for rate in (min(rates), max(rates)))
    return f"measured rates from {low} to {high}"


def tuning_text(old: list[_core.TuningEntry], entries: list[_core.TuningEntry], links: str) -> str:
    """A tuning file of these entries and the old ones; ``links`` says how fast they were."""
    tuning = _core.Tuning()
    tuning.provenance = f"trunkline tune {__version__}, {datetime.now(timezone.utc).date()}, {links}"
    tuning.entries = merged(old, entries)
    return _core.write_tuning(tuning).rstrip("\n")


def winners_table(where: str, library: Mpi, winners: list[Winner]) -> Table:
    """For people: what was fastest at each size."""
    columns = ("size", "fastest", "time", "native", "gain", "tried")
    table = titled_table(f"{escape(where)} {library.version}", *columns, left=["fastest"])
    for winner in winners:
        table.add_row(
            format_bytes(winner.message_bytes),
            f"{winner.algorithm}, {winner.segment_bytes} B" if winner.segment_bytes else winner.algorithm,
            format_seconds(winner.seconds),
            format_seconds(winner.native_seconds),
            f"{winner.native_seconds / winner.seconds:.2f}",
            str(winner.tried),
        )
    return table
