#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts stated faults into core and runtime, one at a time, and tells which tests catch each of them.

Each row of tools/mutations.toml replaces a piece of text that stands in a file once. It is put into a copy of this
checkout (build/mutate/tree), what its tests need is built, and these run to their first failure: first those that the
row names, then all others of `make test`, then those of `make test-all`. The checkout itself stays as it is.

At the end a table tells which tier and test caught what, and so does build/mutate/results.json. The exit status is 1
where a mutation survives all, or none can be told of: its text is not there exactly once, it cannot be built, or a test
that catches it fails without it, too. `nice tools/mutate.py` takes about a minute a mutation; --resume goes on.
"""

import argparse
import contextlib
import json
import os
import re
import signal
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

from mutated_tree import CannotRun, Ended, Run, Tree

ROOT = Path(__file__).resolve().parents[1]
ROWS = ROOT / "tools" / "mutations.toml"
TIERS = ("make test", "make test-all")
CAUGHT, SURVIVED, ERROR = "caught", "SURVIVED", "ERROR"
NOTHING = "selects nothing"
EXPECTED_SECONDS = 600.0
LEAST_SECONDS = 60.0
SLOWER = 5.0
"""A test that takes so many times as long as without the mutation hangs, which is caught, too."""
LANE_SECONDS = 7200.0


@dataclass(frozen=True)
class Mutation:
    """A row: the fault in words, where `old` becomes `new`, and the tests that are expected to catch it."""

    name: str
    what: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    mpi: str = "mpich"


@dataclass(frozen=True)
class Result:
    """What became of a mutation; `tier` and `test` of one that was caught, `why` of another one.

    `lane`: where none of the row's own tests did.
    """

    mutation: Mutation
    outcome: str
    tier: str = ""
    test: str = ""
    lane: str = ""
    seconds: float = 0.0
    why: str = ""


class Workshop(Protocol):
    """Where mutations are built and run; `root` has the files."""

    root: Path

    def build(self, targets: Sequence[str]) -> str:
        """Builds these, or all; says what is wrong, empty: nothing."""

    def expected(self, test: str, mpi: str) -> list[Run]:
        """How a test of a row runs, in the order of tiers: `make test` has some rows of a test by turns."""

    def lanes(self) -> Iterable[Run]:
        """All that runs in each tier."""

    def run(self, one: Run, seconds: float) -> Ended:
        """Runs it to its first failure."""


def read_mutations(file: Path) -> list[Mutation]:
    """Throws CannotRun where a row lacks something or has something unknown, or two have one name."""
    rows = tomllib.loads(file.read_text()).get("mutation", [])
    found = []
    for row in rows:
        try:
            found.append(Mutation(**row | {"tests": (row["tests"][0], *row["tests"][1:])}))
        except (IndexError, KeyError, TypeError) as wrong:
            raise CannotRun(f"{file}: mutation '{row.get('name', '?')}': {wrong}") from None
    twice = [name for name, many in Counter(one.name for one in found).items() if many > 1]
    if twice:
        raise CannotRun(f"{file}: these names stand there more than once: {', '.join(twice)}")
    return found


def fault_of(mutation: Mutation, root: Path) -> str:
    """Why its text cannot be replaced; empty: it can."""
    file = root / mutation.file
    if not file.is_file():
        return f"there is no file {mutation.file}"
    many = file.read_text().count(mutation.old)
    return "" if many == 1 else f"its old text stands {many} times in {mutation.file}, and not once"


class Trial:
    """Mutations, one after another, in one workshop."""

    def __init__(self, workshop: Workshop, tiers: Sequence[str] = TIERS, others: bool = True) -> None:
        self.workshop = workshop
        self.tiers = tiers
        self.others = others
        """Whether tests run that the row does not name."""
        self.limits: dict[Run, float] = {}
        self.sound: dict[Run, str] = {}
        """Without a mutation: what is wrong with a run; empty: nothing."""

    def see_tests_pass(self, mutations: Iterable[Mutation]) -> None:
        """Those that come first, before any mutation: between two of them it would take a build each time."""
        for mutation in mutations:
            try:
                self._baseline(self.workshop.expected(mutation.tests[0], mutation.mpi)[0])
            except CannotRun:
                continue  # the mutation will tell

    def judge(self, mutation: Mutation) -> Result:
        """Leaves the sources as they were."""
        begin = time.monotonic()
        if wrong := fault_of(mutation, self.workshop.root):
            return Result(mutation, ERROR, why=wrong)
        try:
            result = self._judge(mutation)
        except CannotRun as wrong:
            result = Result(mutation, ERROR, why=str(wrong))
        return replace(result, seconds=time.monotonic() - begin)

    def _judge(self, mutation: Mutation) -> Result:
        for test in mutation.tests:
            selected = False
            for run in self.workshop.expected(test, mutation.mpi):
                if (wrong := self._baseline(run)) == NOTHING:
                    continue
                selected = True
                if wrong:
                    return Result(mutation, ERROR, why=f"without the mutation {test} does not pass: {wrong}")
                with self._put_in(mutation):
                    result = self._try(mutation, [run], run.targets, self.limits[run])
                if result is not None:
                    return replace(result, lane="")
            if not selected:
                return Result(mutation, ERROR, why=f"without the mutation {test} does not pass: no tier has it")
        if not self.others:
            return Result(mutation, SURVIVED, why=f"none of its own tests fails: {', '.join(mutation.tests)}")
        print(f"    {mutation.name}: none of its tests fails; all others run", flush=True)
        with self._put_in(mutation):
            result = self._try(mutation, self.workshop.lanes(), (), LANE_SECONDS)
        if result is None:
            return Result(mutation, SURVIVED, why=f"nothing of {' and '.join(self.tiers)} fails")
        return self._doubted(result) if result.lane else result

    @contextlib.contextmanager
    def _put_in(self, mutation: Mutation) -> Iterator[None]:
        file = self.workshop.root / mutation.file
        whole = file.read_text()
        try:
            file.write_text(whole.replace(mutation.old, mutation.new))
            yield
        finally:
            file.write_text(whole)

    def _baseline(self, run: Run) -> str:
        """What is wrong with it without a mutation; NOTHING: it selects no test."""
        if run not in self.sound:
            wrong = self.workshop.build(run.targets)
            if wrong:
                raise CannotRun(f"the sources cannot be built without a mutation:\n{wrong}")
            begin = time.monotonic()
            ended = self.workshop.run(run, EXPECTED_SECONDS)
            self.limits[run] = max(LEAST_SECONDS, SLOWER * (time.monotonic() - begin))
            self.sound[run] = ended.failed if ended.selected else NOTHING
        return self.sound[run]

    def _try(self, mutation: Mutation, runs: Iterable[Run], targets: Sequence[str], seconds: float) -> Result | None:
        """While it is put in. Nothing where none of them fails."""
        if wrong := self.workshop.build(targets):
            return Result(mutation, ERROR, why=f"it cannot be built:\n{wrong}")
        for run in runs:
            if run.tier in self.tiers and (failed := self.workshop.run(run, seconds).failed):
                return Result(mutation, CAUGHT, run.tier, failed, run.name)
        return None

    def _doubted(self, result: Result) -> Result:
        """Of a lane that no one has seen pass: it is to pass without the mutation."""
        lane = next(run for run in self.workshop.lanes() if run.name == result.lane)
        if lane not in self.sound:
            if wrong := self.workshop.build(()):
                raise CannotRun(f"the sources cannot be built without a mutation:\n{wrong}")
            self.sound[lane] = self.workshop.run(lane, LANE_SECONDS).failed
        if not self.sound[lane]:
            return result
        return replace(result, outcome=ERROR, why=f"without the mutation {lane.name} fails, too: {self.sound[lane]}")


def table(results: Sequence[Result]) -> list[str]:
    """Which tier and test caught what, in how many seconds; below it counts, and what is wrong."""
    told = [(one.mutation, one.tier or one.outcome, one.test, f"{one.seconds:.0f}") for one in results]
    rows = [("mutation", "where", "caught by", "test", "seconds")]
    rows += [(mutation.name, mutation.file, *rest) for mutation, *rest in told]
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, wide, strict=True)).rstrip() for row in rows]
    counts = Counter(one.tier or one.outcome for one in results)
    lines += ["", f"{len(results)} mutations: " + ", ".join(f"{many} {what}" for what, many in counts.most_common())]
    return lines + [f"{one.outcome} {one.mutation.name}: {one.why}" for one in results if one.outcome != CAUGHT]


def as_json(results: Iterable[Result]) -> str:
    """A list of them, with their mutations."""
    return json.dumps([asdict(one) for one in results], indent=1) + "\n"


def from_json(text: str) -> list[Result]:
    """The reverse."""
    rows = json.loads(text)
    return [
        Result(**row | {"mutation": Mutation(**row["mutation"] | {"tests": tuple(row["mutation"]["tests"])})})
        for row in rows
    ]


def kept_in(file: Path) -> list[Result]:
    """Of former runs."""
    return from_json(file.read_text()) if file.exists() else []


def known(file: Path, mutations: Sequence[Mutation]) -> Iterator[Result]:
    """What a former run has caught, of rows that are still the same."""
    return (one for one in kept_in(file) if one.outcome == CAUGHT and one.mutation in mutations)


def try_all(
    trial: Trial, mutations: Sequence[Mutation], done: Iterable[Result], keep: Callable[[list[Result]], object]
) -> int:
    """With lines about each, and a table; returns the exit status."""
    results = {one.mutation: one for one in done}
    left = [one for one in mutations if one not in results]
    print(f"==> {len(left)} mutations; first their tests without any", flush=True)
    trial.see_tests_pass(left)
    for number, mutation in enumerate(mutations, 1):
        if mutation not in results:
            results[mutation] = trial.judge(mutation)
            keep(list(results.values()))
        one = results[mutation]
        told = f"{one.tier}, {one.test}" if one.outcome == CAUGHT else one.why.partition("\n")[0]
        print(f"{number}/{len(mutations)} {mutation.name}: {one.outcome}: {told} ({one.seconds:.0f} s)", flush=True)
    in_order = [results[mutation] for mutation in mutations]
    print("", *table(in_order), sep="\n")
    return 0 if all(one.outcome == CAUGHT for one in in_order) else 1


def options() -> argparse.Namespace:
    """Of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="REGEX", default="", help="mutations whose name or file it is found in")
    parser.add_argument("--list", action="store_true", help="name them, and do nothing")
    parser.add_argument(
        "--tier",
        choices=["rows", "change", "all"],
        default="all",
        help="rows: only the tests that the rows name; change: those of 'make test', too",
    )
    parser.add_argument("--resume", action="store_true", help="leave out what the last run has caught")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="of builds and tests; default: processors"
    )
    parser.add_argument("--rows", type=Path, default=ROWS, help="default: %(default)s")
    return parser.parse_args()


def main() -> int:
    """Exit status: 2 where nothing could be begun."""
    asked = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what runs is ended, and the source is as it was
    try:
        mutations = [
            one
            for one in read_mutations(asked.rows)
            if re.search(asked.only, one.name) or re.search(asked.only, one.file)
        ]
        if not mutations:
            raise CannotRun(f"no mutation of {asked.rows} is called as '{asked.only}', and none is of such a file")
        if asked.list:
            print(*(f"{one.name}  {one.file}: {one.what}" for one in mutations), sep="\n")
            return 0
        tree = Tree(ROOT, asked.jobs)
        tree.prepare()
        results = tree.home / "results.json"
        done = list(known(results, mutations)) if asked.resume else []
        trial = Trial(tree, TIERS[:1] if asked.tier == "change" else TIERS, others=asked.tier != "rows")
        names = {one.name for one in mutations}
        others = [one for one in kept_in(results) if one.mutation.name not in names]
        return try_all(trial, mutations, done, lambda now: results.write_text(as_json([*others, *now])))
    except CannotRun as wrong:
        print(f"mutate: {wrong}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
