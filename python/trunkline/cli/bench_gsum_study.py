"""``trunkline bench gsum-study``: the allreduce paper's experiments, beside its numbers."""

from typing import Annotated

import typer
from rich.table import Table

from trunkline.bench.gsum import GsumJob, ranks_on_hosts
from trunkline.cli.options import CellsJsonOption, ClusterOption, LabRateOption, ReportOption, mpi_option
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.lab.rate import lab_rate
from trunkline.lab.session import Lab
from trunkline.mpi import ready_mpi
from trunkline.study.configurations import STUDIES
from trunkline.study.gsum import Study, study_gsum
from trunkline.temporary import temporary_folder
from trunkline.terminal import console, progress_bar, titled_table
from trunkline.trace.words import stage_text, us_text
from trunkline.units import format_bytes, format_rate, format_seconds

__all__ = ["gsum_study"]


def gsum_study(
    cluster: ClusterOption,
    mpi: Annotated[str, mpi_option("The MPI library: mpich, openmpi, ...")],
    rate: LabRateOption = "auto",
    iterations: Annotated[
        int, typer.Option(min=1, help="How often a job calls both allreduces; the paper: 20000 to 25000.")
    ] = 50,
    turns: Annotated[int, typer.Option(min=1, max=1000, help="Jobs of each configuration, in turns.")] = 7,
    report: ReportOption = None,
    json: CellsJsonOption = None,
) -> None:
    """Repeat the allreduce paper's study of a cluster: initial tree, what its trace shows, each step, its gain.

    Clusters: 8w, 4w, now, blade, and 4w+8w, which are joined through a gateway; the ranks a host are the paper's.
    """
    check_outputs({"--json": json, "--report": report})
    network = load_cluster(cluster)
    if network.name not in STUDIES:
        raise BadInput(f"--cluster {cluster}: the paper has no such cluster; it has: {', '.join(STUDIES)}")
    library = ready_mpi(mpi)
    jobs = len(STUDIES[network.name]) * (turns + 1)
    with progress_bar(jobs, f"{network.name}: looking for a rate") as bar, temporary_folder("gsum-study") as folder:
        rate_bps = lab_rate(network, rate)
        with Lab(network, rate_bps=rate_bps) as lab:
            job = GsumJob(lab, library, ranks_on_hosts(network, None), (4, 256), iterations)
            where = f"{network.name} at {format_rate(rate_bps)}, {library.name}"
            study = study_gsum(job, turns, folder, lambda name: bar.show(f"{where}: {name}", done=1))
    _print(study)
    if report is not None:
        from trunkline.study.page import study_page  # Matplotlib takes a second to load

        write_text(study_page(study), report)
    if json:
        write_json(study.as_json(), json)


def _print(study: Study) -> None:
    job = study.job
    place = f"{job.lab.cluster.name} at {format_rate(job.lab.rate_bps)}, {job.ranks} ranks, {job.mpi.name}"
    console.print(_times(study, place))
    for size in job.sizes[:1]:
        console.print(_parts(study, size))
    for one in study.studied:
        pointed = f"; the paper: {one.configuration.pointed}" if one.configuration.pointed else ""
        console.print(f"{one.name}: {one.configuration.step}{pointed}", soft_wrap=True, highlight=False)


def _times(study: Study, place: str) -> Table:
    words = ("configuration", "over")
    columns = (words[0], "size", "an allreduce", "95 %", words[1], "times faster", "paper")
    table = titled_table(f"{place}: Gsum, median of jobs", *columns, left=words, tight=True)
    for one in study.studied:
        for number, size in enumerate(study.job.sizes):
            median = one.median(size)
            row = [one.name if number == 0 else "", format_bytes(size), format_seconds(median.value)]
            row.append(f"-{1 - median.low / median.value:.0%} +{median.high / median.value - 1:.0%}")
            claims = one.compared_at(size)
            if not claims:
                table.add_row(*row, "", "", "")
            for found in claims:
                here = found.here
                faster = f"{here.value:.2f} ({here.low:.2f}-{here.high:.2f})"
                table.add_row(*row, found.claim.over, faster, f"{found.claim.times:.2f}")
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
        slow, dearest = one.tree(size).slowest, one.dearest(size)
        parts = (us_text(value) for value in (slow.host_subtree, slow.cluster_root_subtree, slow.proxy, slow.total))
        share = f"{one.tree(size).share(dearest):.0%}"
        table.add_row(one.name, str(slow.rank), *parts, stage_text(one.analysis, dearest), share)
    return table
