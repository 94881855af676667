"""``trunkline bench bcast``: broadcast algorithms against each other and against T(m), on one lab."""

import json
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from trunkline import _core
from trunkline.bench.stats import median_with_interval
from trunkline.errors import BadInput, Failed
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi
from trunkline.paths import NATIVE, preload_library

__all__ = ["Cell", "Limits", "Progress", "broadcast_algorithms", "hosts_used", "measure"]

PING_PONG = "ping-pong"


@dataclass(frozen=True)
class Limits:
    """When a cell has been repeated often enough."""

    least: int = 3
    """Fewest repetitions."""
    most: int = 40
    """Most repetitions."""
    budget_s: float = 10.0
    """Seconds spent on a cell after which no repetition is started, once there are ``least``."""
    width: float = 0.04
    """The 95 % interval of the median, as a part of it, that is narrow enough."""
    race: float = 0.0
    """An algorithm is out once its best time is above this many times the best median; 0: all stay in."""


@dataclass
class Cell:
    """One line of ``bench --json``: one algorithm at one size under one MPI."""

    collective: str
    cluster: str
    rate_bps: float
    hosts: int
    ranks: int
    mpi: str
    mpi_version: str
    algorithm: str
    ran: str
    """The algorithm that ``auto`` picked; else the same as ``algorithm``."""
    segment_bytes: int
    message_bytes: int
    seconds_median: float
    seconds_low: float
    seconds_high: float
    repetitions: int
    limit_seconds: float
    stopped_by: str
    """``interval`` (narrow enough) or ``limit`` (of repetitions or time)."""
    trunkline_version: str
    seconds: list[float] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """The cell as the command writes it."""
        return asdict(self)


@dataclass(frozen=True)
class Progress:
    """One repetition has been made; what a progress display needs."""

    mpi: str
    message_bytes: int
    algorithm: str
    seconds: float
    decided: bool


def broadcast_algorithms(names: Sequence[str]) -> list[str]:
    """The algorithms asked for, checked against the registry; ``all`` stands for one of each family.

    Raises:
        BadInput: naming the first that is not there, and all that are.
    """
    known = [a for a in _core.algorithms() if a.collective == "bcast"]
    spellings = {"auto", *(a.name for a in known)}
    wanted: list[str] = []
    for name in names:
        if name == "all":
            families = {a.family or a.name: a.name for a in reversed(known)}
            wanted += [a.name for a in known if families[a.family or a.name] == a.name]
        elif name.partition(":")[0] in spellings:
            wanted.append(name)
        else:
            listed = ", ".join(["all", "auto", *_core.algorithm_names("bcast")])
            raise BadInput(f"there is no broadcast algorithm '{name}'; there are: {listed}")
    return list(dict.fromkeys(wanted))


def measure(
    lab: Lab,
    mpi: Mpi,
    sizes: Sequence[int],
    algorithms: Sequence[str],
    limits: Limits,
    ranks_per_host: int = 1,
    on_progress: Callable[[Progress], None] = lambda _: None,
    tuning: str | None = None,
    hosts: int | None = None,
    settings: Mapping[str, str] | None = None,
) -> list[Cell]:
    """Measure every algorithm at every size in one run of one MPI job on the lab's first hosts, or on all.

    Returns one cell for each size and algorithm, in that order. ``auto`` follows the tuning file, where one is given.
    ``settings`` are more variables for the ranks, such as those that tell the MPI library which of its own to run.

    Raises:
        BadInput: where the preload library for this MPI has not been built, or the lab has not so many hosts.
        Failed: where the job does not end well.
    """
    cluster = lab.cluster
    used = hosts_used(cluster, hosts)
    ranks = len(used) * ranks_per_host
    library = preload_library(mpi.name)
    if not library.exists():
        raise BadInput(f"no preload library was built for {mpi.name}; run 'make setup' again now that it is installed")
    placement = _core.block_placement(cluster, ranks_per_host)[:ranks]
    line = _core.lay("bcast", "linear", cluster, placement, 0)
    peer = next(r for r in _walk(line) if r // ranks_per_host != 0)
    argv, env = mpi.launch(
        hosts=used,
        ranks=ranks,
        ranks_per_host=ranks_per_host,
        program=[
            *(str(NATIVE / "libexec" / f"trunkline-bench-{mpi.name}"), "--peer", str(peer)),
            *("--sizes", ",".join(map(str, sizes)), "--algorithms", ",".join(algorithms)),
            *("--least", str(limits.least), "--most", str(limits.most)),
            *("--budget", str(limits.budget_s), "--width", str(limits.width), "--race", str(limits.race)),
        ],
        agent=lab.agent,
        env={
            "TRUNKLINE_CLUSTER": lab.cluster_file,
            "TRUNKLINE_STRICT": "1",
            **({"TRUNKLINE_TUNING": tuning} if tuning else {}),
            **(settings or {}),
        },
        preload=[library],
    )
    seconds: dict[tuple[int, str], list[float]] = defaultdict(list)
    last: dict[tuple[int, str], dict[str, object]] = {}
    for event in _events(lab.popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT), mpi.name):
        if "algorithm" not in event:
            continue
        key = (int(str(event["message_bytes"])), str(event["algorithm"]))
        value = float(str(event["seconds"]))
        if not event["warm_up"]:
            seconds[key].append(value)
        last[key] = event
        on_progress(Progress(mpi.name, *key, value, bool(event["decided"])))

    cells = []
    for size in sizes:
        limit = median_with_interval(seconds[size, PING_PONG]).value
        for algorithm in algorithms:
            values = seconds[size, algorithm]
            median = median_with_interval(values)
            event = last[size, algorithm]
            narrow = median.high - median.low < limits.width * median.value
            cells.append(
                Cell(
                    collective="bcast",
                    cluster=cluster.name,
                    rate_bps=lab.rate_bps,
                    hosts=len(used),
                    ranks=ranks,
                    mpi=mpi.name,
                    mpi_version=mpi.version,
                    algorithm=algorithm,
                    ran=str(event["ran"]),
                    segment_bytes=int(str(event["segment_bytes"])),
                    message_bytes=size,
                    seconds_median=median.value,
                    seconds_low=median.low,
                    seconds_high=median.high,
                    repetitions=median.count,
                    limit_seconds=limit,
                    stopped_by="interval" if narrow else "limit",
                    trunkline_version=_core.__version__,
                    seconds=values,
                )
            )
    return cells


def hosts_used(cluster: _core.Cluster, count: int | None) -> list[str]:
    """The first hosts of the cluster; all, where no number is given.

    Raises:
        BadInput: where there are not so many, or fewer than two are asked for: no network would be measured.
    """
    if count is None:
        return list(cluster.hosts)
    if not 2 <= count <= len(cluster.hosts):
        raise BadInput(f"--hosts must be from 2 to {len(cluster.hosts)}, the hosts of {cluster.name}, not {count}")
    return list(cluster.hosts)[:count]


def _walk(tree: _core.Tree) -> Iterator[int]:
    rank = tree.root
    while children := tree.children[rank]:
        rank = children[0]
        yield rank


def _events(process: subprocess.Popen[str], mpi: str) -> Iterator[dict[str, object]]:
    """What rank 0 prints, line by line; anything else the job says is kept for the message if it fails."""
    said: list[str] = []
    assert process.stdout is not None
    with process:
        for text in process.stdout:
            if text.startswith("{"):
                yield json.loads(text)
            else:
                said.append(text)
    if process.returncode != 0:
        raise Failed(f"the benchmark ended with status {process.returncode} under {mpi}:\n{''.join(said).strip()}")
