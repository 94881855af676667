"""Rates and latencies that a source does not tell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from trunkline.errors import BadInput
from trunkline.units import format_link_rate, parse_link_rate

DEFAULT_RATE = "1Gbit"
DEFAULT_LATENCY = "10us"
_SECONDS = {"ns": Decimal("1e-9"), "us": Decimal("1e-6"), "ms": Decimal("1e-3"), "s": Decimal(1)}


@dataclass(frozen=True)
class Rates:
    """Of links between a host and its switch, and of trunks: rate, links side by side, one way latency."""

    host_bps: float
    trunk_bps: float
    host_width: int
    trunk_width: int
    latency_s: float
    host_told: bool
    """Whether a person gave the rate of hosts, and not the default did."""
    trunk_told: bool
    note: str
    """What is said above the cluster about where the numbers are from."""
    latency_note: str
    """The same of the latency alone, for sources that tell rates themselves."""


def given_rates(rate: str | None, trunk_rate: str | None, latency: str | None, why: str) -> Rates:
    """Rates as given with options, or the stated defaults; trunks are as fast as hosts where nothing is said.

    Args:
        rate: of links between host and switch; ``2x10Gbit`` is two side by side.
        trunk_rate: of links between switches.
        latency: of both, one way.
        why: begins the note, such as ``Slurm tells no rates``.

    Raises:
        BadInput: where an option is no rate or no time.
    """
    host = parse_link_rate(rate or DEFAULT_RATE)
    trunk = parse_link_rate(trunk_rate) if trunk_rate else host
    seconds = _parse_latency(latency or DEFAULT_LATENCY)
    assumed = [option for option, value in (("--rate", rate), ("--trunk-rate", trunk_rate)) if not value]
    assumed += [] if latency else ["--latency"]
    note = f"{why}: hosts {format_link_rate(*host)}, trunks {format_link_rate(*trunk)}, "
    note += f"latency {latency or DEFAULT_LATENCY}"
    note += (
        f"; assumed, since {', '.join(assumed)} {'was' if len(assumed) == 1 else 'were'} not given" if assumed else ""
    )
    latency_note = (
        f"Latency {latency or DEFAULT_LATENCY}{'' if latency else '; assumed, since --latency was not given'}."
    )
    return Rates(
        host.bps, trunk.bps, host.width, trunk.width, seconds, bool(rate), bool(trunk_rate), note + ".", latency_note
    )


def _parse_latency(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]+)", text.strip())
    if not match or match[2] not in _SECONDS:
        raise BadInput(f"'{text}' is not a latency; write a number with ns, us, ms or s, as in 10us")
    return float(Decimal(match[1]) * _SECONDS[match[2]])
