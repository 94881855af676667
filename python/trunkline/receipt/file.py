"""One receipt: the file that a job leaves, read and checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from trunkline.errors import BadInput
from trunkline.files import LARGEST_TEXT, read_regular_text

_FORM = "receipt/1"
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_MOST = 1e15
"""Seconds, beyond which no job goes: sums of them, and squares, stay numbers."""
_COUNTS = 1 << 64


@dataclass(frozen=True)
class Calls:
    """Calls of one collective and class of sizes that ran one algorithm for one reason.

    Attributes:
        least_bytes: A power of two, and sizes below the next one; 0: no data; None: not known.
        chosen_by: As ``TRUNKLINE_EXPLAIN=json`` says it; empty: the file does not say.
        why: Of what is native whatever anyone says; else empty.
        seconds: Those of rank 0; 0 where they do not block, since what they hid is not known.
        form: ``start`` or ``persistent`` of calls that do not block; else empty.
        under_way_s: Of these, from their starts to their ends, those of several at once added up; 0: the MPI library's
            own, which do not tell.
    """

    collective: str
    least_bytes: int | None
    algorithm: str
    chosen_by: str
    why: str
    calls: int
    bytes: int
    seconds: float
    form: str
    under_way_s: float


@dataclass(frozen=True)
class Tried:
    """An algorithm in trials: its segment is in its name, and ``call_s`` is a median."""

    algorithm: str
    timed: int
    call_s: float


@dataclass(frozen=True)
class Trials:
    """What trials found for calls that are alike on one communicator.

    Attributes:
        first: What was predicted to be the fastest.
        algorithm: What runs.
        settled_after: Calls; 0: they were not.
        call_s: Median; None: too few were timed.
        native_s: The same of native calls.
        saved_s: By all these calls together, beside native ones; below 0: lost.
        error_s: 19 in 20 are off by less; None: not known.
        tried: All that was timed; empty: the file does not say.
    """

    collective: str
    least_bytes: int
    ranks: int
    calls: int
    first: str
    algorithm: str
    settled_after: int
    call_s: float | None
    native_s: float | None
    saved_s: float
    error_s: float | None
    tried: tuple[Tried, ...]

    @property
    def is_measured(self) -> bool:
        """Whether native calls and those that run were timed."""
        return None not in (self.call_s, self.native_s, self.error_s) and self.calls > 0

    @property
    def lost(self) -> list[Tried]:
        """What was tried and does not run, the fastest first."""
        return sorted((one for one in self.tried if one.algorithm != self.algorithm), key=lambda one: one.call_s)


@dataclass(frozen=True)
class Receipt:
    """All of a file. Texts are empty, and numbers None, where it does not say.

    Attributes:
        file: Its name.
        version: Trunkline's.
        job: The batch system's number.
        began: In universal time.
        mpi: The library, with its version.
        seconds: From ``MPI_Init`` to ``MPI_Finalize``.
        meetings_s: By how much calls took longer while ranks told each other their times.
        meetings_rank_s: The same times the ranks that met; None: of a Trunkline that did not tell.
    """

    file: str
    version: str
    program: str
    job: str
    began: datetime | None
    mpi: str
    cluster: str
    hosts: int | None
    ranks: int
    seconds: float
    meetings_s: float
    meetings_rank_s: float | None
    calls: tuple[Calls, ...]
    trials: tuple[Trials, ...]

    @property
    def measured(self) -> list[Trials]:
        """Trials that know what was saved."""
        return [one for one in self.trials if one.is_measured]

    @property
    def native(self) -> list[Calls]:
        """What stayed native, most time first."""
        return sorted((one for one in self.calls if one.algorithm == "native"), key=lambda one: -one.seconds)

    @property
    def saved_s(self) -> float:
        """By all calls together, less the meetings."""
        return sum(one.saved_s for one in self.measured) - self.meetings_s

    @property
    def error_s(self) -> float:
        """Added up: kinds of calls of one job may all be off in one direction."""
        return sum(one.error_s or 0.0 for one in self.measured)

    def as_json(self) -> dict[str, Any]:
        """As in the file, with what follows from it."""
        began = self.began.strftime(_TIME) if self.began else None
        is_known = bool(self.measured)
        follows = {
            "calls_total": sum(one.calls for one in self.calls),
            "bytes_total": sum(one.bytes for one in self.calls),
            "calls_seconds": sum(one.seconds for one in self.calls),
            "saved_s": self.saved_s if is_known else None,
            "error_s": self.error_s if is_known else None,
        }
        return {**asdict(self), "began": began, **follows}


class _Fields:
    """Members of an object of the file, with a message for each that is missing or of another kind."""

    def __init__(self, row: object, where: str) -> None:
        if not isinstance(row, Mapping):
            raise BadInput(f"{where}: must be an object of a receipt; {_REWRITTEN}")
        self._row, self._where = row, where

    def _value(self, name: str) -> Any:  # noqa: ANN401 - whoever asks checks what it is
        if name not in self._row:
            raise BadInput(f"{self._where}: has no '{name}'; {_REWRITTEN}")
        return self._row[name]

    def _wrong(self, name: str, what: str) -> BadInput:
        return BadInput(f"{self._where}: '{name}' must be {what}, not {json.dumps(self._row[name])[:40]}")

    def text(self, name: str, default: str | None = None) -> str:
        """A text; with a default it may be missing."""
        if default is not None and name not in self._row:
            return default
        value = self._value(name)
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def number(self, name: str, *, least: float = -_MOST) -> float:
        """A number, ``least`` or more."""
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= _MOST:
            raise self._wrong(name, f"a number from {least:g} to {_MOST:g}")
        return float(value)

    def count(self, name: str) -> int:
        """A whole number from 0 on."""
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _COUNTS:
            raise self._wrong(name, f"a whole number from 0 to {_COUNTS - 1}")
        return value

    def maybe(self, name: str) -> float | None:
        """A number from 0 on; None where it is null."""
        return None if self._value(name) is None else self.number(name, least=0.0)

    def rows(self, name: str, default: list[object] | None = None) -> list[_Fields]:
        """A list of objects; with a default it may be missing."""
        value = self._value(name) if default is None else self._row.get(name, default)
        if not isinstance(value, list):
            raise self._wrong(name, "a list")
        return [_Fields(one, f"{self._where}: {name}[{number}]") for number, one in enumerate(value)]

    def has(self, name: str) -> bool:
        """Whether it is there."""
        return name in self._row


_REWRITTEN = "a file that a job has left by TRUNKLINE_SUMMARY has it, so this one has been changed"


def read_receipt(file: str) -> Receipt:
    """Read a receipt.

    Raises:
        BadInput: where the file cannot be read, is none, is torn, or is of a newer Trunkline; with its name.
    """
    text = read_regular_text(Path(file), LARGEST_TEXT)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        is_torn = text.lstrip().startswith('{"trunkline": "receipt/')
        torn = "a receipt that is cut off: the job, or its disk, ended while it was written"
        raise BadInput(f"{file}: {torn if is_torn else f'is no receipt, nor any JSON: {error}'}") from None
    form = data.get("trunkline") if isinstance(data, dict) else None
    if form != _FORM:
        newer = re.fullmatch(r"receipt/(\d+)", form, re.ASCII) if isinstance(form, str) else None
        if newer:
            raise BadInput(f"{file}: is {form}, of another Trunkline; this one reads {_FORM}: take its command")
        raise BadInput(f"{file}: is no receipt; TRUNKLINE_SUMMARY=FILE has a job write one")
    return _receipt(_Fields(data, file), file)


def _receipt(fields: _Fields, file: str) -> Receipt:
    began = fields.text("began", "")
    try:
        time = datetime.strptime(began, _TIME).replace(tzinfo=timezone.utc) if began else None
    except ValueError:
        raise BadInput(f"{file}: 'began' must be a time such as 2026-11-29T15:39:44Z, not {began[:40]!r}") from None
    return Receipt(
        file=file,
        version=fields.text("version", ""),
        program=fields.text("program", ""),
        job=fields.text("job", ""),
        began=time,
        mpi=fields.text("mpi", ""),
        cluster=fields.text("cluster", ""),
        hosts=fields.count("hosts") if fields.has("hosts") else None,
        ranks=fields.count("ranks"),
        seconds=fields.number("seconds", least=0.0),
        meetings_s=fields.number("meetings_s", least=0.0),
        meetings_rank_s=fields.number("meetings_rank_s", least=0.0) if fields.has("meetings_rank_s") else None,
        calls=tuple(_calls(row) for row in fields.rows("calls")),
        trials=tuple(_trials(row) for row in fields.rows("trials")),
    )


def _calls(row: _Fields) -> Calls:
    return Calls(
        collective=row.text("collective"),
        least_bytes=row.count("least_bytes") if row.has("least_bytes") else None,
        algorithm=row.text("algorithm"),
        chosen_by=row.text("chosen_by", ""),
        why=row.text("why", ""),
        calls=row.count("calls"),
        bytes=row.count("bytes"),
        seconds=row.number("seconds", least=0.0),
        form=row.text("form", ""),
        under_way_s=row.number("under_way_s", least=0.0) if row.has("under_way_s") else 0.0,
    )


def _trials(row: _Fields) -> Trials:
    return Trials(
        collective=row.text("collective"),
        least_bytes=row.count("least_bytes"),
        ranks=row.count("ranks"),
        calls=row.count("calls"),
        first=row.text("first"),
        algorithm=row.text("algorithm"),
        settled_after=row.count("settled_after"),
        call_s=row.maybe("call_s"),
        native_s=row.maybe("native_s"),
        saved_s=row.number("saved_s"),
        error_s=row.maybe("error_s"),
        tried=tuple(
            Tried(one.text("algorithm"), one.count("timed"), one.number("call_s", least=0.0))
            for one in row.rows("tried", [])
        ),
    )
