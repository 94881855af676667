"""A receipt's figures in words."""

from __future__ import annotations

from trunkline import _core
from trunkline.receipt.file import Calls
from trunkline.units import format_bytes, format_seconds

_BY = {
    "prediction": "predicted to be the fastest",
    "trials": "a trial, or the fastest in them",
    "user": "chosen by the user (a setting, or trunkline_set)",
    "plan": "a plan file",
    "tuning": "measured fastest (TRUNKLINE_TUNING)",
    "reproducible": "one order of operands (TRUNKLINE_REPRODUCIBLE)",
}
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_LONG_S = 1000.0
"""From there on hours are told."""


def call_name(collective: str, form: str = "") -> str:
    """``MPI_Bcast`` for ``bcast``, or ``MPI_Ibcast``; one of a newer Trunkline as it stands."""
    if collective not in _core.collectives():
        return " ".join(filter(None, (collective, form)))
    facts = _core.facts_of(collective)
    return {"start": facts.nonblocking_name, "persistent": f"{facts.mpi_name}_init"}.get(form, facts.mpi_name)


def size_text(least_bytes: int | None) -> str:
    """A class of sizes by the least of them."""
    if least_bytes is None:
        return "not known"
    return f"from {format_bytes(least_bytes)}" if least_bytes else "no data"


def amount_text(count: int) -> str:
    """Three digits of many bytes."""
    value, place = float(count), 0
    while value >= 1000 and place + 1 < len(_UNITS):
        value, place = value / 1024, place + 1
    return f"{value:.3g} {_UNITS[place]}"


def time_text(seconds: float) -> str:
    """Three digits of seconds, or hours."""
    if abs(seconds) >= _LONG_S:
        return f"{seconds / 3600:,.2f} h"
    return f"{'-' if seconds < 0 else ''}{format_seconds(abs(seconds))}" if seconds else "0 s"


def saved_text(saved_s: float, error_s: float) -> str:
    """``saved 12.3 s +- 0.4 s``."""
    return f"{'lost' if saved_s < 0 else 'saved'} {time_text(abs(saved_s))} +- {time_text(error_s)}"


def reason_text(one: Calls) -> str:
    """Why calls ran what they ran."""
    return one.why or _BY.get(one.chosen_by, "") or "the receipt does not say"
