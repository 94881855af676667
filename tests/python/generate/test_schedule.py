"""Schedules of all algorithms, replayed as the loop in C runs them, in any order that MPI may bring about."""

import random
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.kinds import kind_of
from trunkline.schedule import Does, Schedule, Step

LATE = Does.combine | Does.aside
PIECE = tuple[int, int, Step]
"""Of a message: the round and the block of a piece, and its step."""


@dataclass
class Queue:
    """Pieces of steps, one after the other."""

    pieces: list[PIECE]
    started: int = 0
    finished: int = 0
    arrived: dict[int, object] = field(default_factory=dict)

    def is_past(self, number: int, block: int) -> bool:
        if self.finished == len(self.pieces):
            return True
        return self.pieces[self.finished][:2] > (number, block)


def pieces_of(schedule: Schedule, steps: list[Step], blocks: int) -> list[Queue]:
    queues: dict[int, list[PIECE]] = defaultdict(list)
    for step in steps:
        turns = blocks - 1 + schedule.turns if schedule.from_last else blocks
        for time in range(step.times or -(-turns // schedule.turns)):
            first = step.first + time * step.stride
            if schedule.blocks is not None:
                first %= blocks
            elif schedule.from_last:
                first = min(first + blocks - 1 - (-(-turns // schedule.turns) - 1) * step.stride, blocks - 1)
            wanted = range(first, first + step.blocks)
            queues[step.queue] += [(step.round + time, block, step) for block in wanted if 0 <= block < blocks]
    return [Queue(queues[number]) for number in range(max(queues, default=-1) + 1)]


class Rank:
    """What it has of each block, as how often each rank's operand is in it, and who uses the place of it."""

    def __init__(self, queues: list[Queue], own: list[Counter], data: list[Counter]) -> None:
        self.queues, self.own, self.data = queues, own, list(data)
        self.readers: Counter = Counter()
        self.writers: Counter = Counter()


class Job:
    def __init__(self, schedule: Schedule, held: list[list[Counter]], reduces: bool, window: int, seed: int) -> None:
        self.chance, self.window = random.Random(seed), window
        self.ranks = []
        for steps, own in zip(schedule.steps, held, strict=True):
            apart = reduces and not any(one.does & Does.take for one in steps)
            data = [Counter()] * len(own) if apart else own
            self.ranks.append(Rank(pieces_of(schedule, steps, len(own)), own, data))
        self.sent: dict[tuple[int, int, int], deque] = defaultdict(deque)
        self.asked: dict[tuple[int, int, int], deque] = defaultdict(deque)

    def may_go(self, rank: Rank, piece: PIECE) -> bool:
        number, block, step = piece
        return step.after < 0 or rank.queues[step.after].is_past(number - step.lag, block)

    def moves(self):
        """All that can happen next."""
        for at, rank in enumerate(self.ranks):
            for queue in rank.queues:
                if queue.started < min(len(queue.pieces), queue.finished + self.window):
                    piece = queue.pieces[queue.started]
                    if piece[2].does & LATE or self.may_go(rank, piece):
                        yield self.start, at, queue
                if queue.finished in queue.arrived:
                    piece = queue.pieces[queue.finished]
                    if not piece[2].does & LATE or self.may_go(rank, piece):
                        yield self.finish, at, queue
        for key, waiting in self.sent.items():
            if waiting and self.asked[key]:
                yield self.meet, key, None

    def in_place(self, step: Step) -> bool:
        """Whether it arrives where it stays."""
        return not step.does & LATE or (step.does & Does.own and not step.does & Does.theirs_first)

    def start(self, at: int, queue: Queue) -> None:
        rank, (_, block, step) = self.ranks[at], queue.pieces[queue.started]
        if step.does & Does.receive:
            if self.in_place(step):
                assert not rank.readers[block], "it is still being sent"
                assert not rank.writers[block], "something else arrives there"
                rank.writers[block] += 1
            self.asked[step.peer, at, step.stream].append((queue, queue.started))
        else:
            if not step.does & Does.own:
                assert not rank.writers[block], "it is not there yet"
                rank.readers[block] += 1
            self.sent[at, step.peer, step.stream].append((rank, queue, queue.started))
        queue.started += 1

    def meet(self, key: tuple[int, int, int], _: None) -> None:
        rank, queue, number = self.sent[key].popleft()
        to, place = self.asked[key].popleft()
        _, block, step = queue.pieces[number]
        assert to.pieces[place][1] == block
        to.arrived[place] = rank.own[block] if step.does & Does.own else rank.data[block]
        queue.arrived[number] = None

    def finish(self, at: int, queue: Queue) -> None:
        rank, (_, block, step) = self.ranks[at], queue.pieces[queue.finished]
        came = queue.arrived.pop(queue.finished)
        queue.finished += 1
        if not step.does & Does.receive:
            rank.readers[block] -= not step.does & Does.own
            return
        if self.in_place(step):
            rank.writers[block] -= 1
        assert not rank.readers[block]
        assert not rank.writers[block]
        if step.does & Does.combine:
            came = came + (rank.own[block] if step.does & Does.own else rank.data[block])
        rank.data[block] = came

    def run(self) -> None:
        while moves := list(self.moves()):
            what, where, queue = self.chance.choice(moves)
            what(where, queue)
        for rank in self.ranks:
            assert all(queue.finished == len(queue.pieces) for queue in rank.queues), "they wait for each other"


def held_by(facts: _core.CollectiveFacts, plan: _core.Plan, rank: int, blocks: int) -> list[Counter]:
    if facts.before == _core.Holding.all_at_root:
        return [Counter({rank: 1} if rank == plan.root else {})] * blocks
    if facts.before == _core.Holding.own_block:
        return [Counter({rank: 1} if plan.order[block] == rank else {}) for block in range(blocks)]
    return [Counter({rank: 1})] * blocks


def in_place(schedule: Schedule) -> Schedule:
    """Of operands that lie where all is combined."""
    steps = [[one._replace(does=one.does & ~Does.own | Does.take) for one in steps] for steps in schedule.steps]
    return schedule._replace(steps=steps)


def check(collective: str, plan: _core.Plan, blocks: int, window: int, seed: int) -> None:
    facts = _core.facts_of(collective)
    schedule = kind_of(plan).schedule(plan, collective)
    if facts.reduces and seed % 2:
        schedule = in_place(schedule)
    blocks = schedule.blocks or blocks
    held = [held_by(facts, plan, rank, blocks) for rank in range(len(plan))]
    job = Job(schedule, held, facts.reduces or not facts.has_data, window, seed)
    job.run()
    everything = Counter(range(len(plan)))
    for number, rank in enumerate(job.ranks):
        for block in range(blocks):
            if facts.before == _core.Holding.own_block:
                assert rank.data[block] == Counter({plan.order[block]: 1})
            elif not facts.has_data:
                assert set(rank.data[block]) == set(everything)
            elif not facts.reduces:
                assert rank.data[block] == Counter({plan.root: 1})
            elif facts.goes_by_shares:
                assert plan.order[block] != number or rank.data[block] == everything
            elif number == plan.root or not facts.has_root:
                assert rank.data[block] == everything


SERVED = (
    "bcast",
    "reduce",
    "allreduce",
    "barrier",
    "reduce-scatter",
    "reduce-scatter-block",
    "allgather",
    "allgatherv",
)
EVERY = [
    (one.collective, one.name)
    for one in _core.algorithms()
    if one.collective in SERVED and one.kind in ("trees", "rounds")
]


def laid(collective: str, name: str, ranks: int, chance: random.Random) -> _core.Plan | None:
    """None: it is not for so many ranks, or C is not written for it."""
    placement = [rank // 2 for rank in range(ranks)]
    root = 0 if _core.facts_of(collective).goes_by_shares else chance.randrange(ranks)
    try:
        plan = _core.lay(collective, name, load_cluster("cyclic"), placement, root)
    except ValueError:
        return None
    return None if kind_of(plan).refused_in_c(plan, collective) else plan


BY_HAND = """\
trunkline: plan/1
collective: allreduce
shape: custom
ranks: 4
root: 0
rounds:
  blocks: 3
  transfers:
    - [{from: 0, to: 1, blocks: 0-1, add: true}, {from: 1, to: 2, blocks: 1-2, add: true}]
    - [{from: 0, to: 2, blocks: 1-2, add: true}, {from: 2, to: 1, blocks: 0, add: true}]
    - [{from: 3, to: 2, blocks: 1-2, add: true}]
    - [{from: 3, to: 1, blocks: 0, add: true}]
    - [{from: 1, to: 3, blocks: 0}, {from: 3, to: 0, blocks: 0, add: true}, {from: 2, to: 1, blocks: 1-2}]
    - [{from: 1, to: 0, blocks: 0}, {from: 2, to: 3, blocks: 1-2}]
    - [{from: 1, to: 2, blocks: 0}, {from: 2, to: 0, blocks: 1-2}]
"""
"""What a rank sends overlaps what comes to be added, or in its place."""


MIXED = """\
trunkline: plan/1
collective: reduce
shape: custom
ranks: 4
root: 1
rounds:
  blocks: 2
  transfers:
    - [{from: 2, to: 3, blocks: 0, add: true}]
    - [{from: 3, to: 0, blocks: 0-1, add: true}, {from: 2, to: 1, blocks: 1, add: true}]
    - [{from: 0, to: 1, blocks: 0-1, add: true}]
"""
"""Rank 3 sends a sum with an operand that is its own alone, and so does rank 1 add them."""


@pytest.mark.parametrize("seed", range(40))
def test_places_that_are_in_use(seed):
    check("allreduce", _core.parse_plan(BY_HAND, "by_hand.yaml").plan, 3, 1 + seed % 3, seed)
    check("reduce", _core.parse_plan(MIXED, "mixed.yaml").plan, 2, 1 + seed % 3, seed)


@pytest.mark.parametrize(("collective", "name"), EVERY)
def test_all_get_what_the_collective_promises(collective, name):
    chance = random.Random(f"{collective} {name}")
    plans = [plan for ranks in (2, 3, 6, 8, 15) if (plan := laid(collective, name, ranks, chance))]
    for number, plan in enumerate(plans):
        check(collective, plan, chance.randint(1, 9), chance.randint(1, 3), number)
