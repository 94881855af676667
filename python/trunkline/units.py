"""Sizes and rates as people write them."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from trunkline.errors import BadInput

_BYTES = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 10**3, "MB": 10**6, "GB": 10**9}
_BITS = {"bit": 1.0, "kbit": 1e3, "Mbit": 1e6, "Gbit": 1e9}
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}

_MEANT_BYTES = {unit.lower(): unit for unit in _BYTES if unit}
_MEANT_BYTES.update(byte="B", bytes="B", k="KiB", m="MiB", g="GiB", ki="KiB", mi="MiB", gi="GiB")
_MEANT_BITS = {
    prefix.lower() + ending: f"{prefix}bit"
    for prefix in ("", "k", "M", "G")
    for ending in ("bit", "bits", "bit/s", "bits/s", "bps", "b/s", "be", "b", "")
    if prefix + ending
}
"""``10GB`` and ``10MB/s`` are bytes to most: see :func:`_meant_rate`."""
_MEANT_SECONDS = {
    prefix + ending: f"{prefix.replace('µ', 'u').replace('μ', 'u')}s"
    for prefix in ("n", "u", "µ", "μ", "m", "")
    for ending in ("s", "sec", "secs", "second", "seconds")
}


def _meant(text: str, near: Mapping[str, str]) -> str:
    """What people write elsewhere, in our units; empty where it is not known what was meant."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-zµμ]+(?:/s)?)", text.strip())
    unit = near.get(match[2].lower()) if match else None
    return f" (did you mean {match[1]}{unit}?)" if match and unit else ""


def _meant_rate(text: str) -> str:
    """As :func:`_meant`; a capital B stands for bytes, but in 10GbE."""
    return "" if re.search(r"B(/s|ps)?$", text.strip()) else _meant(text, _MEANT_BITS)


def parse_bytes(text: str) -> int:
    """Bytes of a text such as ``8``, ``8KiB``, ``1.5MiB`` or ``4MB``; the core reads the same units in files.

    Raises:
        BadInput: where the text is no such size.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", text.strip())
    if not match or match[2] not in _BYTES:
        raise BadInput(
            f"'{text}' is not a size{_meant(text, _MEANT_BYTES)}; write a number of bytes, or one with "
            f"{', '.join(filter(None, _BYTES))}, as in 8KiB (1 KiB is 1024 bytes, 1 kB is 1000)"
        )
    value = Decimal(match[1]) * _BYTES[match[2]]
    if value != int(value):
        raise BadInput(f"'{text}' is not a whole number of bytes")
    return int(value)


_MOST_SEGMENT_BYTES = 1 << 30
"""As the preload library takes them (``runtime/execute/window.hpp``)."""


def parse_segment(text: str, where: str) -> int:
    """Bytes of a segment.

    Args:
        text: As for :func:`parse_bytes`.
        where: What begins the message, such as the option.

    Raises:
        BadInput: where the text is no size, or one that no segment has.
    """
    try:
        count = parse_bytes(text)
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    if not 0 < count <= _MOST_SEGMENT_BYTES:
        raise BadInput(f"{where}: a segment must be above zero and at most 1GiB, not {text}")
    return count


_MOST_BENCH_BYTES = (1 << 31) - 1
"""MPI counts the bytes of a message in an ``int``."""
_MOST_BENCH_SIZES = 32
"""As the timing program takes them (``bench/timing.h``)."""


def parse_bench_sizes(text: str) -> list[int]:
    """Sizes of messages that one job of a benchmark measures; each once.

    Raises:
        BadInput: as :func:`parse_sizes`; where one of them is above 2 GiB - 1, or there are more than 32.
    """
    sizes = parse_sizes(text)
    if max(sizes) > _MOST_BENCH_BYTES:
        raise BadInput(f"--sizes: a message that is measured has at most {_MOST_BENCH_BYTES} bytes (2 GiB - 1)")
    if len(sizes) > _MOST_BENCH_SIZES:
        raise BadInput(f"--sizes: a job measures at most {_MOST_BENCH_SIZES} sizes, not {len(sizes)}; make two runs")
    return sizes


_MOST_MESSAGE_BYTES = 1 << 50
"""Beyond, products of sizes and ranks are no 64-bit numbers any more."""


def parse_message_bytes(text: str, where: str) -> int:
    """Bytes of a message, which may be 0.

    Args:
        text: As for :func:`parse_bytes`.
        where: What begins the message to people, such as the option.

    Raises:
        BadInput: where the text is no size, or one above 1 PiB.
    """
    try:
        count = parse_bytes(text)
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    if count > _MOST_MESSAGE_BYTES:
        raise BadInput(f"{where}: '{text}' is more than any message has, at most 1048576GiB")
    return count


def parse_sizes(text: str) -> list[int]:
    """Sizes of messages, separated by commas; each once.

    Raises:
        BadInput: where one of them is no size, 0, or above 1 PiB.
    """
    parts = text.split(",")
    if any(re.fullmatch(r"0[0-9]{2}", part) for part in parts[1:]):
        raise BadInput(f"--sizes: commas stand between sizes; write '{text}' as {text.replace(',', '')}")
    sizes = list(dict.fromkeys(parse_message_bytes(size, "--sizes") for size in parts))
    if 0 in sizes:
        raise BadInput("--sizes: a message of 0 bytes needs no time; leave it out")
    return sizes


def parse_counts(text: str, option: str) -> list[int]:
    """Numbers above zero, separated by commas; ``2-8`` stands for all from 2 to 8.

    Raises:
        BadInput: naming the option, where one of them is no such number, or a range goes down or is longer than 10 000.
    """
    counts: list[int] = []
    for word in (word.strip() for word in text.split(",")):
        first, dash, last = word.partition("-")
        ends = [first, last] if dash else [first]
        if not all(end.isascii() and end.isdigit() and int(end) > 0 for end in ends):
            raise BadInput(f"{option}: '{word}' is not a whole number above zero, nor a range such as 2-8")
        low, high = int(ends[0]), int(ends[-1])
        if not low <= high < low + 10_000:
            raise BadInput(f"{option}: '{word}' is no range from a smaller number to one up to 10000 above it")
        counts += range(low, high + 1)
    return counts


_LEAST_BPS, _MOST_BPS = 1e-3, 1e18
"""As the core takes them in cluster files (``core/text/quantity.hpp``): beyond, times are no numbers any more."""


def parse_rate(text: str) -> float:
    """Bits per second of a text such as ``20Mbit``.

    Raises:
        BadInput: where the text is no such rate, or it is not positive.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)", text.strip())
    if not match or match[2] not in _BITS:
        raise BadInput(
            f"'{text}' is not a rate{_meant_rate(text)}; write a number with bit, kbit, Mbit or Gbit, as in 20Mbit"
        )
    rate = float(match[1]) * _BITS[match[2]]
    if rate <= 0:
        raise BadInput(f"a rate must be above zero, not '{text}'")
    if not _LEAST_BPS <= rate <= _MOST_BPS:
        raise BadInput(f"the rate '{text}' is out of range: from 0.001bit to 1000000000Gbit")
    return rate


def parse_time(text: str) -> float:
    """Seconds of a text such as ``20ms``; the core reads the same in cluster files.

    Raises:
        BadInput: where the text is no such time.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]+)", text.strip(), re.ASCII)
    if not match or match[2] not in _SECONDS:
        raise BadInput(
            f"'{text}' is not a time{_meant(text, _MEANT_SECONDS)}; write a number with ns, us, ms or s, as in 20ms"
        )
    return float(match[1]) * _SECONDS[match[2]]


WIDEST_LINK = 1024
"""The most links side by side that a cluster file may state as one."""


class LinkRate(NamedTuple):
    """What a link is made of: ``width`` equal ones side by side, each of ``bps`` bits per second."""

    bps: float
    width: int = 1


def parse_link_rate(text: str) -> LinkRate:
    """``10Gbit``, or ``2x10Gbit`` for two links side by side; the core reads the same in cluster files.

    Raises:
        BadInput: where the text is no such rate, or of more links than a file may state.
    """
    count, times, rate = text.strip().partition("x")
    if not times:
        return LinkRate(parse_rate(text))
    if not (count.isascii() and count.isdigit() and 1 <= int(count) <= WIDEST_LINK):
        raise BadInput(
            f"'{text}': '{count}' is no number of links side by side; write a whole one from 1 to {WIDEST_LINK}, such "
            "as 2x10Gbit"
        )
    return LinkRate(parse_rate(rate), int(count))


def format_bytes(count: int) -> str:
    """``8192`` as ``8 KiB``; exact: falls back to bytes where no unit divides."""
    for unit in ("GiB", "MiB", "KiB"):
        if count and count % _BYTES[unit] == 0:
            return f"{count // _BYTES[unit]} {unit}"
    return f"{count} B"


def format_rate(bits_per_second: float) -> str:
    """``2e7`` as ``20 Mbit/s``."""
    for unit in ("Gbit", "Mbit", "kbit"):
        if bits_per_second >= _BITS[unit]:
            return f"{bits_per_second / _BITS[unit]:g} {unit}/s"
    return f"{bits_per_second:g} bit/s"


def format_link_rate(bits_per_second: float, width: int) -> str:
    """``1e10`` twice as ``2x 10 Gbit/s``; one alone as :func:`format_rate`."""
    return f"{f'{width}x ' if width > 1 else ''}{format_rate(bits_per_second)}"


def format_seconds(seconds: float) -> str:
    """Three significant digits with the unit that suits: ``1.23 s``, ``45.6 ms``, ``789 us``."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale or unit == "us":
            return f"{seconds / scale:#.3g}".rstrip(".") + f" {unit}"
    raise AssertionError


def listed(names: Sequence[str], most: int = 8) -> str:
    """The first of some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
