"""``trunkline simulate gains``: what ``auto`` gains over rivals, by link rate and message size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Optional

import typer
from rich.markup import escape
from rich.table import Table

from trunkline import _core
from trunkline.cli.assumptions import host_words, rate_words, tell_rate
from trunkline.cli.options import (
    ClusterOption,
    CollectiveOption,
    HostCostsOption,
    JsonOption,
    MpiOption,
    RanksOnHostOption,
    RatesOption,
    RootOption,
    SizesOption,
    SvgOption,
    algorithms_option,
)
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import fingerprint_text, load_cluster
from trunkline.errors import BadInput
from trunkline.long_links import dealt_placement, long_links_of, with_long_links
from trunkline.mpi import require_mpi
from trunkline.peers.simulated import UNNAMED, Simulated, named_now, simulated_algorithms
from trunkline.placement import bounded_placement, root_rank
from trunkline.predict import host_costs_given
from trunkline.simulate.engine import Job
from trunkline.simulate.gains import Gain, gains_of
from trunkline.simulate.gains_picture import gain_words, gains_picture
from trunkline.simulate.rows import LeftOut, simulate_all
from trunkline.terminal import console, progress_bar, titled_table
from trunkline.units import format_bytes, format_rate, format_seconds, parse_rate, parse_sizes, parse_time


def gains(
    cluster: ClusterOption,
    rates: RatesOption = None,
    sizes: SizesOption = "1KiB,8KiB,64KiB,1MiB,16MiB",
    collective: CollectiveOption = "bcast",
    rivals: Annotated[
        str, algorithms_option("What to compare with: as --algorithms of 'trunkline simulate COLLECTIVE'.")
    ] = "mpich,openmpi",
    mpi: MpiOption = "mpich",
    root: RootOption = "0",
    ranks_per_host: RanksOnHostOption = 1,
    long_rates: Annotated[
        Optional[str],
        typer.Option(
            "--long-rate",
            metavar="RATE,...",
            help="Rates of the fastest link between sites, other such links in proportion; after --rate, which scales "
            "them too. Default: they stay.",
        ),
    ] = None,
    long_latencies: Annotated[
        Optional[str],
        typer.Option(
            "--long-latency",
            metavar="TIME,...",
            help="Latencies of the longest link between sites (20ms), other such links in proportion; default: the "
            "file's.",
        ),
    ] = None,
    dealt: Annotated[
        bool, typer.Option("--dealt", help="Ranks go in turn over the sites, as cards are dealt; else host by host.")
    ] = False,
    host_costs: HostCostsOption = "",
    race: Annotated[
        float,
        typer.Option(
            min=0, help="Give a rival up at a size once it has taken N times as long as the fastest before it; 0: none."
        ),
    ] = 0.0,
    svg: SvgOption = None,
    json: JsonOption = None,
) -> None:
    """Show what Trunkline's own choice gains over other libraries', by link rate and message size.

    Each cell is what 'trunkline simulate COLLECTIVE' says of 'auto' and of that rival; one is empty where nobody here
    knows what a library runs. Where a cluster has sites the bound stands beside: each long link crossed once. A file of
    --json is written anew after each rate, so that what is done is kept where the command is stopped.
    """
    check_outputs({"--svg": svg, "--json": json})
    network = load_cluster(cluster)
    placement = bounded_placement(network, ranks_per_host)
    if dealt:
        placement = dealt_placement(network, placement)
    start = root_rank(network, placement, root)
    library = require_mpi(mpi)
    words = rivals.split(",")
    (auto,) = simulated_algorithms(collective, ["auto"])
    others = [one for one in simulated_algorithms(collective, words, library.native_library) if one != auto]
    if not others:
        raise BadInput("--algorithms: name one besides auto: native, mpich, openmpi, ...")
    if unnamed := [one.name for one in others if named_now(one.name) in UNNAMED]:
        raise BadInput(
            f"--algorithms: SimGrid does not say which algorithm '{unnamed[0]}' is, and gains are over named ones; "
            f"'trunkline simulate {collective} --algorithms auto,{unnamed[0]}' has its times"
        )
    costs = host_costs_given(host_costs, _core.host_costs_of(library.counts_as, library.version))
    if not host_costs:
        others = [_with_own_costs(one) for one in others]
    all_rates = _each(rates, parse_rate)
    for scaled_to in all_rates:
        tell_rate(network, scaled_to)
    clusters = [
        with_long_links(network if one is None else _core.scaled(network, one), long_rate, long_latency)
        for one in all_rates
        for long_rate in _each(long_rates, parse_rate)
        for long_latency in _each(long_latencies, parse_time)
    ]
    lengths = parse_sizes(sizes)
    jobs = [Job(collective, one, placement, start, lengths, {}, costs, library.native_library) for one in clusters]
    left_out: list[tuple[Job, LeftOut]] = []

    def keep(found: Sequence[Gain]) -> None:
        # Large clusters take hours: who stops it then has what is done.
        if json and json != "-":
            write_json([one.as_json() for one in found], json)

    found = simulated_gains(jobs, auto, others, race, left_out, keep)
    if json == "-":
        write_json([one.as_json() for one in found], json)
    if svg and found:
        write_text(gains_picture(found), svg)
    rate = f"{_links(clusters[0])}, " if len(clusters) == 1 else ""
    order = " dealt over sites" if dealt else ""
    title = (
        f"{escape(network.name)}, {len(placement)} ranks{order}, {rate}"
        f"{library.name}, simulated; {host_words(costs)}{'' if host_costs else ', a rival library its own'}: how "
        f"many times faster {_core.facts_of(collective).mpi_name} is with Trunkline's 'auto' than each library's own "
        "choice"
    )
    console.print(_table(title, jobs, [one.name for one in others], found))
    for line in reasons([one for _, one in left_out]):
        console.print(line, style="dim", markup=False, highlight=False)


def _with_own_costs(one: Simulated) -> Simulated:
    """A library's own choice costs its hosts what its messages were measured to, not what those of the ranks do."""
    if one.library is None or one.name == "native":
        return one
    return replace(one, host_costs=_core.host_costs_of(one.library.name, ""))


def _each(texts: str | None, parse: Callable[[str], float]) -> list[float | None]:
    """Each value once; None alone: nothing is given."""
    return list(dict.fromkeys(map(parse, texts.split(",")))) if texts else [None]


def _links(cluster: _core.Cluster) -> str:
    """Rates, and the latencies of links between sites."""
    long = long_links_of(cluster)
    if long is None:
        return rate_words(cluster)
    least, most = format_seconds(long.least_s), format_seconds(long.most_s)
    return f"{rate_words(cluster)}, sites {most if least == most else f'{least} to {most}'} apart"


def reasons(left_out: Sequence[LeftOut]) -> list[str]:
    """Why cells are empty, a line for each reason."""
    cells: dict[tuple[str, str], list[str]] = {}
    for one in left_out:
        sizes = cells.setdefault((one.algorithm, one.why), [])
        if (size := format_bytes(one.message_bytes)) not in sizes:
            sizes.append(size)
    return [f"{name}, {', '.join(sizes)}: no time, since {why}." for (name, why), sizes in cells.items()]


def simulated_gains(
    jobs: Sequence[Job],
    auto: Simulated,
    rivals: Sequence[Simulated],
    race: float,
    left_out: list[tuple[Job, LeftOut]],
    keep: Callable[[Sequence[Gain]], None],
) -> list[Gain]:
    """What ``auto`` gains, job by job, with a progress bar; ``keep`` gets all gains that there are behind each."""
    cells = len(jobs) * (1 + len(rivals)) * len(jobs[0].sizes)
    found: list[Gain] = []
    with progress_bar(cells, f"simulating {auto.name}") as bar:
        for job in jobs:

            def advance(algorithm: Simulated, size: int, words: str = _links(job.cluster)) -> None:
                bar.show(f"{words}: simulated {algorithm.name}, {format_bytes(size)}", done=1)

            def leave_out(case: LeftOut, job: Job = job) -> None:
                left_out.append((job, case))
                bar.show(done=1)

            found += gains_of(simulate_all(job, [auto, *rivals], race, advance, leave_out), job, auto.name)
            keep(found)
    return found


def _table(title: str, jobs: Sequence[Job], rivals: Sequence[str], gains: Sequence[Gain]) -> Table:
    over_sites = any(job.cluster.has_sites for job in jobs)
    beside = ("bound", "of bound") if over_sites else ("over T",)
    table = titled_table(
        title,
        *("links", "size", "auto", "time", *beside, *rivals),
        left=["links", "auto", *rivals],
        wrap=["links", "auto", *rivals],
    )
    for job in jobs:
        words = _links(job.cluster)
        rate = words if "," in words else format_rate(job.cluster.links[0].rate_bps)
        fingerprint = fingerprint_text(job.cluster)
        for k, size in enumerate(job.sizes):
            own = {
                gain.rival: gain
                for gain in gains
                if gain.cluster_fingerprint == fingerprint and gain.message_bytes == size
            }
            head = (rate if k == 0 else "", format_bytes(size))
            table.add_row(*head, *_cells(own, rivals, over_sites), end_section=k == len(job.sizes) - 1)
    return table


def _cells(gains: Mapping[str, Gain], rivals: Sequence[str], over_sites: bool) -> list[str]:
    """Of one size: empty where ``auto`` or a rival has no time."""
    if not gains:
        return ["-"] * (3 + over_sites + len(rivals))
    first = next(iter(gains.values()))
    ran = f"native, {first.auto_native_algorithm}" if first.auto_native_algorithm else first.auto_ran
    cells = [ran, format_seconds(first.auto_seconds)]
    if over_sites:
        cells += [format_seconds(first.bound_seconds), f"{first.auto_seconds / first.bound_seconds:.2f}"]
    else:
        cells.append(f"{first.auto_seconds / first.limit_seconds:.2f}")
    for rival in rivals:
        one = gains.get(rival)
        # One that Trunkline does not know by another name stands in the column's title.
        runs = f" {one.rival_algorithm}" if one and one.rival_algorithm != rival else ""
        cells.append(f"{gain_words(one)}{runs}" if one else "-")
    return cells
