"""Whether a cluster file still says what Slurm, LLDP and measurements say of the network."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.doctor.finding import Finding, note, ok, wrong
from trunkline.errors import BadInput
from trunkline.pairs.file import Pairs
from trunkline.pairs.fit import fit_pairs, uneven_lines
from trunkline.units import format_rate, listed

OFF = 0.25
"""Part of a stated rate that a measured one may be off by: headers and acknowledgements take some of it."""
_MOST_NAMED = 8


def place_findings(
    cluster: _core.Cluster, switch_of: Mapping[str, str], who: str, *, tells_all: bool
) -> Iterator[Finding]:
    """Hosts that hang elsewhere than the file says. Switches may have other names: which hosts are together counts.

    Args:
        cluster: The file's.
        switch_of: By host, as the other source names it, its switch.
        who: The source, for people.
        tells_all: Whether hosts that it does not name are not there.
    """
    known = {name: cluster.find_host(name) for name in switch_of}
    strange = [name for name, index in known.items() if index is None]
    places = {name: (cluster.switch_of(index), switch_of[name]) for name, index in known.items() if index is not None}
    pairs = Counter(places.values())
    meant: dict[str, str] = {}
    for (own, other), _ in pairs.most_common():
        meant.setdefault(other, own)
    moved = [name for name, (own, other) in places.items() if meant[other] != own]
    named = {index for index in known.values() if index is not None}
    missing = [name for index, name in enumerate(cluster.hosts) if index not in named] if tells_all else []
    advice = "correct the cluster file, or import it again: 'trunkline cluster import'"
    if strange:
        yield wrong("drift", f"{who} has hosts that the cluster file has not: {listed(strange)}", advice)
    if missing:
        yield wrong("drift", f"the cluster file has hosts that {who} has not: {listed(missing)}", advice)
    for name in moved[:_MOST_NAMED]:
        own, other = places[name]
        beside = next((one for one, place in places.items() if place == (meant[other], other)), "")
        text = f"{name} is below {other} by {who}, as {beside} is, and the cluster file has it below {own}"
        yield wrong("drift", text, advice)
    if len(moved) > _MOST_NAMED:
        yield wrong("drift", f"{len(moved) - _MOST_NAMED} more hosts are below other switches by {who}", advice)
    if not (strange or missing or moved):
        yield ok("drift", f"the cluster file has {len(places)} hosts below the switches that {who} says")


def rate_findings(cluster: _core.Cluster, pairs: Pairs, file: str) -> Iterator[Finding]:
    """Links whose measured rate is far from the file's."""
    age = (datetime.now(timezone.utc) - pairs.measured).total_seconds() / 86400
    when = f"{file}, measured {age:.0f} days ago" if age >= 1 else file
    try:
        fitted = fit_pairs(cluster, pairs)
    except BadInput as error:
        yield note("drift", f"{when}: rates are not compared: {error}")
        return
    off = []
    for number, (link, stated) in enumerate(zip_equal(fitted.cluster.links, cluster.links)):
        if number in fitted.unseen or not stated.used:
            continue
        ways = dict.fromkeys(((link.rate_bps, stated.rate_bps), (link.back_rate_bps, stated.back_rate_bps)))
        off += [
            f"{link.a} - {link.b}: {format_rate(found)} measured, {format_rate(said)} stated"
            for found, said in ways
            if abs(found / said - 1) > OFF
        ]
    advice = "'trunkline cluster fit' writes a file with the measured rates; or look at the links"
    uneven = uneven_lines(fitted)
    for line in uneven:
        yield wrong("drift", f"{when}: {line}", "look at these links")
    if off:
        yield wrong("drift", f"{when}: {'; '.join(off[:_MOST_NAMED])}", advice)
    elif not uneven:
        yield ok("drift", f"{when}: all measured rates are within {OFF:.0%} of the cluster file's")
