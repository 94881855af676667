"""One simulation: files and options for ``trunkline-simulate``, and what it prints."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeVar

from trunkline import _core
from trunkline.compat import pairwise
from trunkline.errors import BadInput, Failed
from trunkline.lab.syscalls import die_with_parent
from trunkline.paths import NATIVE
from trunkline.sources.simgrid_export import rank_host, simgrid_platform
from trunkline.temporary import temporary_folder

Said = TypeVar("Said")

_PROGRAM = NATIVE / "libexec" / "trunkline-simulate"
_RANKS = NATIVE / "lib" / "libtrunkline-simulated-ranks.so"
_LONGEST_MESSAGE = (1 << 31) - 1
_MOST_PRIVATE_BYTES = 256 << 20
"""Memory up to which every rank gets a buffer of its own, whose content is checked."""

_TLS_BYTES = 2048
"""Of the runtime for each thread. Each rank has a copy of the runtime, and all are in the one thread there is."""
_SPARE_TLS_BYTES = 1 << 20

_MAPS, _GUARDED_MAPS = 5, 8
"""Mappings of memory of a rank: its copy of the runtime, and its stack where a guarded page is below that."""
_OTHER_MAPS = 2000
_MOST_MAPS = Path("/proc/sys/vm/max_map_count")

_MOST_SIZES = 3
"""Sizes in one simulation: before the fifth multicast all ranks meet, which belongs to no call's time."""

_MOST_SAID = 2000
"""Characters of a failed simulation's last words that are passed on."""

_NO_GROUP = "multicast does not work on"
"""What a rank says when datagrams do not reach all (runtime/communicator/grouping.cpp)."""

SMALL_JOB = 128
"""Ranks up to which times are exact to a ten-thousandth."""

_OPTIONS = {
    # Flows as they are: one each message, at the cluster file's rates and latencies. Headers and the order of messages
    # at a port are added by simulate/network.cpp.
    "network/model": "CM02",
    "network/TCP-gamma": "0",
    "network/crosstraffic": "no",
    # An ordinary send ends when its message has arrived, so that windows hold.
    "smpi/send-is-detached-thresh": "0",
    "smpi/async-small-thresh": "0",
    # Ranks that look for a message look again when there is something to find (simulate/datagrams): looks take no time.
    "smpi/test": "0",
    # Nothing of this machine's own speed.
    "smpi/simulate-computation": "no",
    "smpi/host-speed": "1Gf",
    "smpi/wtime": "0",
    "maxmin/precision": "1e-3",  # bytes a second; finer ones drown in rounding on large clusters
    "smpi/privatization": "no",  # simulate/shared_pages.cpp does it, in a tenth of the memory
    "smpi/shared-malloc": "local",
    "contexts/stack-size": "256",
    "smpi/allgather": "GB",
    "smpi/gather": "ompi_binomial",
}
_PRECISION_OF_COPIES_S = 1e-8
_OPTIONS_OF_SITES = {
    # SimGrid's flows share a link by their round trips: a host's messages to its neighbours would leave its far ones no
    # rate, though its port has put them one after another. With this weight the rates of their links count, not those.
    "network/weight-S": "1e9",
}
_NATIVE_OF_SITES = {
    # The libraries' own algorithms have no windows: what they send at once need not have arrived. Waiting for it counts
    # for little where hosts are near, and for a whole way each where they are far.
    "smpi/send-is-detached-thresh": str(1 << 16),
}
_QUIET = ("xbt_cfg.thres:warning", "smpi_coll.thres:warning", "smpi_pmpi.thres:error", "res_network.thres:error")


@dataclass(frozen=True)
class Job:
    """What is simulated besides the algorithm."""

    collective: str
    cluster: _core.Cluster
    placement: Sequence[int]
    root: int
    sizes: Sequence[int]
    options: Mapping[str, str]
    """Of SimGrid, beyond those that every simulation gets."""
    host_costs: str = "free"
    """What messages and datagrams cost their hosts, in the simulation and in the decisions of ``auto``, as
    ``TRUNKLINE_HOST_COSTS`` says it; a name stands before all else."""
    library: _core.NativeLibrary = _core.NativeLibrary.mpich
    """Whose ranks these are: ``auto`` compares with its own algorithms, and leaves calls to them."""
    calls: int = 1
    """Of each size: they take the same time where no datagram gets lost."""
    by_arrival: bool = False
    """Ranks of a host combine short allreduces as they come, not as plans say."""
    work_s: float = 0.0
    """Plans run once more with work beside them, which takes that long; 0: they do not."""
    tests_every_s: float = 0.0
    """How often the work tests its call; 0: never."""
    told: _core.Cluster | None = None
    """What the ranks are told of the network, where that is another one; its hosts are the same."""

    def __post_init__(self) -> None:
        """Raise BadInput where SimGrid was not there when Trunkline was built, or where it cannot simulate this."""
        if not _PROGRAM.exists():
            raise BadInput(
                "SimGrid was not found when Trunkline was built: install it (apt-get install libsimgrid-dev), then run "
                "'make setup' again"
            )
        if any(min(link.latency_s, link.back_latency_s) <= 0.0 for link in self.cluster.links):
            raise BadInput(f"{self.cluster.name}: a simulation needs the latency of every link to be above zero")
        if max(self.sizes) > _LONGEST_MESSAGE:
            raise BadInput(f"a simulated message has at most {_LONGEST_MESSAGE} bytes")
        if len(set(self.placement)) < 2:
            raise BadInput("all ranks share one host: there is no network to simulate")
        most = (_most_maps() - _OTHER_MAPS) // _MAPS
        if len(self.placement) > most:
            raise BadInput(
                f"{len(self.placement)} ranks are simulated in one process, which may map memory for {most} of them; "
                f"as root, 'sysctl -w vm.max_map_count={_OTHER_MAPS + _MAPS * len(self.placement)}' lets it have more"
            )

    @property
    def own_options(self) -> dict[str, str]:
        """SimGrid's options that depend on the job."""
        # Events closer than that are one. On large clusters that saves most of the work, for less than one percent.
        parts = 10 if len(self.placement) <= SMALL_JOB else 2
        precision = min(min(link.latency_s, link.back_latency_s) for link in self.cluster.links) / parts
        if self.by_arrival:  # ranks sleep while they copy, one after another: what is shorter would count as this long
            precision = min(precision, _PRECISION_OF_COPIES_S)
        guarded = _OTHER_MAPS + _GUARDED_MAPS * len(self.placement) <= _most_maps()
        return {
            "smpi/np": str(len(self.placement)),
            "surf/precision": f"{precision:.3g}",
            **({} if guarded else {"contexts/guard-size": "0"}),
            **self.options,
        }

    @property
    def peer(self) -> int:
        """The rank for ping-pongs with the root: the nearest one on another host."""
        hosts = self.cluster.hosts
        home = self.placement[self.root]
        others = [rank for rank, host in enumerate(self.placement) if host != home]
        return min(others, key=lambda rank: len(self.cluster.path(hosts[home], hosts[self.placement[rank]])))


@dataclass(frozen=True)
class Outcome:
    """What one algorithm took at one size."""

    simgrid: str
    """Version."""
    message_bytes: int
    limit_seconds: float
    """T(m): half a ping-pong between hosts that cost nothing, so what the links take alone."""
    times: Sequence[float]
    """Seconds of each call; empty: given up."""
    ran: str
    segment_bytes: int
    overlapped_s: float | None
    """With the job's work, both together; None: there was none, or no plan."""

    @property
    def seconds(self) -> float | None:
        """The median; None: given up."""
        return median(self.times) if self.times else None


def _most_maps() -> int:
    """That the kernel lets a process have; where it does not say, its default."""
    try:
        return int(_MOST_MAPS.read_text(encoding="ascii"))
    except OSError:
        return 65530


def simulate(
    job: Job,
    runs: str,
    options: Mapping[str, str],
    most_s: Mapping[int, float],
    settings: Mapping[str, str] | None = None,
) -> Iterator[Outcome]:
    """Run one algorithm at all sizes, in their order; yields what each took as soon as it is known.

    Args:
        job: Collective, cluster, placement, root and sizes.
        runs: A choice of Trunkline's; ``native`` for what ``options`` make SMPI run, ``native-by-hosts`` for that among
            the first ranks of all hosts.
        options: Of SimGrid, for this algorithm.
        most_s: By size, simulated seconds after which a call is given up; a size that is not there never is.
        settings: Of the preload library, beside those that every simulation gets.

    Raises:
        Failed: where the simulation ends badly; with what it said.
    """
    left = list(job.sizes)
    while left:
        # A call that is given up ends its simulation: the sizes after it need one more.
        for outcome in _simulate(job, tuple(left[:_MOST_SIZES]), runs, options, most_s, settings):
            left.remove(outcome.message_bytes)
            yield outcome


def _simulate(
    job: Job,
    sizes: Sequence[int],
    runs: str,
    options: Mapping[str, str],
    most_s: Mapping[int, float],
    settings: Mapping[str, str] | None,
) -> Iterator[Outcome]:
    private = len(job.placement) * max(sizes) <= _MOST_PRIVATE_BYTES
    words = [
        *("--collective", job.collective, "--algorithm", runs, "--sizes", ",".join(map(str, sizes))),
        *("--most-us", ",".join(_microseconds(most_s.get(size, 0.0)) for size in sizes)),
        *("--calls", str(job.calls)),
        *("--work-us", _microseconds(job.work_s), "--tests-every-us", _microseconds(job.tests_every_s)),
        *("--root", str(job.root), "--peer", str(job.peer), "--private", str(int(private))),
    ]
    return run_ranks(job, runs, options, words, _outcomes, settings)


def _microseconds(seconds: float) -> str:
    """As the ranks take them: 0 has a meaning of its own, so that nothing else becomes it."""
    return str(max(round(seconds * 1e6), 1 if seconds > 0.0 else 0))


def _rank_hosts(job: Job, ranks: Sequence[int]) -> Iterator[str]:
    """By rank: its host in the platform."""
    before = Counter[int]()
    hosts = job.cluster.hosts
    for host in job.placement:
        yield rank_host(hosts[host], before[host], ranks[host])
        before[host] += 1


def run_ranks(
    job: Job,
    runs: str,
    options: Mapping[str, str],
    words: Sequence[str],
    read: Callable[[Iterable[str]], Iterator[Said]],
    settings: Mapping[str, str] | None = None,
    library: Path = _RANKS,
) -> Iterator[Said]:
    """Run the simulated ranks once; yields what ``read`` makes of the lines that they print.

    Args:
        job: Cluster, placement, and what all simulations of it have in common.
        runs: As in :func:`simulate`; Trunkline is off where it begins with ``native``.
        options: Of SimGrid, for this run.
        words: The ranks' arguments, as ``simulate/ranks.cpp`` takes them, or what else is in the library.
        read: Makes results of lines, as soon as they are there.
        settings: Of the preload library, beside those that every simulation gets.
        library: What the ranks run.

    Raises:
        Failed: where it ends badly, without a result, or without the multicasts that it should make; with what it said.
    """
    with temporary_folder("simulate") as folder:
        counted = Counter(job.placement)
        ranks = [counted[host] for host in range(len(job.cluster.hosts))]
        (folder / "platform.xml").write_text(simgrid_platform(job.cluster, ranks), encoding="utf-8")
        (folder / "cluster.yaml").write_text(_core.write_cluster(job.told or job.cluster), encoding="utf-8")
        (folder / "hosts").write_text("".join(f"{name}\n" for name in _rank_hosts(job, ranks)), encoding="utf-8")
        of_sites = _OPTIONS_OF_SITES if job.cluster.has_sites else {}
        if of_sites and runs.startswith("native"):
            of_sites = {**of_sites, **_NATIVE_OF_SITES}
        given = {**_OPTIONS, **of_sites, **job.own_options, "smpi/hostfile": str(folder / "hosts"), **options}
        if "smpi/coll-selector" in options:
            given.pop(f"smpi/{job.collective}", None)  # what is asked for chooses that one
        command = [
            *(str(_PROGRAM), str(library)),
            *(f"--cfg={key}:{value}" for key, value in given.items()),
            *(f"--log={one}" for one in _QUIET),
            str(folder / "platform.xml"),
            *words,
        ]
        with (
            (folder / "said").open("w+", encoding="utf-8") as said,
            subprocess.Popen(
                command,
                cwd=folder,
                env={**_environment(folder, runs, job), **(settings or {})},
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                preexec_fn=die_with_parent,
            ) as process,
        ):
            try:
                assert process.stdout is not None
                some = False
                for result in read(process.stdout):
                    some = True
                    yield result
                # Ranks that wait for each other for ever end the simulation with status 0.
                ended = process.wait()
                said.seek(0)
                if ended != 0 or not some:
                    options_text = ", ".join(f"{key}:{value}" for key, value in options.items())
                    raise Failed(
                        f"the simulation of {runs} ({options_text}) ended with status {process.returncode}:\n"
                        f"{said.read().strip()[-_MOST_SAID:]}"
                    )
                # Their calls go by messages then, which is not what was to be simulated.
                if without := next((line for line in said if _NO_GROUP in line), None):
                    raise Failed(f"the simulation of {runs} has no multicasts: {without.strip()}")
            finally:
                process.kill()  # where we end early; of one that has ended nothing is left to kill


def _outcomes(lines: Iterable[str]) -> Iterator[Outcome]:
    known: dict[str, object] = {}
    for line in lines:
        event: dict[str, object] = json.loads(line) if line.startswith("{") else {}
        known |= event
        if "seconds" in event or "gave_up" in event:
            yield Outcome(
                simgrid=str(known["simgrid"]),
                message_bytes=int(str(known["message_bytes"])),
                limit_seconds=float(str(known["limit_seconds"])),
                times=_floats(event.get("seconds", [])),
                ran=str(event.get("ran", "")),
                segment_bytes=int(str(event.get("segment_bytes", 0))),
                overlapped_s=float(str(event["overlapped"])) if "overlapped" in event else None,
            )


def _floats(values: object) -> tuple[float, ...]:
    assert isinstance(values, list)
    return tuple(map(float, values))


def _environment(folder: Path, runs: str, job: Job) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRUNKLINE_", "SMPI_"))}
    own = (
        {"TRUNKLINE_DISABLE": "1"} if runs.startswith("native") else {"TRUNKLINE_CLUSTER": str(folder / "cluster.yaml")}
    )
    if job.by_arrival and not runs.startswith("native"):
        own["TRUNKLINE_WITHIN_HOSTS"] = "arrival"
    return {
        **kept,
        **own,
        "TRUNKLINE_STRICT": "1",
        "TRUNKLINE_HOST_COSTS": job.host_costs,
        "SIMULATED_LIBRARY": job.library.name,
        "TMPDIR": str(folder),
        "GLIBC_TUNABLES": f"glibc.rtld.optional_static_tls={_SPARE_TLS_BYTES + _TLS_BYTES * len(job.placement)}",
    }


def processor_times(measured: _core.Measurement) -> dict[str, str]:
    """os(m) between the nearest hosts as an option of SMPI: straight lines between the sizes measured.

    or(m) is left out: SMPI counts it for messages that leave before they are received, and here none does.
    """
    nearest = min(
        (distance for distance in measured.distances if distance.channels > 0),
        key=lambda one: one.channels,
        default=None,
    )
    if nearest is None:
        return {}
    points = sorted(nearest.points, key=lambda one: one.bytes)
    return {"smpi/ois": _lines([(point.bytes, point.send_s) for point in points])}


def _lines(points: list[tuple[int, float]]) -> str:
    """``FROM:CONSTANT:PER_BYTE;...``, seconds; the last line goes on for ever, the first one begins at 0 bytes."""
    if len(points) == 1:
        return f"0:{points[0][1]:.9g}:0"
    words: list[str] = []
    for (low, a), (high, b) in pairwise(points):
        slope = (b - a) / (high - low)
        words.append(f"{low if words else 0}:{a - slope * low:.9g}:{slope:.9g}")
    return ";".join(words)
