"""tools/mutate.py over a toy tree: a file of rules, which two tiers of tests read."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def load(name):
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


mutated_tree = load("mutated_tree")
mutate = load("mutate")
SOURCE = "first = 1\nsecond = 2\nthird = 3\nfourth = 4\n"


class Toy:
    """A build takes whole lines alone. Each test is a line that must be there; `broken` ones never pass."""

    def __init__(self, root, broken=()):
        self.root = root
        self.broken = broken
        self.ran = []
        self.built = []
        (root / "rules").write_text(SOURCE)

    @property
    def text(self):
        return (self.root / "rules").read_text()

    def build(self, targets):
        self.built.append(tuple(targets))
        return "" if all(" = " in line for line in self.text.splitlines()) else "rules: no rule"

    def expected(self, test, mpi):
        return [mutated_tree.Run(tier, test, (test, mpi), ("rules",)) for tier in mutate.TIERS]

    def lanes(self):
        yield mutated_tree.Run("make test", "quick", ("second = 2",))
        yield mutated_tree.Run("make test-all", "long", ("third = 3",))

    def run(self, one, seconds):
        line = one.command[0]
        self.ran.append((one.tier, one.name))
        if line == "of test-all" and one.tier == "make test":
            return mutated_tree.Ended(selected=False)
        passes = (line == "of test-all" or line in self.text) and one.name not in self.broken
        return mutated_tree.Ended("" if passes else f"test of {line}")


def mutation(old, new, *tests, name="a-name"):
    return mutate.Mutation(name, "a fault", "rules", old, new, tests or ("first = 1",))


@pytest.mark.parametrize(
    ("old", "new", "outcome", "tier", "test"),
    [
        ("first = 1", "first = 0", "caught", "make test", "test of first = 1"),
        ("second = 2", "second = 0", "caught", "make test", "test of second = 2"),
        ("third = 3", "third = 0", "caught", "make test-all", "test of third = 3"),
        ("fourth = 4", "fourth = 0", "SURVIVED", "", ""),
    ],
)
def test_the_tier_and_the_test_that_catch_it(tmp_path, old, new, outcome, tier, test):
    toy = Toy(tmp_path)
    result = mutate.Trial(toy).judge(mutation(old, new))
    assert (result.outcome, result.tier, result.test) == (outcome, tier, test)
    assert toy.text == SOURCE
    assert toy.built[1] == ("rules",), "what its tests need, and no more"


def test_what_a_row_names_runs_in_the_first_tier_that_has_it(tmp_path):
    toy = Toy(tmp_path)
    mutate.Trial(toy).judge(mutation("first = 1", "first = 0", "of test-all", "first = 1"))
    assert toy.ran[:2] == [("make test", "of test-all"), ("make test-all", "of test-all")]
    assert toy.ran[2:] == [("make test-all", "of test-all"), *[("make test", "first = 1")] * 2], (
        "without it, and with it"
    )


def test_of_the_first_tier_alone(tmp_path):
    toy = Toy(tmp_path)
    result = mutate.Trial(toy, mutate.TIERS[:1]).judge(mutation("third = 3", "third = 0"))
    assert (result.outcome, result.why) == ("SURVIVED", "nothing of make test fails")
    assert ("make test-all", "long") not in toy.ran


def test_of_the_rows_own_tests_alone(tmp_path):
    toy = Toy(tmp_path)
    result = mutate.Trial(toy, others=False).judge(mutation("second = 2", "second = 0"))
    assert (result.outcome, result.why) == ("SURVIVED", "none of its own tests fails: first = 1")
    assert ("make test", "quick") not in toy.ran


@pytest.mark.parametrize(
    ("old", "new", "broken", "why"),
    [
        ("no such rule", "", (), "its old text stands 0 times in rules, and not once"),
        (" = ", "", (), "its old text stands 4 times in rules, and not once"),
        ("first = 1", "first", (), "it cannot be built:\nrules: no rule"),
        ("first = 1", "first = 0", ("first = 1",), "without the mutation first = 1 does not pass: test of first = 1"),
        ("fourth = 4", "fourth = 0", ("long",), "without the mutation long fails, too: test of third = 3"),
    ],
    ids=["not there", "several times", "cannot be built", "a test that fails anyway", "a lane that fails anyway"],
)
def test_what_cannot_be_told_of_is_an_error_and_not_caught(tmp_path, old, new, broken, why):
    toy = Toy(tmp_path, broken)
    result = mutate.Trial(toy).judge(mutation(old, new))
    assert (result.outcome, result.why) == ("ERROR", why)
    assert toy.text == SOURCE


def test_the_table_json_and_the_status(tmp_path, capsys):
    rows = [mutation("first = 1", "first = 0"), mutation("fourth = 4", "fourth = 0", name="another")]
    kept = tmp_path / "results.json"
    status = mutate.try_all(mutate.Trial(Toy(tmp_path)), rows, [], lambda now: kept.write_text(mutate.as_json(now)))
    said = capsys.readouterr().out.splitlines()
    assert status == 1
    assert said[0] == "==> 2 mutations; first their tests without any"
    assert said[1].startswith("1/2 a-name: caught: make test, test of first = 1 (0 s)")
    assert "a-name    rules  make test  test of first = 1  0" in said
    assert "2 mutations: 1 make test, 1 SURVIVED" in said
    assert said[-1] == "SURVIVED another: nothing of make test and make test-all fails"
    results = mutate.from_json(kept.read_text())
    assert [one.outcome for one in results] == ["caught", "SURVIVED"]
    changed = replace(rows[0], new="first = 9")
    assert list(mutate.known(kept, rows)) == results[:1], "what survived is tried again"
    assert list(mutate.known(kept, [changed])) == []
    toy = Toy(tmp_path)
    assert mutate.try_all(mutate.Trial(toy), rows[:1], mutate.known(kept, rows), pytest.fail) == 0
    assert toy.ran == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("[[mutation]]\nname = 'x'\ntests = ['t']\n", "mutation 'x': .*what"),
        ("[[mutation]]\nname = 'x'\ntests = []\n", "mutation 'x': list index out of range"),
        ("[[mutation]]\nname = 'x'\n", "mutation 'x': 'tests'"),
        (2 * "[[mutation]]\nname='x'\nwhat='w'\nfile='f'\nold='o'\nnew='n'\ntests=['t']\n", "more than once: x"),
    ],
)
def test_faulty_rows_are_named(tmp_path, rows, message):
    file = tmp_path / "rows.toml"
    file.write_text(rows)
    with pytest.raises(mutated_tree.CannotRun, match=message):
        mutate.read_mutations(file)


def test_every_row_can_be_put_in_and_most_parts_have_some():
    """So that whoever changes such a line changes the row."""
    rows = mutate.read_mutations(mutate.ROWS)
    assert {one.name: wrong for one in rows if (wrong := mutate.fault_of(one, mutate.ROOT))} == {}
    assert len(rows) >= 40
    for test in {test for one in rows for test in one.tests if not test.startswith("core ")}:
        file, _, name = test.partition("::")
        assert f"def {name}" in (mutate.ROOT / file).read_text(), test
    parts = ("core/network", "core/plan", "core/choose", "core/algorithms", "core/decide", "runtime/execute/trees")
    parts += (
        "runtime/execute/rounds",
        "runtime/execute/multicast",
        "runtime/transport/mpi",
        "runtime/transport/memory",
    )
    parts += ("runtime/transport/datagram", "runtime/startup", "runtime/datatype", "runtime/trace", "runtime/intercept")
    assert [part for part in parts if not any(one.file.startswith(part) for one in rows)] == []


def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path):
    words = ["sh", "-c", f"setsid sleep 600 & echo $! >{tmp_path}/pid; wait"]
    assert mutated_tree.run(words, tmp_path, {"PATH": "/bin:/usr/bin"}, 0.5, tmp_path / "log") is None
    pid = int((tmp_path / "pid").read_text())
    state = Path(f"/proc/{pid}/stat")
    assert not state.exists() or state.read_text().rsplit(")")[-1].split()[0] == "Z"
