"""What jobs that learn keep for jobs to come: these run it from their first call on, whatever becomes of its files."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import BUILD, Mpi
from test_learning import RANKS, learns

from trunkline import _core

SLOW = {"slow_us": 20000, "TRUNKLINE_HOST_COSTS": "shared=500us"}
"""Native calls take 20 ms more than they are predicted to: another algorithm is found, wherever calls ran at first."""
FEW, MANY = "12", "250"
"""Turns of the program: too few for trials to settle, and enough."""
BYTES = 20000
"""Of the program's calls, but for sums of floating-point numbers."""


FirstJob = Callable[[Mpi, Path], Path]


def entries(folder: Path) -> list[_core.LearnedEntry]:
    """Of all files, which are whole."""
    return [entry for file in folder.glob("*.yaml") for entry in _core.read_learned(str(file)).entries]


def is_of_world(one: dict[str, object]) -> bool:
    """Whether it is a call on a communicator of all ranks of a kind that is tried.

    First calls on a duplicate may be native until it pays to agree on its number.
    """
    is_call = one["event"] == "call" and one["communicator_size"] == RANKS
    return is_call and one["bytes"] == BYTES and one["chosen_by"] != "none"


def first_calls(said: list[dict[str, object]]) -> dict[tuple[object, object], object]:
    """What the first call of each collective and root ran."""
    ran: dict[tuple[object, object], object] = {}
    for one in filter(is_of_world, said):
        ran.setdefault((one["collective"], one.get("root", 0)), one["algorithm"])
    return ran


def of_world(found: list[_core.LearnedEntry], collective: str) -> list[_core.LearnedEntry]:
    return [one for one in found if one.collective == collective and one.ranks == RANKS]


@pytest.fixture(scope="module")
def first_job(tmp_path_factory: pytest.TempPathFactory) -> FirstJob:
    """A folder with what a job of a library has found, which runs once for all tests."""
    folders: dict[str, Path] = {}

    def kept(mpi: Mpi, folder: Path) -> Path:
        if mpi.name not in folders:
            made = tmp_path_factory.mktemp("first")
            learns(mpi, made, MANY, **SLOW, TRUNKLINE_LEARNED=str(made / "kept"))
            folders[mpi.name] = made / "kept"
        return Path(shutil.copytree(folders[mpi.name], folder / "kept"))

    return kept


def test_the_next_job_runs_what_was_found_from_its_first_call_on(any_mpi: Mpi, tmp_path: Path, first_job: FirstJob):
    kept = first_job(any_mpi, tmp_path)
    found = entries(kept)
    for collective in ("bcast", "allreduce"):
        assert of_world(found, collective), "nothing was found"
        assert all(one.jobs == 1 and one.trial_calls > 0 for one in of_world(found, collective))
    _, said = learns(any_mpi, tmp_path, FEW, **SLOW, TRUNKLINE_LEARNED=str(kept))
    wanted = {
        (one.collective, one.root): one.algorithm for name in ("bcast", "allreduce") for one in of_world(found, name)
    }
    ran = first_calls(said)
    assert {calls: ran[calls] for calls in wanted} == wanted
    known = [one for one in said if one["event"] == "known"]
    assert {one["collective"] for one in known} == {"bcast", "allreduce"}
    assert all(one["jobs"] == 1 for one in known)
    again = {(one.collective, one.root, one.ranks): one for one in entries(kept)}
    assert {(one.collective, one.root, one.ranks) for one in found} <= again.keys()
    assert any(one.jobs == 2 for one in again.values())


def test_only_known_runs_what_was_found_and_tries_nothing(mpi: Mpi, tmp_path: Path, first_job: FirstJob):
    kept = first_job(mpi, tmp_path)
    before = {file: file.read_bytes() for file in kept.iterdir()}
    found = of_world(entries(kept), "allreduce")
    ran, said = learns(mpi, tmp_path, "40", **SLOW, TRUNKLINE_LEARN="only-known", TRUNKLINE_LEARNED=str(kept))
    calls = {(one["collective"], one.get("root", 0), one["algorithm"]) for one in said if is_of_world(one)}
    assert len(calls) == len({one[:2] for one in calls}), calls
    assert ran["allreduce of int"][0] in {one.algorithm for one in found}
    assert not [one for one in said if one["event"] == "learned"]
    assert before == {file: file.read_bytes() for file in kept.iterdir()}
    ran, said = learns(mpi, tmp_path, FEW, **SLOW, TRUNKLINE_LEARN="only-known", TRUNKLINE_LEARNED=str(tmp_path / "no"))
    assert {one["chosen_by"] for one in said if is_of_world(one)} == {"prediction"}


def test_a_file_that_cannot_be_read_is_told_and_replaced(mpi: Mpi, tmp_path: Path, first_job: FirstJob):
    kept = first_job(mpi, tmp_path)
    [file] = kept.iterdir()
    file.write_text(file.read_text().replace("algorithm: ", "algorithm: no-", 1))
    _, said = learns(mpi, tmp_path, MANY, **SLOW, TRUNKLINE_LEARNED=str(kept))
    warnings = [one["message"] for one in said if one["event"] == "warning"]
    assert len(warnings) == 1, warnings
    assert f"{file}:" in warnings[0]
    assert "is called 'no-" in warnings[0]
    assert not [one for one in said if one["event"] == "known"]
    assert of_world(entries(kept), "bcast")


def test_a_folder_that_cannot_be_written_is_told_at_the_end(mpi: Mpi, tmp_path: Path):
    (tmp_path / "file").touch()
    _, said = learns(mpi, tmp_path, MANY, **SLOW, TRUNKLINE_LEARNED=str(tmp_path / "file" / "kept"))
    [warning] = [one["message"] for one in said if one["event"] == "warning"]
    assert "cannot be written: Not a directory" in warning
    assert "what this job has found is not kept" in warning


def test_a_job_that_is_killed_while_it_writes_leaves_the_file_as_it_was(mpi: Mpi, tmp_path: Path, first_job: FirstJob):
    kept = first_job(mpi, tmp_path)
    [file] = kept.iterdir()
    before = file.read_bytes()
    dies = f"{BUILD}/tests/runtime/libruntime-die-in-rename.so"
    learns(mpi, tmp_path, FEW, more=dies, status=None, TRUNKLINE_LEARNED=str(kept), **{**SLOW, "slow_us": 0})
    assert file.read_bytes() == before
    assert [one.name for one in kept.iterdir() if one != file], "it was killed before it wrote"
    _, said = learns(mpi, tmp_path, FEW, **SLOW, TRUNKLINE_LEARNED=str(kept))
    assert [one for one in said if one["event"] == "known"]
    assert not [one for one in said if one["event"] == "warning"]


DEALT = 'r=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}; export TRUNKLINE_HOST=h$((r % 2 * 3 + r / 2)); exec "$@"'
MIRRORED = 'r=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}; export TRUNKLINE_HOST=h$((5 - r)); exec "$@"'


def test_other_placements_have_other_files(mpi: Mpi, tmp_path: Path):
    """Ranks that are dealt over the switches are others; the same ranks from the other end are not."""
    kept = tmp_path / "kept"
    for words, files in ((DEALT, 1), (MIRRORED, 2)):
        learns(mpi, tmp_path, MANY, per_rank=["sh", "-c", words, "sh"], **SLOW, TRUNKLINE_LEARNED=str(kept))
        assert len(list(kept.iterdir())) == files
    _, said = learns(mpi, tmp_path, FEW, **SLOW, TRUNKLINE_LEARNED=str(kept))
    assert [one for one in said if one["event"] == "known"]
    assert len(list(kept.iterdir())) == 2


def test_a_site_hands_out_what_was_found(mpi: Mpi, tmp_path: Path, first_job: FirstJob):
    site, own = first_job(mpi, tmp_path), tmp_path / "own"
    before = {file: file.read_bytes() for file in site.iterdir()}
    _, said = learns(mpi, tmp_path, FEW, **SLOW, TRUNKLINE_LEARNED=f"{own}:{site}")
    assert [one for one in said if one["event"] == "known"]
    assert before == {file: file.read_bytes() for file in site.iterdir()}
    assert {one.jobs for one in entries(own)} == {2}


@pytest.mark.parametrize("elsewhere", ["/nowhere", "0"])
def test_rank_0_alone_reads(mpi: Mpi, tmp_path: Path, first_job: FirstJob, elsewhere: str):
    """The program checks that all ranks run the same."""
    kept = first_job(mpi, tmp_path)
    words = f'test "$TRUNKLINE_HOST" = h0 || export TRUNKLINE_LEARNED={elsewhere}; exec "$@"'
    others = "TRUNKLINE_HOST=h${PMI_RANK:-$OMPI_COMM_WORLD_RANK}; export TRUNKLINE_HOST; " + words
    _, said = learns(mpi, tmp_path, FEW, per_rank=["sh", "-c", others, "sh"], **SLOW, TRUNKLINE_LEARNED=str(kept))
    assert [one for one in said if one["event"] == "known" and one["rank"] == 0]


def test_two_jobs_that_end_at_once_leave_a_whole_file(mpi: Mpi, tmp_path: Path):
    kept = tmp_path / "kept"
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor() as together:
        list(together.map(lambda folder: learns(mpi, folder, MANY, **SLOW, TRUNKLINE_LEARNED=str(kept)), folders))
    [file] = kept.iterdir()
    assert of_world(_core.read_learned(str(file)).entries, "bcast")


def test_the_users_cache_is_where_it_is_kept(mpi: Mpi, tmp_path: Path):
    learns(mpi, tmp_path, MANY, **SLOW, TRUNKLINE_LEARNED="", XDG_CACHE_HOME=str(tmp_path))
    assert of_world(entries(tmp_path / "trunkline" / "learned"), "bcast")


@pytest.mark.parametrize("settings", [{"TRUNKLINE_LEARN": "0"}, {"TRUNKLINE_REPRODUCIBLE": "1"}])
def test_jobs_that_do_not_learn_neither_read_nor_write(mpi: Mpi, tmp_path: Path, settings: dict[str, str]):
    learns(mpi, tmp_path, FEW, TRUNKLINE_LEARNED=str(tmp_path / "kept"), **settings)
    assert not (tmp_path / "kept").exists()
