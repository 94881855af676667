"""Predicted times, and the choice that follows from them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from trunkline import _core
from trunkline.cluster import told_as_bad_input
from trunkline.errors import BadInput
from trunkline.mpi import Mpi
from trunkline.units import format_seconds, parse_bytes


def _job_as_json(collective: str, cluster: _core.Cluster, ranks: int, mpi: str) -> dict[str, object]:
    return {
        "collective": collective,
        "cluster": cluster.name,
        "hosts": len(cluster.hosts),
        "ranks": ranks,
        "mpi": mpi,
    }


@dataclass(frozen=True)
class Predicted:
    """One algorithm at one size."""

    collective: str
    algorithm: str
    """As it was asked for: a segment behind a colon stays."""
    message_bytes: int
    segment_bytes: int
    """0: native."""
    seconds: float
    fastest: bool
    bound: float | None = None
    """Seconds below which no algorithm is, each long link crossed once; None: there is no long link."""
    ran: str = ""
    """What ``auto`` is at that size; empty: what its name says."""

    def as_json(self, cluster: _core.Cluster, ranks: int, mpi: str) -> dict[str, object]:
        """The row as the command writes it."""
        return {
            **_job_as_json(self.collective, cluster, ranks, mpi),
            "algorithm": self.algorithm,
            **({"ran": self.ran} if self.ran else {}),
            "segment_bytes": self.segment_bytes,
            "message_bytes": self.message_bytes,
            "seconds_predicted": self.seconds,
            **({} if self.bound is None else {"seconds_bound": self.bound}),
        }


@dataclass(frozen=True)
class Instead:
    """What runs in place of a multicast that Trunkline or a tuning file has chosen."""

    algorithm: str
    segment_bytes: int
    """0: native."""
    calls: int
    """So many times on each communicator, before it is worth a group; always where datagrams do not reach all ranks."""

    @property
    def ran(self) -> str:
        """For people: ``two-tree, 469 B``."""
        return f"{self.algorithm}, {self.segment_bytes} B" if self.segment_bytes else self.algorithm


@dataclass(frozen=True)
class Decision:
    """What would run for one size, and why."""

    collective: str
    message_bytes: int
    algorithm: str
    segment_bytes: int
    """0: native."""
    reason: str
    predictions: list[_core.Prediction]
    instead: Instead | None = None
    """Of a multicast that was not forced."""

    def words(self) -> str:
        """Why: the predictions that count, and what runs where and while there is no multicast."""
        why = _shortened(self.reason, self.algorithm)
        if self.instead is None:
            return why
        leaves = "leaves once it has sent" if _core.is_eager_multicast(self.message_bytes) else "waits for all ranks"
        ran = self.instead.ran
        taken = next((one.seconds for one in self.predictions if one.algorithm == self.instead.algorithm), None)
        if taken is not None and f"{self.instead.algorithm} " not in f"{why} ":
            ran = f"{ran} ({format_seconds(taken)})"
        return f"{why}; its root {leaves}; {ran} where datagrams do not reach all ranks"

    @property
    def runs(self) -> str:
        """What runs, the first calls on a communicator first: ``two-tree, 469 B; multicast from call 7 on``."""
        ran = f"{self.algorithm}, {self.segment_bytes} B" if self.segment_bytes else self.algorithm
        if self.instead is None or not self.instead.calls:
            return ran
        return f"{self.instead.ran}; from call {self.instead.calls + 1} on {ran}"

    def as_json(self, cluster: _core.Cluster, ranks: int, mpi: str) -> dict[str, object]:
        """The row as the command writes it."""
        instead = {} if self.instead is None else {"instead": vars(self.instead)}
        return {
            **_job_as_json(self.collective, cluster, ranks, mpi),
            **instead,
            "message_bytes": self.message_bytes,
            "algorithm": self.algorithm,
            "segment_bytes": self.segment_bytes,
            "reason": self.reason,
            "predictions": [
                {"algorithm": p.algorithm, "segment_bytes": p.segment_bytes, "seconds_predicted": p.seconds}
                for p in self.predictions
            ],
        }


_TIME = re.compile(r"(\S+) \S+ (?:s|ms|us|ns)(?: \(counts as \S+ (?:s|ms|us|ns)\))?")


def _shortened(reason: str, ran: str) -> str:
    """A reason with fewer of its predictions: those before what runs, that, what comes next, and native.

    A faster prediction that does not run is handicapped, as such predictions were too short so far. The core
    says so of some; of others this does, or the reason would contradict what runs.
    """
    head, said, rest = reason.partition("predicted: ")
    times, semicolon, why = rest.partition("; ")
    names = [one[1] for one in map(_TIME.fullmatch, times.split(", ")) if one]
    items = times.split(", ")
    if not said or len(names) != len(items) or ran not in names:
        return reason
    place = names.index(ran)
    first = min(place, _MOST_BEFORE)
    kept = [k for k, name in enumerate(names) if k < first or k in (place, place + 1) or name == "native"]
    shown = [items[k] for k in kept]
    left = len(items) - len(kept)
    if left:
        shown.append(f"{left} more (--json)")
    faster = [
        name
        for name, item in zip(names[:place], items)
        if ran != "native"
        and name != "native"
        and "(counts as" not in item
        and f"{name} counts as" not in why
        and item.split()[1:] != items[place].split()[1:]
    ]
    counts = "counts as slower, since its" if len(faster) == 1 else "count as slower, since their"
    handicap = f"; {' and '.join(faster)} {counts} predictions were too short (docs/choice.md)" if faster else ""
    return f"{head}{said}{', '.join(shown)}{handicap}{semicolon}{why}"


_MOST_BEFORE = 3
"""Of predictions shown before the one that runs."""


def predict_all(
    collective: str,
    cluster: _core.Cluster,
    placement: Sequence[int],
    root: int,
    algorithms: Sequence[str],
    sizes: Sequence[int],
    native: _core.NativeLibrary,
    measured: _core.Measurement | None = None,
    host_costs: str = "",
    plan: str | None = None,
) -> list[Predicted]:
    """The time of every algorithm at every size, size by size.

    From the rates in the cluster file and what messages cost their hosts (empty: the library's defaults) or, where
    given, from measured tables, as the preload library takes them. Of a file with plans the one that a call would take
    is a row of the file's name; sizes that none of its plans is for have none.

    Raises:
        BadInput: where all ranks share one host and what its library takes there is not known, where the tables are
            about another cluster, and where the file is faulty or has no plan for these ranks and sizes.
    """
    if measured is not None:
        knowledge = measured_knowledge(cluster, measured, host_costs, native=native)
    else:
        hosts = host_costs or _core.host_costs_of(native.name, "")
        knowledge = _core.Knowledge(cluster, native, "", "", host_costs=hosts)
    if plan is not None:
        with told_as_bad_input():
            knowledge.take_plans(_core.read_plans(plan), plan)
    decider = _core.Decider(knowledge, collective, placement, root)
    rows = []
    for size in sizes:
        times: dict[str, tuple[int, float]] = {}
        own = None if plan is None else decider.decide(size)
        if plan is not None and own is not None and _core.is_given(own.algorithm):
            seconds = decider.seconds_of(own.algorithm, size, min(own.segment_bytes, size))
            times[Path(plan).stem] = (own.segment_bytes, seconds)
        ran: dict[str, str] = {}
        for asked in algorithms:
            name, chosen = asked, None
            if asked == "auto":
                chosen = decider.decide(size, "auto", True)
                name = ran[asked] = chosen.algorithm
            if name == "native":
                predictions = decider.predictions(size)
                if not predictions:
                    raise BadInput("all ranks share one host, and what the library's own call takes there is not known")
                times[asked] = (0, next(p.seconds for p in predictions if p.algorithm == "native"))
                continue
            algorithm, _, fixed = name.partition(":")
            segment = min(parse_bytes(fixed) if fixed else decider.best_segment_of(algorithm, size), size)
            segment = chosen.segment_bytes if chosen else segment
            times[asked] = (segment, decider.seconds_of(algorithm, size, segment))
        best = min(seconds for _, seconds in times.values())
        bound = None
        if cluster.has_sites or _core.facts_of(collective).goes_by_pairs:
            bound = _core.least_crossing_s(cluster, placement, collective, root, size)
        rows += [
            Predicted(collective, name, size, segment, s, s == best, bound, ran.get(name, ""))
            for name, (segment, s) in times.items()
        ]
    if plan is not None and not any(row.algorithm == Path(plan).stem for row in rows):
        raise BadInput(f"{plan}: none of its plans is for such a call; {decider.decide(sizes[-1]).reason}")
    return rows


def read_measurement(path: str, libraries: Sequence[Mpi] = ()) -> _core.Measurement:
    """Tables of ``trunkline measure``, whatever network they were measured on, for these libraries if any are given.

    Raises:
        BadInput: with everything that is wrong with the file, or where it is about another library.
    """
    with told_as_bad_input():
        read = _core.read_measurement(path)
    _check_library(read, path, libraries)
    return read


def load_measurement(path: str, cluster: _core.Cluster, libraries: Sequence[Mpi] = ()) -> _core.Measurement:
    """Tables that were measured on this cluster, under these libraries where there are any.

    Raises:
        BadInput: with everything that is wrong with the file, or where it is about another network or library.
    """
    read = read_measurement(path, libraries)
    if read.cluster_fingerprint != cluster.fingerprint:
        raise BadInput(
            f"{path}: was measured on {read.cluster} as it was then, not on {cluster.name} as it is now "
            "(a lab at another rate is another cluster: see --rate)"
        )
    return read


def tables_of(path: str | None, cluster: _core.Cluster, libraries: Sequence[Mpi] = ()) -> _core.Measurement | None:
    """Tables of that file, else those that the cluster's file names; None where neither names any.

    Raises:
        BadInput: as :func:`load_measurement` does.
    """
    if path:
        return load_measurement(path, cluster, libraries)
    with told_as_bad_input():
        read = _core.read_named_tables(cluster)
    if read is not None:
        _check_library(read, f"measured tables of {cluster.name}'s cluster file", libraries)
    return read


def _check_library(read: _core.Measurement, what: str, libraries: Sequence[Mpi]) -> None:
    for mpi in libraries:
        if read.mpi != mpi.counts_as:
            raise BadInput(
                f"{what}: was measured under {read.mpi} {read.mpi_version}, which says nothing about {mpi.name}; "
                "measure under that too, and use one file for one library"
            )


def measured_knowledge(
    cluster: _core.Cluster,
    measured: _core.Measurement,
    host_costs: str = "",
    *,
    native: _core.NativeLibrary | None = None,
) -> _core.Knowledge:
    """What ranks know that were told of these tables, under the library and version they were measured with.

    Args:
        cluster: What the tables were measured on.
        measured: Tables of ``trunkline measure``.
        host_costs: Name of what tables do not say: a rendezvous, copies within a host; empty: the library's.
        native: Whose own algorithms there are; None: those of the tables' library.

    Raises:
        BadInput: where the tables are about another cluster, or their figures do not fit it.
    """
    if native is None:
        native = _core.NativeLibrary.openmpi if measured.mpi == "openmpi" else _core.NativeLibrary.mpich
    knowledge = _core.Knowledge(cluster, native, measured.mpi, measured.mpi_version, host_costs=host_costs)
    try:
        knowledge.take_measurement(measured, "measured tables")
    except ValueError as error:
        raise BadInput(str(error)) from None
    return knowledge


def knowledge_of(
    cluster: _core.Cluster,
    mpi: Mpi,
    *,
    plan: str | None = None,
    tuning: str | None = None,
    measured: str | None = None,
    reproducible: bool = False,
    host_costs: str = "",
    multicasts: bool = True,
) -> _core.Knowledge:
    """What the ranks of a job would know that were told of this cluster and these files.

    With ``reproducible``, reductions keep one order of operands for messages of every size; without ``multicasts``,
    ``auto`` takes none.

    Raises:
        BadInput: where a file is faulty, or is for another cluster or MPI library.
    """
    with told_as_bad_input():
        knowledge = _core.Knowledge(
            cluster, mpi.native_library, mpi.counts_as, mpi.version, reproducible, host_costs, multicasts
        )
        if plan:
            knowledge.take_plans(_core.read_plans(plan), plan)
        if measured:
            knowledge.take_measurement(_core.read_measurement(measured), measured)
        else:
            knowledge.take_named_tables()
        if tuning:
            knowledge.take_tuning(_core.read_tuning(tuning), tuning)
    return knowledge


def host_costs_given(text: str, usual: str) -> str:
    """What messages and datagrams cost their hosts, as ``TRUNKLINE_HOST_COSTS`` says it, with a name before all else.

    Args:
        text: What was said; empty: nothing.
        usual: Name of what counts where no name was said.

    Raises:
        BadInput: naming those there are.
    """
    first = text.partition(",")[0]
    full = text if first and "=" not in first else ",".join(filter(None, [usual, text]))
    try:
        _core.host_costs_from(full)
    except ValueError as error:
        raise BadInput(f"--host-costs: {error}") from None
    return full


def setting_of(collective: str) -> str:
    """The variable that says what a collective is told to run: ``TRUNKLINE_BCAST``."""
    return f"TRUNKLINE_{collective.upper().replace('-', '_')}"


def decide_all(
    collective: str,
    knowledge: _core.Knowledge,
    placement: Sequence[int],
    root: int,
    sizes: Sequence[int],
    wish: str = "auto",
    *,
    commutes: bool = True,
    asked_by: str = "--algorithms",
) -> list[Decision]:
    """What the preload library would run for each size; ``wish`` as in the variable of :func:`setting_of`.

    ``commutes``: whether a reduction's operation does; ``asked_by``: where the wish stands, for messages.

    Raises:
        BadInput: where no such algorithm is known.
    """
    decider = _core.Decider(knowledge, collective, placement, root)
    decisions = []
    for size in sizes:
        try:
            one = decider.decide(size, wish, commutes)
        except ValueError as error:
            raise BadInput(f"{asked_by} {wish}: {error}") from None
        predictions = decider.predictions(size, commutes)
        instead = None
        if one.wants_datagrams:
            other = decider.decide(size, wish, commutes, datagrams=False)
            calls = ceil(decider.opening_s(one) / decider.saved_s(size, one, other)) - 1
            instead = Instead(other.algorithm, other.segment_bytes, max(calls, 0))
        decisions.append(Decision(collective, size, one.algorithm, one.segment_bytes, one.reason, predictions, instead))
    return decisions
