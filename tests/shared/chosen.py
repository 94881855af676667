"""Which cases of `tests/runtime` a change runs: some by turns, so that it need not wait for all.

A change runs under one MPI library and one row of each test; its commit says whose turn it is, so the next change runs
under another library and other rows. What a change touches runs more: folders that speak with a library have cases that
all libraries run then, and a file whose subject is one folder has a single test by turns until that folder changes.
"""

import os
import re
import subprocess
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch

from jobs import ROOT

ALL = "all"
BY_TURN = "by-turn"

UNDER_ALL = {
    "runtime/transport": (
        "test_host_memory.py::test_everything_mpi_allows",
        "test_host_memory.py::test_mpis_own_calls_between_ours",
        "test_host_memory.py::test_collectives_do_not_disturb_each_other",
        "test_host_memory.py::test_the_program_goes_on_where_something_is_wrong",
        "test_multicast.py::test_everything_mpi_allows",
        "test_multicast.py::test_reductions_and_shares",
        "test_multicast.py::test_all_collectives_mixed",
        "test_faults.py::test_the_program_goes_on",
        "test_faults.py::test_reductions_and_others_go_on",
        "test_matrix.py::test_everything_mpi_allows",
        "test_matrix.py::test_segments_above_the_eager_limit",
    ),
    "runtime/startup": (
        "test_settings.py::test_what_cannot_be_used_is_one_warning_and_native",
        "test_settings.py::test_another_build_on_one_rank_is_native_for_all",
        "test_settings.py::test_settings_that_reach_some_ranks_only_are_found",
        "test_settings.py::test_different_choices_on_different_ranks_are_found",
        "test_wrong_mpi.py",
        "test_languages.py",
    ),
    "runtime/intercept": (
        "test_languages.py",
        "test_mixed.py",
        "test_non_blocking.py::test_started_in_one_order_and_completed_in_any",
        "test_faults.py::test_the_program_goes_on",
    ),
}
"""Where a folder is touched: files, or tests of one."""

SUBJECTS = {
    "test_chooser.py": ("chooser/",),
    "test_copy*.py": ("copy/",),
    "test_generated*.py": ("python/trunkline/generate/", "tests/runtime/programs/generated/"),
    "test_learned.py": ("core/learn/", "runtime/learned/"),
    "test_learning.py": ("core/learn/", "runtime/receipt/"),
    "test_measured.py": ("core/model/",),
    "test_non_blocking.py": ("runtime/intercept/",),
    "test_timing.py": ("bench/",),
    "test_trace.py": ("runtime/trace/", "python/trunkline/trace/"),
    "test_tuning.py": ("core/tuning/",),
}
"""Files of tests that are about these folders: all of their tests run where one of them, or the file, is touched."""

ALL_ROWS = ("test_matrix.py::test_everything_mpi_allows",)
"""Whose rows are jobs of many cases each."""

MOST_MORE = 14
"""Tests that run for what a change touches; by turns where they would be more."""


@dataclass(frozen=True)
class Choice:
    """The library of tests, None for all, and why; the number that says whose turn it is, and what is touched."""

    one: str | None
    why: str
    turn: int = 0
    touched: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """A row of a test, under a library or under none; `any_version`: it serves as well for others of its family."""

    file: str
    test: str
    number: int
    library: str | None = None
    any_version: bool = False

    @property
    def place(self) -> str:
        return f"{self.file}::{self.test}"


def runs_under_the_one(case: Case, choice: Choice) -> bool:
    if choice.one is None or case.library is None or case.library == choice.one:
        return True
    return case.any_version and case.library.partition("-")[0] == choice.one.partition("-")[0]


def of_a_change(cases: Sequence[Case], choice: Choice) -> set[Case]:
    """What runs in a change."""
    everywhere = {place for area in choice.touched for place in UNDER_ALL.get(area, ())}
    own = [case for case in cases if runs_under_the_one(case, choice)]
    others = [case for case in cases if not runs_under_the_one(case, choice) and everywhere & {case.file, case.place}]
    rows = [case for case in own if case.place in ALL_ROWS]
    rows += _one_of_each((case for case in own if case.place not in ALL_ROWS), choice, lambda case: case.place)
    narrow = [case for case in rows if _patterns(case.file) and case.library is not None]
    chosen = {case for case in rows if case not in narrow}
    chosen |= set(_one_of_each(narrow, choice, lambda case: case.file))
    more = [case for case in narrow if _patterns(case.file) & {*choice.touched} and case not in chosen]
    more += _one_of_each(others, choice, lambda case: f"{case.place} {case.library}")
    more.sort(key=lambda case: zlib.crc32(f"{choice.turn} {case}".encode()))
    return chosen | set(more[:MOST_MORE])


def _patterns(file: str) -> set[str]:
    """Of files about a folder, those that a file is one of."""
    return {pattern for pattern in SUBJECTS if fnmatch(file, pattern)}


def _one_of_each(cases: Iterable[Case], choice: Choice, key: Callable[[Case], str]) -> list[Case]:
    """Of those with the same key the one whose turn it is; keys begin at different ones."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(key(case), []).append(case)
    turn = choice.turn // 16  # the last digit says whose library's turn it is
    return [group[(turn + zlib.crc32(name.encode())) % len(group)] for name, group in groups.items()]


def _git(*words: str) -> list[str]:
    """What git prints, by lines; nothing where it fails, as outside a repository."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []


def _base(head: str) -> str:
    """The commit that a change is seen against: where it left the main branch, or on that branch the one before."""
    if asked := os.environ.get("BASE"):
        return asked
    for branch in ("@{upstream}", "origin/HEAD", "origin/main", "main"):
        for found in _git("merge-base", "HEAD", branch):
            if found != head:
                return found
    return "HEAD~1" if _git("rev-parse", "--verify", "HEAD~1") else "HEAD"


def _touched(base: str) -> tuple[str, ...]:
    """Folders and files of tests that have changed since, or whose subject has, in commits or in the working tree."""
    files = _git("diff", "--name-only", base) + _git("ls-files", "--others", "--exclude-standard")
    areas = [area for area in UNDER_ALL if any(file.startswith(f"{area}/") for file in files)]
    about = [
        pattern
        for pattern, folders in SUBJECTS.items()
        if any(file.startswith(folders) or fnmatch(file, f"tests/runtime/{pattern}") for file in files)
    ]
    return (*areas, *about)


def choice_of(asked: str, names: Sequence[str]) -> Choice:
    """What `asked` means among libraries that are here; throws ValueError where it is none of them."""
    if asked not in (ALL, BY_TURN, *names):
        raise ValueError(f"there is no MPI library '{asked}' here; there are: {', '.join(names)}")
    if asked == ALL:
        return Choice(None, f"under all MPI libraries: {', '.join(names)}")
    head = next(iter(_git("rev-parse", "HEAD")), "")
    commit = (os.environ.get("TURN") or head or "0")[:8]
    if not re.fullmatch("[0-9a-f]+", commit):
        raise ValueError(f"TURN={commit}: must be a commit's hash")
    turn = int(commit, 16)
    one = names[turn % len(names)] if asked == BY_TURN else asked
    why = f"under {one}, {'whose turn it is by' if asked == BY_TURN else 'as asked for, and rows of'} commit {commit}"
    base = _base(head)
    touched = _touched(base)
    if touched:
        why += f"; more for what has changed since {base[:8]}: {', '.join(touched)}"
    return Choice(one, f"{why}; the same again: TURN={commit} BASE={base[:8]} MPI={one} make test", turn, touched)
