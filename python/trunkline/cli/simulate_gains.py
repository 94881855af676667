"""``trunkline simulate gains``: what ``auto`` gains over rivals, by link rate and message size."""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from trunkline import _core
from trunkline.cli.options import ClusterOption, CollectiveOption, JsonOption, RanksOnHostOption, SizesOption
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cli.predict import RootOption
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.peers.simulated import SELECTORS, Simulated, simulated_algorithms
from trunkline.placement import bounded_placement, root_rank
from trunkline.simulate.calibration import known_host_costs
from trunkline.simulate.engine import Job
from trunkline.simulate.gains import Gain, simulate_gains
from trunkline.simulate.gains_picture import gain_words, gains_picture
from trunkline.terminal import console, progress_bar, titled_table
from trunkline.units import format_bytes, format_rate, format_seconds, parse_rate, parse_sizes

__all__ = ["gains"]


def gains(
    cluster: ClusterOption,
    rates: Annotated[
        str,
        typer.Option(help="Rates of the fastest link, separated by commas; other links in proportion."),
    ] = "20Mbit,1Gbit,10Gbit,100Gbit",
    sizes: SizesOption = "1KiB,8KiB,64KiB,1MiB,16MiB",
    collective: CollectiveOption = "bcast",
    rivals: Annotated[
        str, typer.Option(help="What to compare with: as --algorithms of 'trunkline simulate COLLECTIVE'.")
    ] = "mpich,ompi,mvapich2",
    root: RootOption = "0",
    ranks_per_host: RanksOnHostOption = 1,
    host_costs: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What messages cost their hosts: free, or as measured with a library: mpich, mpich-5, openmpi.",
        ),
    ] = "free",
    race: Annotated[
        float,
        typer.Option(
            min=0, help="Give a rival up at a size once it has taken so many times the fastest before it; 0: none."
        ),
    ] = 0.0,
    svg: Annotated[str | None, typer.Option(metavar="FILE", help="Draw it; '-' for standard output.")] = None,
    json: JsonOption = None,
) -> None:
    """Show what Trunkline's own choice gains over other libraries', by link rate and message size.

    Each cell is what 'trunkline simulate COLLECTIVE' says of 'auto' and of that rival.
    """
    check_outputs({"--svg": svg, "--json": json})
    network = load_cluster(cluster)
    placement = bounded_placement(network, ranks_per_host)
    start = root_rank(network, placement, root)
    (auto,) = simulated_algorithms(collective, ["auto"])
    others = [one for one in simulated_algorithms(collective, rivals.split(",")) if one != auto]
    if not others:
        raise BadInput(f"--rivals: name one besides auto: {', '.join(SELECTORS)}, ...")
    lengths, costs = parse_sizes(sizes), known_host_costs(host_costs).name
    jobs = [
        Job(collective, _core.scaled(network, rate), placement, start, lengths, {}, costs)
        for rate in dict.fromkeys(map(parse_rate, rates.split(",")))
    ]
    found = _with_progress(jobs, auto, others, race)
    if svg:
        write_text(gains_picture(found), svg)
    if json:
        write_json([one.as_json() for one in found], json)
    console.print(_table(found))


def _with_progress(jobs: Sequence[Job], auto: Simulated, rivals: Sequence[Simulated], race: float) -> list[Gain]:
    steps = [
        (format_rate(max(link.rate_bps for link in job.cluster.links)), one.name, format_bytes(size))
        for job in jobs
        for one in (auto, *rivals)
        for size in job.sizes
    ]
    words = [f"{rate}: simulating {name}, {size}" for rate, name, size in steps]
    following = iter([*words[1:], words[-1]])
    with progress_bar(len(words), words[0]) as bar:
        return simulate_gains(jobs, auto, rivals, race, lambda _job, _one, _size: bar.show(next(following), done=1))


def _table(gains: Sequence[Gain]) -> Table:
    first = gains[0]
    hosts = "hosts that cost no time" if first.host_costs == "free" else f"hosts as measured under {first.host_costs}"
    rivals = list(dict.fromkeys(one.rival for one in gains))
    table = titled_table(
        f"{escape(first.cluster)}, {first.ranks} ranks, simulated, {hosts}: how many times faster "
        f"{_core.mpi_name(first.collective)} is with Trunkline's 'auto' than with each rival",
        *("rate", "size", "auto", "time", "over T", *rivals),
        left=["auto"],
    )
    last_rate = 0.0
    for (rate, size), group in groupby(gains, key=lambda one: (one.rate_bps, one.message_bytes)):
        own = list(group)
        if last_rate not in (0.0, rate):
            table.add_section()
        table.add_row(
            format_rate(rate) if rate != last_rate else "",
            format_bytes(size),
            own[0].auto_ran,
            format_seconds(own[0].auto_seconds),
            f"{own[0].auto_seconds / own[0].limit_seconds:.2f}",
            *(gain_words(one) for one in own),
        )
        last_rate = rate
    return table
