"""Plans of trees, which take segments by turns."""

from collections.abc import Sequence
from itertools import accumulate, chain

from rich.console import Console

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.draw.plan import draw_trees, tree_name
from trunkline.draw.ranks import draw_ranks
from trunkline.draw.svg import below_each_other
from trunkline.draw.terminal import line_over_switches, rank_tree
from trunkline.kinds.c_arrays import rows, short_rows
from trunkline.kinds.kind import PlanKind

__all__ = ["MOST_BY_LEVELS", "Trees", "tree_as_json"]

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

    def refused_in_c(self, collective: str) -> str:
        """What moves shares."""
        if collective in _IN_C:
            return ""
        return f"along trees; routines are generated for rounds of {collective}, such as ring"

    def too_large_for_c(self, plan: _core.Plan) -> str:  # noqa: ARG002 - tables have a few numbers a rank
        """Nothing."""
        return ""

    def c_tables(self, plan: _core.Plan, collective: str) -> dict[str, object]:
        """A row a tree: of lines their order, of any other trees parents and children."""
        trees = _of(plan)
        if not _core.facts_of(collective).has_data:
            trees = trees[:1]  # which all of a single byte takes
        children = [tree.children for tree in trees]
        parents = [tree.parent for tree in trees]
        tables: dict[str, object] = {"plan_part": "trees_plan.c.j2", "trees": len(trees), "orders": "", "exchanges": ""}
        if any(tree.exchange is not None for tree in trees):
            for tree, below, above in zip_equal(trees, children, parents):
                if tree.exchange is not None:
                    below[tree.root].remove(tree.exchange)
                    above[tree.exchange] = None
            tables["exchanges"] = short_rows(
                [[-1, -1] if tree.exchange is None else [tree.root, tree.exchange] for tree in trees]
            )
        elif all(tree.max_degree == 1 for tree in trees):
            orders = []
            for tree, below in zip_equal(trees, children):
                orders.append([tree.root])
                while below[orders[-1][-1]]:
                    orders[-1] += below[orders[-1][-1]]
            return tables | {"orders": rows(orders)}
        return tables | {
            "parents": rows([[-1 if parent is None else parent for parent in above] for above in parents]),
            "begins": rows([list(accumulate(map(len, below), initial=0)) for below in children]),
            "children": rows([_filled(list(chain.from_iterable(below)), len(plan) - 1) for below in children]),
        }

    def c_shape(self, plan: _core.PlanFile, over: str) -> str:
        """Their number, height and degree."""
        trees = _of(plan.plan)
        height, degree = max(tree.height for tree in trees), max(tree.max_degree for tree in trees)
        along = "a tree" if len(trees) == 1 else f"{len(trees)} trees that take segments by turns"
        to = _BELOW[_direction(plan)]
        return f"along {along}: {plan.algorithm}{over}, height {height}, at most {degree} {to}"

    def c_way(self, plan: _core.PlanFile, segment: int) -> str:
        """Down the trees, up, or up and down again."""
        trees = _of(plan.plan)
        if not _core.facts_of(plan.collective).has_data:
            which = "the tree" if len(trees) == 1 else "the first tree"
            return f"word comes up {which} from all ranks, and goes down the same way to all."
        which = "the tree" if len(trees) == 1 else f"the {len(trees)} trees by turns"
        if _direction(plan) == _core.Direction.down:
            return (
                f"goes in segments of {segment} bytes down {which}: a rank hands each segment on, to its children in "
                "order, as soon as it has it."
            )
        down_again = _direction(plan) == _core.Direction.up_and_down
        back = f" From rank {plan.plan.root} the result goes down the same way at once." if down_again else ""
        if any(tree.exchange is not None for tree in trees):
            back = f" {exchanges_in_words(trees)} From both the result goes down the same way at once."
        return (
            f"goes in segments of up to {segment} bytes, or one element, up {which}: a rank combines its own operand "
            f"with its children's, in order, and sends the segment on as soon as it has all of them.{back}"
        )

    def streams(self, plan: _core.Plan) -> int:
        """The number of trees."""
        return len(_of(plan))


def _of(plan: _core.Plan) -> list[_core.Tree]:
    trees = plan.trees
    assert trees is not None, "the table of kinds says so"
    return trees


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


def _filled(numbers: list[int], length: int) -> list[int]:
    return numbers + [-1] * (length - len(numbers))


def _direction(plan: _core.PlanFile) -> _core.Direction:
    direction = _core.facts_of(plan.collective).direction
    assert direction is not None, "trees serve it"
    return direction


_IN_C = ("bcast", "reduce", "allreduce", "barrier")
_BELOW = {
    _core.Direction.down: "to send to",
    _core.Direction.up: "to receive from",
    _core.Direction.up_and_down: "below a rank",
}
