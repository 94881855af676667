"""Random clusters of several places: a tree of long links between sites, each a switch with its hosts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.units import parse_rate, parse_time

SITES_FORM = "sites[-dealt]:SITESxHOSTS[:SEED]"
_FULL_FORM = f"{SITES_FORM}[:delay=TIME[-TIME]][:rate=RATE[-RATE]][:host-rate=RATE]"
SITES_PREFIXES = ("sites:", "sites-dealt:")
"""Hosts, and so ranks, stand site by site; or dealt, as a deck of cards is."""

_MOST_HOSTS = 100_000
_USUAL = {"delay": "0.1ms-100ms", "rate": "10Mbit-100Mbit", "host-rate": "100Mbit"}
"""By key, what holds where a name does not say."""


@dataclass(frozen=True)
class _Range:
    least: float
    most: float

    def pick(self, rng: random.Random) -> float:
        """Any value, with equal chances for equal ratios."""
        return float(self.least * (self.most / self.least) ** rng.random())


def named_random_sites(name: str) -> _core.Cluster:
    """The cluster that ``sites:SITESxHOSTS[:SEED][:KEY=VALUE...]`` stands for: the same one every time.

    Without a seed it is that of seed 1. Every site after the first has one long link, to a site before it, any with
    equal chances. Its latency (``delay``) is 0.1 to 100 ms and its rate (``rate``) 10 to 100 Mbit/s, each with equal
    chances for equal ratios. Hosts' own links have 100 Mbit/s (``host-rate``) and 10 us. A key gives another range, or
    one value for all. Which sites a link joins follows from the seed alone.

    Raises:
        BadInput: where the name is not of that form, or the numbers are out of range.
    """
    shape, keys = _parts(name)
    match = re.fullmatch(r"sites(-dealt)?:(\d+)x(\d+)(?::(\d+))?", shape, re.ASCII)
    if not match:
        raise BadInput(f"'{name}' is no random cluster with sites: write {_FULL_FORM}")
    dealt, sites, hosts, seed = bool(match[1]), int(match[2]), int(match[3]), int(match[4] or 1)
    if sites < 2 or hosts < 1 or sites * hosts > _MOST_HOSTS:
        raise BadInput(f"'{name}': there must be 2 sites at least, and from 1 to {_MOST_HOSTS} hosts in all")
    words = {**_USUAL, **keys}
    delay = _range(name, "delay", words["delay"], parse_time)
    rate = _range(name, "rate", words["rate"], parse_rate)
    host_rate = _range(name, "host-rate", words["host-rate"], parse_rate)
    if host_rate.least != host_rate.most:
        raise BadInput(f"'{name}': all hosts have one rate: write host-rate={words['host-rate'].partition('-')[0]}")
    called = f"sites{'-dealt' if dealt else ''}-{sites}x{hosts}" + (f"-{seed}" if seed != 1 else "")
    called += "".join(f"-{key}-{value}" for key, value in keys.items())
    return _core.parse_cluster(
        _yaml(called, (sites, hosts), dealt, (delay, rate, host_rate), random.Random(seed)), called
    )


def _parts(name: str) -> tuple[str, dict[str, str]]:
    """The name without its keys, and their values."""
    shape, keys = [], dict[str, str]()
    for part in name.split(":"):
        key, equals, value = part.partition("=")
        if not equals and not keys:
            shape.append(part)
        elif key not in _USUAL or key in keys:
            raise BadInput(
                f"'{name}': '{part}' is not one of {', '.join(f'{one}=' for one in _USUAL)} once each: write "
                f"{_FULL_FORM}"
            )
        else:
            keys[key] = value
    return ":".join(shape), keys


def _range(name: str, key: str, text: str, parse: Callable[[str], float]) -> _Range:
    low, _, high = text.partition("-")
    try:
        least, most = parse(low), parse(high or low)
    except BadInput as error:
        raise BadInput(f"'{name}': {key}: {error}") from None
    if not 0.0 < least <= most:
        raise BadInput(f"'{name}': {key} must be above zero, the lesser one first: not {text}")
    return _Range(least, most)


def _number(value: float) -> str:
    """Three digits, as cluster files have numbers: without an exponent."""
    return f"{float(f'{value:.3g}'):.9f}".rstrip("0").rstrip(".")


def _yaml(
    name: str,
    size: tuple[int, int],
    dealt: bool,
    ranges: tuple[_Range, _Range, _Range],
    rng: random.Random,
) -> str:
    sites, hosts = size
    delays, rates, host_rates = ranges
    homes = (
        [site for _ in range(hosts) for site in range(sites)] if dealt else [n // hosts for n in range(sites * hosts)]
    )
    lines = [
        "trunkline: cluster/1",
        f"name: {name}",
        f"defaults: {{rate: {_number(host_rates.least / 1e6)}Mbit, latency: 10us}}",
        f"switches: [{', '.join(f's{site}' for site in range(sites))}]",
        "hosts:",
        *(f"  - {{hosts: h{host}, switch: s{site}}}" for host, site in enumerate(homes)),
        "links:",
    ]
    for site in range(1, sites):
        rate, delay = rates.pick(rng), delays.pick(rng)
        ends = f"between: [s{rng.randrange(site)}, s{site}]"
        lines.append(f"  - {{{ends}, rate: {_number(rate / 1e6)}Mbit, latency: {_number(delay * 1e3)}ms}}")
    return "\n".join(lines) + "\n"
