"""Plans of rounds: blocks reach a rank from several others."""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from trunkline import _core
from trunkline.draw.rounds import draw_rounds
from trunkline.draw.terminal import rounds_in_words
from trunkline.kinds.c_arrays import numbers, short_rows
from trunkline.kinds.kind import PlanKind
from trunkline.kinds.periods import period_of
from trunkline.kinds.runs import Run, runs_of

__all__ = ["MOST_BLOCKS", "Rounds"]

MOST_REPLAYED = 512
"""Ranks whose rounds are replayed here: the tests have proved them for any number, and time grows with the square."""

MOST_BLOCKS = 1 << 20
"""Largest product of ranks and blocks: each may have a transfer of its own, and all of them are looked at."""


class Rounds(PlanKind):
    """What the command asks of them."""

    way = "by rounds"
    at_once = " in one round"

    def is_replayed(self, plan: _core.Plan) -> bool:
        """Unless there are too many ranks."""
        return len(plan) <= MOST_REPLAYED

    def extent(self, plan: _core.Plan) -> str:
        """Blocks and rounds."""
        if plan.blocks is None:
            return "any number of blocks"
        return f"{plan.blocks} blocks in {plan.round_count(plan.blocks)} rounds"

    def show(
        self,
        console: Console,
        cluster: _core.Cluster,  # noqa: ARG002 - rounds are shown by rank
        placement: Sequence[int],  # noqa: ARG002
        plan: _core.Plan,
    ) -> None:
        """The first rounds, a row each."""
        for row in rounds_in_words(plan):
            console.print(escape(row), soft_wrap=True)

    def as_json(self, plan: _core.Plan) -> dict[str, object]:
        """What makes them; where the number of blocks is fixed, each round as its transfers."""
        steps: dict[str, object] = {"generator": plan.generator}
        if plan.round_list is not None:
            steps["blocks"] = plan.round_list.blocks
            steps["rounds"] = [[_as_json(transfer) for transfer in transfers] for transfers in plan.round_list.rounds]
        return steps

    def draw(self, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan, title: str) -> str:
        """A row a rank, a column a round."""
        return draw_rounds(cluster, placement, plan, title)

    def sketches(
        self,
        cluster: _core.Cluster,  # noqa: ARG002 - their tables would be too much
        placement: Sequence[int],  # noqa: ARG002
        plan: _core.Plan,  # noqa: ARG002
        title: str,  # noqa: ARG002
    ) -> list[str]:
        """None."""
        return []

    def refused_in_c(self, collective: str) -> str:  # noqa: ARG002 - all are written
        """Nothing."""
        return ""

    def too_large_for_c(self, plan: _core.Plan) -> str:
        """Too many transfers."""
        blocks = plan.blocks or 4 * plan.period
        if len(plan) * blocks <= MOST_BLOCKS:
            return ""
        return (
            f"{blocks} blocks for {len(plan)} ranks, which is too much for tables: the product may be {MOST_BLOCKS} at "
            "most; take a plan of trees, such as two-tree, or one for fewer ranks"
        )

    def c_tables(self, plan: _core.Plan, collective: str) -> dict[str, object]:
        """A row a run of transfers; where the number of blocks is free, one period."""
        facts = _core.facts_of(collective)
        if plan.blocks is not None:
            listed = plan.list_rounds(plan.blocks)
            runs = runs_of(listed) if facts.has_data else _words(listed)
            return {
                "plan_part": "rounds_plan.c.j2",
                "trees": 0,
                "blocks": listed.blocks if facts.has_data else 1,
                "rounds": len(listed.rounds) if facts.has_data else runs[-1].round + 1,
                "broadcasts": collective == "bcast",
                **_ranks_by_position(plan, facts),
                **_table(runs, len(plan), adds=facts.reduces and facts.has_data),
            }
        period = period_of(plan)
        return {
            "plan_part": "periods_plan.c.j2",
            "trees": 0,
            "adds": False,
            "period": plan.period,
            "order": numbers(plan.order, "    "),
            "apart": numbers(period.apart, "    "),
            "offsets": short_rows(period.offsets),
        }

    def c_shape(self, plan: _core.PlanFile, over: str) -> str:
        """Blocks and rounds."""
        blocks = plan.plan.blocks
        many = "any number of blocks" if blocks is None else f"{blocks} block{'s' * (blocks > 1)}"
        in_all = "" if blocks is None else f"{plan.plan.round_count(blocks)} "
        return f"of {many} in {in_all}rounds: {plan.algorithm}{over}"

    def c_way(self, plan: _core.PlanFile, segment: int) -> str:
        """In blocks."""
        blocks, facts = plan.plan.blocks, _core.facts_of(plan.collective)
        if not facts.has_data:
            return "word goes round: in each round of the plan a rank sends to one other rank, and waits for one."
        each_round = "In each round of the plan a rank sends blocks to one other rank, and receives blocks from one."
        if facts.before == _core.Holding.own_block:
            return f"is {blocks} blocks, the shares of the ranks. {each_round} The next round begins once it has them."
        if blocks is None:
            cut = f"is cut into blocks of {segment} bytes."
        else:
            element = ", or one element" if facts.reduces else ""
            share = ", one for each rank" if facts.after == _core.Holding.own_block else ""
            pieces = f"pieces of up to {segment} bytes{element}"
            cut = f"is cut into {blocks} block{'s' * (blocks > 1)}{share}, which go in {pieces}."
        if facts.reduces:
            return (
                f"{cut} {each_round} It combines them with its own, or takes them as they are, before the next round."
            )
        return (
            f"{cut} {each_round} No rank waits for the end of a round: it sends a block as soon as the block is there."
        )

    def streams(self, plan: _core.Plan) -> int:  # noqa: ARG002 - of none
        """None: a trace has the numbers of rounds."""
        return 0


def _as_json(transfer: _core.Transfer) -> dict[str, object]:
    """With ``add`` and ``replace`` where the receiver does so, as in a plan file."""
    made: dict[str, object] = {
        "from": transfer.sender,
        "to": transfer.receiver,
        "first": transfer.first,
        "count": transfer.count,
    }
    if transfer.reduces:
        made["add"] = True
    if transfer.replaces:
        made["replace"] = True
    return made


def _ranks_by_position(plan: _core.Plan, facts: _core.CollectiveFacts) -> dict[str, object]:
    """Ranks by position where blocks are shares, positions by rank where several ranks add up the same operands."""
    shares = _core.Holding.own_block in (facts.before, facts.after)
    ordered = facts.reduces and facts.has_data and not shares and not plan.sums_once
    positions = [0] * len(plan)
    for position, rank in enumerate(plan.order):
        positions[rank] = position
    return {
        "order": numbers(plan.order, "    ") if shares else "",
        "positions": numbers(positions, "    ") if ordered else "",
    }


def _words(listed: _core.RoundList) -> list[Run]:
    """What is left of the rounds of a single byte: it is the first block, all others are empty."""
    with_it = ([transfer for transfer in transfers if transfer.first == 0] for transfers in listed.rounds)
    rounds = enumerate(transfers for transfers in with_it if transfers)
    return [
        Run(number, 1, transfer.sender, transfer.receiver, 0, 1, 0)
        for number, transfers in rounds
        for transfer in transfers
    ]


def _table(runs: list[Run], ranks: int, *, adds: bool) -> dict[str, object]:
    """A row a run, and how many the busiest rank has on one side."""
    sent, received = [0] * ranks, [0] * ranks
    for run in runs:
        sent[run.sender] += 1
        received[run.receiver] += 1
    rows = runs if adds else [run[:-1] for run in runs]
    return {"runs": short_rows(rows), "most_runs": max(*sent, *received), "adds": adds}
