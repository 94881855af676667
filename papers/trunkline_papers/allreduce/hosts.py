"""What messages cost the hosts of the allreduce paper: ``papers/measured/hosts.yaml``."""

from __future__ import annotations

from functools import cache

import yaml

from trunkline_papers.paths import CHECKOUT

__all__ = ["costs_stated", "hosts_of"]

_FILE = CHECKOUT / "papers" / "measured" / "hosts.yaml"


@cache
def _hosts() -> dict[str, dict[str, str]]:
    read: dict[str, dict[str, str]] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return read


def hosts_of(cluster: str) -> str | None:
    """The paper's hosts of a bundled cluster, by name; None: it is none of the paper's."""
    return next((name for name, one in _hosts().items() if cluster in one["clusters"]), None)


def costs_stated(text: str) -> str:
    """Costs as ``TRUNKLINE_HOST_COSTS`` has them, where a name of the paper's hosts may stand before all else."""
    first, comma, rest = text.partition(",")
    found = _hosts().get(first)
    return f"{found['costs']}{comma}{rest}" if found else text
