"""Plans of trees, which take segments by turns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.draw.plan import draw_trees, tree_name
from trunkline.draw.ranks import draw_ranks
from trunkline.draw.svg import below_each_other
from trunkline.draw.terminal import line_over_switches, rank_tree
from trunkline.kinds.kind import PlanKind
from trunkline.schedule import Does, Schedule, Step

MOST_BY_LEVELS = 512
"""Ranks: pictures of more of them would be too long to look at."""


class Trees(PlanKind):
    """What the command asks of them."""

    way = "along trees"

    def is_replayed(self, plan: _core.Plan) -> bool:  # noqa: ARG002 - the core has checked whatever it lays
        """Never."""
        return False

    def extent(self, plan: _core.Plan) -> str:
        """Height and degree of the largest."""
        trees = _of(plan)
        words = f"height {max(t.height for t in trees)}, degree {max(t.max_degree for t in trees)}"
        return words + (", two roots that exchange" if any(t.exchange is not None for t in trees) else "")

    def show(self, console: Console, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan) -> None:
        """A line as its stays below switches; any other tree as a tree."""
        trees = _of(plan)
        for number, tree in enumerate(trees):
            console.print()
            if len(trees) > 1:
                console.print(tree_name(number, len(trees)))
            if tree.max_degree <= 1:
                for row in line_over_switches(cluster, placement, tree):
                    console.print(row)
            else:
                console.print(rank_tree(cluster, placement, tree))
            if tree.exchange is not None:
                console.print(exchanges_in_words([tree]), soft_wrap=True)

    def as_json(self, plan: _core.Plan) -> dict[str, object]:
        """Parents and children by rank, and with whom the root exchanges if it does; of several trees a list."""
        drawn = [tree_as_json(tree) for tree in _of(plan)]
        return drawn[0] if len(drawn) == 1 else {"trees": drawn}

    def draw(self, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan, title: str) -> str:
        """The trees below each other; where ranks share hosts, each by its levels too."""
        trees = _of(plan)
        drawings = draw_trees(cluster, placement, trees, title)
        if len(set(placement)) < len(placement) <= MOST_BY_LEVELS:
            words = "By levels" if len(trees) == 1 else "By levels, tree {} of {}"
            for number, tree in enumerate(trees, 1):
                drawings.append(draw_ranks(cluster, placement, tree, words.format(number, len(trees))))
        return below_each_other(drawings)

    def sketches(self, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan, title: str) -> list[str]:
        """Each tree over the switches."""
        return draw_trees(cluster, placement, _of(plan), title)

    def refused_in_c(self, plan: _core.Plan, collective: str) -> str:  # noqa: ARG002 - any tree
        """What moves shares."""
        if collective in _IN_C:
            return ""
        return (
            f"is a plan for {collective} along trees; routines are generated for rounds of {collective}, such as ring"
        )

    def schedule(self, plan: _core.Plan, collective: str) -> Schedule:
        """Up each tree, down it, or both: a queue for each message of a rank, once for each segment of the tree."""
        facts, trees = _core.facts_of(collective), _of(plan)
        if not facts.has_data:
            trees = trees[:1]  # which all of a single byte takes
        steps: list[list[Step]] = [[] for _ in range(len(plan))]
        for number, tree in enumerate(trees):
            partners: dict[int, int] = {}
            if tree.exchange is not None and facts.direction == _core.Direction.up_and_down:
                partners = {tree.root: tree.exchange, tree.exchange: tree.root}
            for rank, (children, above) in enumerate(zip_equal(tree.children, tree.parent)):
                below = [child for child in children if partners.get(rank) != child]
                own = _Steps(steps[rank], number, len(trees))
                if facts.direction != _core.Direction.down:
                    own.gather(below)
                if rank in partners:
                    own.exchange(partners[rank], Does.mine_first if rank == tree.root else Does.theirs_first)
                elif above is not None:
                    own.ask(above, facts.direction)
                if facts.direction != _core.Direction.up:
                    own.hand_down(below)
        return Schedule(None, len(trees), from_last=False, steps=steps)

    def streams(self, plan: _core.Plan) -> int:
        """The number of trees."""
        return len(_of(plan))


def _of(plan: _core.Plan) -> list[_core.Tree]:
    trees = plan.trees
    assert trees is not None, "the table of kinds says so"
    return trees


class _Steps:
    """Those of a rank in one tree, in order."""

    def __init__(self, steps: list[Step], tree: int, trees: int) -> None:
        self._steps, self._tree, self._trees = steps, tree, trees
        self._come = -1
        """The queue that brings the last of what the next step needs."""

    def _add(self, does: Does, peer: int, after: int) -> int:
        queue = len(self._steps)
        self._steps.append(Step(queue, does, peer, self._tree, self._tree, 1, 0, self._trees, 0, after, 0))
        return queue

    def _own(self) -> Does:
        return Does.own if self._come < 0 else Does(0)

    def gather(self, children: list[int]) -> None:
        """Their operands, in order."""
        for child in children:
            self._come = self._add(Does.receive | Does.combine | self._own(), child, self._come)

    def exchange(self, other: int, order: Does) -> None:
        """What has come up to two roots."""
        own = self._own()
        sent = self._add(own, other, self._come)
        self._come = self._add(Does.receive | Does.combine | own | order, other, sent)

    def ask(self, parent: int, direction: _core.Direction | None) -> None:
        """To it goes what came up, and from it comes what goes down, where that has left."""
        sent = -1 if direction == _core.Direction.down else self._add(self._own(), parent, self._come)
        self._come = sent if direction == _core.Direction.up else self._add(Does.receive, parent, sent)

    def hand_down(self, children: list[int]) -> None:
        """To them, in order."""
        for child in children:
            self._add(Does(0), child, self._come)


def tree_as_json(tree: _core.Tree) -> dict[str, object]:
    """Parents and children by rank; ``exchange`` where the root exchanges with one of them."""
    steps: dict[str, object] = {
        "parent": {str(rank): parent for rank, parent in enumerate(tree.parent)},
        "children": {str(rank): children for rank, children in enumerate(tree.children)},
        "height": tree.height,
        "max_degree": tree.max_degree,
    }
    return steps if tree.exchange is None else steps | {"exchange": tree.exchange}


def exchanges_in_words(trees: Sequence[_core.Tree]) -> str:
    """Who exchanges with whom, a sentence."""
    pairs = dict.fromkeys(f"{tree.root} and {tree.exchange}" for tree in trees if tree.exchange is not None)
    return f"Ranks {', '.join(pairs)} exchange what has come up to them, and both combine it in the same order."


_IN_C = ("bcast", "reduce", "allreduce", "barrier")
