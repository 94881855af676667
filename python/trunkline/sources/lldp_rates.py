"""Rates of a network that LLDP tells: announced, given with options, or assumed, and said to be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from trunkline import _core
from trunkline.sources.rates import Rates
from trunkline.units import format_link_rate, format_rate, listed


class LinkRates:
    """Chooses a rate for every link, and keeps what it had to assume.

    What a person told counts most, then what a port of the link announces. Trunks are seldom slower than the ports of
    the hosts below, so where neither tells a trunk's rate, it has that of the fastest port which its two switches
    announce, else of the fastest port anywhere.

    Args:
        rates: as given with options, and the defaults.
        fastest: of all links of a switch, by its name, the highest rate that a port announces, bits per second.
    """

    def __init__(self, rates: Rates, fastest: Mapping[str, float]) -> None:
        self._rates = rates
        self._fastest = fastest
        self._hosts: list[str] = []
        self._trunks: defaultdict[tuple[float, str], dict[str, None]] = defaultdict(dict)

    def host(self, name: str, announced: float | None) -> float:
        """Of the link between a host and its switch, bits per second."""
        if self._rates.host_told:
            return self._rates.host_bps
        if announced is None:
            self._hosts.append(name)
            return self._rates.host_bps
        return announced

    def host_width(self, announced: int) -> int:
        """Links side by side between a host and its switch."""
        return self._rates.host_width if self._rates.host_told else announced

    def trunk_width(self, announced: int) -> int:
        """Links side by side between two switches."""
        return self._rates.trunk_width if self._rates.trunk_told else announced

    def trunk(self, a: str, b: str, announced: float | None) -> float:
        """Of a link between two switches, bits per second."""
        if self._rates.trunk_told:
            return self._rates.trunk_bps
        if announced is not None:
            return announced
        near = [self._fastest[switch] for switch in (a, b) if switch in self._fastest]
        if self._rates.host_told:
            bps, why = self._rates.trunk_bps, "as --rate says of hosts"
        elif near or self._fastest:
            bps = max(near or self._fastest.values())
            why = f"the fastest that {'a port of their switches' if near else 'any port'} announces"
        else:
            bps, why = self._rates.trunk_bps, "since no port of any switch announces one"
        self._trunks[bps, why][f"{a} - {b}"] = None
        return bps

    def notes(self) -> list[str]:
        """What was assumed, and what tells it better."""
        found = []
        if self._hosts:
            found.append(
                f"No port announces the rate of {_core.compress_hostlist(self._hosts)}: "
                f"{format_rate(self._rates.host_bps)} is assumed. Give --rate, or print the neighbours with 'details'."
            )
        found += [
            f"No port announces the rate of {listed([*links])}: {format_rate(bps)} is assumed, {why}. Give "
            "--trunk-rate, or change the rate of these links in the file."
            for (bps, why), links in self._trunks.items()
        ]
        told = (
            (self._rates.host_told, "hosts", self._rates.host_bps, self._rates.host_width),
            (self._rates.trunk_told, "trunks", self._rates.trunk_bps, self._rates.trunk_width),
        )
        given = [f"{what} {format_link_rate(bps, width)}" for is_told, what, bps, width in told if is_told]
        found += [f"Rates as given: {', '.join(given)}."] if given else []
        return [*found, self._rates.latency_note]
