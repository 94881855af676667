"""Rules for an MPI library's own algorithms, and Open MPI's two ways of writing them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from trunkline.bench.measure import Cell
from trunkline.compat import pairwise, zip_equal
from trunkline.peers.algorithm import PeerAlgorithm, in_variables
from trunkline.peers.openmpi_algorithms import OPENMPI
from trunkline.tune.tuner import first_size_of_next

_NUMBERS = {
    "allgather": 0,
    "allgatherv": 1,
    "allreduce": 2,
    "alltoall": 3,
    "alltoallv": 4,
    "barrier": 6,
    "bcast": 7,
    "exscan": 8,
    "gather": 9,
    "reduce": 11,
    "reduce-scatter": 12,
    "reduce-scatter-block": 13,
    "scan": 14,
    "scatter": 15,
}
"""Of Open MPI's collectives in its files of rules."""


@dataclass(frozen=True)
class PeerWinner:
    """What was fastest of a library's own algorithms at one size."""

    message_bytes: int
    algorithm: PeerAlgorithm | None
    """None: what the library does by itself."""
    seconds: float
    default_seconds: float
    tried: int
    beyond: tuple[PeerAlgorithm, float] | None = None
    """One that was faster still, with its time, but that no file can ask for: the library's environment alone can."""
    cells: list[Cell] = field(default_factory=list, compare=False)
    """All that was measured at this size."""
    failures: list[str] = field(default_factory=list, compare=False)
    """What could not be measured up to this size, and why."""


@dataclass(frozen=True)
class PeerRule:
    """From so many bytes on, up to the next rule."""

    from_bytes: int
    algorithm: PeerAlgorithm | None


def peer_rules_of(winners: Sequence[PeerWinner]) -> list[PeerRule]:
    """Rules from winners at ascending sizes; they change at the geometric mean of the sizes."""
    rules = [PeerRule(0, winners[0].algorithm)]
    for before, after in pairwise(winners):
        if before.algorithm != after.algorithm:
            start = first_size_of_next(before.message_bytes, after.message_bytes)
            rules.append(PeerRule(start, after.algorithm))
    return rules


def openmpi_text(collective: str, rules: Sequence[PeerRule], ranks: int, about: str) -> str:
    """A file for ``coll_tuned_dynamic_rules_filename`` of Open MPI 4 and 5: communicators of that size alone follow it.

    A rule holds from its size on, for communicators as for messages; algorithm 0 leaves the decision to the library.
    """
    theirs = "1  # one message size: the library decides\n0 0 0 0\n"
    lines = [
        f"{rule.from_bytes} {OPENMPI[collective].index(rule.algorithm.algorithm)} {rule.algorithm.k} "
        f"{rule.algorithm.segment_bytes}  # {rule.algorithm.name}"
        if rule.algorithm
        else f"{rule.from_bytes} 0 0 0  # the library decides"
        for rule in rules
    ]
    return (
        f"# {about}\n"
        "1  # one collective\n"
        f"{_NUMBERS[collective]}  # {collective}\n"
        "3  # three sizes of communicators\n"
        f"0  # from no ranks on\n{theirs}"
        f"{ranks}  # from {ranks} ranks on\n"
        f"{len(rules)}  # message sizes: from bytes, algorithm, fan-out, bytes of a segment\n" + "\n".join(lines) + "\n"
        f"{ranks + 1}  # from {ranks + 1} ranks on\n{theirs}"
    )


def openmpi_json(collective: str, rules: Sequence[PeerRule], ranks: int, ranks_per_host: int) -> str:
    """The same as :func:`openmpi_text` in the JSON that Open MPI reads from 6.0 on (rule file version 3)."""
    entries: list[dict[str, object]] = []
    for rule, after in zip_equal(rules, [*rules[1:], None]):
        if rule.algorithm is None:
            continue  # where nothing is said the library decides
        entries.append(
            {
                "msg_size_min": rule.from_bytes,
                "msg_size_max": after.from_bytes - 1 if after else "inf",
                "alg": rule.algorithm.algorithm,
                "faninout": rule.algorithm.k,
                "seg_size": rule.algorithm.segment_bytes,
            }
        )
    spread = {"comm_rank_distribution": "one-per-node"} if ranks_per_host == 1 else {}
    communicators = {"comm_size_min": ranks, "comm_size_max": ranks, **spread, "rules": entries}
    return json.dumps(
        {"rule_file_version": 3, "module": "tuned", "collectives": {in_variables(collective): [communicators]}},
        indent=2,
    )
