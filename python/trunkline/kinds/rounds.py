"""Plans of rounds: blocks reach a rank from several others."""

from collections.abc import Sequence
from operator import ge

from rich.console import Console
from rich.markup import escape

from trunkline import _core
from trunkline.draw.rounds import RoundsDrawing
from trunkline.draw.terminal import rounds_in_words
from trunkline.kinds.kind import PlanKind
from trunkline.schedule import Does, Schedule, Step, with_step

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
        return RoundsDrawing(cluster, placement, plan).svg(title)

    def sketches(
        self,
        cluster: _core.Cluster,  # noqa: ARG002 - their tables would be too much
        placement: Sequence[int],  # noqa: ARG002
        plan: _core.Plan,  # noqa: ARG002
        title: str,  # noqa: ARG002
    ) -> list[str]:
        """None."""
        return []

    def refused_in_c(self, plan: _core.Plan, collective: str) -> str:  # noqa: ARG002 - whatever it moves
        """Too many transfers."""
        blocks = plan.blocks or 4 * plan.period
        if len(plan) * blocks <= MOST_BLOCKS:
            return ""
        return (
            f"has {blocks} blocks for {len(plan)} ranks, which is too much for tables: the product may be "
            f"{MOST_BLOCKS} at most; take a plan of trees, such as two-tree, or one for fewer ranks"
        )

    def schedule(self, plan: _core.Plan, collective: str) -> Schedule:
        """A queue for what a rank receives, one for what it sends; where the number of blocks is free, one period."""
        if plan.blocks is None:
            return _period_of(plan)
        facts = _core.facts_of(collective)
        ordered = facts.reduces and not facts.goes_by_shares and not plan.sums_once
        positions = {rank: position for position, rank in enumerate(plan.order)} if ordered else {}
        ranks = [_Rank(plan.blocks) for _ in range(len(plan))]
        for number, transfers in enumerate(plan.list_rounds(plan.blocks).rounds):
            kept = [one for one in transfers if facts.has_data or one.first == 0]  # a barrier has messages of one byte
            for one in kept:
                ranks[one.sender].send(number, one, reduces=facts.reduces)
            for one in kept:
                order = Does.mine_first if positions.get(one.sender, 0) > positions.get(one.receiver, 0) else Does(0)
                ranks[one.receiver].receive(number, one, order or (Does.theirs_first if ordered else order))
        return Schedule(plan.blocks if facts.has_data else 1, 1, from_last=False, steps=[one.steps() for one in ranks])

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
    if transfer.rows > 1:
        made |= {"rows": transfer.rows, "stride": transfer.stride}
    if transfer.reduces:
        made["add"] = True
    if transfer.replaces:
        made["replace"] = True
    return made


def _period_of(plan: _core.Plan) -> Schedule:
    """A queue for each round of a period in which a rank receives, and each in which it sends."""
    period = plan.period
    blocks = 4 * period
    last = blocks - 1 - period  # of the period before that of the last block, where all are sent
    received: list[dict[int, int]] = [{} for _ in range(len(plan))]
    steps: list[list[Step]] = [[] for _ in range(len(plan))]
    middle = plan.list_rounds(blocks).rounds[-2 * period : -period]
    for column, transfers in enumerate(middle):
        for one in transfers:
            first, queues = one.first - last, steps[one.receiver]
            received[one.receiver][first % period] = len(queues)
            queues.append(Step(len(queues), Does.receive, one.sender, column, first, 1, 0, period, 0, -1, 0))
    for column, transfers in enumerate(middle):
        for one in transfers:
            first, queues = one.first - last, steps[one.sender]
            after = received[one.sender].get(first % period, -1)
            lag = 0 if after < 0 else (queues[after].first - first) // period
            queues.append(Step(len(queues), Does(0), one.receiver, column, first, 1, 0, period, 0, after, lag))
    return Schedule(None, period, from_last=True, steps=steps)


class _Rank:
    """What a rank does, round by round: what it sends in one, it has from those before."""

    def __init__(self, blocks: int) -> None:
        self.blocks = blocks
        self.queues: tuple[list[Step], list[Step]] = ([], [])
        self.mixes = False
        """Whether in one message goes what operands have been added to with what has none yet."""
        self._received, self._sent = [-1] * blocks, [-1] * blocks

    def send(self, number: int, one: _core.Transfer, *, reduces: bool) -> None:
        came = self._received[one.first : one.first + one.count]
        own = Does.own if reduces and max(came) < 0 else Does(0)
        self.mixes |= reduces and min(came) < 0 <= max(came)
        self._add(1, number, one.receiver, one, own, max(came))
        self._sent[one.first : one.first + one.count] = [number] * one.count

    def receive(self, number: int, one: _core.Transfer, order: Does) -> None:
        came = self._received[one.first : one.first + one.count]
        sent = self._sent[one.first : one.first + one.count]
        gone = max(sent)
        does = Does.receive
        if one.reduces:
            does |= Does.combine | order | (Does.own if max(came) < 0 else Does(0))
            self.mixes |= min(came) < 0 <= max(came)
        elif gone == number or (max(came) >= 0 and any(map(ge, came, sent))):
            does |= Does.aside  # what came before, or is sent in this round, may still need the place
        self._add(0, number, one.sender, one, does, gone)
        self._received[one.first : one.first + one.count] = [number] * one.count

    def _add(self, queue: int, number: int, peer: int, one: _core.Transfer, does: Does, waits_for: int) -> None:
        after, lag = (-1, 0) if waits_for < 0 else (1 - queue, number - waits_for)
        step = Step(queue, does, peer, 0, one.first, one.count, 1, 0, number, after, lag)
        with_step(self.queues[queue], step, self.blocks)

    def steps(self) -> list[Step]:
        """All of them."""
        steps = [step for queue in self.queues for step in queue]
        if self.mixes:
            steps = [step._replace(does=step.does & ~Does.own) for step in steps]
            steps[0] = steps[0]._replace(does=steps[0].does | Does.take)
        return steps
