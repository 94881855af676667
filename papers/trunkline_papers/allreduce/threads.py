"""The allreduce paper's numbers beside its simulated runtime: times and steps, stages, and more threads a host."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

from trunkline.cluster import load_cluster
from trunkline.compat import zip_equal
from trunkline_papers.allreduce.configurations import STUDIES, trees_of
from trunkline_papers.allreduce.paper_hosts import RUNTIMES, Runtime, runtimes_of
from trunkline_papers.allreduce.paper_runtime import COUNTED, Ran, allreduce_seconds, run_threads
from trunkline_papers.allreduce.simulated import PAPER_GAINS, verdict
from trunkline_papers.allreduce.stages import Path, departures, path_of, turns_kept
from trunkline_papers.allreduce.wrappers import GATEWAY, Wrapper, on_8w, papers_own, through_gateway, wrappers_of

__all__ = ["MICROSECONDS", "TIMES", "Compared", "Threads", "compared", "microseconds"]

TIMES, MICROSECONDS = "times", "us"
_ITERATIONS = 25_000
"""Of table 5, with two allreduces each."""


@dataclass(frozen=True)
class Compared:
    """A number of the paper beside the simulated one; a line of ``trunkline_papers simulate threads --json``."""

    what: str
    where: str
    """Of the paper: its section, table or figure; or what is assumed besides."""
    unit: str
    """``times``: so many times faster; ``us``; ``share`` of calls."""
    paper: float | None
    """None: it states an order alone, or nothing."""
    here: float

    @property
    def verdict(self) -> str:
        """In a few words; empty where the paper states no number."""
        if self.paper is None:
            return ""
        return verdict(self.paper, self.here) if self.unit == TIMES else f"{self.here / self.paper - 1:+.0%}"

    def as_json(self) -> dict[str, object]:
        """For ``--json``."""
        return {**asdict(self), "verdict": self.verdict}


def microseconds(what: str, where: str, paper: float | None, here_s: float) -> Compared:
    """Of a time in seconds."""
    return Compared(what, where, MICROSECONDS, paper, here_s * 1e6)


class Threads:
    """A cluster's configurations by the simulated runtime, each run once."""

    def __init__(self, cluster: str) -> None:
        self.cluster = cluster
        trees = {name: wrappers_of(tree) for name, tree in trees_of(cluster, load_cluster(cluster)).items()}
        self.trees = {**trees, **papers_own(cluster)}
        if cluster == "4w+8w":
            self.trees = {name: through_gateway(root) for name, root in trees.items()}
        self._ran: dict[tuple[str, int], Ran] = {}

    @property
    def runtime(self) -> Runtime:
        """Of its hosts; of both clusters' root hosts, 4W's."""
        return RUNTIMES[self.cluster.partition("+")[0]]

    def ran(self, name: str, message_bytes: int = 4) -> Ran:
        """A configuration's run."""
        if (name, message_bytes) not in self._ran:
            root = self.trees[name]
            self._ran[name, message_bytes] = run_threads(root, runtimes_of(self.cluster, root.hosts()), message_bytes)
        return self._ran[name, message_bytes]

    def seconds(self, name: str, message_bytes: int = 4) -> float:
        """Of an allreduce."""
        return self.ran(name, message_bytes).seconds

    def over(self, name: str, other: str, message_bytes: int = 4) -> float:
        """How many times faster a configuration is than another one."""
        return self.seconds(other, message_bytes) / self.seconds(name, message_bytes)

    def over_with(self, name: str, other: str, change: Callable[[Runtime], Runtime]) -> float:
        """The same on hosts that differ; where stages vary, over ten times as many calls."""
        hosts = change(self.runtime)
        counted = 10 * COUNTED if hosts.varies else COUNTED
        before, after = (allreduce_seconds(self.trees[one], hosts, counted=counted) for one in (other, name))
        return before / after

    def paths(self, name: str, message_bytes: int = 4) -> list[Path]:
        """By thread."""
        ran = self.ran(name, message_bytes)
        return [path_of(ran, one, self.runtime.core_s) for one in self.trees[name].threads()]

    def best_over_initial(self) -> float:
        """Of 4 bytes, over the first configuration."""
        first, *_ = STUDIES[self.cluster]
        return self.seconds(first.name) / min(self.seconds(name) for name in self.trees)


def compared(threads: Threads) -> list[Compared]:
    """All that the paper states of the cluster and the simulation has, in its order."""
    return [*_steps(threads), *_OF[threads.cluster](threads), *_slowest(threads)]


_BEST = {"8w": "binary8W", "4w": "split4W-2", "now": "binaryNOW", "blade": "naryBlade", "4w+8w": "4W+8W"}
"""The paper's."""


def _slowest(threads: Threads) -> Iterator[Compared]:
    name = _BEST[threads.cluster]
    path = max(threads.paths(name), key=lambda one: one.total)
    for part, here in (("up path", path.up), ("proxies", path.proxies), ("total, no waits", path.total)):
        yield microseconds(f"{name}, slowest thread, {part}", "section 8", None, here)


def _steps(threads: Threads) -> Iterator[Compared]:
    if threads.cluster in PAPER_GAINS:
        paper = PAPER_GAINS[threads.cluster]
        yield Compared("best over initial", "abstract and section 6", TIMES, paper, threads.best_over_initial())
    for one in STUDIES[threads.cluster]:
        for claim in one.claims:
            if claim.times is not None:
                what = f"{one.name} over {claim.over}{'' if claim.message_bytes == 4 else f', {claim.message_bytes} B'}"
                here = threads.over(one.name, claim.over, claim.message_bytes)
                yield Compared(what, "section 6", TIMES, claim.times, here)


def _of_8w(threads: Threads) -> Iterator[Compared]:
    for name, paper in (("nary8W", 954), ("quad8W", 810), ("binaryquad8W", 691), ("binary8W", 640)):
        yield microseconds(f"{name}, an allreduce", "table 5 and the steps", paper, threads.seconds(name))
    kept = turns_kept(threads.ran("nary8W"), _host_subtree(threads.trees["nary8W"], "w1"))
    yield Compared("last of 8 to come departs first", "table 1", "share", 1.0, kept[0])
    yield Compared("first of 8 to come departs second", "table 1", "share", 0.999, kept[1])
    for name in ("nary8W", "quad8W", "binaryquad8W", "binary8W"):
        found = departures(threads.ran(name), _host_subtree(threads.trees[name], "w0"))
        for which, here in zip_equal(("first", "last"), found):
            yield microseconds(f"{name}, root host's subtree, {which} departure", "figure 10", None, here)
    for thread, figure in ((0, "figure 13"), (17, "figure 14")):
        for name in ("nary8W", "quad8W", "binaryquad8W", "binary8W"):
            path = threads.paths(name)[thread]
            yield microseconds(f"{name}, thread {thread}, up path", figure, None, path.up)
            yield microseconds(f"{name}, thread {thread}, down path", figure, None, path.down)
            if thread == 17:
                yield microseconds(f"{name}, thread {thread}, proxies", "section 6.1", None, path.proxies)
    paths = threads.paths("binary8W")
    yield from _table_2(paths[17])
    for thread, stated in ((0, (45, 233, 156, 104, 278, 642)), (17, (212, 360, 149, 77, 572, 680))):
        yield from _table_3(thread, paths[thread], stated)
    for on_host, quad, binary in ((8, 40.5, 32.0), (16, 60.9, 45.8), (32, 107.4, 78.0)):
        yield from _table_5(threads.runtime, on_host, quad, binary)


def _host_subtree(root: Wrapper, host: str) -> Wrapper:
    """The bottom wrapper of a host's own threads."""
    return next(one for one in root.all() if one.host == host and one.is_within and one.contributors)


def _table_2(path: Path) -> Iterator[Compared]:
    for name, level, stated in (
        ("host level 0", path.levels[0], (6, 25, 25)),
        ("cluster-root level 1", path.levels[-2], (7, 17, 11)),
    ):
        ours = (level.down, level.up, level.departure_wait)
        for stage, paper, here in zip_equal(("down latency", "up latency", "departure wait"), stated, ours):
            yield microseconds(f"thread 17, {name}, {stage}", "table 2", paper, here)
    yield microseconds("thread 17, proxy", "table 2", 333, path.proxies)
    yield microseconds("thread 17, core", "table 2", 11, path.core)
    yield microseconds("thread 17, an allreduce", "table 2", 680, path.with_waits)


_PARTS = ("down path", "up path", "host subtree", "cluster-root subtree", "total, no waits", "total with waits")


def _parts(path: Path) -> tuple[float, ...]:
    within, beyond = path.subtree(within=True), path.subtree(within=False)
    return path.down, path.up, within, beyond, path.total, path.with_waits


def _table_3(thread: int, path: Path, stated: tuple[float, ...], where: str = "table 3") -> Iterator[Compared]:
    for name, paper, here in zip_equal(_PARTS, stated, _parts(path)):
        yield microseconds(f"thread {thread}, {name}", where, paper, here)


def _table_5(runtime: Runtime, on_host: int, quad: float, binary: float) -> Iterator[Compared]:
    trees = {fan_in: on_8w(on_host, fan_in) for fan_in in (4, 2)}
    ran = {fan_in: run_threads(root, dict.fromkeys(root.hosts(), runtime)) for fan_in, root in trees.items()}
    what = f"{4 * on_host} threads"
    yield Compared(
        f"{what}, binary over quad", "table 5", TIMES, round(quad / binary, 2), ran[4].seconds / ran[2].seconds
    )
    for shape, seconds, fan_in in (("quad", quad, 4), ("binary", binary, 2)):
        yield microseconds(f"{what}, {shape}", "table 5", seconds / (2 * _ITERATIONS) * 1e6, ran[fan_in].seconds)
    beyond = _mean(path_of(ran[2], one, runtime.core_s).subtree(within=False) for one in trees[2].threads())
    yield microseconds(f"{what}, binary, cluster-root subtree", "section 6.1", None, beyond)


def _of_4w(threads: Threads) -> Iterator[Compared]:
    paths = threads.paths("split4W-2")
    where = "section 6.2.1"
    yield microseconds("split4W-2, fastest thread", where, 339, min(one.total for one in paths))
    yield microseconds("split4W-2, slowest thread", where, 1042, max(one.total for one in paths))
    for count, spread in ((1, 70), (2, 147)):
        totals = [one.total for one in paths if one.proxy_count == count]
        what = f"split4W-2, slowest less fastest thread with {count} {'proxy' if count == 1 else 'proxies'}"
        yield microseconds(what, where, spread, max(totals) - min(totals))
    two = _mean(one.proxies for one in paths if one.proxy_count == 2)
    one = _mean(path.proxies for path in threads.paths("binary4W") if path.proxy_count)
    yield microseconds("split4W-2, two proxies", where, 703, two)
    yield microseconds("binary4W, one proxy", "section 6.2: two take 1.55 times that", 703 / 1.55, one)
    for count, figure in ((2, "figure 17"), (1, "figure 18")):
        alike = [number for number, path in enumerate(paths) if path.proxy_count == count and number > 7]
        for name in ("binary4W", "split4W-2"):
            for size in (4, 256):
                of_these = [threads.paths(name, size)[number].total for number in alike]
                what = (
                    f"{name}, {size} B, threads that have {count} {'proxy' if count == 1 else 'proxies'} in split4W-2"
                )
                yield microseconds(what, figure, None, _mean(of_these))
    for name in ("binary4W", "split4W"):
        yield microseconds(f"{name}, two bottom levels, last departure", "figure 16", None, _bottom(threads, name))


def _bottom(threads: Threads, name: str) -> float:
    """Until the last one has left that contributes to the second level of the cluster-root subtree."""
    root, ran = threads.trees[name], threads.ran(name)
    return max(departures(ran, part)[0 if part.is_within else 1] for part in root.contributors)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


_TABLE_4 = {
    0: (0, (27, 368, 21, 368, 395, 1042)),
    56: (370, (204, 415, 11, 232, 619, 1043)),
    4: (342, (199, 483, 15, 319, 682, 1058)),
    11: (656, (351, 520, 13, 196, 871, 1054)),
    36: (694, (369, 566, 20, 217, 935, 1072)),
}
"""By thread: the proxies, and the other parts."""


def _of_now(threads: Threads) -> Iterator[Compared]:
    for name, paper in (("quadNOW", 3533), ("splitNOW", 1448), ("binaryNOW", 1057), ("binaryNOW-2", 1173)):
        yield microseconds(f"{name}, an allreduce", "table 4 and the steps", paper, threads.seconds(name))
    paths = threads.paths("binaryNOW")
    for thread, (proxies, stated) in _TABLE_4.items():
        yield from _table_3(thread, paths[thread], stated, "table 4")
        if proxies:
            yield microseconds(f"thread {thread}, proxies", "table 4", proxies, paths[thread].proxies)
    one, two = ([path.total for path in paths if path.proxy_count == count] for count in (1, 2))
    what = "fastest thread with two proxies less slowest with one"
    yield microseconds(what, "section 6.3", 61, min(two) - max(one))


def _of_blade(threads: Threads) -> Iterator[Compared]:
    for other in ("quadBlade", "binaryBlade"):
        where = "section 8, which does not say what the initial one was"
        yield Compared(f"naryBlade over {other}", where, TIMES, 1.18, threads.over("naryBlade", other))
    for name in ("naryBlade", "quadBlade", "binaryBlade"):
        _, last = departures(threads.ran(name), threads.trees[name])
        yield microseconds(f"{name}, last departure of the cluster-root subtree", "figure 21", None, last)


def _of_both(threads: Threads) -> Iterator[Compared]:
    slowest = max(threads.paths("4W+8W"), key=lambda one: one.total)
    by_gateway = [
        level.proxy
        for before, level in zip(slowest.levels, slowest.levels[1:], strict=False)
        if GATEWAY in (before.wrapper.host, level.wrapper.host)
    ]
    where = "section 7.2"
    of_4w = [path.total for path in threads.paths("4W+8W") if path.levels[0].wrapper.host.startswith("v")]
    alone = max(path.total for path in Threads("4w").paths("split4W"))
    yield microseconds("slowest thread of 8W less slowest of 4W", where, 150, slowest.total - max(of_4w))
    yield microseconds("slowest thread of 4W, less than in split4W alone", where, 300, alone - max(of_4w))
    yield microseconds("slowest thread, no waits", where, 1193, slowest.total)
    yield microseconds("slowest thread, proxies", where, 930, slowest.proxies)
    yield microseconds("slowest thread, through the gateway", where, 598, sum(by_gateway))
    # Where it only forwards frames, as a switch, no thread of it handles a message.
    direct = wrappers_of(trees_of("4w+8w", load_cluster("4w+8w"))["4W+8W"])
    by_switch = allreduce_seconds(direct, runtimes_of("4w+8w", direct.hosts()))
    yield microseconds("4W+8W, an allreduce", where, None, threads.seconds("4W+8W"))
    yield microseconds("4W+8W, an allreduce where the gateway is a switch", where, None, by_switch)


_OF: Mapping[str, Callable[[Threads], Iterator[Compared]]] = {
    "8w": _of_8w,
    "4w": _of_4w,
    "now": _of_now,
    "blade": _of_blade,
    "4w+8w": _of_both,
}
