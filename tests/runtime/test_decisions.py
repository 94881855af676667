"""What ran in a job is what the core decides, which 'trunkline explain' says."""

import random
from pathlib import Path

from conftest import ON_OWN_HOST, Mpi

from trunkline import _core
from trunkline.cluster import load_cluster

RANKS = 7


def random_calls(seed: int, count: int) -> list[tuple[int, int]]:
    """Bytes, of all orders of magnitude, and root."""
    numbers = random.Random(seed)
    return [(int(2 ** numbers.uniform(0, 18)), numbers.randrange(RANKS)) for _ in range(count)]


def test_random_calls_run_what_the_core_decides(any_mpi: Mpi, tmp_path: Path):
    calls = random_calls(sum(any_mpi.name.encode()), 500)
    cluster = load_cluster("cyclic")
    native = _core.NativeLibrary[any_mpi.family]
    knowledge = _core.Knowledge(cluster, native, any_mpi.family, "")
    plan = _core.PlanFile()
    plan.algorithm, plan.cluster, plan.segment_bytes = "binary", "cyclic", 900
    plan.plan = _core.lay("bcast", "binary", cluster, list(range(RANKS)), 3)
    file = tmp_path / "plan.yaml"
    file.write_text(_core.write_plan(plan))
    knowledge.take_plan(_core.read_plan(str(file)), str(file))
    deciders = [_core.Decider(knowledge, "bcast", list(range(RANKS)), root) for root in range(RANKS)]
    for wish in ("auto", "linear"):
        decided = [deciders[root].decide(size, wish) for size, root in calls]
        settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_PLAN": str(file), "TRUNKLINE_BCAST": wish}
        words = [f"{size}:{root}" for size, root in calls]
        done = any_mpi.run(RANKS, any_mpi.program("runtime-calls"), *words, settings=settings, per_rank=[ON_OWN_HOST])
        expected = [
            f"{'binary' if one.algorithm == _core.plan_of_file else one.algorithm} {one.segment_bytes}"
            for one in decided
        ]
        assert done.out.split("\n")[:-1] == expected
    assert {one.algorithm for one in (deciders[3].decide(size) for size, _ in calls)} == {"native", _core.plan_of_file}
