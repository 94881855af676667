"""``trunkline_papers bench gsum-study``: the allreduce paper's experiments, or one's own cluster's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from trunkline.cli.options import (
    CellsJsonOption,
    ClusterOption,
    LabRateOption,
    ReportOption,
    mpi_option,
    sizes_option,
)
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.lab.message_cost import tell_message_cost
from trunkline.lab.rate import lab_rate
from trunkline.lab.session import Lab
from trunkline.mpi import ready_mpi
from trunkline.placement import hosts_used
from trunkline.planned import read_plan_set
from trunkline.temporary import temporary_folder
from trunkline.terminal import console, progress_bar, titled_table
from trunkline.trace.words import us_text
from trunkline.units import format_bytes, format_rate, format_seconds
from trunkline_papers.allreduce.configurations import is_the_papers
from trunkline_papers.allreduce.gsum import NATIVE_PLAN, GsumJob, parse_gsum_sizes, ranks_on_hosts
from trunkline_papers.allreduce.own import AUTO, STEPS, Stepped, other_entries, steps_from, with_claims
from trunkline_papers.allreduce.study import Entry, Study, papers_entries, study_gsum
from trunkline_papers.allreduce.tuned import check_plan

__all__ = ["gsum_study"]

WORDS = (STEPS, AUTO, NATIVE_PLAN)


def gsum_study(
    cluster: ClusterOption,
    mpi: Annotated[str, mpi_option("The MPI library: mpich, openmpi, ...")],
    plans: Annotated[
        str,
        typer.Option(
            help="'steps', the paper's configurations on its clusters, elsewhere an initial tree and what traces "
            "suggest from there; 'auto', what Trunkline chooses; 'native'; and files of plans or sets."
        ),
    ] = ",".join(WORDS),
    sizes: Annotated[
        str, sizes_option("Message sizes, whole 4-byte integers, separated by commas; steps are judged by the first.")
    ] = "4,256",
    ranks_per_host: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Ranks on each host; default: the paper's, else 1.")
    ] = None,
    rate: LabRateOption = "auto",
    iterations: Annotated[
        int, typer.Option(min=1, help="How often a job calls both allreduces; the paper: 20000 to 25000.")
    ] = 50,
    turns: Annotated[int, typer.Option(min=1, max=1000, help="Jobs of each configuration, in turns.")] = 7,
    tries: Annotated[
        int, typer.Option(min=1, max=100, help="Most steps that are tried where traces suggest them.")
    ] = 8,
    report: ReportOption = None,
    json: CellsJsonOption = None,
) -> None:
    """Study a cluster as the allreduce paper did its own: an initial tree, what its trace shows, each step, its gain.

    On the paper's clusters (8w, 4w, now, blade, and 4w+8w, joined through a gateway) with its ranks a host the steps
    are the paper's, beside its numbers. On any other cluster a step is what the trace suggests; one that gains is kept,
    and its own trace suggests the next.
    """
    check_outputs({"--json": json, "--report": report})
    wanted = _wanted(plans)
    network = load_cluster(cluster)
    message_bytes = parse_gsum_sizes(sizes)
    ranks_on = ranks_on_hosts(network, ranks_per_host)
    hosts_used(network, None)  # told before a lab is up
    library = ready_mpi(mpi)
    with progress_bar(None, f"{network.name}: looking for a rate") as bar, temporary_folder("gsum-study") as folder:
        rate_bps = lab_rate(network, rate)
        with Lab(network, rate_bps=rate_bps) as lab:
            job = GsumJob(lab, library, ranks_on, message_bytes, iterations)
            where = f"{network.name} at {format_rate(rate_bps)}, {library.name}"
            study = _studied(job, wanted, turns, tries, folder, lambda name: bar.show(f"{where}: {name}", done=1))
    _print(study)
    if report is not None:
        from trunkline_papers.allreduce.page import study_page  # Matplotlib takes a second to load

        write_text(study_page(study), report)
    if json:
        write_json(study.as_json(), json)


def _wanted(plans: str) -> list[str]:
    wanted = list(dict.fromkeys(word.strip() for word in plans.split(",")))
    for word in wanted:
        if word in WORDS:
            continue
        if not Path(word).exists():
            raise BadInput(f"--plans: there is no '{word}'; there are: {', '.join(WORDS)}, and files of plans")
        read_plan_set(word)  # its faults are told before a lab is up
    return wanted


def _studied(
    job: GsumJob, wanted: Sequence[str], turns: int, tries: int, folder: Path, show: Callable[[str], None]
) -> Study:
    for word in wanted:
        if word not in WORDS:
            check_plan(job, word)
    if AUTO in wanted:  # its choice follows from it
        tell_message_cost(job.lab, job.ranks)
    entries: list[Entry] = []
    stepped = Stepped([])
    if STEPS in wanted and is_the_papers(job.lab.cluster, job.ranks_on):
        entries = papers_entries(job, folder)
    elif STEPS in wanted:
        stepped = steps_from(job, turns, tries, folder, show)
        entries = list(stepped.entries)
    entries += other_entries([word for word in wanted if word != STEPS], [one.name for one in entries])
    study = study_gsum(job, with_claims(entries, job), turns, folder, show, stepped.traced)
    return Study(study.job, study.studied, stepped.ended)


def _print(study: Study) -> None:
    job = study.job
    name = escape(job.lab.cluster.name)
    place = f"{name} at {format_rate(job.lab.rate_bps)}, {job.ranks} ranks, {job.mpi.name}"
    console.print(_times(study, place))
    for size in job.sizes[:1]:
        if any(one.tree(size) for one in study.studied):
            console.print(_parts(study, size))
    for one in study.studied:
        words = f"{one.name}: {one.configuration.step}{one.pointed_text}{one.ran_text}"
        console.print(words, soft_wrap=True, markup=False, highlight=False)
    if study.ended:
        console.print(f"No more steps {study.ended}", soft_wrap=True, markup=False, highlight=False)


def _times(study: Study, place: str) -> Table:
    words = ("configuration", "over")
    paper = ("paper",) if study.is_the_papers else ()
    columns = (words[0], "size", "an allreduce", "95 %", words[1], "times faster", *paper)
    table = titled_table(f"{place}: Gsum, median of jobs", *columns, left=words, tight=True)
    for one in study.studied:
        for number, size in enumerate(study.job.sizes):
            median = one.median(size)
            row = [escape(one.name) if number == 0 else "", format_bytes(size), format_seconds(median.value)]
            row.append(f"-{1 - median.low / median.value:.0%} +{median.high / median.value - 1:.0%}")
            claims = one.compared_at(size)
            if not claims:
                table.add_row(*row)
            for found in claims:
                here = found.here
                faster = f"{here.value:.2f} ({here.low:.2f}-{here.high:.2f})"
                table.add_row(*row, escape(found.claim.over), faster, *([found.paper_text] if paper else []))
                row = [""] * len(row)
    return table


def _parts(study: Study, size: int) -> Table:
    columns = (
        "configuration",
        "rank",
        "host\nsubtree",
        "cluster-root\nsubtree",
        "proxies",
        "all",
        "dearest stage",
        "share",
    )
    table = titled_table(
        f"Mean µs of the slowest rank by part, {format_bytes(size)}, without arrival waits; traced",
        *columns,
        left=("configuration", "dearest stage"),
        wrap=("dearest stage",),
        tight=True,
    )
    for one in study.studied:
        tree, dearest = one.tree(size), one.dearest(size)
        if tree is None or dearest is None:
            continue
        slow = tree.slowest
        parts = (us_text(value) for value in (slow.host_subtree, slow.cluster_root_subtree, slow.proxy, slow.total))
        table.add_row(escape(one.name), str(slow.rank), *parts, dearest[0], f"{dearest[1]:.0%}")
    return table
