"""Whether a library honours a file of rules: told from what each host sends, without a clock.

Every algorithm sends other amounts from other hosts. What leaves each host in a call under the file must be what
leaves it with the rule's algorithm forced by the library's own settings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trunkline.compat import zip_equal
from trunkline.peers.rules.job import PeerJob, sent_bytes
from trunkline.peers.rules.rule import PeerWinner
from trunkline.peers.rules.winners import own_settings

LEAST_BYTES = 4096
"""Below it a message is lost among headers and acknowledgements, and nothing can be told."""


@dataclass(frozen=True)
class Honoured:
    """What was seen at one size under the file."""

    message_bytes: int
    name: str
    """Of the algorithm that the file asks for."""
    as_forced: bool
    """Every host sent what it sends when the algorithm is forced."""
    as_default: bool
    """Every host sent what it sends without any settings: then nothing was proven."""


def same_traffic(one: Sequence[float], other: Sequence[float], message_bytes: int) -> bool:
    """Whether two lists of bytes sent, by host, are those of one algorithm: headers and acknowledgements vary by less.

    Algorithms differ by a message or half of one at some host, or all share what they send evenly.
    """
    return all(abs(a - b) <= 0.2 * message_bytes + 0.04 * max(a, b) for a, b in zip_equal(one, other))


def _traffic(job: PeerJob, told: Sequence[PeerWinner], settings: Mapping[str, str]) -> dict[int, list[float]]:
    expected_s = sum(max(winner.seconds, winner.default_seconds) for winner in told)
    return sent_bytes(job, [winner.message_bytes for winner in told], settings, expected_s)


def check_honoured(
    job: PeerJob,
    winners: Sequence[PeerWinner],
    loaded: Mapping[str, str],
    coordinates: Path,
) -> list[Honoured]:
    """Run the collective under the file at every size, and with the winners forced; sizes too small are left out.

    Args:
        job: The library, and where it runs.
        winners: What the file was made from.
        loaded: The environment that makes the library load the file.
        coordinates: MPICH's coordinates file.

    Raises:
        Failed: where a job under the file does not end well: the library refused it.
    """
    told = [winner for winner in winners if winner.message_bytes >= LEAST_BYTES]
    if not told:
        return []
    under_file = _traffic(job, told, loaded)
    default = _traffic(job, told, {})
    forced: dict[int, list[float]] = {}
    for algorithm in {winner.algorithm for winner in told}:
        own = [winner for winner in told if winner.algorithm == algorithm]
        forced |= _traffic(job, own, own_settings(job.mpi, algorithm, coordinates))
    return [
        Honoured(
            size,
            winner.algorithm.name if winner.algorithm else "by itself",
            same_traffic(under_file[size], forced[size], size),
            same_traffic(under_file[size], default[size], size),
        )
        for size, winner in ((winner.message_bytes, winner) for winner in told)
    ]
