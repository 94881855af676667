"""``trunkline_papers simulate gsum``: the allreduce paper's gains on its own hosts, which are simulated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from trunkline import _core
from trunkline.cli.assumptions import rate_words, scaled_cluster
from trunkline.cli.options import (
    ByArrivalOption,
    CellsJsonOption,
    ClusterOption,
    MpiOption,
    RateOption,
    TunedPlanOption,
    sizes_option,
)
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cli.simulate_gains import reasons
from trunkline.edits.host_tree import HostTree
from trunkline.errors import BadInput
from trunkline.hierarchy import Hierarchy, hierarchical_plan
from trunkline.mpi import require_mpi
from trunkline.plan_sets import by_size
from trunkline.planned import Planned, made_plan, read_plan_set
from trunkline.predict import host_costs_given
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import LeftOut
from trunkline.temporary import temporary_folder
from trunkline.terminal import console, progress_bar, titled_table
from trunkline.units import format_bytes, format_seconds
from trunkline_papers.allreduce.configurations import STUDIES, is_the_papers, trees_of
from trunkline_papers.allreduce.gsum import NATIVE_PLAN, parse_gsum_sizes, ranks_on_hosts
from trunkline_papers.allreduce.hosts import costs_stated, hosts_of
from trunkline_papers.allreduce.paper_hosts import RUNTIMES, runtimes_of
from trunkline_papers.allreduce.paper_runtime import allreduce_seconds
from trunkline_papers.allreduce.plans import initial_hierarchy, plans_worth_trying
from trunkline_papers.allreduce.simulated import (
    PAPER_GAINS,
    GsumRow,
    Summed,
    check_plan,
    rows_of,
    time_native,
    time_plan,
)
from trunkline_papers.allreduce.threads import Threads
from trunkline_papers.allreduce.tuned import INITIAL, TUNED
from trunkline_papers.allreduce.wrappers import Wrapper, wrappers_of

__all__ = ["gsum"]

STEPS = "steps"
WORDS = (INITIAL, TUNED, NATIVE_PLAN, STEPS)


def gsum(
    cluster: ClusterOption,
    plans: Annotated[
        str,
        typer.Option(
            help="'initial', the paper's first plan; 'tuned', the fastest that is found for each size; 'native', what "
            "--mpi runs by itself; 'steps', all configurations of the paper; and files of plans."
        ),
    ] = "initial,tuned,native",
    mpi: MpiOption = "mpich",
    sizes: Annotated[str, sizes_option("Message sizes, whole 4-byte integers, separated by commas.")] = "4,256",
    ranks_per_host: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Ranks on each host; default: the paper's, else 1.")
    ] = None,
    rate: RateOption = None,
    host_costs: Annotated[
        str,
        typer.Option(
            metavar="COSTS",
            help="What messages cost their hosts: pentium-pro-200 and others of the paper, free, mpich, ...; default: "
            "the paper's hosts of this cluster, else as measured with the library.",
        ),
    ] = "",
    by_arrival: ByArrivalOption = False,
    iterations: Annotated[int, typer.Option(min=1, help="How often both allreduces are called.")] = 20,
    tuned_plan: TunedPlanOption = None,
    json: CellsJsonOption = None,
) -> None:
    """Time the allreduce paper's global sums on its own hosts, simulated: plans, steps and gains beside its numbers."""
    check_outputs({"--json": json, "--tuned-plan": tuned_plan})
    network = scaled_cluster(cluster, rate)
    wanted = _wanted(plans, network, ranks_per_host, tuned_plan)
    library = require_mpi(mpi)
    message_bytes = parse_gsum_sizes(sizes)
    placement = [host for host, count in enumerate(ranks_on_hosts(network, ranks_per_host)) for _ in range(count)]
    usual = hosts_of(network.name) or _core.host_costs_of(library.counts_as, library.version)
    said = (
        host_costs
        if host_costs and "=" not in host_costs.partition(",")[0]
        else ",".join(filter(None, [usual, host_costs]))
    )
    costs = host_costs_given(costs_stated(said), usual)
    job = Job(
        *("allreduce", network, placement, 0, message_bytes, {}, costs, library.native_library), by_arrival=by_arrival
    )
    for word in wanted:
        if word not in WORDS:
            check_plan(job, Path(word))
    left_out: list[LeftOut] = []
    with progress_bar(None, f"{network.name}: simulating") as bar, temporary_folder("simulate-gsum") as folder:
        runs = _Runs(job, iterations, folder, lambda name: bar.show(f"{network.name}: {name}", done=1))
        summed = [one for word in wanted for one in runs.of(word, left_out)]
    rows = rows_of(job, iterations, summed, _claims(network, wanted), said)
    if tuned_plan:
        about = f"trunkline_papers simulate gsum {_core.__version__}, hosts {said}"
        write_text(by_size({size: plan.file for size, plan in runs.best.items()}, about), tuned_plan)
    if json:
        write_json([row.as_json() for row in rows], json)
    console.print(_table(rows, network))
    if any(row.claims for row in rows):
        console.print(_claims_table(rows))
    for line in reasons(left_out):
        console.print(line, style="dim", markup=False, highlight=False)


def _wanted(plans: str, network: _core.Cluster, ranks_per_host: int | None, tuned_plan: str | None) -> list[str]:
    wanted = list(dict.fromkeys(word.strip() for word in plans.split(",")))
    for word in wanted:
        if word not in WORDS and not Path(word).exists():
            raise BadInput(f"--plans: there is no '{word}'; there are: {', '.join(WORDS)}, and files of plans")
    if STEPS in wanted and (network.name not in STUDIES or ranks_per_host is not None):
        raise BadInput(f"--plans steps: those are of {', '.join(STUDIES)} with the paper's ranks a host; leave it out")
    if tuned_plan and TUNED not in wanted:
        raise BadInput("--tuned-plan: nothing is tuned; add 'tuned' to --plans")
    return wanted


def _claims(network: _core.Cluster, wanted: Sequence[str]) -> dict[str, list[tuple[str, float, int]]]:
    """By plan: over which other one the paper says it is how many times faster, at how many bytes."""
    claims: dict[str, list[tuple[str, float, int]]] = {}
    if network.name in PAPER_GAINS:
        claims[TUNED] = [(INITIAL, PAPER_GAINS[network.name], 4)]
    if STEPS in wanted:
        for one in STUDIES[network.name]:
            said = [(claim.over, claim.times, claim.message_bytes) for claim in one.claims]
            claims[one.name] = [(over, times, size) for over, times, size in said if times is not None]
    return claims


@dataclass
class _Runs:
    """What has been simulated."""

    job: Job
    iterations: int
    folder: Path
    show: Callable[[str], None]

    def __post_init__(self) -> None:
        self.best: dict[int, Planned] = {}
        """By size, of what was tuned."""

    def of(self, word: str, left_out: list[LeftOut]) -> list[Summed]:
        """What one of the words stands for."""
        if word == NATIVE_PLAN:
            self.show(word)
            seconds, ran = time_native(self.job, self.iterations, left_out.append)
            return [Summed(word, ran, seconds)]
        if word == INITIAL:
            planned = hierarchical_plan(self._network, "allreduce", self._first, self.job.placement, 0)
            return [self._same(word, self._first.text, self._time(word, planned), planned.file.plan)]
        if word == TUNED:
            return [self._tuned()]
        if word == STEPS:
            trees = trees_of(self._network.name, self._network)
            plans = {name: _core.Plan([tree.as_tree()]) for name, tree in trees.items()}
            made = {
                name: made_plan(self._network, "allreduce", "custom", plan, self.job.placement, name)
                for name, plan in plans.items()
            }
            return [
                self._same(name, "", self._time(name, planned), planned.file.plan) for name, planned in made.items()
            ]
        self.show(word)
        seconds = time_plan(self.job, Path(word), self.iterations)
        files = read_plan_set(word).plans
        return [self._same(word, "", seconds, files[0].plan if len(files) == 1 else None)]

    @property
    def _network(self) -> _core.Cluster:
        return self.job.cluster

    @property
    def _first(self) -> Hierarchy:
        return initial_hierarchy(self._network)

    def _time(self, name: str, planned: Planned) -> dict[int, float]:
        self.show(name)
        file = self.folder / "plan.yaml"
        file.write_text(_core.write_plan(planned.file), encoding="utf-8")
        return time_plan(self.job, file, self.iterations)

    def _same(self, name: str, ran: str, seconds: dict[int, float], plan: _core.Plan | None) -> Summed:
        threads = {} if plan is None else {size: self._by_threads(name, plan, size) for size in self.job.sizes}
        known = {size: value for size, value in threads.items() if value is not None}
        return Summed(name, dict.fromkeys(self.job.sizes, ran), seconds, known)

    def _by_threads(self, name: str, plan: _core.Plan, size: int) -> float | None:
        """As the paper's own runtime takes it; None where its figures are not stated.

        A configuration of the paper has the paper's own wrappers, where a plan has too few ranks to stand for them.
        """
        cluster = self._network.name
        if own := self._papers_own.get(name):
            return allreduce_seconds(own, runtimes_of(cluster, own.hosts()), size)
        trees = plan.trees or []
        if cluster not in RUNTIMES or len(trees) != 1:
            return None
        (tree,) = trees
        hosts = [self._network.hosts[host] for host in self.job.placement]
        return allreduce_seconds(wrappers_of(HostTree.of(tree, hosts)), RUNTIMES[cluster], size)

    @cached_property
    def _papers_own(self) -> dict[str, Wrapper]:
        """By configuration, and ``initial`` for the first one."""
        counts = Counter(self.job.placement)
        if not is_the_papers(self._network, [counts[host] for host in range(len(self._network.hosts))]):
            return {}
        own = Threads(self._network.name).trees
        first, *_ = STUDIES[self._network.name]
        return {INITIAL: own[first.name], **own} if self._network.name in RUNTIMES else own

    def _tuned(self) -> Summed:
        """The fastest at each size of all hierarchical plans worth trying, the initial one where none is faster."""
        first = hierarchical_plan(self._network, "allreduce", self._first, self.job.placement, 0)
        tried = {self._first.text: first} | plans_worth_trying(self._network, "allreduce", self.job.placement)
        times = {name: self._time(f"tuning, {name}", planned) for name, planned in tried.items()}
        winners = {size: min(times, key=lambda name: times[name][size]) for size in self.job.sizes}
        self.best = {size: tried[name] for size, name in winners.items()}
        threads: dict[int, float] = {}
        for size in self.job.sizes:
            found = [self._by_threads(name, planned.file.plan, size) for name, planned in tried.items()]
            found += [self._by_threads(name, first.file.plan, size) for name in self._papers_own]
            if known := [value for value in found if value is not None]:
                threads[size] = min(known)
        return Summed(TUNED, winners, {size: times[name][size] for size, name in winners.items()}, threads)


def _table(rows: Sequence[GsumRow], network: _core.Cluster) -> Table:
    first = rows[0]
    place = f"{escape(first.cluster)}, {first.ranks} ranks, {rate_words(network)}, hosts {first.host_costs}"
    place += ", combined by arrival" if first.by_arrival else ""
    columns = ("size", "plan", "shape", "an\nallreduce", "over\ninitial", f"over\n{first.library}")
    words = ("plan", "shape")
    more = ("the paper's\nthreads", "over\ninitial")
    table = titled_table(f"{place}: simulated Gsum", *columns, *more, left=words, wrap=("shape",), tight=True)
    for row in rows:
        threads = row.seconds_by_threads
        table.add_row(
            format_bytes(row.message_bytes),
            escape(row.algorithm),
            row.ran,
            format_seconds(row.seconds_median),
            *(f"{value:.2f}" if value else "" for value in (row.over_initial, row.over_native)),
            format_seconds(threads) if threads else "",
            f"{row.over_initial_by_threads:.2f}" if row.over_initial_by_threads else "",
        )
    return table


def _claims_table(rows: Sequence[GsumRow]) -> Table:
    columns = ("size", "plan", "over", "paper", "here", "verdict", "threads", "verdict\nof threads")
    words = ("plan", "over", "verdict", "verdict\nof threads")
    title = "Times faster: the paper, Trunkline's executors here, the paper's threads"
    table = titled_table(title, *columns, left=words, wrap=("verdict", "verdict\nof threads"), tight=True)
    for row in rows:
        for one in row.claims:
            executors, threads = one.verdicts
            table.add_row(
                format_bytes(row.message_bytes),
                row.algorithm,
                one.over,
                f"{one.times_faster_in_paper:.2f}",
                f"{one.times_faster:.2f}",
                executors,
                f"{one.times_faster_by_threads:.2f}" if one.times_faster_by_threads else "",
                threads,
            )
    return table
