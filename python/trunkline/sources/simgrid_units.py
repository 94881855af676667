"""SimGrid's units: ``125MBps``, ``1Gbps``, ``50us``.

Numbers are decimal until the end, so that what is written reads back equal.
"""

import re
from decimal import Decimal

_NUMBER = re.compile(r"\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z]*)\s*")
_DECIMAL = {"": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_BITS = {"bps": 1, "Bps": 8}
_BANDWIDTHS = {
    prefix + unit: Decimal(bits).scaleb(power) for unit, bits in _BITS.items() for prefix, power in _DECIMAL.items()
}
_BANDWIDTHS |= {
    prefix + unit: Decimal(bits << power) for unit, bits in _BITS.items() for prefix, power in _BINARY.items()
}
_BANDWIDTHS[""] = Decimal(8)
_TIMES = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_SECONDS = {unit: Decimal(seconds) for unit, seconds in _TIMES.items()}
_SECONDS |= {"ps": Decimal("1e-12"), "ns": Decimal("1e-9"), "us": Decimal("1e-6"), "ms": Decimal("1e-3")}


def parse_bandwidth(text: str) -> float:
    """Bits per second; a bare number is bytes per second, as in old platforms.

    Raises:
        ValueError: saying what would be right.
    """
    value = _parse(text, _BANDWIDTHS, "bandwidth", "125MBps or 1Gbps")
    if not 0 < value < float("inf"):
        raise ValueError(f"the bandwidth {text} must be above zero")
    return value


def parse_latency(text: str) -> float:
    """Seconds; a bare number is seconds.

    Raises:
        ValueError: saying what would be right.
    """
    return _parse(text, _SECONDS, "latency", "50us")


def sum_of_seconds(*parts: float) -> float:
    """The sum of latencies as people add them: 0.1 ms and 0.2 ms are 0.3 ms, without a rest of binary fractions."""
    return float(sum(Decimal(repr(part)) for part in parts))


def _parse(text: str, units: dict[str, Decimal], what: str, example: str) -> float:
    match = _NUMBER.fullmatch(text)
    if match is None or match[1].count(".") > 1 or match[1].startswith((".e", ".E")) or match[1] == ".":
        raise ValueError(f"'{text}' is no {what}; write a number and a unit, such as {example}")
    if match[2] not in units:
        raise ValueError(f"'{match[2]}' is no unit of a {what}; write it such as {example}")
    return float(Decimal(match[1]) * units[match[2]])


def format_bandwidth(bits_per_second: float) -> str:
    """``100Mbps``; reads back as the same number."""
    return _format(bits_per_second, {"Gbps": Decimal(10**9), "Mbps": Decimal(10**6), "kbps": Decimal(1000)}, "bps")


def format_latency(seconds: float) -> str:
    """``10us``; reads back as the same number."""
    return _format(seconds, {unit: _SECONDS[unit] for unit in ("s", "ms", "us", "ns")}, "s")


def _format(value: float, units: dict[str, Decimal], smallest: str) -> str:
    exact = Decimal(repr(value))
    for unit, size in units.items():
        if exact >= size:
            return (
                f"{exact / size:f}".rstrip("0").rstrip(".") + unit
                if "." in f"{exact / size:f}"
                else f"{exact / size:f}{unit}"
            )
    return f"{exact}{smallest}"
