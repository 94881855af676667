"""What a running job spends in collectives: its ranks' files, looked at again and again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.files import is_folder
from trunkline.trace.file import Header, is_begun, read_header
from trunkline.trace.folder import check_ranks, described_jobs
from trunkline.trace.follow import FollowedRank, News

FIRST_RECORDS = 1 << 16
"""Of a rank that is running: what the first look reads at most, so that it is no longer than the others."""

Kind = tuple[str, int, str]
"""Collective, bytes, algorithm: what has a row."""


@dataclass(frozen=True)
class Row:
    """What calls of one kind took; of a time that is told beside it."""

    collective: str
    bytes: int
    algorithm: str
    calls: int
    """That ended; of the rank that made most."""
    mean_us: float | None
    """Of a call and rank; None: no call ended."""
    share: float
    """Of the ranks' time, the part inside such calls; threads of a rank add up."""
    most_rank: int
    most_share: float
    least_rank: int
    """That spent least in such calls: where a call makes ranks wait, the others wait for it."""
    least_share: float


@dataclass
class Spent:
    """Sums over some time."""

    elapsed: dict[int, int] = field(default_factory=dict)
    """ns by rank."""
    calls: dict[Kind, dict[int, tuple[int, int, int]]] = field(default_factory=dict)
    """By rank: calls that ended; ns inside calls, less what a look before took for inside and was not; ns of the calls
    that ended, from beginning to end."""

    def add(self, other: Spent) -> None:
        """Another time's sums."""
        for rank, ns in other.elapsed.items():
            self.elapsed[rank] = self.elapsed.get(rank, 0) + ns
        for kind, by_rank in other.calls.items():
            for rank, more in by_rank.items():
                self.put(kind, rank, *more)

    def put(self, kind: Kind, rank: int, ended: int, inside: int, length: int) -> None:
        """More of a rank's calls of one kind."""
        mine = self.calls.setdefault(kind, {})
        known = mine.get(rank, (0, 0, 0))
        mine[rank] = (known[0] + ended, known[1] + inside, known[2] + length)

    @property
    def seconds(self) -> float:
        """How long; of the rank of which most is known."""
        return max(self.elapsed.values(), default=0) / 1e9

    def shares(self, kind: Kind | None = None) -> dict[int, float]:
        """By rank, of those of which some time is known, the part of it inside calls; None: of all kinds."""
        kinds = [kind] if kind is not None else list(self.calls)
        return {
            rank: max(0, sum(self.calls[one].get(rank, (0, 0, 0))[1] for one in kinds)) / ns
            for rank, ns in self.elapsed.items()
            if ns > 0
        }

    def rows(self) -> list[Row]:
        """A row for each kind, the one with the greatest share first."""
        rows = []
        for kind, by_rank in self.calls.items():
            shares = {rank: share for rank, share in self.shares(kind).items() if rank in by_rank}
            if not shares:
                continue
            ended = sum(one[0] for one in by_rank.values())
            most, least = max(shares, key=lambda rank: shares[rank]), min(shares, key=lambda rank: shares[rank])
            rows.append(
                Row(
                    *kind,
                    calls=max(one[0] for one in by_rank.values()),
                    mean_us=sum(one[2] for one in by_rank.values()) / ended / 1e3 if ended else None,
                    share=sum(shares.values()) / sum(ns > 0 for ns in self.elapsed.values()),
                    most_rank=most,
                    most_share=shares[most],
                    least_rank=least,
                    least_share=shares[least],
                )
            )
        return sorted(rows, key=lambda row: -row.share)


@dataclass(frozen=True)
class Look:
    """What one look found."""

    job: str
    ranks: int
    mpi: str
    hosts: dict[int, str]
    last: Spent
    """Since the look before; at the first one, as far back as it read."""
    whole: Spent
    """Of all looks."""
    ended: bool
    """All ranks have called MPI_Finalize."""
    silent_s: float
    """For how long nothing was recorded on any rank."""
    notes: list[str]


class Top:
    """The job in a folder, from before it begins until it has ended."""

    def __init__(self, folder: str, job: str | None, now_ns: Callable[[], int] = time.time_ns) -> None:
        """Nothing is read yet.

        Args:
            folder: Where ``TRUNKLINE_TRACE`` points; need not be there yet.
            job: Its name, or how it begins; None: the one that runs, or the only one.
            now_ns: Since the epoch.
        """
        self._folder = Path(folder)
        self._wanted = job
        self._now_ns = now_ns
        self._job: Header | None = None
        self._ranks: dict[Path, FollowedRank] = {}
        self._others: set[Path] = set()  # of other jobs
        self._unreadable: dict[Path, str] = {}
        self._whole = Spent()
        self._latest_ns = 0

    @property
    def waits_for(self) -> str:
        """What is not there yet; for people."""
        if not is_folder(self._folder):
            return f"{self._folder}: no such folder yet"
        return f"{self._folder}: no trace yet" + (f" of job {self._wanted}" if self._wanted is not None else "")

    def look(self) -> Look | None:
        """Look at all ranks; None where no job has begun.

        Raises:
            BadInput: where several jobs could be meant, or a file is no trace, or has gone.
        """
        try:
            self._find_files()
            return self._look() if self._ranks else None
        except OSError as error:
            raise BadInput(f"cannot read {error.filename or self._folder}: {error.strerror}") from error

    def _find_files(self) -> None:
        found: list[Header] = []
        unreadable: dict[Path, str] = {}
        for file in sorted(self._folder.glob("*.trace")):
            if file in self._ranks or file in self._others or not is_begun(file):
                continue
            try:
                found.append(read_header(file))
            except BadInput as error:  # a header may be looked at while it is written, once
                if file in self._unreadable:
                    raise
                unreadable[file] = str(error)
        self._unreadable = unreadable
        if self._job is None and found:
            self._job = self._chosen(found)
        for header in found:
            if self._job is not None and header.job == self._job.job:
                self._ranks[header.file] = FollowedRank(header.file)
            elif self._job is not None:
                self._others.add(header.file)
        check_ranks(self._folder, [followed.header for followed in self._ranks.values()])

    def _chosen(self, found: list[Header]) -> Header | None:
        """The job that is meant; None where a name was given and it is not there yet."""
        jobs = {header.job: header for header in reversed(found)}
        if self._wanted is not None:
            meant = [job for job in jobs if job.startswith(self._wanted)]
        elif len(jobs) > 1:
            meant = sorted({header.job for header in found if not header.finished})
        else:
            meant = list(jobs)
        if len(meant) == 1:
            return jobs[meant[0]]
        if self._wanted is not None and not meant:
            return None
        several = f"{len(meant)} that have not ended" if meant else "all ended"
        which = f"whose names begin with {self._wanted}" if self._wanted is not None else f"({several})"
        raise BadInput(f"{self._folder}: holds {len(jobs)} jobs {which}; choose one with --job:{described_jobs(found)}")

    def _look(self) -> Look:
        now = self._now_ns()
        last = Spent()
        for followed in self._ranks.values():
            rank = followed.header.rank
            news = followed.look(now, FIRST_RECORDS)
            last.elapsed[rank] = max(0, news.until - news.since)
            if news.records:
                self._latest_ns = now
            _count(last, rank, followed, news)
        self._whole.add(last)
        first = next(iter(self._ranks.values())).header
        headers = [followed.header for followed in self._ranks.values()]
        return Look(
            job=first.job,
            ranks=first.ranks,
            mpi=first.mpi,
            hosts={header.rank: header.host for header in headers},
            last=last,
            whole=self._whole,
            ended=len(headers) == first.ranks and all(header.finished for header in headers),
            silent_s=(now - self._latest_ns) / 1e9 if self._latest_ns else 0.0,
            notes=self._notes(headers),
        )

    def _notes(self, headers: list[Header]) -> list[str]:
        ranks = headers[0].ranks
        followed = list(self._ranks.values())
        notes = [f"cannot be read yet: {problem}" for problem in self._unreadable.values()]
        if missing := sorted(set(range(ranks)) - {header.rank for header in headers}):
            listed = _core.compress_hostlist([str(rank) for rank in missing]).strip("[]")
            notes.append(f"no trace of {len(missing)} of {ranks} ranks: {listed}")
        if cut := [one.header.file.name for one in followed if one.is_cut_off]:
            notes.append(f"cut off, so calls are missing: {', '.join(cut)}")
        if left_out := sum(one.left_out for one in followed):
            notes.append(f"the job ran before: {left_out} records of then are left out")
        if lost := sum(one.lost for one in followed):
            notes.append(
                f"{lost} records were overtaken by newer ones before they were read: calls are missing; "
                "look more often, or make more room with TRUNKLINE_TRACE_SIZE"
            )
        return notes


def _count(spent: Spent, rank: int, followed: FollowedRank, news: News) -> None:
    """Add up a rank's calls by kind."""
    kinds = np.concatenate((news.kind, news.open_kind))
    inside = np.concatenate((news.inside, news.open_inside))
    ended = np.concatenate((np.ones(len(news.kind), np.int64), np.zeros(len(news.open_kind), np.int64)))
    length = np.concatenate((news.end - news.start, np.zeros(len(news.open_kind), np.int64)))
    for number in np.unique(kinds):
        of_kind = kinds == number
        known = followed.kinds[number] if number < len(followed.kinds) else None
        if known and not known.is_blocking:
            inside = np.where(of_kind, 0, inside)  # how much of it the program waited is not known
        kind = (known.name, known.bytes, known.algorithm) if known else ("others", (1 << 64) - 1, "?")
        spent.put(kind, rank, *(int(values[of_kind].sum()) for values in (ended, inside, length)))
