"""A cluster as a picture."""

from collections import Counter

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.report.colours import HOST, SOFT
from trunkline.report.draw_layout import Layout, Point, switch_tree
from trunkline.report.draw_svg import card_shape, document, dot, legend, link_text, trunk_shapes

__all__ = ["check_drawable", "draw_cluster", "network_parts", "switch_notes"]

MOST_HOSTS = 2000


def check_drawable(cluster: _core.Cluster) -> None:
    """Refuse what no screen shows.

    Raises:
        BadInput: where there are too many hosts.
    """
    if len(cluster.hosts) > MOST_HOSTS:
        raise BadInput(f"{cluster.name} has {len(cluster.hosts)} hosts; drawings are for up to {MOST_HOSTS}")


def _usual(cluster: _core.Cluster) -> str:
    return Counter(link_text(link) for link in cluster.links).most_common(1)[0][0]


def switch_notes(cluster: _core.Cluster) -> dict[str, str]:
    """For every switch the number of its hosts, and the rates of links that are not like most."""
    usual = _usual(cluster)
    between = {frozenset((link.a, link.b)): link_text(link) for link in cluster.links if link.in_tree}
    hosts: dict[str, list[str]] = {name: [] for name in cluster.switches}
    for host, name in enumerate(cluster.hosts):
        hosts[cluster.switch_of(host)].append(name)
    notes = {}
    for switch, own in hosts.items():
        rates = sorted({between[frozenset((name, switch))] for name in own} - {usual})
        words = f"{len(own)} host{'' if len(own) == 1 else 's'}"
        notes[switch] = f"{words} at {' and '.join(rates)}" if rates else words
    _, behind = switch_tree(cluster)
    for switch, below in behind.items():
        for child in below:
            rate = between[frozenset((switch, child))]
            if rate != usual:
                notes[child] += f" · uplink {rate}"
    return notes


def network_parts(cluster: _core.Cluster, layout: Layout) -> list[str]:
    """Links and switches, without hosts."""
    unused = [_unused(layout, link) for link in cluster.unused_links]
    return [*unused, *trunk_shapes(layout.trunks), *map(card_shape, layout.cards.values())]


def _unused(layout: Layout, link: _core.Link) -> str:
    a, b = layout.cards[link.a], layout.cards[link.b]
    start, end = Point(a.x + a.width / 2, a.bar), Point(b.x + b.width / 2, b.bar)
    high = min(a.y, b.y) - 16
    path = f"M{start.x:.1f} {start.y:.1f}C{start.x:.1f} {high:.1f} {end.x:.1f} {high:.1f} {end.x:.1f} {end.y:.1f}"
    return f'<path d="{path}" fill="none" stroke="{SOFT}" stroke-width="1.5" stroke-dasharray="5 4"/>'


def draw_cluster(cluster: _core.Cluster) -> str:
    """Switches as cards, hosts as dots, links as broad lines; SVG text."""
    check_drawable(cluster)
    layout = Layout(cluster, range(len(cluster.hosts)), switch_notes(cluster))
    parts = network_parts(cluster, layout)
    for card in layout.cards.values():
        parts += [dot(card.point(place), layout.names[host], HOST) for place, host in enumerate(card.hosts)]
    signs = [("dot", HOST, "host"), ("bar", "", "switch, and link between switches")]
    if cluster.unused_links:
        signs.append(("dashes", SOFT, "link left unused by the spanning tree"))
    described = f"{cluster.description} · " if cluster.description else ""
    alike = len({link_text(link) for link in cluster.links}) == 1
    rates = f"all links {_usual(cluster)}" if alike else f"links {_usual(cluster)} unless marked"
    return document(
        layout,
        cluster.name,
        described + rates,
        parts,
        legend(layout.height + 8, signs),
    )
