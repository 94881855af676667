"""Hierarchical plans: a subtree among the ranks of each host, and one among the hosts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from trunkline import __version__, _core
from trunkline.errors import BadInput
from trunkline.planned import Planned, made_plan

FLAT = 0
_FAN_INS = {"flat": FLAT, "binary": 2, "quad": 4}


@dataclass(frozen=True)
class Hierarchy:
    """What a hierarchical tree looks like."""

    host_fan_in: int
    """Most contributors to a node of a host subtree, itself counted in; 0: as many as there are."""
    root_fan_in: int
    """The same of the cluster-root subtree."""
    split_levels: int | None
    """So many levels of the cluster-root subtree are on other hosts than the root's; None: all."""

    @property
    def text(self) -> str:
        """For people: ``binary hosts, quad root, split 1``."""
        split = "" if self.split_levels == 0 else f", split {'all' if self.split_levels is None else self.split_levels}"
        return f"{_shape(self.host_fan_in)} hosts, {_shape(self.root_fan_in)} root{split}"


def hierarchical_plan(
    network: _core.Cluster,
    collective: str,
    shape: Hierarchy,
    placement: Sequence[int],
    root: int,
    segment: int | None = None,
) -> Planned:
    """Lay a hierarchical tree over ranks on a cluster.

    Args:
        network: The cluster.
        collective: Its name.
        shape: Of both storeys.
        placement: Host index by rank.
        root: A rank.
        segment: Bytes, for the plan to keep; None: chosen for each message.
    """
    tree = _core.hierarchical_tree(placement, root, shape.host_fan_in, shape.root_fan_in, shape.split_levels)
    about = f"trunkline plan compose {__version__} ({shape.text})"
    return made_plan(network, collective, "custom", _core.Plan([tree]), placement, about, segment)


def parse_fan_in(word: str, option: str) -> int:
    """The contributors of ``flat`` (0), ``binary``, ``quad`` or ``K-ary``.

    Raises:
        BadInput: where it is none of these.
    """
    if word in _FAN_INS:
        return _FAN_INS[word]
    found = re.fullmatch(r"([1-9][0-9]{0,5})-ary", word, re.ASCII)
    if found is None or int(found[1]) < 2:
        raise BadInput(f"{option}: '{word}' is no shape; give flat, binary, quad or K-ary, K from 2, such as 3-ary")
    return int(found[1])


def parse_split(word: str, option: str) -> int | None:
    """A number of levels; None for ``all``.

    Raises:
        BadInput: where it is neither.
    """
    if word == "all":
        return None
    if not re.fullmatch(r"[0-9]{1,3}", word, re.ASCII):
        raise BadInput(f"{option}: '{word}' is no number of levels; give 0 (none), 1, 2, ... or all")
    return int(word)


def _shape(fan_in: int) -> str:
    return next((name for name, value in _FAN_INS.items() if value == fan_in), f"{fan_in}-ary")
