"""Plans by multicast: each datagram goes to all ranks at once, a root's, which they confirm, or each rank's in turn.

Or, in groups, to those of one site, from a rank of it that has the message by messages.
"""

from collections.abc import Sequence

from rich.console import Console

from trunkline import _core
from trunkline.compat import pairwise
from trunkline.draw.multicast import GroupsDrawing, MulticastDrawing, TurnsDrawing, crossed_channels
from trunkline.draw.plan import draw_trees, tree_name
from trunkline.draw.ranks import draw_ranks
from trunkline.draw.svg import below_each_other
from trunkline.draw.terminal import line_over_switches, rank_tree
from trunkline.kinds.kind import PlanKind
from trunkline.kinds.trees import MOST_BY_LEVELS, exchanges_in_words, tree_as_json
from trunkline.schedule import Schedule
from trunkline.units import format_rate


class Multicasts(PlanKind):
    """What the command asks of them."""

    way = "by multicast"

    def is_replayed(self, plan: _core.Plan) -> bool:  # noqa: ARG002 - the core has checked whatever it lays
        """Never."""
        return False

    def extent(self, plan: _core.Plan) -> str:
        """Height and degree of the confirm tree, and the trees that operands go up; or how many send at once."""
        multicast = _of(plan)
        confirm = multicast.confirm
        if confirm is None:
            within = f" in {_groups_in_words(multicast)}" if multicast.groups else ""
            return f"each sends by turn{within}, {multicast.at_once} at once"
        if multicast.groups:
            words = f"{_groups_in_words(multicast)}, confirmed along {_shape(confirm)}"
            return words + (", two roots that exchange" if confirm.exchange is not None else "")
        words = f"confirmed along a tree of height {confirm.height}, degree {confirm.max_degree}"
        if multicast.reduce:
            many = len(multicast.reduce)
            height = max(tree.height for tree in multicast.reduce)
            words += f", operands up {many} tree{'' if many == 1 else 's'} of height {height}"
        return words

    def show(self, console: Console, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan) -> None:
        """What the datagrams cross, at which pace, and who confirms, reduces or sends by turn."""
        multicast = _of(plan)
        if multicast.groups:
            show = _show_groups if multicast.confirm else _show_groups_by_turns
            show(console, cluster, placement, multicast)
            return
        links = len(crossed_channels(cluster, placement, multicast.root))
        pace = f", at the pace of {format_rate(8.0 / multicast.byte_s)}" if multicast.byte_s > 0.0 else ""
        who = f"Rank {multicast.root} sends each datagram" if multicast.confirm else "Each rank sends its datagrams"
        crossed = f"{links} link{'' if links == 1 else 's'}, each once"
        console.print(
            f"{who} once to all{pace}: {'it crosses' if multicast.confirm else 'they cross'} {crossed}.", soft_wrap=True
        )
        console.print()
        if multicast.confirm is None:
            console.print(
                "By turn, a row for each stay below a switch; a rank sends once it has what those sent that are "
                f"{multicast.at_once} or more before it:",
                soft_wrap=True,
            )
            for row in line_over_switches(cluster, placement, _turns_of(multicast)):
                console.print(row, soft_wrap=True)
            return
        console.print("Who reports to whom:")
        console.print(rank_tree(cluster, placement, multicast.confirm))
        for number, tree in enumerate(multicast.reduce):
            console.print()
            console.print(f"{tree_name(number, len(multicast.reduce))}: whose operands a rank gets:")
            console.print(rank_tree(cluster, placement, tree))

    def as_json(self, plan: _core.Plan) -> dict[str, object]:
        """The pace, bits per second; the confirm tree and those of operands, or the order and how many send at once."""
        multicast = _of(plan)
        steps: dict[str, object] = {"pace_bps": 8.0 / multicast.byte_s if multicast.byte_s > 0.0 else None}
        if multicast.confirm is None:
            steps |= {"order": multicast.order, "at_once": multicast.at_once}
        if multicast.groups:
            del steps["pace_bps"]
            steps["groups"] = [
                {"pace_bps": 8.0 / group.byte_s if group.byte_s > 0.0 else None, "ranks": group.ranks}
                for group in multicast.groups
            ]
        if multicast.confirm is None:
            return steps
        steps["confirm"] = tree_as_json(multicast.confirm)
        if multicast.reduce:
            steps["reduce"] = [tree_as_json(tree) for tree in multicast.reduce]
        return steps

    def draw(self, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan, title: str) -> str:
        """What the datagrams cross, and the confirm tree; where ranks share hosts, that by its levels too."""
        drawings = self.sketches(cluster, placement, plan, title)
        confirm = _of(plan).confirm
        if confirm is not None and len(set(placement)) < len(placement) <= MOST_BY_LEVELS:
            drawings.append(draw_ranks(cluster, placement, confirm, "Confirm tree by levels, from the root"))
        return below_each_other(drawings)

    def sketches(self, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan, title: str) -> list[str]:
        """The one over the switches, and each tree that operands go up."""
        multicast = _of(plan)
        if multicast.groups:
            return [GroupsDrawing(cluster, placement, multicast).svg(title)]
        if multicast.confirm is None:
            return [TurnsDrawing(cluster, placement, _turns_of(multicast)).svg(title)]
        drawings = [MulticastDrawing(cluster, placement, multicast.confirm).svg(title)]
        if multicast.reduce:
            drawings += draw_trees(cluster, placement, multicast.reduce, "Operands, the other way")
        return drawings

    def refused_in_c(self, plan: _core.Plan, collective: str) -> str:  # noqa: ARG002 - all of them
        """They need sockets, and a group that is open."""
        return f"is a plan for {collective} by multicast; routines are generated for trees and rounds, such as two-tree"

    def schedule(self, plan: _core.Plan, collective: str) -> Schedule:
        """None yet: datagrams that get lost are another matter."""
        raise NotImplementedError(collective, plan.kind)

    def streams(self, plan: _core.Plan) -> int:  # noqa: ARG002 - of none
        """None: a datagram goes down no tree."""
        return 0


def _of(plan: _core.Plan) -> _core.Multicast:
    multicast = plan.multicast
    assert multicast is not None, "the table of kinds says so"
    return multicast


def _groups_in_words(multicast: _core.Multicast) -> str:
    sites = sum(len(group.ranks) > 1 for group in multicast.groups)
    alone = len(multicast.groups) - sites
    besides = f" and {alone} rank{'' if alone == 1 else 's'} alone" if alone else ""
    return f"{sites} group{'' if sites == 1 else 's'}{besides}"


def _shape(tree: _core.Tree) -> str:
    return f"a tree of height {tree.height}, degree {tree.max_degree}"


def _show_groups(
    console: Console, cluster: _core.Cluster, placement: Sequence[int], multicast: _core.Multicast
) -> None:
    """Who sends to whom at which pace, and who has the message from whom."""
    confirm = multicast.confirm
    assert confirm is not None, "groups are of a message of one root"
    console.print("One rank of each group has the message, by messages, and sends each datagram once to all of it:")
    for group in multicast.groups:
        sender = group.ranks[0]
        parent = confirm.parent[sender]
        source = "the root" if parent is None else f"from rank {parent}"
        if sender in (confirm.root, confirm.exchange) and confirm.exchange is not None:
            source = "one of two roots"
        if len(group.ranks) == 1:
            console.print(f"  rank {sender} ({source}) alone", soft_wrap=True)
            continue
        hosts = [placement[rank] for rank in group.ranks]
        links = len(crossed_channels(cluster, hosts, 0))
        pace = f", at the pace of {format_rate(8.0 / group.byte_s)}" if group.byte_s > 0.0 else ""
        crossed = f"{links} link{'' if links == 1 else 's'}, each once"
        console.print(
            f"  rank {sender} ({source}) to {len(group.ranks) - 1} others{pace}: it crosses {crossed}", soft_wrap=True
        )
    console.print()
    console.print("Who reports to whom, and from group to group who sends the message to whom:")
    console.print(rank_tree(cluster, placement, confirm))
    if confirm.exchange is not None:
        console.print(exchanges_in_words([confirm]), soft_wrap=True)


def _show_groups_by_turns(
    console: Console, cluster: _core.Cluster, placement: Sequence[int], multicast: _core.Multicast
) -> None:
    """Who sends by turn within each group, at which pace, and what its first rank does besides."""
    console.print(
        "Each rank sends its datagrams once to all of its group, by turn; the first one sends what its group has to "
        "the first one of every other, by messages, and theirs to its group:",
        soft_wrap=True,
    )
    for group in multicast.groups:
        if len(group.ranks) == 1:
            console.print(f"  rank {group.ranks[0]} alone", soft_wrap=True)
            continue
        links = len(crossed_channels(cluster, [placement[rank] for rank in group.ranks], 0))
        pace = f", at the pace of {format_rate(8.0 / group.byte_s)}" if group.byte_s > 0.0 else ""
        crossed = f"{links} link{'' if links == 1 else 's'}, each once"
        turns = ", ".join(map(str, group.ranks))
        console.print(f"  ranks {turns}{pace}: they cross {crossed}", soft_wrap=True)


def _turns_of(multicast: _core.Multicast) -> _core.Tree:
    """A line from each rank to the one whose turn is next."""
    after: list[list[int]] = [[] for _ in multicast.order]
    for rank, following in pairwise(multicast.order):
        after[rank].append(following)
    return _core.Tree(multicast.root, after)
