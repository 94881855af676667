"""Does Trunkline help on a network? Its own choice beside the MPI library's, by prediction, with how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trunkline import _core
from trunkline.accuracy import accuracy_over, slowest_host_bps
from trunkline.errors import BadInput
from trunkline.placement import bounded_placement

_LEAST_GAIN = 1.05
"""Below, nobody would notice."""


@dataclass(frozen=True)
class Gain:
    """One cell: a collective of one size at one rate with so many ranks on each host."""

    collective: str
    rate_bps: float
    """Of the hosts' links, the slowest of them."""
    ranks_per_host: int
    message_bytes: int
    algorithm: str
    """What runs where datagrams do not reach all ranks."""
    segment_bytes: int
    """0: the library's own algorithm."""
    seconds: float
    library_seconds: float
    multicast_seconds: float | None
    """Where datagrams reach all ranks and that is another plan; None: it is not."""
    reason: str
    accuracy: _core.Accuracy
    """Of both times."""
    native_algorithm: str = ""
    """What the MPI library runs by itself, in its own words; empty: it is not known."""

    @property
    def gain(self) -> float:
        """So many times faster, without multicasts."""
        return self.library_seconds / self.seconds

    @property
    def multicast_gain(self) -> float | None:
        """The same with multicasts."""
        return None if self.multicast_seconds is None else self.library_seconds / self.multicast_seconds

    @property
    def between(self) -> tuple[float, float]:
        """The gain where predictions are off as far as was seen, to either side."""
        if self.segment_bytes == 0:
            return 1.0, 1.0
        seen = self.accuracy
        return self.gain * seen.library_least / (1 + seen.ours), self.gain * seen.library_most / (1 - seen.ours)

    @property
    def sure(self) -> str:
        """``yes``: faster even then; ``likely``: faster as predicted; ``same``: the library's own algorithm runs."""
        if self.segment_bytes == 0:
            return "same"
        return "yes" if self.between[0] >= _LEAST_GAIN else "likely"

    def as_json(self) -> dict[str, object]:
        """The cell as the command writes it."""
        low, high = self.between
        return {
            "collective": self.collective,
            "rate_bps": self.rate_bps,
            "ranks_per_host": self.ranks_per_host,
            "message_bytes": self.message_bytes,
            "algorithm": self.algorithm,
            "segment_bytes": self.segment_bytes,
            "seconds_predicted": self.seconds,
            "native_seconds_predicted": self.library_seconds,
            "native_algorithm": self.native_algorithm,
            "gain": self.gain,
            "gain_low": low,
            "gain_high": high,
            "gain_with_multicast": self.multicast_gain,
            "sure": self.sure,
            "reason": self.reason,
        }


def pays(
    cluster: _core.Cluster,
    collectives: Sequence[str],
    rates: Sequence[float | None],
    ranks_per_host: Sequence[int],
    sizes: Sequence[int],
    library: _core.NativeLibrary,
    host_costs: str = "",
) -> list[Gain]:
    """Every cell, collective by collective.

    Args:
        cluster: Two hosts at least.
        collectives: By name; those with data.
        rates: Bits per second of the hosts' links, of the slowest where they differ; None: as the file has it.
        ranks_per_host: Numbers of ranks on each host.
        sizes: Bytes of messages, ascending.
        library: Whose own algorithms there are beside.
        host_costs: What messages cost hosts; empty: as measured under the library.

    Raises:
        BadInput: where there is no network between ranks, or a collective has no sizes.
    """
    if len(cluster.hosts) < 2:
        raise BadInput(f"{cluster.name} has one host: there is no network that Trunkline could help on")
    if without := [name for name in collectives if not _core.facts_of(name).has_data]:
        raise BadInput(f"--collective {without[0]}: it has no sizes; 'trunkline explain --collective' says what runs")
    found = []
    for collective in collectives:
        for rate in rates:
            network = cluster if rate is None else with_host_rate(cluster, rate)
            for ranks in ranks_per_host:
                placement = bounded_placement(network, ranks)
                costs = host_costs or _core.host_costs_of(library.name, "")
                knowledge = _core.Knowledge(network, library, "", "", host_costs=costs)
                decider = _core.Decider(knowledge, collective, placement, 0)
                accuracy = accuracy_over(network, library, ranks)
                for size in sizes:
                    native = _native_words(_core.native_choice(library, collective, placement, 0, size))
                    found.append(_gain(decider, collective, slowest_host_bps(network), ranks, size, accuracy, native))
    return found


def with_host_rate(cluster: _core.Cluster, rate_bps: float) -> _core.Cluster:
    """The cluster with hosts' links of that rate: the slowest of them, where they differ; all others in proportion."""
    fastest = max(max(link.rate_bps, link.back_rate_bps) for link in cluster.links)
    return _core.scaled(cluster, fastest * rate_bps / slowest_host_bps(cluster))


def _native_words(choice: _core.NativeChoice) -> str:
    parts = [word for word in (choice.reduce, choice.bcast) if word]
    words = [choice.algorithm, *([f"({', '.join(parts)})"] if parts else []), *(["among hosts"] * choice.by_hosts)]
    return " ".join(words) if choice.algorithm else ""


def _gain(
    decider: _core.Decider,
    collective: str,
    rate_bps: float,
    ranks_per_host: int,
    size: int,
    accuracy: _core.Accuracy,
    native: str,
) -> Gain:
    own = next(one.seconds for one in decider.predictions(size) if one.algorithm == "native")
    plain = decider.decide(size, "auto", True, datagrams=False)
    best = decider.decide(size, "auto", True)

    def seconds(decision: _core.Decision) -> float:
        return (
            own if decision.segment_bytes == 0 else decider.seconds_of(decision.algorithm, size, decision.segment_bytes)
        )

    return Gain(
        *(collective, rate_bps, ranks_per_host, size, plain.algorithm, plain.segment_bytes, seconds(plain), own),
        seconds(best) if best.algorithm != plain.algorithm else None,
        plain.reason,
        accuracy,
        native,
    )


def verdict(gains: Sequence[Gain]) -> str:
    """Whether it helps, in one sentence."""
    faster = [gain for gain in gains if gain.sure == "yes"]
    likely = [gain for gain in gains if gain.sure == "likely"]
    if not faster and not likely:
        return "Trunkline would not help there: the MPI library's own algorithms are as fast in every cell."
    best = max(faster or likely, key=lambda one: one.gain)
    most = f"up to {best.gain:.{1 if best.gain < 10 else 0}f} times ({_core.facts_of(best.collective).mpi_name})"
    if not faster:
        return (
            f"Trunkline may help there, {most}, but predictions are not that sure: measure it in a job with "
            "'trunkline doctor'."
        )
    return (
        f"Trunkline helps there: faster in {len(faster)} of {len(gains)} cells even where predictions are off, "
        f"{most}; likely faster in {len(likely)} more; the library's own in {len(gains) - len(faster) - len(likely)}."
    )
