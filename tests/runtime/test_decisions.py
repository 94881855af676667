"""What ran in a job is what the core decides, which 'trunkline explain' says."""

import random
from pathlib import Path

from conftest import BUILD, ON_OWN_HOST, Mpi
from explained import JSON, events, explained

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.mpi import find_mpis

RANKS = 7


def random_calls(seed: int, count: int) -> list[tuple[int, int]]:
    """Bytes, of all orders of magnitude, and root."""
    numbers = random.Random(seed)
    return [(int(2 ** numbers.uniform(0, 18)), numbers.randrange(RANKS)) for _ in range(count)]


def runs(
    deciders: list[_core.Decider],
    calls: list[tuple[int, int]],
    wish: str = "auto",
    multicast: bool = True,
    is_world: bool = True,
) -> list[_core.Decision]:
    """What each of the calls on one communicator runs.

    A multicast once those before would have paid for its group, and on others than MPI_COMM_WORLD any plan once they
    would have paid for the communicator's number.
    """
    decided = []
    would_have_saved_s = lost_s = 0.0
    is_open = False
    is_numbered = is_world
    for size, root in calls:
        one = deciders[root].decide(size, wish)
        if one.wants_datagrams and not is_open:
            without = deciders[root].decide(size, wish, datagrams=False)
            would_have_saved_s += deciders[root].saved_s(size, one, without)
            is_open = multicast and would_have_saved_s >= deciders[root].opening_s(one)
            one = one if is_open else without
        if one.segment_bytes > 0 and not is_numbered:
            native = deciders[root].decide(size, "native")
            if one.may_wait and not one.wants_datagrams:
                lost_s += deciders[root].saved_s(size, one, native)
            is_numbered = one.wants_datagrams or not one.may_wait or lost_s >= deciders[root].numbering_s()
            one = one if is_numbered else native
        decided.append(one)
    return decided


def words_of(calls: list[tuple[int, int]]) -> list[str]:
    return [f"{size}:{root}" for size, root in calls]


def by_wish(any_mpi: Mpi, calls: list[tuple[int, int]], wishes: list[str], settings: dict[str, str]) -> dict[str, list]:
    """What calls ran by themselves, and for each wish: in one job, on a communicator each, whose groups are its own."""
    words = [*words_of(calls), *(f"again={wish}" for wish in wishes)]
    done = any_mpi.run(RANKS, any_mpi.program("runtime-calls"), *words, settings=settings, per_rank=[ON_OWN_HOST])
    ran = done.out.split("\n")[:-1]
    assert len(ran) == (1 + len(wishes)) * len(calls)
    return {wish: ran[at * len(calls) : (at + 1) * len(calls)] for at, wish in enumerate(["auto", *wishes])}


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
    settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_PLAN": str(file)}
    ran = by_wish(any_mpi, calls, ["linear"], settings)
    for wish, found in ran.items():
        assert found == [
            f"{'binary' if one.algorithm == _core.plan_of_file else one.algorithm} {one.segment_bytes}"
            for one in runs(deciders, calls, wish)
        ]
    decided = (deciders[3].decide(size, datagrams=False) for size, _ in calls)
    assert {one.algorithm for one in decided} == {"native", _core.plan_of_file}


SITES = """\
trunkline: cluster/1
name: sites
defaults: {rate: 100Mbit, latency: 10us}
switches: s[0-2]
hosts:
  - {hosts: "h[0-6]", switches: "s[0-2]", deal: 1}
links:
  - {between: [s0, s1], rate: 10Mbit, latency: 20ms}
  - {between: [s0, s2], rate: 10Mbit, latency: 5ms}
"""


def test_over_long_links_calls_of_all_sizes_run_what_the_core_decides(any_mpi: Mpi, tmp_path: Path):
    """Without a floor; and plans that depend on the size, of which the library keeps one for each power of two."""
    calls = random_calls(sum(any_mpi.name.encode()), 300)
    file = tmp_path / "sites.yaml"
    file.write_text(SITES)
    cluster = load_cluster(str(file))
    version = any_mpi.name.partition("-")[2]  # what messages cost depends on it; the system's own is the usual one
    knowledge = _core.Knowledge(cluster, _core.NativeLibrary[any_mpi.family], any_mpi.family, version)
    deciders = [_core.Decider(knowledge, "bcast", list(range(RANKS)), root) for root in range(RANKS)]
    ran = by_wish(any_mpi, calls, ["wave", "by-sites-binary"], {"TRUNKLINE_CLUSTER": str(file)})
    for wish, found in ran.items():
        decided = runs(deciders, calls, wish)
        assert found == [f"{one.algorithm} {one.segment_bytes}" for one in decided]
        if wish == "auto":
            ran = {one.algorithm for one in decided}
            assert any(name.startswith("by-sites") for name in ran)
            assert any(one.segment_bytes > 0 for one, (size, _) in zip(decided, calls, strict=True) if size < 512)


def auto_deciders(any_mpi: Mpi, root_count: int = RANKS) -> list[_core.Decider]:
    knowledge = _core.Knowledge(load_cluster("cyclic"), _core.NativeLibrary[any_mpi.family], any_mpi.family, "")
    return [_core.Decider(knowledge, "bcast", list(range(RANKS)), root) for root in range(root_count)]


def test_a_group_opens_once_it_has_paid(any_mpi: Mpi):
    """All ranks begin at the same call; the calls before run what is next best. A communicator is asked by itself."""
    calls = [(size, turn % RANKS) for turn, size in enumerate([700, 8192, 20000, 8192, 3000] * 12)]
    expected = [f"{one.algorithm} {one.segment_bytes}" for one in runs(auto_deciders(any_mpi), calls)]
    first = expected.index("multicast 1408")
    assert 3 < first < 40, "the case is no good any more"
    words = [*words_of(calls), "dup", *words_of(calls)]
    settings = {"TRUNKLINE_CLUSTER": "cyclic"} | JSON
    done = any_mpi.run(RANKS, any_mpi.program("runtime-calls"), *words, settings=settings, per_rank=[ON_OWN_HOST])
    again = [f"{one.algorithm} {one.segment_bytes}" for one in runs(auto_deciders(any_mpi), calls, is_world=False)]
    assert done.out.split("\n")[:-1] == [*expected, *again]
    assert not done.warnings(), done.err
    calls = [call for call in explained(done.err, bytes=8192) if "multicast" in call]
    before = [call for call in calls if call["multicast"].startswith("no group yet: it opens once")]
    assert before, done.err
    assert all(call["algorithm"] != "multicast" for call in before), before
    after = explained(done.err, bytes=8192, algorithm="multicast")
    assert after, done.err
    assert all(call["multicast"].startswith("its group is open over IPv4, messages of up to ") for call in after)
    assert len(events(done.err, "multicasts", group_size=RANKS, group_rank=0)) == 2, done.err


def test_the_shortest_broadcasts_open_it_too(any_mpi: Mpi):
    calls = [(8 + turn % 3, 0) for turn in range(500)]
    expected = [f"{one.algorithm} {one.segment_bytes}" for one in runs(auto_deciders(any_mpi), calls)]
    first = expected.index("multicast 1408")
    assert 3 < first < 490, "the case is no good any more"
    assert {one.split()[0] for one in expected} == {"native", "multicast"}
    settings = {"TRUNKLINE_CLUSTER": "cyclic"}
    program = any_mpi.program("runtime-calls")
    done = any_mpi.run(RANKS, program, *words_of(calls), settings=settings, per_rank=[ON_OWN_HOST])
    assert done.out.split("\n")[:-1] == expected
    assert not done.lines("trunkline: warning"), done.err


def test_allgathers_open_it_too(any_mpi: Mpi):
    knowledge = _core.Knowledge(load_cluster("cyclic"), _core.NativeLibrary[any_mpi.family], any_mpi.family, "")
    decider = _core.Decider(knowledge, "allgather", list(range(RANKS)), 0)
    shares = [100, 1024, 20000, 1024, 1 << 16] * 24
    expected = [f"{one.algorithm} {one.segment_bytes}" for one in runs([decider], [(RANKS * one, 0) for one in shares])]
    first = expected.index("multicast 1408")
    assert 3 < first < 100, "the case is no good any more"
    assert {one.split()[0] for one in expected} == {"native", "ring", "multicast"}
    words = [f"{share}:all" for share in shares]
    settings = {"TRUNKLINE_CLUSTER": "cyclic"}
    done = any_mpi.run(RANKS, any_mpi.program("runtime-calls"), *words, settings=settings, per_rank=[ON_OWN_HOST])
    assert done.out.split("\n")[:-1] == expected
    assert not done.lines("trunkline: warning"), done.err


def test_a_tuned_multicast_that_does_not_arrive_runs_as_auto_would(any_mpi: Mpi, monkeypatch, tmp_path: Path):
    monkeypatch.setenv("TRUNKLINE_TEST_PRELOAD", str(BUILD / "tests" / "runtime" / "libruntime-no-multicast.so"))
    cluster = load_cluster("cyclic")
    mpi = next(one for one in find_mpis().values() if one.name == any_mpi.name)
    entry = _core.TuningEntry()
    entry.cluster, entry.cluster_fingerprint = cluster.name, cluster.fingerprint
    entry.hosts, entry.ranks_per_host, entry.mpi, entry.mpi_version = RANKS, 1, mpi.family, mpi.version
    entry.rules = [_core.TuningRule(0, "multicast", 1408)]
    tuning = _core.Tuning()
    tuning.entries = [entry]
    file = tmp_path / "tuning.yaml"
    file.write_text(_core.write_tuning(tuning))
    calls = [(8192, 0)] * 40
    expected = [f"{one.algorithm} {one.segment_bytes}" for one in runs(auto_deciders(any_mpi), calls, multicast=False)]
    assert expected[0] != "multicast 1408"
    settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_TUNING": str(file)} | JSON
    words = words_of(calls)
    done = any_mpi.run(RANKS, any_mpi.program("runtime-calls"), *words, settings=settings, per_rank=[ON_OWN_HOST])
    assert done.out.split("\n")[:-1] == expected
    assert any(call.get("multicast", "").startswith("no group: ") for call in explained(done.err)), done.err


def test_where_no_multicast_arrives_the_next_best_runs(any_mpi: Mpi, monkeypatch):
    """It is tried once for a set of processes; without a word, since nobody asked for it."""
    monkeypatch.setenv("TRUNKLINE_TEST_PRELOAD", str(BUILD / "tests" / "runtime" / "libruntime-no-multicast.so"))
    calls = [(size, turn % RANKS) for turn, size in enumerate([700, 8192, 20000, 8192, 3000] * 12)]
    expected = [
        f"{one.algorithm} {one.segment_bytes}"
        for is_world in (True, False)
        for one in runs(auto_deciders(any_mpi), calls, multicast=False, is_world=is_world)
    ]
    assert not any(one.startswith("multicast") for one in expected)
    words = [*words_of(calls), "dup", *words_of(calls)]
    settings = {"TRUNKLINE_CLUSTER": "cyclic"} | JSON
    done = any_mpi.run(RANKS, any_mpi.program("runtime-calls"), *words, settings=settings, per_rank=[ON_OWN_HOST])
    assert done.out.split("\n")[:-1] == expected
    assert not done.warnings(), done.err
    said = {call.get("multicast", "") for call in explained(done.err)}
    assert any(one.startswith("no group: not every rank hears it") for one in said), done.err
    assert any(one.startswith("no group: another communicator of the same processes has none") for one in said), said


def test_a_forced_multicast_goes_along_its_confirm_tree(any_mpi: Mpi, monkeypatch):
    monkeypatch.setenv("TRUNKLINE_TEST_PRELOAD", str(BUILD / "tests" / "runtime" / "libruntime-no-multicast.so"))
    settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_BCAST": "multicast"}
    words = ["8192:0", "30000:1"]
    done = any_mpi.run(3, any_mpi.program("runtime-calls"), *words, settings=settings, per_rank=[ON_OWN_HOST])
    assert done.out == "multicast 1408\n" * 2
    said = done.lines(
        "trunkline: warning: multicast does not work on a communicator of 3 ranks: not every rank hears it"
    )
    assert len(said) == 1, done.err


def test_multicasts_are_left_out_where_they_are_not_wanted(any_mpi: Mpi):
    settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_MULTICAST": "0"}
    words = ["8192:0"] * 100
    done = any_mpi.run(RANKS, any_mpi.program("runtime-calls"), *words, settings=settings, per_rank=[ON_OWN_HOST])
    assert "multicast" not in done.out
