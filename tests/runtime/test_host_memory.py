"""Memory that ranks of one host share: the executors over it with and without room, whole jobs with several ranks a
host, and what becomes of it when something is wrong.
"""

import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import ONE_VERSION, Mpi, Outcome
from explained import JSON, events, explained
from jobs import AS_ROOT
from test_faults import REDUCING, SOUND
from test_matrix import GROUPS

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.trace.analysis import analyse
from trunkline.trace.calls import rank_calls
from trunkline.trace.file import read_trace
from trunkline.trace.folder import find_job

ON_SHARED_HOST = Path(__file__).with_name("on_shared_host.sh")
SITES = Path(__file__).with_name("sites.yaml")
CLUSTER = {"TRUNKLINE_CLUSTER": "cyclic"}
TURNS = os.environ.get("TRUNKLINE_TEST_MEMORY", "1")
"""How often each algorithm runs, with other lengths, elements and roots."""
NATIVE_CALLS = os.environ.get("TRUNKLINE_TEST_NATIVES", "15")
"""How often each collective of ours comes before each of MPI's own."""
BY_TREES = "two-tree:1448"


def shared(per_host: int, memory: str = "1", **more: str) -> dict[str, str]:
    return CLUSTER | {"RANKS_PER_HOST": str(per_host), "TRUNKLINE_HOST_MEMORY": memory} | more


def case(mpi: Mpi, ranks: int, *words: str) -> Outcome:
    done = mpi.run(ranks, mpi.program("runtime-memory"), *words, preload=None)
    assert done.out.count("fine") == ranks, done.out + done.err
    return done


@pytest.mark.parametrize(
    ("ranks", "per_host", "room", "way"),
    [
        pytest.param(4, 4, "usual", "reads", marks=ONE_VERSION),
        (5, 2, "tiny", "reads"),
        pytest.param(6, 3, "tiny", "copies", marks=ONE_VERSION),
        (8, 8, "usual", "copies"),
    ],
)
def test_every_algorithm(any_mpi: Mpi, ranks: int, per_host: int, room: str, way: str):
    case(any_mpi, ranks, "trials", TURNS, "1", str(per_host), room, way)


@pytest.mark.parametrize("way", ["reads", "copies"])
def test_a_late_rank_of_one_communicator_holds_up_no_other(any_mpi: Mpi, way: str):
    """Messages to it fill all that it may have; it waits for another thread of their sender."""
    case(any_mpi, 3, "late-rank", "tiny", way)


def test_children_see_nothing_of_it(any_mpi: Mpi):
    case(any_mpi, 4, "fork")


def test_ranks_that_give_up_their_rights_while_they_run(any_mpi: Mpi):
    case(any_mpi, 4, "locked")


@pytest.mark.parametrize("what", ["short-files", "told-not"])
def test_one_rank_that_cannot_is_heard_by_all(any_mpi: Mpi, what: str):
    case(any_mpi, 3, what)


def _of_memory(folder: str) -> list[str]:
    """What the kernel shows in that part of each process's folder."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if not process.name.isdigit():
                continue
            place = process / folder
            lines = [os.readlink(one) for one in place.iterdir()] if place.is_dir() else place.read_text().splitlines()
        except OSError:
            continue
        found += [process.name for line in lines if "memfd:trunkline" in line]
    return found


def test_killed_ranks_leave_nothing_behind(any_mpi: Mpi):
    """Nor does anybody need a descriptor once all have mapped it."""
    command = [*any_mpi.launcher, "-n", "3", "env", f"LD_PRELOAD={any_mpi.yields}"]
    with subprocess.Popen(
        [*command, any_mpi.program("runtime-memory"), "hold"],
        env=os.environ | AS_ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as job:
        assert job.stdout is not None
        held = [re.fullmatch(r"holding (\d+)\n", job.stdout.readline()) for _ in range(3)]
        processes = [found.group(1) for found in held if found is not None]
        try:
            assert len(processes) == 3
            assert set(processes) <= set(_of_memory("maps"))
            assert not set(processes) & set(_of_memory("fd"))
        finally:
            for process in processes:
                with contextlib.suppress(ProcessLookupError):  # once one is killed the launcher ends the others
                    os.kill(int(process), signal.SIGKILL)
        job.wait(60)
    end = time.monotonic() + 20
    while set(processes) & set(_of_memory("maps")) and time.monotonic() < end:
        time.sleep(0.1)
    assert not set(processes) & set(_of_memory("maps"))
    assert not list(Path("/dev/shm").glob("*trunkline*"))


@pytest.mark.parametrize(
    ("ranks", "per_host", "memory"),
    [
        pytest.param(4, 4, "1", marks=ONE_VERSION),
        (5, 2, "1"),
        (4, 2, "copies"),
        pytest.param(3, 3, "0", marks=ONE_VERSION),
    ],
)
def test_everything_mpi_allows(any_mpi: Mpi, ranks: int, per_host: int, memory: str):
    command = [any_mpi.program("runtime-test"), "--require", "--groups", ",".join(GROUPS)]
    choices = "linear:100,flat,scatter-ring:64" if ranks == 5 else "two-tree:100,flat:200"
    done = any_mpi.run(
        ranks, *command, "--choices", choices, settings=shared(per_host, memory), per_rank=[ON_SHARED_HOST]
    )
    assert "FAILED" not in done.err, done.err
    assert " passed, 0 failed" in done.out, done.out + done.err


@pytest.mark.parametrize(
    ("ranks", "per_host", "memory", "threads"),
    [
        (8, 4, "1", 1),
        pytest.param(3, 3, "1", 3, marks=ONE_VERSION),
        (4, 2, "copies", 3),
        pytest.param(8, 8, "copies", 1, marks=ONE_VERSION),
    ],
)
def test_collectives_do_not_disturb_each_other(any_mpi: Mpi, ranks: int, per_host: int, memory: str, threads: int):
    words = [any_mpi.program("runtime-mixed"), "300", "11", str(threads), BY_TREES, "linear:1000", "flat"]
    words += ["ring:1448", "unaware-ring"] if threads == 1 else []
    done = any_mpi.run(ranks, *words, settings=shared(per_host, memory), per_rank=[ON_SHARED_HOST])
    rows = {line.split()[0]: line.split()[1:] for line in done.out.splitlines()}
    assert int(rows["bcast"][0]) > 0
    assert int(rows["allreduce"][0]) > 0


def fault(mpi: Mpi, *cases: str, memory: str = "1", status: int | None = 0, **more: str) -> Outcome:
    settings = shared(2, memory, NAP_US="200", **more)
    done = mpi.run(
        4, mpi.program("runtime-faults"), *cases, settings=settings, per_rank=[ON_SHARED_HOST], status=status
    )
    if status == 0:
        assert done.out.count(": fine") == 4, done.out + done.err
    return done


@pytest.mark.parametrize("memory", ["1", pytest.param("copies", marks=ONE_VERSION)])
def test_the_program_goes_on_where_something_is_wrong(any_mpi: Mpi, memory: str):
    cases = [f"{one}@{BY_TREES}" for one in SOUND if any_mpi.name != "openmpi" or one != "session"]
    fault(any_mpi, *cases, memory=memory)
    cases = [f"{one}@{choice}" for choice in (BY_TREES, "flat") for one in REDUCING]
    cases += [f"{one}@{choice}" for choice in ("linear", "scatter-ring") for one in ("shorter", "longer", "other-root")]
    fault(any_mpi, *cases, "error-elsewhere@flat", "late-beside-a-faulty-one@flat:256KiB", memory=memory)


@pytest.mark.parametrize(("ranks", "per_host"), [(3, 3), (5, 2)])
def test_mpis_own_calls_between_ours(any_mpi: Mpi, ranks: int, per_host: int):
    """A rank that has left our call for one of MPI's own looks into memory no more: others must not need it."""
    program = any_mpi.program("runtime-faults")
    cases = [f"native-after-ours@{choice}" for choice in ("multicast", BY_TREES, "scatter-ring", "auto")]
    settings = shared(per_host, NAP_US="200", NATIVE_CALLS=NATIVE_CALLS)
    done = any_mpi.run(ranks, program, *cases, settings=settings, per_rank=[ON_SHARED_HOST])
    assert done.out.count(": fine") == ranks, done.out + done.err


@pytest.mark.parametrize("one", ["killed-rank", "killed-in-allreduce", "handler-aborts"])
def test_the_job_ends(any_mpi: Mpi, one: str):
    begin = time.monotonic()
    assert fault(any_mpi, f"{one}@{BY_TREES}", memory="1", status=None).status != 0
    assert time.monotonic() - begin < 120


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ("1", r"ranks of one host hand data on in memory"),
        ("copies", r".* in memory, and do not read from each other's own, since rank 0 says: it was told not to"),
        ("0", None),
    ],
)
def test_ranks_explain_which_way_data_go(mpi: Mpi, memory: str, said: str | None):
    words = [mpi.program("runtime-hello")]
    done = mpi.run(4, *words, settings=shared(2, memory, TRUNKLINE_EXPLAIN="1"), per_rank=[ON_SHARED_HOST])
    lines = [line.removeprefix("trunkline: ") for line in done.lines("trunkline: ranks of one host")]
    assert len(lines) == (said is not None)
    assert said is None or re.fullmatch(said, lines[0])
    measured = r"memory of hosts counts as that of (epyc|epyc-near|xeon) \(TRUNKLINE_HOST_COSTS=processor=NAME\): .+"
    counted = [line.removeprefix("trunkline: ") for line in done.lines("trunkline: memory of hosts")]
    assert len(counted) == (said is not None)
    assert said is None or re.fullmatch(measured, counted[0])


@pytest.mark.parametrize(("memory", "processor"), [("1", "epyc"), ("1", "xeon"), ("0", "epyc")])
def test_ranks_of_one_host_alone_run_what_is_faster(any_mpi: Mpi, memory: str, processor: str):
    """As the core decides it, once memory is there; natively without it."""
    costs = f"processor={processor}"
    calls = [(2000, 0), (5000, 1), (40_000, 0), (1 << 20, 1), (3 << 20, 0)]
    family, _, version = any_mpi.name.partition("-")
    knowledge = _core.Knowledge(load_cluster("cyclic"), _core.NativeLibrary[family], family, version, host_costs=costs)
    deciders = [_core.Decider(knowledge, "bcast", [0, 0], root) for root in range(2)]
    decided = [deciders[root].decide(size, "auto") for size, root in calls]
    expected = [f"{one.algorithm} {one.segment_bytes}" if memory == "1" else "native 0" for one in decided]
    flat_at = -2 if processor == "xeon" else -1
    takes_it = processor == "epyc" or any_mpi.name == "mpich-5.0.2"
    assert (expected[flat_at] == "flat 31816") == (takes_it and memory == "1"), expected
    words = [any_mpi.program("runtime-calls"), *(f"{size}:{root}" for size, root in calls)]
    settings = shared(2, memory, TRUNKLINE_HOST_COSTS=costs, **JSON)
    done = any_mpi.run(2, *words, settings=settings, per_rank=[ON_SHARED_HOST])
    assert done.out.split("\n")[:-1] == expected, done.err
    (long,) = explained(done.err, bytes=3 << 20)
    assert ("share no memory" in long["reason"]) == (memory == "0"), done.err


def test_the_plan_of_every_run_does_not_follow_a_measurement(mpi: Mpi):
    settings = shared(2, TRUNKLINE_REPRODUCIBLE="1", **JSON)
    done = mpi.run(4, mpi.program("runtime-hello"), settings=settings, per_rank=[ON_SHARED_HOST])
    assert len(events(done.err, "host-memory")) == 1
    assert events(done.err, "host-processor") == []


def test_hosts_of_one_rank_share_nothing(mpi: Mpi):
    settings = shared(1, **JSON)
    done = mpi.run(3, mpi.program("runtime-hello"), settings=settings, per_rank=[ON_SHARED_HOST])
    assert explained(done.err)
    assert events(done.err, "host-memory") == []


def looks_at_mpi(mpi: Mpi, cost_us: str) -> int:
    """Of a rank that waits half a second for the last one."""
    settings = shared(6, TRUNKLINE_BARRIER="flat")
    done = mpi.run(6, mpi.program("runtime-looks"), cost_us, settings=settings, per_rank=[ON_SHARED_HOST])
    return int(done.out.split()[0])


def test_who_waits_serves_the_programs_own_messages(any_mpi: Mpi):
    """Looks at MPI that have data to move come without a pause, where there are more ranks than processors. One quiet
    try of three is enough."""
    assert any(looks_at_mpi(any_mpi, "60") >= 250 for _ in range(3))


@pytest.mark.skipif((os.cpu_count() or 1) >= 6, reason="there is a processor for each of six ranks")
def test_who_waits_looks_at_mpi_whenever_it_wakes(any_mpi: Mpi):
    """Short requests are served, then; but ranks sleep in between. One quiet try of three is enough."""
    assert any(200 <= looks_at_mpi(any_mpi, "0") < 6000 for _ in range(3))


def check_groups(mpi: Mpi, ranks: int, per_host: int, groups: str, choices: str, **settings: str):
    """Each choice runs the cases of these groups, with so many ranks on a host."""
    command = [mpi.program("runtime-test"), "--require", "--groups", groups, "--choices", choices]
    done = mpi.run(ranks, *command, settings=shared(per_host, **settings), per_rank=[ON_SHARED_HOST])
    assert "FAILED" not in done.err, done.err


@pytest.mark.parametrize(("ranks", "per_host"), [(6, 3), (6, 4), (8, 4), pytest.param(15, 3, marks=ONE_VERSION)])
def test_parts_of_a_sum_at_each_rank_of_a_host(any_mpi: Mpi, ranks: int, per_host: int):
    """Of hosts with as many ranks, of one with four beside one with two, and of five, two of which stand back."""
    choices = "lane-ring:100,mixed-radix:64,staggered-radix:64,4-lane-radix:64,4-lane-radix"
    check_groups(any_mpi, ranks, per_host, "reductions,operations", choices)


@pytest.mark.parametrize(("ranks", "per_host"), [(8, 2), pytest.param(7, 3, marks=ONE_VERSION)])
def test_all_ranks_of_hosts_hand_on(any_mpi: Mpi, ranks: int, per_host: int):
    """Of hosts with as many ranks, and of two with three beside one with one."""
    groups = "reductions,operations,datatypes,communicators,isolation,sizes"
    check_groups(any_mpi, ranks, per_host, groups, "4-lane-tree:100,16-lane-tree")


@pytest.mark.parametrize(("ranks", "per_host"), [(8, 2), pytest.param(7, 3, marks=ONE_VERSION)])
def test_lanes_over_sites(any_mpi: Mpi, ranks: int, per_host: int):
    """Of hosts with as many ranks, and of two with three beside one with one; two roots exchange, each in all lanes."""
    groups = "reductions,operations,datatypes,sizes"
    choices = "4-lane-by-sites-linear:100,4-lane-by-sites-binary:64,packed-binary:1000"
    check_groups(any_mpi, ranks, per_host, groups, choices, TRUNKLINE_CLUSTER=str(SITES))


@pytest.mark.parametrize(("ranks", "per_host"), [(6, 2), (6, 4), (8, 4)])
def test_shares_in_lanes_of_ranks_of_hosts(any_mpi: Mpi, ranks: int, per_host: int):
    """Of hosts with as many ranks, and of one with four beside one with two."""
    choices = "lane-ring:100,lane-ring,lane-direct:1000,lane-direct,4-lane-radix"  # which barriers go by
    check_groups(any_mpi, ranks, per_host, "shares", choices)


ARRIVAL = {"TRUNKLINE_WITHIN_HOSTS": "arrival"}
BY_ARRIVAL = "flat:16KiB"
HIERARCHICAL = "flat:16384,hierarchical-binomial:16384,hierarchical-4-nomial:1000"


@pytest.mark.parametrize(
    ("ranks", "per_host", "room", "way"),
    [
        (8, 8, "usual", "reads"),
        (8, 4, "tiny", "copies"),
        (7, 3, "usual", "copies"),
        pytest.param(6, 2, "usual", "reads", marks=ONE_VERSION),
        pytest.param(5, 5, "tiny", "reads", marks=ONE_VERSION),
    ],
)
def test_ranks_combine_as_they_come(any_mpi: Mpi, ranks: int, per_host: int, room: str, way: str):
    """Along random trees, on several communicators in turn, whoever is late; elements with gaps among them."""
    case(any_mpi, ranks, "arrivals", "200", str(ranks * 10 + per_host), str(per_host), room, way)


@pytest.mark.parametrize(("ranks", "per_host"), [(8, 4), pytest.param(7, 3, marks=ONE_VERSION), (6, 6)])
def test_all_reductions_where_ranks_combine_as_they_come(any_mpi: Mpi, ranks: int, per_host: int):
    groups = "reductions,operations,datatypes,communicators"
    command = [any_mpi.program("runtime-test"), "--require", "--groups", groups, "--choices", HIERARCHICAL]
    done = any_mpi.run(ranks, *command, settings=shared(per_host, **ARRIVAL), per_rank=[ON_SHARED_HOST])
    assert "FAILED" not in done.err, done.err
    assert " passed, 0 failed" in done.out, done.out + done.err


@pytest.mark.parametrize(("ranks", "per_host", "threads"), [(8, 4, 1), (6, 3, 3)])
def test_calls_by_arrival_do_not_disturb_each_other(any_mpi: Mpi, ranks: int, per_host: int, threads: int):
    words = [any_mpi.program("runtime-mixed"), "300", "12", str(threads), BY_ARRIVAL, "hierarchical-binomial:16KiB"]
    done = any_mpi.run(ranks, *words, settings=shared(per_host, **ARRIVAL), per_rank=[ON_SHARED_HOST])
    rows = {line.split()[0]: line.split()[1:] for line in done.out.splitlines()}
    assert int(rows["allreduce"][0]) > 0


def test_the_program_goes_on_where_a_rank_of_a_host_is_wrong(any_mpi: Mpi):
    cases = [f"{one}@{choice}" for choice in (BY_ARRIVAL, "hierarchical-binomial:256KiB") for one in REDUCING]
    fault(any_mpi, *cases, f"error-elsewhere@{BY_ARRIVAL}", "late-beside-a-faulty-one@flat:256KiB", **ARRIVAL)


def test_the_job_ends_where_a_rank_of_a_host_is_killed(any_mpi: Mpi):
    begin = time.monotonic()
    assert fault(any_mpi, f"killed-in-allreduce@{BY_ARRIVAL}", status=None, **ARRIVAL).status != 0
    assert time.monotonic() - begin < 120


@pytest.mark.parametrize(
    ("choice", "call", "said"),
    [
        (BY_ARRIVAL, "800:sum", "as they come (TRUNKLINE_WITHIN_HOSTS)"),
        (BY_ARRIVAL, "800:ordered", "as the plan says: the operation does not commute"),
        ("flat:1KiB", "4000:sum", "as the plan says: the message is longer than a segment"),
        ("flat:64KiB", "40000:sum", "as the plan says: the message is longer than 16 KiB"),
        ("flat:64KiB", "16388:sum", "as the plan says: the message is longer than 16 KiB"),
        ("two-tree:16KiB", "4000:sum", "as the plan says: the plan has several trees"),
        ("recursive-doubling", "800:sum", "as the plan says: the plan is not made of trees"),
    ],
)
def test_it_says_why_ranks_combine_as_the_plan_says(mpi: Mpi, choice: str, call: str, said: str):
    settings = shared(2, TRUNKLINE_ALLREDUCE=choice, **JSON, **ARRIVAL)
    words = [mpi.program("runtime-calls"), call]
    done = mpi.run(4, *words, settings=settings, per_rank=[ON_SHARED_HOST])
    (one,) = explained(done.err, collective="allreduce")
    assert f"; ranks of a host combine {said}" in one["reason"]


@pytest.mark.parametrize(("name", "value"), [("TRUNKLINE_REPRODUCIBLE", "1"), ("TRUNKLINE_HOST_MEMORY", "0")])
def test_what_arrival_cannot_give_is_refused(mpi: Mpi, name: str, value: str):
    settings = CLUSTER | {"RANKS_PER_HOST": "2", name: value} | ARRIVAL
    done = mpi.run(2, mpi.program("runtime-hello"), settings=settings, per_rank=[ON_SHARED_HOST], status=None)
    assert done.status != 0
    assert "TRUNKLINE_WITHIN_HOSTS=arrival: ranks " in done.err
    assert name in done.err


@pytest.mark.parametrize(("ranks", "per_host", "choice"), [(6, 3, "hierarchical-binomial:16KiB"), (8, 8, BY_ARRIVAL)])
def test_a_trace_tells_who_came_last(any_mpi: Mpi, tmp_path: Path, ranks: int, per_host: int, choice: str):
    settings = shared(per_host, TRUNKLINE_ALLREDUCE=choice, TRUNKLINE_TRACE=str(tmp_path), **ARRIVAL)
    words = [any_mpi.program("runtime-trace-calls"), "40"]
    any_mpi.run(ranks, *words, settings=settings, per_rank=[ON_SHARED_HOST])
    analysis = analyse(find_job(str(tmp_path)), skip=0)
    (group,) = [one for one in analysis.groups if one.group.collective == "allreduce"]
    (tree,) = group.trees
    assert tree.times.by_arrival
    assert tree.times.whole.all()
    tops = [rank for rank, node in tree.times.nodes.items() if len(node.contributors) >= per_host]
    assert len(tops) == ranks // per_host
    for rank in tops:
        node = tree.times.nodes[rank]
        came = [node.t1[one] for one in node.contributors]
        assert (np.max(came, axis=0) <= node.t2).all()
    # Stages of each rank add up to its time in the call.
    for cost in tree.costs:
        calls, places = rank_calls(read_trace(analysis.job.headers[cost.rank])), group.group.places[cost.rank]
        took_us = (calls.end[places] - calls.start[places]).mean() / 1e3
        assert cost.total_with_arrival_wait == pytest.approx(took_us, rel=1e-3)
