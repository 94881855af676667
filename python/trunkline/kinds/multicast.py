"""Plans by multicast: each datagram goes to all ranks at once, and is confirmed along a tree."""

from collections.abc import Sequence

from rich.console import Console

from trunkline import _core
from trunkline.draw.multicast import crossed_links, draw_multicast
from trunkline.draw.ranks import draw_ranks
from trunkline.draw.svg import below_each_other
from trunkline.draw.terminal import rank_tree
from trunkline.kinds.kind import PlanKind
from trunkline.kinds.trees import MOST_BY_LEVELS, tree_as_json
from trunkline.units import format_rate

__all__ = ["Multicasts"]


class Multicasts(PlanKind):
    """What the command asks of them."""

    way = "by multicast"

    def is_replayed(self, plan: _core.Plan) -> bool:  # noqa: ARG002 - the core has checked whatever it lays
        """Never."""
        return False

    def extent(self, plan: _core.Plan) -> str:
        """Height and degree of the confirm tree."""
        confirm = _of(plan).confirm
        return f"confirmed along a tree of height {confirm.height}, degree {confirm.max_degree}"

    def show(self, console: Console, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan) -> None:
        """What the datagrams cross, at which pace, and the confirm tree."""
        multicast = _of(plan)
        links = crossed_links(cluster, placement, multicast.root)
        pace = f", at the pace of {format_rate(8.0 / multicast.byte_s)}" if multicast.byte_s > 0.0 else ""
        console.print(
            f"Rank {multicast.root} sends each datagram once to all{pace}: it crosses {links} "
            f"link{'' if links == 1 else 's'}, each once.",
            soft_wrap=True,
        )
        console.print()
        console.print("Who reports to whom:")
        console.print(rank_tree(cluster, placement, multicast.confirm))

    def as_json(self, plan: _core.Plan) -> dict[str, object]:
        """The pace, bits per second, and the confirm tree: parents and children by rank."""
        multicast = _of(plan)
        pace = 8.0 / multicast.byte_s if multicast.byte_s > 0.0 else None
        return {"pace_bps": pace, "confirm": tree_as_json(multicast.confirm)}

    def draw(self, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan, title: str) -> str:
        """What the datagrams cross, and the confirm tree; where ranks share hosts, that by its levels too."""
        drawings = self.sketches(cluster, placement, plan, title)
        if len(set(placement)) < len(placement) <= MOST_BY_LEVELS:
            drawings.append(draw_ranks(cluster, placement, _of(plan).confirm, "Confirm tree by levels, from the root"))
        return below_each_other(drawings)

    def sketches(self, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan, title: str) -> list[str]:
        """The one over the switches."""
        return [draw_multicast(cluster, placement, _of(plan).confirm, title)]

    def refused_in_c(self, collective: str) -> str:  # noqa: ARG002 - it is of none
        """All of them: they need sockets, and a group that is open."""
        return "by multicast; routines are generated for trees and rounds, such as two-tree"

    def too_large_for_c(self, plan: _core.Plan) -> str:  # noqa: ARG002 - none is written
        """Nothing."""
        return ""

    def c_tables(self, plan: _core.Plan) -> dict[str, object]:  # noqa: ARG002
        """None is written."""
        return {}

    def c_shape(self, plan: _core.PlanFile, over: str) -> str:  # noqa: ARG002
        """None is written."""
        return ""

    def c_way(self, plan: _core.PlanFile, segment: int) -> str:  # noqa: ARG002
        """None is written."""
        return ""

    def streams(self, plan: _core.Plan) -> int:  # noqa: ARG002 - of none
        """None: a datagram goes down no tree."""
        return 0


def _of(plan: _core.Plan) -> _core.Multicast:
    multicast = plan.multicast
    assert multicast is not None, "the table of kinds says so"
    return multicast
