"""A cluster as a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.draw.colours import HOST, SOFT
from trunkline.draw.layout import Layout, switch_tree
from trunkline.draw.names import common_domain
from trunkline.draw.svg import Sign, card_shape, document, dot, link_text, trunk_shapes, unused_shape
from trunkline.draw.tiers import Tiers
from trunkline.errors import BadInput

MOST_HOSTS = 2000


def check_drawable(cluster: _core.Cluster) -> None:
    """Refuse what no screen shows.

    Raises:
        BadInput: where there are too many hosts.
    """
    if len(cluster.hosts) > MOST_HOSTS:
        raise BadInput(f"{cluster.name} has {len(cluster.hosts)} hosts; drawings are for up to {MOST_HOSTS}")


def _usual(links: Iterable[_core.Link]) -> str:
    return Counter(map(link_text, links)).most_common(1)[0][0]


def _of_hosts_and_between(cluster: _core.Cluster) -> tuple[list[_core.Link], list[_core.Link]]:
    """Links of hosts, and links between switches."""
    switches = set(cluster.switches)
    between = [link for link in cluster.links if {link.a, link.b} <= switches]
    return [link for link in cluster.links if not {link.a, link.b} <= switches], between


def switch_notes(cluster: _core.Cluster) -> dict[str, str]:
    """For every switch the number of its hosts, and the rates of links that are not like most."""
    usual = _usual(cluster.links)
    between = {frozenset((link.a, link.b)): link_text(link) for link in cluster.links if link.in_tree}
    hosts: dict[str, list[str]] = {name: [] for name in cluster.switches}
    for host, name in enumerate(cluster.hosts):
        hosts[cluster.switch_of(host)].append(name)
    notes = {}
    for switch, own in hosts.items():
        rates = sorted({between[frozenset((name, switch))] for name in own} - {usual})
        words = f"{len(own)} host{'' if len(own) == 1 else 's'}" if own else "no hosts"
        notes[switch] = f"{words} at {' and '.join(rates)}" if rates else words
    _, behind = switch_tree(cluster)
    for switch, below in behind.items():
        for child in below:
            rate = between[frozenset((switch, child))]
            if rate != usual:
                notes[child] += f" · uplink {rate}"
    return notes


def lay_out(cluster: _core.Cluster, order: Sequence[int], lanes: int = 0, snake: bool = False) -> Layout | Tiers:
    """Everything in its place: along the spanning tree or, where there are several ways, in rows, spines on top."""
    if _has_tiers(cluster):
        return Tiers(cluster, order, _tier_notes(cluster), lanes, snake)
    return Layout(cluster, order, switch_notes(cluster), lanes, snake)


def _has_tiers(cluster: _core.Cluster) -> bool:
    """Whether there are more ways than those of one tree, such as over several spines, drawn as one switch or not."""
    return bool(cluster.unused_links or cluster.merged or cluster.is_routed)


def _tier_notes(cluster: _core.Cluster) -> dict[str, str]:
    """For every switch the number of its hosts, and the rates of its links that are not like most of their kind."""
    words: dict[str, list[str]] = {name: [] for name in cluster.switches}
    for what, links in zip_equal(("hosts", "links"), _of_hosts_and_between(cluster)):
        ends: dict[str, list[str]] = {name: [] for name in cluster.switches}
        for link in links:
            for name in {link.a, link.b} & ends.keys():
                ends[name].append(link_text(link))
        for name, rates in ends.items():
            if what == "hosts" and rates:
                words[name].append(f"{len(rates)} host{'' if len(rates) == 1 else 's'}")
            if unusual := sorted(set(rates) - {_usual(links)}):
                words[name].append(f"{what} at {' and '.join(unusual)}")
    return {name: " · ".join(own) for name, own in words.items()}


def _rates(cluster: _core.Cluster) -> str:
    if len({link_text(link) for link in cluster.links}) == 1:
        return f"all links {_usual(cluster.links)}"
    if not _has_tiers(cluster):
        return f"links {_usual(cluster.links)} unless marked"
    hosts, between = _of_hosts_and_between(cluster)
    return f"hosts {_usual(hosts)}, links between switches {_usual(between)} unless marked"


def network_parts(layout: Layout | Tiers) -> list[str]:
    """Links and switches, without hosts."""
    links = [*trunk_shapes(layout.trunks), *map(unused_shape, layout.unused)]
    return [*links, *map(card_shape, layout.cards.values())]


def unused_signs(cluster: _core.Cluster) -> list[Sign]:
    """What the legend says of links that no message crosses."""
    words = "link on no shortest path" if cluster.is_routed else "link left unused by the spanning tree"
    return [("dashes", SOFT, words)] if cluster.unused_links else []


def draw_cluster(cluster: _core.Cluster) -> str:
    """Switches as cards, hosts as dots, links as broad lines; SVG text."""
    check_drawable(cluster)
    layout = lay_out(cluster, range(len(cluster.hosts)))
    parts = network_parts(layout)
    for card in layout.cards.values():
        parts += [dot(card.point(place), layout.names[host], HOST) for place, host in enumerate(card.hosts)]
    signs = [("dot", HOST, "host"), ("bar", "", "switch, and link between switches")]
    signs += unused_signs(cluster)
    described = f"{cluster.description} · " if cluster.description else ""
    domain = common_domain(cluster.hosts)
    return document(
        layout.size,
        cluster.name,
        described + _rates(cluster) + (f" · hosts in {domain}" if domain else ""),
        parts,
        signs,
    )
