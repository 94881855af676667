"""Names of hosts and switches as people read them: a domain that all of them have is said once."""

import re
from collections.abc import Sequence

from trunkline import _core


def common_domain(names: Sequence[str]) -> str:
    """What stands behind the first dot of every one of several names; empty where they have no domain in common.

    Switches that stand for several, ``spine1.example.org+3``, have the domain of their first.
    """
    domains = {re.sub(r"\+\d+$", "", name).partition(".")[2] for name in names}
    return domains.pop() if len(names) > 1 and len(domains) == 1 else ""


def without_domain(names: Sequence[str]) -> list[str]:
    """The names in their order, without the domain that all have."""
    domain = common_domain(names)
    return [name.replace(f".{domain}", "", 1) for name in names] if domain else list(names)


def hostlist(names: Sequence[str]) -> str:
    """The names as a hostlist, short where they have a domain: ``node[1-3].example.org``."""
    domain = common_domain(names)
    if not domain:
        return _core.compress_hostlist(list(names))
    short = _core.compress_hostlist(without_domain(names))
    return re.sub(r",(?![^[]*\])", f".{domain},", short) + f".{domain}"
