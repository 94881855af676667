"""What Trunkline was worth on a cluster: many jobs' receipts added up."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from math import sqrt
from pathlib import Path
from typing import Any

from trunkline.errors import BadInput
from trunkline.files import is_folder
from trunkline.receipt.file import Receipt, read_receipt

UNKNOWN = "not known"
"""The month or cluster of receipts that do not say."""


@dataclass
class Sum:
    """Figures of several jobs.

    Attributes:
        jobs: Receipts: a program that a batch job starts twice leaves two.
        measured_jobs: Those that have measured what they saved.
        seconds: Of rank 0 in these calls.
        saved_s: Beside native calls; below 0: lost.
        saved_rank_s: The same times the ranks that took part, for hours of processors.
    """

    jobs: int = 0
    measured_jobs: int = 0
    calls: int = 0
    bytes: int = 0
    seconds: float = 0.0
    saved_s: float = 0.0
    saved_rank_s: float = 0.0
    _error_s2: float = field(default=0.0, repr=False)

    @property
    def error_s(self) -> float:
        """19 in 20 sums are off by less: jobs are independent of each other, so their errors' squares add up."""
        return sqrt(self._error_s2)

    def as_json(self) -> dict[str, Any]:
        """What was saved is null where it was not measured."""
        is_known = self.measured_jobs > 0
        return {
            **{name: getattr(self, name) for name in ("jobs", "measured_jobs", "calls", "bytes", "seconds")},
            **{name: getattr(self, name) if is_known else None for name in ("saved_s", "error_s", "saved_rank_s")},
        }

    def add(self, one: Receipt, collective: str | None = None) -> None:
        """One job; of one collective, without the meetings, which are those of all.

        Calls that do not block are left out: what the program waited for them is not known.
        """
        calls = [row for row in one.calls if collective in (None, row.collective) and not row.form]
        trials = [row for row in one.measured if collective in (None, row.collective)]
        self.jobs += 1
        self.calls += sum(row.calls for row in calls)
        self.bytes += sum(row.bytes for row in calls)
        self.seconds += sum(row.seconds for row in calls)
        if not trials:
            return
        meetings_s, meetings_rank_s = 0.0, 0.0
        if collective is None:
            meetings_s = one.meetings_s
            meetings_rank_s = meetings_s * one.ranks if one.meetings_rank_s is None else one.meetings_rank_s
        self.measured_jobs += 1
        self.saved_s += sum(row.saved_s for row in trials) - meetings_s
        self.saved_rank_s += sum(row.saved_s * row.ranks for row in trials) - meetings_rank_s
        self._error_s2 += sum(row.error_s or 0.0 for row in trials) ** 2


@dataclass
class Worth:
    """All of a folder.

    Attributes:
        all: Together.
        by_collective: Without meetings.
        by_month: By the month in which jobs began, such as ``2026-11``.
        by_cluster: By the cluster's name.
        by_cluster_and_collective: The same by both, without meetings.
        newest: When the last of the jobs began.
        older: Receipts that were left out, since their jobs began before the time that was asked for.
        undated: Receipts that do not say when, and were left out then.
        unread: What is wrong with each file that could not be read.
    """

    all: Sum = field(default_factory=Sum)
    by_collective: dict[str, Sum] = field(default_factory=dict)
    by_month: dict[str, Sum] = field(default_factory=dict)
    by_cluster: dict[str, Sum] = field(default_factory=dict)
    by_cluster_and_collective: dict[tuple[str, str], Sum] = field(default_factory=dict)
    newest: datetime | None = None
    older: int = 0
    undated: int = 0
    unread: list[str] = field(default_factory=list)

    def add(self, one: Receipt) -> None:
        """One job."""
        month = one.began.strftime("%Y-%m") if one.began else UNKNOWN
        cluster = one.cluster or UNKNOWN
        self.all.add(one)
        self.by_month.setdefault(month, Sum()).add(one)
        self.by_cluster.setdefault(cluster, Sum()).add(one)
        names = [row.collective for row in one.calls] + [row.collective for row in one.measured]
        for name in dict.fromkeys(names):
            self.by_collective.setdefault(name, Sum()).add(one, name)
            self.by_cluster_and_collective.setdefault((cluster, name), Sum()).add(one, name)
        if one.began and (self.newest is None or one.began > self.newest):
            self.newest = one.began

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        groups = {"by_collective": "collective", "by_month": "month", "by_cluster": "cluster"}
        return {
            **self.all.as_json(),
            **{
                group: [{name: key, **one.as_json()} for key, one in sorted(getattr(self, group).items())]
                for group, name in groups.items()
            },
            "newest": self.newest.isoformat() if self.newest else None,
            "older": self.older,
            "undated": self.undated,
            "unread": self.unread,
        }


def files_in(folder: str) -> Iterator[str]:
    """Files of a folder and of those in it, but for hidden ones and for unfinished ones (``.part``); in order.

    Raises:
        BadInput: where it is no folder, or cannot be looked into.
    """
    if not is_folder(Path(folder)):
        raise BadInput(f"{folder}: is no folder; 'trunkline receipt show' takes one file")

    def stop(error: OSError) -> None:
        raise BadInput(f"{error.filename}: cannot be looked into: {error.strerror}")

    for where, folders, names in os.walk(folder, onerror=stop):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and not name.endswith(".part"):
                yield str(Path(where, name))


def add_up(folder: str, since: datetime | None = None) -> Worth:
    """Add up the receipts of a folder; what cannot be read is told, and the others count.

    Args:
        folder: With folders in it, such as one a month.
        since: Jobs that began earlier do not count.

    Raises:
        BadInput: where there is no such folder, or no receipt in it.
    """
    worth = Worth()
    for file in files_in(folder):
        try:
            one = read_receipt(file)
        except BadInput as error:
            worth.unread.append(str(error))
            continue
        if since is not None and one.began is None:
            worth.undated += 1
        elif since is not None and one.began is not None and one.began < since:
            worth.older += 1
        else:
            worth.add(one)
    if worth.all.jobs + worth.older + worth.undated == 0:
        told = f": {worth.unread[0]}" if worth.unread else ""
        raise BadInput(f"{folder}: has no receipt; TRUNKLINE_SUMMARY={folder} has each job leave one there{told}")
    return worth
