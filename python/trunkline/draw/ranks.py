"""A tree by its levels, where ranks share hosts: a drawing over the switches does not show what happens on a host."""

from collections.abc import Sequence

from trunkline import _core
from trunkline.draw.colours import HOST, LINK, ROOT, TAKING_PART
from trunkline.draw.layout import Point, leaves_in_a_row
from trunkline.draw.names import without_domain
from trunkline.draw.svg import arrow, document, text

LEFT, TOP, LEVEL, ROW, RADIUS = 30.0, 78.0, 96.0, 21.0, 4.5


def draw_ranks(cluster: _core.Cluster, placement: Sequence[int], tree: _core.Tree, title: str) -> str:
    """Every rank of the tree, a level a column, in sending order; hosts are named where they are entered. SVG text."""
    at = _places(tree)
    names = without_domain(cluster.hosts)
    parts = []
    for rank, receivers in enumerate(tree.children):
        for child in receivers:
            colour = HOST if placement[child] == placement[rank] else LINK
            parts.append(_way(at[rank], at[child], colour))
    enters = [parent is None or placement[parent] != placement[rank] for rank, parent in enumerate(tree.parent)]
    for rank, place in enumerate(at):
        fill = ROOT if rank in (tree.root, tree.exchange) else TAKING_PART
        parts.append(f'<circle cx="{place.x:.1f}" cy="{place.y:.1f}" r="{RADIUS}" fill="{fill}"/>')
        name = f"{rank} {names[placement[rank]]}" if enters[rank] else str(rank)
        # Lines leave to the right, so what has children is named above them.
        has_children = bool(tree.children[rank])
        where = Point(place.x - 3, place.y - 7) if has_children else Point(place.x + 8, place.y + 3.5)
        parts.append(text(where, name, size=9.5, weight=700 if enters[rank] else 400, halo=True))
    page = Point(max(p.x for p in at) + 70, max(p.y for p in at) + 20)
    hosts = len(set(placement))
    links = sum(enters) - 1
    signs = [("dot", ROOT, "root"), ("line", HOST, "within a host"), ("line", LINK, "over the network")]
    subtitle = f"{len(at)} ranks on {hosts} hosts · height {tree.height} · {links} links over the network"
    return document(page, title, subtitle, parts, signs)


def _places(tree: _core.Tree) -> list[Point]:
    """Leaves in rows from above; what hands on stands in the middle of its children."""
    height, level = leaves_in_a_row(dict(enumerate(tree.children)), tree.root)
    return [Point(LEFT + LEVEL * level[rank], TOP + ROW * height[rank]) for rank in range(len(tree))]


def _way(start: Point, end: Point, colour: str) -> str:
    tip = Point(end.x - RADIUS - 1, end.y)
    bend = start.x + LEVEL * 0.45
    curve = f"C{bend:.1f} {start.y:.1f} {bend:.1f} {end.y:.1f} {tip.x:.1f} {tip.y:.1f}"
    path = f"M{start.x + RADIUS:.1f} {start.y:.1f}{curve}"
    return arrow(path, tip, Point(tip.x - 1, tip.y), colour, width=1.3)
