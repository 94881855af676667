"""``trunkline learned``: what jobs have kept is listed, shown, forgotten and merged."""

import time
from pathlib import Path

import pytest

from trunkline import _core
from trunkline.learned import folders

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "tests" / "fuzz" / "corpus" / "learned" / "two-calls.yaml").read_text()
DAY_S = 86400


def keep(folder: Path, text: str = TEXT) -> Path:
    """As a job does."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / _core.parse_learned(text, "").jobs.file_name()
    file.write_text(text)
    return file


def used(days_ago: float, text: str = TEXT) -> str:
    """Its broadcasts were of use so long ago."""
    return text.replace("2026-11-29T15:40:24Z", _core.utc_text(int(time.time() - days_ago * DAY_S)))


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The folder that jobs write to."""
    monkeypatch.setenv("TRUNKLINE_LEARNED", f"{tmp_path / 'own'}:{tmp_path / 'site'}")
    return tmp_path / "own"


def test_where_jobs_look(monkeypatch):
    monkeypatch.delenv("TRUNKLINE_LEARNED", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert folders() == [Path("/cache/trunkline/learned"), Path("/etc/trunkline/learned")]
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", "/home/me")
    assert folders()[0] == Path("/home/me/.cache/trunkline/learned")


def test_the_folders_are_those_of_the_preload_library():
    source = (ROOT / "runtime" / "learned" / "memory.cpp").read_text()
    assert '"/etc/trunkline/learned"' in source
    assert '"/trunkline/learned"' in source


def test_a_list_of_all_folders(trunkline, own):
    files = [keep(own, used(3)), keep(own.parent / "site", TEXT.replace("ranks: 8", "ranks: 12", 1))]
    listed = trunkline("learned", "list", "--json", "-").data
    assert [one["file"] for one in listed] == [str(file) for file in files]
    assert [one["ranks"] for one in listed] == [8, 12]
    assert listed[0]["entries"] == 2
    assert listed[0]["cluster_fingerprint"] == "00000000000000ff"
    out = trunkline("learned", "list").out
    assert "cyclic" in out
    assert "3 days ago" in out
    assert trunkline("learned", "list", own, "--json", "-").data == listed[:1]


def test_nothing_is_kept(trunkline, own):
    ran = trunkline("learned", "list")
    assert ran.status == 0
    assert f"nothing is kept in {own}" in ran.error
    assert trunkline("learned", "list", "--json", "-").data == []


def test_faulty_files_and_renamed_ones_are_told(trunkline, own):
    file = keep(own)
    file.write_text(TEXT.replace("linear", "lineal"))
    other = own / "mpich-renamed.yaml"
    other.write_text(TEXT)
    ran = trunkline("learned", "list", "--json", "-")
    assert ran.data == []
    assert f"{file}:17:16: no algorithm of bcast is called 'lineal'" in ran.error
    assert f"{other}: jobs look for it as {file.name}" in ran.error


def test_show_takes_a_part_of_a_name(trunkline, own, refused):
    file = keep(own, used(0))
    shown = trunkline("learned", "show", file.name[-12:-5], "--json", "-").data
    [of_allreduce, of_bcast] = sorted(shown["entries"], key=lambda entry: entry["collective"])
    assert of_bcast["algorithm"] == "linear"
    assert of_bcast["segment_bytes"] == 1408
    assert of_bcast["root"] == 3
    assert [arm["median_s"] for arm in of_bcast["arms"]] == [2e-3, 1.25e-3]
    assert of_allreduce["root"] is None
    assert of_allreduce["by_rank"]
    out = trunkline("learned", "show", file).out
    assert "linear:1408" in out
    assert "1.25 ms" in out
    assert "allreduce, by rank" in out
    assert "has 'elsewhere' in its name" in refused("learned", "show", "elsewhere")
    keep(own.parent / "site")
    assert "is in the names of 2 files" in refused("learned", "show", "mpich")


def test_entries_are_due_once_they_have_been_used(trunkline, own):
    file = keep(own, TEXT.replace("calls: 1200", "calls: 90000"))
    assert "linear:1408 (due)" in trunkline("learned", "show", file).out


def test_forget_one(trunkline, own):
    file, other = keep(own), keep(own, TEXT.replace("ranks: 8", "ranks: 12", 1))
    assert f"{file}: removed" in trunkline("learned", "forget", file.name).error
    assert list(own.iterdir()) == [other]


def test_forget_all_is_about_the_own_folder(trunkline, own):
    file, of_site = keep(own), keep(own.parent / "site")
    (own / f"{file.name}.0-0123456789abcdef.part").touch()
    (own / "notes.txt").touch()
    assert "2 files removed" in trunkline("learned", "forget", "--all").error
    assert [one.name for one in own.iterdir()] == ["notes.txt"]
    assert of_site.exists()


def test_forget_what_was_not_used_for_long(trunkline, own):
    recent = _core.utc_text(int(time.time() - DAY_S))
    text = used(100).replace("2026-02-28T00:00:00Z", recent)
    file = keep(own, text)
    keep(own, text.replace("ranks: 8", "ranks: 12", 1).replace(recent, "2020-01-01T00:00:00Z"))
    assert "3 entries forgotten" in trunkline("learned", "forget", "--older-than", "90").error
    assert list(own.iterdir()) == [file]
    assert [one.collective for one in _core.read_learned(str(file)).entries] == ["allreduce"]
    assert "0 entries forgotten" in trunkline("learned", "forget", "--older-than", "90", file.name).error


@pytest.mark.parametrize("words", [(), ("--all", "--older-than", "3"), ("x", "--all")])
def test_what_is_forgotten_must_be_said(refused, own, words):
    assert "say what to forget" in refused("learned", "forget", *words)


def test_merge_has_a_file_for_jobs_that_are_alike(trunkline, tmp_path):
    keep(tmp_path / "a", used(3))
    newer = used(1).replace("segment: 1408B", "segment: 704B")
    keep(tmp_path / "b", newer)
    keep(tmp_path / "b", TEXT.replace("ranks: 8", "ranks: 12", 1))
    for _ in range(2):  # what is there counts
        trunkline("learned", "merge", tmp_path / "a", tmp_path / "b", "--to", tmp_path / "site")
        listed = trunkline("learned", "list", tmp_path / "site", "--json", "-").data
        assert sorted((one["ranks"], one["entries"]) for one in listed) == [(8, 2), (12, 2)]
    [file] = [one["file"] for one in listed if one["ranks"] == 8]
    assert Path(file).read_text() == _core.write_learned(_core.parse_learned(newer, ""))


def test_merge_of_nothing(refused, tmp_path):
    assert "none of these places" in refused("learned", "merge", tmp_path, "--to", tmp_path / "site")
    file = tmp_path / "file.txt"
    file.touch()
    assert "is neither a folder nor a .yaml file" in refused("learned", "merge", file, "--to", tmp_path / "site")


def test_a_folder_that_cannot_be_made(refused, tmp_path):
    keep(tmp_path / "a")
    (tmp_path / "file").touch()
    assert "cannot make the folder" in refused("learned", "merge", tmp_path / "a", "--to", tmp_path / "file" / "site")


def test_nothing_is_kept_by_setting(refused, monkeypatch):
    monkeypatch.setenv("TRUNKLINE_LEARNED", "0")
    assert "TRUNKLINE_LEARNED=0" in refused("learned", "list")
