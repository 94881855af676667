"""Plans over weights: how long messages take from each host to each other one, whatever network lies between them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from trunkline import __version__, _core
from trunkline.cluster import nearest_first, told_as_bad_input
from trunkline.errors import BadInput
from trunkline.files import read_text
from trunkline.pairs.file import FORMAT, pairs_without_cluster
from trunkline.pairs.ways import network_of_pairs
from trunkline.units import format_bytes, listed

OPTIMUM = "optimum"
"""The one shape that no registry of algorithms has: it is for a few hosts alone."""
_MOST_NAMED = 5


@dataclass(frozen=True)
class Weights:
    """What messages between hosts take.

    Attributes:
        network: Hosts and ways.
        origin: Where the numbers are from, a few words.
        left_out: Ways that were measured without a rate.
    """

    network: _core.WeightedNetwork
    origin: str
    left_out: int = 0


@dataclass(frozen=True)
class WeightedPlan:
    """A broadcast over weights, in which each host sends the whole message to its children one after another.

    Attributes:
        weights: What it is laid over.
        shape: How.
        tree: Who sends to whom, in which order.
        message_bytes: Of the message.
        arrivals_s: When each rank has it, seconds after the root begins.
        injections_s: For how long each rank is kept by the send that reaches it; 0 for the root.
    """

    weights: Weights
    shape: str
    tree: _core.Tree
    message_bytes: int
    arrivals_s: list[float]
    injections_s: list[float]

    @property
    def seconds(self) -> float:
        """Until the last rank has the message."""
        return max(self.arrivals_s)

    def file(self, segment: int | None) -> _core.PlanFile:
        """The plan as a file has it. It names hosts and no cluster, so that it is taken on any that has them.

        Args:
            segment: Bytes, for the plan to keep; None: chosen for each message.
        """
        made = _core.PlanFile()
        made.collective, made.plan = "bcast", _core.Plan([self.tree])
        made.algorithm = "custom" if self.shape == OPTIMUM else self.shape
        made.host_of_rank = list(self.weights.network.hosts)
        made.provenance = (
            f"trunkline plan {__version__}, {self.shape} over {self.weights.network.name} ({self.weights.origin}), "
            f"for messages of {format_bytes(self.message_bytes)}"
        )
        made.segment_bytes = segment
        return made


def shape_names() -> list[str]:
    """Of the ways to lay a tree over weights."""
    return [shape.name for shape in _core.weighted_shapes()]


def load_weights(file: str) -> Weights:
    """Weights of a file of them, or of what ``trunkline measure --pairs`` wrote.

    Raises:
        BadInput: with everything that is wrong with the file.
    """
    text = read_text(file)
    content = _as_json(text)
    if content is not None and content.get("trunkline") == FORMAT:
        hosts, pairs = pairs_without_cluster(content, file)
        network, left_out = network_of_pairs(str(content.get("cluster", file)), hosts, pairs)
        when = pairs.measured.isoformat(timespec="seconds")
        return Weights(network, f"measured at {when} under {pairs.mpi}", left_out)
    with told_as_bad_input():
        return Weights(_core.parse_weights(text, file), "weights as stated")


def _as_json(text: str) -> dict[str, Any] | None:
    """None: it is none, so it is YAML."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def plan_over_weights(weights: Weights, shape: str, root: str, message_bytes: int | None) -> WeightedPlan:
    """Lay a broadcast over weights.

    Args:
        weights: These.
        shape: One of :func:`shape_names`.
        root: Where the message starts: a rank, or a host's name.
        message_bytes: Of the message; None: of the size that the weights are for.

    Raises:
        BadInput: where there is no such shape or root, the size is not the weights', or a host cannot be reached.
    """
    network = weights.network
    size = _checked_size(network, message_bytes)
    start = _root(network, root)
    with told_as_bad_input():
        graph = network.weighed(size)
    if missed := _core.unreached(graph, start):
        named = listed([network.hosts[host] for host in missed], _MOST_NAMED)
        raise BadInput(f"{network.name}: no ways lead from {network.hosts[start]} to {named}: state or measure one")
    if shape not in shape_names():
        known = shape_names()
        raise BadInput(
            f"no tree is laid over weights by '{shape}'; the nearest is {nearest_first(shape, known)[0]}; there are: "
            f"{', '.join(known)}"
        )
    try:
        tree = _core.lay_weighted(shape, graph, start)
    except ValueError as error:
        raise BadInput(f"{shape}: {error}") from None
    return WeightedPlan(weights, shape, tree, size, _core.arrivals_s(graph, tree), _core.injections_s(graph, tree))


def _checked_size(network: _core.WeightedNetwork, message_bytes: int | None) -> int:
    if message_bytes is None:
        if network.bytes is None:
            raise BadInput(f"{network.name}: for messages of which size? say it with --sizes")
        return network.bytes
    if network.bytes not in (None, message_bytes):
        raise BadInput(
            f"{network.name}: its times are those of messages of {format_bytes(network.bytes)}, not of "
            f"{format_bytes(message_bytes)}; leave --sizes out, or state rates in the file instead of bytes"
        )
    return message_bytes


def _root(network: _core.WeightedNetwork, root: str) -> int:
    hosts = network.hosts
    if root.isascii() and root.isdigit():
        if int(root) >= len(hosts):
            raise BadInput(f"there is no rank {root}; the ranks are 0 to {len(hosts) - 1}")
        return int(root)
    if root not in hosts:
        near = ", ".join(nearest_first(root, hosts)[:3])
        raise BadInput(f"there is no host '{root}' in {network.name}; near to it are: {near}")
    return hosts.index(root)
