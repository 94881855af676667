"""What each change waits for: whose turn it is, how often jobs are started, and what is told of it in the end."""

import os
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path

import chosen
import pytest
import tiers

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(chosen.__file__).parent
LIBRARIES = ["mpich", "mpich-5.0.2", "openmpi", "openmpi-5.0.11"]


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A branch off the main one; commits a file and gives the commit's hash, which is the same each time."""
    said = {"NAME": "a", "EMAIL": "a@b", "DATE": "2026-01-01T00:00:00Z"}
    identity = {f"GIT_{who}_{what}": text for who in ("AUTHOR", "COMMITTER") for what, text in said.items()}

    def git(*words):
        words = ["git", "-c", "init.defaultBranch=main", *words]
        return subprocess.run(
            words, cwd=tmp_path, check=True, capture_output=True, text=True, env=os.environ | identity
        )

    def commit(file):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("")
        git("add", file)
        git("commit", "-m", file)
        return git("rev-parse", "HEAD").stdout.strip()

    git("init")
    commit("README.md")
    git("checkout", "-b", "change")
    monkeypatch.setattr(chosen, "ROOT", tmp_path)
    for name in ("BASE", "TURN"):
        monkeypatch.delenv(name, raising=False)
    return commit


def test_a_commit_has_one_library_and_all_have_their_turn(repository):
    seen = set()
    for number in range(16):
        commit = repository(f"docs/{number}.md")
        choice = chosen.choice_of(chosen.BY_TURN, LIBRARIES)
        assert choice == chosen.choice_of(chosen.BY_TURN, LIBRARIES)
        assert f"under {choice.one}, whose turn it is by commit {commit[:8]}; the same again: " in choice.why
        assert choice.touched == ()
        seen.add(choice.one)
    assert seen == set(LIBRARIES)


def test_a_commit_may_be_given_and_has_the_same_turn(repository, monkeypatch):
    commit = repository("docs/page.md")
    choice = chosen.choice_of(chosen.BY_TURN, LIBRARIES)
    repository("docs/other.md")
    monkeypatch.setenv("TURN", commit)
    assert chosen.choice_of(chosen.BY_TURN, LIBRARIES) == choice
    monkeypatch.setenv("TURN", "HEAD")
    with pytest.raises(ValueError, match="TURN=HEAD: must be a commit's hash"):
        chosen.choice_of(chosen.BY_TURN, LIBRARIES)


@pytest.mark.parametrize("committed", [True, False])
@pytest.mark.parametrize(
    ("file", "touched"),
    [
        ("runtime/transport/memory/slots.cpp", ("runtime/transport",)),
        ("copy/main.cpp", ("test_copy*.py",)),
        ("tests/runtime/test_copy.py", ("test_copy*.py",)),
        ("runtime/transports.cpp", ()),
    ],
)
def test_what_a_change_touches_is_seen(repository, tmp_path, committed, file, touched):
    if committed:
        repository(file)
        repository("docs/other.md")
    else:
        repository("docs/other.md")
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("")
    choice = chosen.choice_of(chosen.BY_TURN, LIBRARIES)
    assert choice.touched == touched
    assert all(one in choice.why for one in touched)


def test_a_library_of_choice_and_none_at_all(repository):
    assert chosen.choice_of("mpich-5.0.2", LIBRARIES).one == "mpich-5.0.2"
    assert chosen.choice_of(chosen.ALL, LIBRARIES).one is None
    with pytest.raises(ValueError, match="there is no MPI library 'lam' here; there are: mpich, "):
        chosen.choice_of("lam", LIBRARIES)


def test_where_there_is_no_commit_the_first_library_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(chosen, "ROOT", tmp_path)
    monkeypatch.delenv("TURN", raising=False)
    assert chosen.choice_of(chosen.BY_TURN, LIBRARIES).one == "mpich"


def rows(file, test, count, libraries=LIBRARIES, any_version=False):
    """Of a test, under each library."""
    return [chosen.Case(file, test, number, one, any_version) for one in libraries for number in range(count)]


def of_turns(cases, touched=(), turns=range(0, 30_000, 31)):
    """What runs in many changes, by change."""
    choices = [chosen.Choice(LIBRARIES[turn % 4], "", turn, touched) for turn in turns]
    return [(choice, chosen.of_a_change(cases, choice)) for choice in choices]


def test_a_change_runs_a_row_of_each_test_under_one_library_and_all_have_their_turn():
    cases = rows("test_a.py", "test_a", 5) + rows("test_a.py", "test_b", 3) + [chosen.Case("test_a.py", "test_c", 0)]
    changes = of_turns(cases)
    for choice, run in changes:
        assert sorted(case.test for case in run) == ["test_a", "test_b", "test_c"]
        assert {case.library for case in run} == {choice.one, None}
    assert set().union(*(run for _, run in changes)) == set(cases)


def test_what_any_version_serves_runs_under_that_of_the_family():
    for choice, run in of_turns(rows("test_a.py", "test_a", 2, ["mpich", "openmpi"], any_version=True)):
        assert [case.library for case in run] == [choice.one.partition("-")[0]]


def test_rows_that_are_many_cases_run_all():
    file, _, test = chosen.ALL_ROWS[0].partition("::")
    assert all(len(run) == 6 for _, run in of_turns(rows(file, test, 6)))


def test_a_file_about_a_folder_runs_one_test_until_that_changes():
    cases = rows("test_copy.py", "test_a", 2) + rows("test_copy.py", "test_b", 1)
    untouched, touched = of_turns(cases), of_turns(cases, ("test_copy*.py",))
    assert all(len(run) == 1 for _, run in untouched)
    assert {case.test for _, run in untouched for case in run} == {"test_a", "test_b"}
    assert all({case.test for case in run} == {"test_a", "test_b"} for _, run in touched)


def test_a_folder_that_speaks_with_libraries_has_cases_under_all_of_them():
    area, places = next(iter(chosen.UNDER_ALL.items()))
    file, _, test = places[0].partition("::")
    cases = rows(file, test, 3) + rows(file, "test_another", 1)
    for choice, run in of_turns(cases, (area,)):
        assert sorted(case.library for case in run if case.test == test) == LIBRARIES
        assert [case.library for case in run if case.test != test] == [choice.one]


def test_what_is_touched_runs_by_turns_where_it_is_too_much():
    cases = [case for number in range(2 * chosen.MOST_MORE) for case in rows("test_copy.py", f"test_{number}", 1)]
    changes = of_turns(cases, ("test_copy*.py",))
    assert all(len(run) == chosen.MOST_MORE + 1 for _, run in changes)
    assert set().union(*(run for _, run in changes)) == set(cases)


@pytest.mark.parametrize("case", sorted({*chain(*chosen.UNDER_ALL.values()), *chosen.SUBJECTS, *chosen.ALL_ROWS}))
def test_chosen_cases_are_there(case):
    file, _, test = case.partition("::")
    texts = [found.read_text() for found in (ROOT / "tests" / "runtime").glob(file)]
    assert any(f"def {test}(" in text if test else text for text in texts)


@pytest.mark.parametrize("place", sorted({*chosen.UNDER_ALL, *chain(*chosen.SUBJECTS.values())}))
def test_folders_are_there(place):
    assert (ROOT / place).is_dir()


@pytest.mark.parametrize(
    ("file", "case"),
    [(file, case) for table in (tiers.LAB_SMOKE, tiers.THOROUGH) for file in table for case in table[file]],
)
def test_cases_of_tiers_are_there(file, case):
    text = (ROOT / "tests" / file).read_text()
    assert case == tiers.WHOLE_FILE or f"def {case.partition('[')[0]}(" in text


JOBS = """\
import subprocess, pytest
@pytest.mark.parametrize("count", [0, 1, 2])
def test_jobs(count):
    for _ in range(count):
        subprocess.run(["env", "A=B", "./mpiexec.mpich", "-n", "2"], check=True)
    subprocess.run(["true"], check=True)
"""


@pytest.mark.parametrize(("most", "status"), [("3", 0), ("2", 1)])
@pytest.mark.parametrize("workers", ["0", "2"])
def test_starts_are_counted_over_all_workers_and_may_be_too_many(tmp_path, most, status, workers):
    (tmp_path / "mpiexec.mpich").write_text("#!/bin/sh\n")
    (tmp_path / "mpiexec.mpich").chmod(0o755)
    (tmp_path / "test_jobs.py").write_text(JOBS)
    (tmp_path / "conftest.py").write_text(
        f"from starts import Starts\ndef pytest_configure(config): config.pluginmanager.register(Starts({most}))\n"
    )
    words = [sys.executable, "-m", "pytest", "-q", "-n", workers, "-c", "/dev/null", "--rootdir", ".", "test_jobs.py"]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": str(SHARED)}
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert f"note: 3 starts of mpiexec (at most {most}), most of them by test_jobs.py 3" in done.stdout
    assert ("FAILED: too many starts of mpiexec" in done.stdout) == (status == 1)


TESTS = """\
import pytest
def test_needs_what_is_missing():
    pytest.skip("there is no zsh")
@pytest.mark.skipif(True, reason="only root becomes another user")
def test_needs_rights(): pass
"""


@pytest.mark.parametrize(("tier", "outcomes"), [("change", "1 failed, 1 skipped"), ("all", "2 skipped")])
def test_what_each_change_is_to_run_and_cannot_has_failed(tmp_path, tier, outcomes):
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    words = [sys.executable, "-m", "pytest", "-q", "--tier", tier, "-c", "/dev/null", "--rootdir", ".", "test_it.py"]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": str(SHARED)}
    )
    assert outcomes in done.stdout, done.stdout + done.stderr
    assert ("Each change is to run this" in done.stdout) == (tier == "change")


XML = """\
<testsuites><testsuite tests="4">
<testcase classname="a" name="one"/>
<testcase classname="a" name="two"><failure message="no"/></testcase>
<testcase classname="a" name="two"><error/></testcase>
<testcase classname="a" name="three"><skipped message="there is no zsh"/></testcase>
</testsuite></testsuites>
"""


def beside(folder, *words):
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "beside.py", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def test_a_lane_that_fails_keeps_no_other_from_running(tmp_path):
    first = ("first", "here", f"echo '{XML}' >build/log/first.xml; echo 'note: by turns'; exit 1")
    second, third = ("second", "there", "true"), ("third", "build", "echo it; exit 3")
    status, said = beside(tmp_path, *first, "beside", *second, *third, "then", "last", "there", "true")
    assert status == 1
    rows = [re.split("  +", line.strip()) for line in said.splitlines() if re.search(r"  \d+  ", line)]
    assert [row[:-1] for row in rows] == [
        ["first", "here", "1", "1", "1"],
        ["second", "there", "1", "0", "0"],
        ["third", "build", "0", "1", "0"],
        ["last", "there", "1", "0", "0"],
    ]
    assert "FAILED  first: a.two (build/log/first)" in said
    assert "FAILED  third: status 3 (build/log/third)" in said
    assert "skipped first: 1 x there is no zsh" in said
    assert "first: note: by turns" in said
    assert said.index("second begins") < min(said.index("first FAILED"), said.index("second took"))
    assert said.index("third begins") > said.index("second took")
    assert said.index("last begins") > max(said.index("first FAILED"), said.index("third FAILED"))


def test_results_of_another_time_and_those_that_end_early_are_no_success(tmp_path):
    (tmp_path / "build" / "log").mkdir(parents=True)
    (tmp_path / "build" / "log" / "old.xml").write_text(XML)
    status, said = beside(tmp_path, "old", "here", "true", "torn", "here", "echo '<testsuites>' >build/log/torn.xml")
    assert status == 1
    assert "FAILED  old" not in said
    assert "FAILED  torn: build/log/torn.xml cannot be read" in said


def test_all_well_is_status_0(tmp_path):
    assert beside(tmp_path, "one", "here", "true")[0] == 0
