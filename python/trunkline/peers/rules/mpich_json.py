"""MPICH's tuning JSON with rules for a collective, and its coordinates file.

A file for ``MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`` replaces the library's whole table: a collective that is
missing in it ends the program. So the table is read from the library itself, and the rules are set into it.
"""

import json
import re
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from trunkline import _core
from trunkline.compat import pairwise
from trunkline.errors import Failed
from trunkline.mpi import Mpi
from trunkline.peers.algorithm import PeerAlgorithm, in_variables
from trunkline.peers.rules.rule import PeerRule

COLLECTIVES = ("bcast", "reduce", "allreduce")
"""What a file can have rules for: it was seen that MPICH follows them. It fails at start with others'."""
Table = dict[str, Any]
_PAGE = 4096
"""MPICH reads the mapped file up to a byte of zero, which is there only where the file does not fill its last page."""

_NUMBERED = ("kary", "knomial_1", "knomial_2")
"""Trees of the non-blocking broadcast, which MPICH 4.0 reads by number: any name is the first to it."""
_BY_TOPOLOGY = ("topo_overhead", "topo_diff_groups", "topo_diff_switches", "topo_same_switches")
"""Read with every tree, used by those that a file cannot ask for."""


def own_table(mpi: Mpi) -> Table:
    """The table of algorithms that was compiled into an MPICH library.

    Raises:
        Failed: where there is none in its file.
    """
    path = Path(mpi.library)
    content = path.read_bytes()
    if script := re.match(rb"INPUT\(([^)]+)\)", content):  # what the linker is told, not the library
        path = path.with_name(script[1].decode())
        content = path.read_bytes()
    for start in re.finditer(rb'\{"collective=bcast"', content):
        text = content[start.start() : content.index(b"\0", start.start())]
        if b"algorithm=MPIR_Bcast_intra_binomial" in text:
            table: Table = json.loads(text)
            return table
    raise Failed(f"{path} holds no table of algorithms, which a tuning file for {mpi.name} is made from")


def mpich_json(table: Table, collective: str, rules: Sequence[PeerRule], sizes: Collection[int]) -> str:
    """The library's table with rules for a collective on communicators of these sizes, as a tuning file.

    Args:
        table: The library's own one; see :func:`own_table`.
        collective: What the rules are for.
        rules: What to run from which size of messages on.
        sizes: Of communicators: all ranks, and one rank of each host where the library takes two steps.
    """
    spelled = in_variables(collective)
    key, non_blocking = f"collective={spelled}", f"collective=i{spelled}"
    name = spelled.capitalize()
    made = {**table, key: _of_collective(table[key], rules, sizes, partial(_blocking, name))}
    if any(rule.algorithm and rule.algorithm.algorithm.startswith("tsp_") for rule in rules):
        made[non_blocking] = _of_collective(table[non_blocking], rules, sizes, partial(_non_blocking, name))
    text = json.dumps(made, indent=1) + "\n"
    return text if len(text) % _PAGE else text + "\n"


def _of_collective(own: Table, rules: Sequence[PeerRule], sizes: Collection[int], leaf: Any) -> Table:  # noqa: ANN401
    theirs = own["comm_type=intra"]
    by_message = {f"avg_msg_size<{after.from_bytes}": leaf(rule, theirs) for rule, after in pairwise(rules)}
    by_message["avg_msg_size=any"] = leaf(rules[-1], theirs)
    by_size: Table = {}
    for size in sorted(set(sizes)):
        by_size[f"comm_size<{size}"] = theirs
        by_size[f"comm_size<={size}"] = by_message
    by_size["comm_size=any"] = theirs
    return {**own, "comm_type=intra": by_size}


def _blocking(name: str, rule: PeerRule, theirs: Table) -> Table:
    if rule.algorithm is None:
        return theirs
    if rule.algorithm.algorithm.startswith("tsp_"):
        return {f"algorithm=MPIR_{name}_allcomm_nb": {}}
    own = {f"algorithm=MPIR_{name}_intra_{rule.algorithm.algorithm}": _parameters(rule.algorithm, _reduces(name))}
    return _where_it_may(rule.algorithm, name, own, theirs)


def _non_blocking(name: str, rule: PeerRule, theirs: Table) -> Table:
    if rule.algorithm is None or not rule.algorithm.algorithm.startswith("tsp_"):
        return theirs
    own = {
        f"algorithm=MPIR_I{name.lower()}_intra_{rule.algorithm.algorithm}": _parameters(rule.algorithm, _reduces(name))
    }
    return _where_it_may(rule.algorithm, name, own, theirs)


def _reduces(name: str) -> bool:
    return "reduce" in name.lower()


def _where_it_may(algorithm: PeerAlgorithm, name: str, own: Table, theirs: Table) -> Table:
    """Reductions: what the library decides stays where operands may not be taken out of order, or are too few."""
    if not _reduces(name):
        return own
    if "reduce_scatter_" in algorithm.algorithm:  # each rank, up to a power of two, must have an element
        own = {"count<pow2": theirs, "count=any": own}
    return {
        "is_commutative=yes": {"is_op_built_in=yes": own, "is_op_built_in=no": theirs},
        "is_commutative=no": theirs,
    }


def _parameters(algorithm: PeerAlgorithm, reduces: bool) -> Table:
    """Every one that the algorithm reads: what is left out would be whatever the memory holds."""
    name = algorithm.algorithm
    values: dict[str, str | int] = {}
    if algorithm.tree:
        tree = _NUMBERED.index(algorithm.tree) if name == "tsp_tree" else algorithm.tree
        values = {"tree_type": tree, "k": algorithm.k}
        if reduces or name in ("tsp_tree", "pipelined_tree"):
            values["chunk_size"] = algorithm.segment_bytes
        if reduces:
            values["buffer_per_child"] = 0
        elif name in ("tree", "pipelined_tree"):
            values["is_non_blocking"] = 1
        if name == "pipelined_tree":
            values["recv_pre_posted"] = 0
        if name == "tree":
            values |= dict.fromkeys(_BY_TOPOLOGY, 0)
    elif name == "tsp_ring" and algorithm.segment_bytes:
        values = {"chunk_size": algorithm.segment_bytes, "buffer_per_child": 0}
    elif algorithm.k:
        values = {"k": algorithm.k}
        if not name.startswith("tsp_"):
            values["single_phase_recv"] = 0
    return {f"{key}={value}": {} for key, value in values.items()}


def coordinates(cluster: _core.Cluster, placement: Sequence[int]) -> str:
    """A file for ``MPIR_CVAR_COORDINATES_FILE``: one group, the cluster's switches, ports counted at each switch.

    MPICH skips the first line and reads one more for each rank of the job.
    """
    numbers = {name: number for number, name in enumerate(cluster.switches)}
    ports = dict.fromkeys(numbers, 0)
    lines = ["# rank: group, switch, port"]
    for rank, host in enumerate(placement):
        switch = cluster.switch_of(host)
        lines.append(f"{rank}: 0 {numbers[switch]} {ports[switch]}")
        ports[switch] += 1
    return "\n".join(lines) + "\n"
