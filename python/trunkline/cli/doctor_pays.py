"""``trunkline doctor --pays``: does it help on my network? By prediction, with how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.markup import escape

from trunkline import _core
from trunkline.accuracy import library_words, own_words
from trunkline.cli.assumptions import host_words, rate_words
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster
from trunkline.doctor.pays import Gain, pays, verdict, with_host_rate
from trunkline.doctor.pays_picture import cell_words, pays_panels, pays_picture
from trunkline.errors import BadInput
from trunkline.registry import check_collective
from trunkline.terminal import output, tell, titled_table
from trunkline.units import format_bytes, format_rate, format_seconds, parse_counts, parse_rate, parse_sizes

COLLECTIVES = "bcast,reduce,allreduce,allgather"
SIZES = "1KiB,8KiB,64KiB,1MiB,16MiB"
_SURE = {"yes": "yes", "likely": "likely", "same": "-"}


def doctor_pays(
    cluster: str | None,
    collective: str | None,
    rate: str | None,
    ranks_per_host: str | None,
    sizes: str | None,
    mpi: str | None,
    svg: str | None,
    report: str | None,
    json: str | None,
) -> None:
    """A table, a picture, and one sentence."""
    check_outputs({"--svg": svg, "--report": report, "--json": json})
    if not cluster:
        raise BadInput(
            "the cluster is not known: give --cluster, or set TRUNKLINE_CLUSTER; a bundled one that is like yours will "
            "do for a start, such as --cluster leaf-spine ('trunkline cluster list')"
        )
    name, _, version = (mpi or "mpich").partition("-")
    if name not in _RULES:
        raise BadInput(
            f"--mpi {mpi}: what a library runs by itself is known of mpich and openmpi, with a version or without, "
            "such as openmpi-5.0.11"
        )
    network = load_cluster(cluster)
    names = [check_collective(one.strip()) for one in (collective or COLLECTIVES).split(",")]
    rates: list[float | None] = [parse_rate(one) for one in rate.split(",")] if rate else [None]
    ranks = parse_counts(ranks_per_host or "1", "--ranks-per-host")
    wanted = sorted(parse_sizes(sizes or SIZES))
    for one in rates[:1]:
        _tell_rate(network, one)
    costs = _core.host_costs_of(name, version)
    found = pays(network, names, rates, ranks, wanted, _core.NativeLibrary[name], costs)
    about = f"{network.name}: {len(network.hosts)} hosts on {len(network.switches)} switches, {mpi or name}"
    stated = f"{rate_words(network)}; " if rate is None else ""
    lines = [about, f"{stated}{host_words(costs)}"]
    write_json([one.as_json() for one in found], json)
    if svg:
        write_text(pays_picture(found, lines), svg)
    if report:
        write_text(pays_page(found, about, lines[1], mpi or name), report)
    if "-" not in (svg, report, json):
        _print("; ".join(lines), found, mpi or name, _RULES[name])


_RULES = {"mpich": "MPICH 4 and 5", "openmpi": "Open MPI 4.1 and 5.0"}
"""Whose own choices the predicted ones are, as far as they were compared (``core/model/native``)."""


def _tell_rate(cluster: _core.Cluster, rate_bps: float | None) -> None:
    """What a rate of hosts' links makes of the other links, where those have another."""
    if rate_bps is None:
        return
    words = rate_words(with_host_rate(cluster, rate_bps))
    if ", trunks " in words or " to " in words:
        tell(
            f"--rate {format_rate(rate_bps)} is that of hosts' links (the slowest), others keep their proportions: "
            f"{words}"
        )


def pays_page(found: Sequence[Gain], about: str, costs: str, library: str) -> str:
    """All of it as a page.

    Args:
        found: The cells.
        about: Cluster and library.
        costs: Rates, and what messages cost their hosts.
        library: Name of the MPI library.
    """
    from trunkline.report.page import render  # Matplotlib takes a second to load

    return render(
        "pays.html.j2",
        [],
        about=about,
        costs=costs,
        verdict=verdict(found),
        sure=_how_sure(found, library),
        panels=pays_panels(found, about),
        rows=[_row(one) for one in found],
        planned=_core.planned_words(),
    )


def _row(gain: Gain) -> tuple[str, ...]:
    low, high = gain.between
    between = "" if gain.sure == "same" else f"{low:.1f} to {high:.1f}"
    more = "" if gain.multicast_gain is None else f"{gain.multicast_gain:.1f}"
    ran = f"{gain.algorithm}, {gain.segment_bytes} B" if gain.segment_bytes else "the library's own"
    return (
        *(_core.facts_of(gain.collective).mpi_name, format_rate(gain.rate_bps), str(gain.ranks_per_host)),
        *(format_bytes(gain.message_bytes), ran, format_seconds(gain.library_seconds), format_seconds(gain.seconds)),
        *(cell_words(gain).lstrip("~"), between, _SURE[gain.sure], more),
    )


def _native_words(own: Sequence[Gain], rules: str) -> str:
    """Sizes that run the same stand together."""
    spans = []
    for words, some in groupby(own, lambda one: one.native_algorithm):
        sizes = [format_bytes(one.message_bytes) for one in some]
        span = sizes[0] if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        spans.append(f"{words or 'not known, so the faster of a ring and exchanges counts'} ({span})")
    return f"Library: {rules} by their own rules, so far as known: {', '.join(spans)}."


def _print(about: str, found: Sequence[Gain], mpi: str, rules: str) -> None:
    """A table for each collective, rate and number of ranks a host: they fit into 80 columns."""
    terminal = output(highlight=False)
    terminal.print(f"[bold]{escape(about)}: predicted[/]", soft_wrap=True)
    for (collective, rate, each), own in groupby(found, lambda one: (one.collective, one.rate_bps, one.ranks_per_host)):
        where = f"{format_rate(rate)} to each host, {each} rank{'' if each == 1 else 's'} on it"
        title = f"{_core.facts_of(collective).mpi_name}, {where}"
        columns = ("size", "library", "Trunkline", "gain", "between", "multicast", "runs")
        table = titled_table(title, *columns, left=("runs",), wrap=("runs",))
        cells = list(own)
        for one in cells:
            _, _, _, size, ran, library, time, _, between, _, more = _row(one)
            words = f"[bold green]{cell_words(one)}[/]" if one.sure == "yes" else cell_words(one)
            table.add_row(size, library, time, words, between, more, ran)
        terminal.print(table)
        terminal.print(_native_words(cells, rules), style="dim", soft_wrap=True)
    for line in _how_sure(found, mpi):
        terminal.print(line, style="dim", soft_wrap=True)
    terminal.print(verdict(found), style="bold", soft_wrap=True)


def _how_sure(found: Sequence[Gain], library: str) -> list[str]:
    least_sure = max((one.accuracy for one in found), key=lambda accuracy: accuracy.ours)
    return [
        "Gain: how many times faster than the MPI library alone. ~: likely, but not sure. =: its own algorithm runs.",
        f"Between: the gain where both times are off as far as was seen: {own_words(least_sure)}; "
        f"{library_words(least_sure, library)} ({_core.source_of_accuracy}). Without ~ it is faster even at the lower "
        "end.",
        "Multicast: the gain where datagrams of one host reach all others, which a job's doctor sees. All of this is "
        "predicted from the cluster file: nothing was measured on these switches.",
        "To see a cell simulated: 'trunkline simulate gains'. To measure: 'trunkline run --cluster FILE -- mpiexec ... "
        "trunkline doctor'.",
    ]
