"""What ``trunkline generate`` writes of plans in rounds of collectives other than broadcasts."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from conftest import ONE_VERSION, Mpi
from test_generated import CHECKED, SOURCES, STRICT, compile_c, mpicc, objects, rounds_of, tree, turns
from test_generated_reductions import check_cases, two_roots

from trunkline import _core
from trunkline.generate.routine import c_routine

Shape = Callable[[int, int], str]
BITS = ("allreduce", "reduce", "reduce-scatter-block", "reduce-scatter")
"""As ``same_bits.c`` numbers them."""


def write(
    file: Path, collective: str, steps: str, ranks: int, root: int, segment: int, name: str | None = None
) -> Path:
    """The C file of a plan, and beside it the plan."""
    head = f"trunkline: plan/1\ncollective: {collective}\nshape: custom\nsegment: {segment}B\n"
    plan = file.with_suffix(".yaml")
    plan.write_text(f"{head}ranks: {ranks}\nroot: {root}\n{steps}")
    file.write_text(c_routine(_core.read_plan(str(plan)), plan.name, name))
    return file


def listed(shape: Shape, ranks: int, root: int) -> str:
    """An allreduce's rounds by hand: a reduce over them has its bits."""
    text = (
        f"trunkline: plan/1\ncollective: allreduce\nshape: custom\nranks: {ranks}\nroot: {root}\n{shape(ranks, root)}"
    )
    plan = _core.parse_plan(text, "listed.yaml").plan
    made = plan.list_rounds(plan.blocks)
    rounds = (
        ", ".join(
            f"{{from: {one.sender}, to: {one.receiver}, blocks: {one.first}-{one.first + one.count - 1}"
            f"{', add: true' if one.reduces else ''}{', replace: true' if one.replaces else ''}}}"
            for one in transfers
        )
        for transfers in made.rounds
    )
    return f"rounds:\n  blocks: {made.blocks}\n  transfers:\n" + "".join(f"    - [{one}]\n" for one in rounds)


OVERLAPPING = (
    "0 1 0-1 add, 1 2 1-2 add",  # what it sends overlaps what is added
    "0 2 1-2 add, 2 1 0 add",
    "3 2 1-2 add",
    "3 1 0 add",
    "1 3 0, 3 0 0 add, 2 1 1-2",  # what it sends is what comes whole
    "1 0 0, 2 3 1-2",
    "1 2 0, 2 0 1-2",
)
"""Of four ranks: from whom, to whom, which blocks."""


MIXING = (
    "2 3 0 add",
    "3 0 0-1 add, 2 1 1 add",  # one of the two is a sum
    "0 1 0-1 add",  # to what is a sum, and what is none yet
    "1 2 0-1",
    "2 3 0-1",
    "3 0 0-1",
)


def listed_by_hand(listed: Sequence[str], blocks: int, ranks: int, root: int) -> str:
    rounds = []
    for transfers in listed:
        words = []
        for transfer in transfers.split(", "):
            sender, receiver, moved, *add = transfer.split()
            ends = f"from: {(int(sender) + root) % ranks}, to: {(int(receiver) + root) % ranks}"
            words.append(f"{{{ends}, blocks: {moved}{', add: true' if add else ''}}}")
        rounds.append(f"    - [{', '.join(words)}]\n")
    return f"rounds:\n  blocks: {blocks}\n  transfers:\n" + "".join(rounds)


def overlapping(ranks: int, root: int) -> str:
    """By hand: blocks come to where others are still sent from."""
    assert ranks == 4
    return listed_by_hand(OVERLAPPING, 3, ranks, root)


def mixing(ranks: int, root: int) -> str:
    """By hand: sums and operands go in one message."""
    assert ranks == 4
    return listed_by_hand(MIXING, 2, ranks, root)


ring, halving, doubling, swing, radix, staggered, lanes, meeting = map(
    rounds_of,
    (
        "allreduce-ring",
        "halving-doubling",
        "recursive-doubling",
        "swing",
        "2-mixed-radix",
        "2-staggered-radix",
        "2-lane-ring",
        "3x3-lane-radix",
    ),
)
sums_ring, sums_direct, sums_lanes = map(
    rounds_of, ("reduce-scatter-ring", "2-reduce-scatter-lane-direct", "3-reduce-scatter-lane-ring")
)


def program(folder: Path, compiler: str, shape: Shape, ranks: int, root: int, segment: int, *options: str) -> Path:
    """The program of the cases of reductions, with both functions."""
    steps = {"allreduce": shape(ranks, root), "reduce": listed(shape, ranks, root)}
    routines = []
    for collective, text in steps.items():
        file = write(folder / f"{collective}.c", collective, text, ranks, root, segment)
        routines.append(compile_c(compiler, file.with_suffix(".o"), [file], "-std=c99", *STRICT, *options, "-c"))
    linked = [*objects(compiler, ("reductions",), *CHECKED, *options), *routines]
    return compile_c(compiler, folder / "cases", linked, *options)


REDUCTIONS = [(ring, 5, 2, 64), (doubling, 6, 1, 1000), (overlapping, 4, 3, 24), (overlapping, 4, 2, 200000)]
REDUCTIONS += [(mixing, 4, 1, 24)]
MORE = [
    (ring, 2, 1, 64),
    (halving, 4, 3, 24),
    (halving, 7, 3, 100),
    (doubling, 3, 0, 8),
    (swing, 6, 5, 5000),
    (radix, 6, 0, 100),
]
MORE += [(staggered, 8, 1, 64), (lanes, 6, 2, 100), (meeting, 9, 4, 100), (meeting, 15, 2, 1000)]


@pytest.mark.parametrize(
    ("shape", "ranks", "root", "segment"), [*REDUCTIONS, *(pytest.param(*plan, marks=ONE_VERSION) for plan in MORE)]
)
def test_every_case_of_reductions(any_mpi: Mpi, tmp_path: Path, shape: Shape, ranks: int, root: int, segment: int):
    cases = program(tmp_path, mpicc(any_mpi), shape, ranks, root, segment)
    check_cases(any_mpi.run(ranks, cases, str(root), str(segment), preload=None).out)


SAME_BITS = [("allreduce", doubling, 6), ("allreduce", radix, 8), ("reduce", overlapping, 4)]
SAME_BITS += [("allreduce", shape, 7 if shape in (ring, halving) else 8) for shape in (ring, halving, swing, staggered)]
SAME_BITS += [("allreduce", lanes, 6), ("allreduce", overlapping, 4), ("allreduce", meeting, 9)]
SAME_BITS += [
    ("reduce-scatter", sums_ring, 5),
    ("reduce-scatter", sums_direct, 6),
    ("reduce-scatter-block", sums_lanes, 6),
    ("allreduce", mixing, 4),
]


@pytest.mark.parametrize(("collective", "shape", "ranks"), SAME_BITS)
def test_the_bits_are_the_preload_librarys(mpi: Mpi, tmp_path: Path, collective: str, shape: Shape, ranks: int):
    root = 1 if collective in ("allreduce", "reduce") else 0
    file = write(tmp_path / "routine.c", collective, shape(ranks, root), ranks, root, 200)
    compiler, which = mpicc(mpi), f"-DCOLLECTIVE={BITS.index(collective)}"
    program = compile_c(compiler, tmp_path / "bits", [SOURCES / "same_bits.c", file], which, "-ldl", "-w")
    settings = {"TRUNKLINE_PLAN": str(file.with_suffix(".yaml"))}
    done = mpi.run(ranks, program, str(root), collective, settings=settings)
    assert done.out.splitlines() == ["custom", "same"], done.out + done.err


def shares_program(folder: Path, compiler: str, shapes: dict[str, Shape], ranks: int, segment: int) -> Path:
    """The program of the cases of shares, with all functions."""
    routines = []
    for collective, shape in shapes.items():
        root = ranks - 1 if collective == "barrier" else 0
        file = write(folder / f"{collective}.c", collective, shape(ranks, root), ranks, root, segment)
        routines.append(compile_c(compiler, file.with_suffix(".o"), [file], "-std=c99", *STRICT, "-c"))
    return compile_c(compiler, folder / "cases", [*objects(compiler, ("shares",), *CHECKED), *routines])


def by_shares(gathers: Shape, sums: Shape, barrier: Shape) -> dict[str, Shape]:
    both = {"allgather": gathers, "allgatherv": gathers, "reduce-scatter": sums, "reduce-scatter-block": sums}
    return both | {"barrier": barrier}


gather_ring, gather_direct, gather_lanes, gather_lanes_direct, sums_lanes_direct = map(
    rounds_of,
    (
        "allgather-ring",
        "allgather-direct",
        "2-allgather-lane-ring",
        "3-allgather-lane-direct",
        "3-reduce-scatter-lane-direct",
    ),
)


@pytest.mark.parametrize(
    ("shapes", "ranks", "segment"),
    [
        pytest.param(by_shares(gather_ring, sums_ring, doubling), 5, 100, id="rings"),
        pytest.param(by_shares(gather_lanes_direct, sums_lanes_direct, two_roots), 6, 1000, id="direct"),
        pytest.param(by_shares(gather_direct, sums_ring, ring), 2, 24, id="two", marks=ONE_VERSION),
        pytest.param(by_shares(gather_lanes, sums_direct, tree), 6, 64, id="lanes", marks=ONE_VERSION),
        pytest.param(by_shares(gather_direct, sums_lanes, turns), 6, 8192, id="more lanes", marks=ONE_VERSION),
        pytest.param(by_shares(gather_ring, sums_ring, halving), 7, 100, id="seven", marks=ONE_VERSION),
    ],
)
def test_every_case_of_shares(any_mpi: Mpi, tmp_path: Path, shapes: dict[str, Shape], ranks: int, segment: int):
    cases = shares_program(tmp_path, mpicc(any_mpi), shapes, ranks, segment)
    done = any_mpi.run(ranks, cases, preload=None)
    assert "7 passed, 0 failed" in done.out, done.out + done.err
