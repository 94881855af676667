"""The program behind `trunkline copy`, where ranks of one machine count as hosts: what it copies and refuses."""

import fcntl
import os
import stat
from pathlib import Path

import pytest
from conftest import BUILD, ON_OWN_HOST, Mpi
from copies import BLOCK, SETTINGS, YEAR_2020_NS, copy


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Ten blocks and a bit, of another content each."""
    file = tmp_path / "big data.bin"
    file.write_bytes(os.urandom(10 * BLOCK + 1001))
    file.chmod(0o4751)
    os.utime(file, ns=(YEAR_2020_NS, YEAR_2020_NS))
    return file


def test_bytes_rights_and_time(any_mpi: Mpi, tmp_path: Path, source: Path):
    empty = tmp_path / "empty"
    empty.touch()
    results, done = copy(any_mpi, tmp_path / "to", source, empty)
    assert [one["sent_bytes"] for one in results] == [source.stat().st_size, 0]
    assert "ran unaware-linear with segments of 3000B" in done.err
    for rank in range(3):
        there = tmp_path / "to" / f"h{rank}"
        assert sorted(file.name for file in there.iterdir()) == ["big data.bin", "empty"]
        copied = there / source.name
        assert copied.read_bytes() == source.read_bytes()
        assert stat.S_IMODE(copied.stat().st_mode) == 0o4751
        assert copied.stat().st_mtime_ns == YEAR_2020_NS
        assert (there / "empty").stat().st_size == 0


def test_what_is_there_is_not_sent_again(mpi: Mpi, tmp_path: Path, source: Path):
    """Of blocks 0 to 6 everybody has a part, but for block 2 of one host; nobody has the others."""
    folder = tmp_path / "to"
    part = source.read_bytes()[: 7 * BLOCK]
    for rank in range(3):
        (folder / f"h{rank}").mkdir(parents=True)
        own = bytearray(part)
        if rank == 1:
            own[2 * BLOCK + 5] ^= 1
        (folder / f"h{rank}" / f".{source.name}.trunkline-part").write_bytes(own)
    (result,), done = copy(mpi, folder, source, more=("--read-back", "1"))
    assert result["sent_bytes"] == BLOCK + 3 * BLOCK + 1001
    assert "the rest was there" in done.err
    for rank in range(3):
        (file,) = (folder / f"h{rank}").iterdir()
        assert file.read_bytes() == source.read_bytes()
    # Whole files, one of them with another byte: that host alone lacks blocks, all of them.
    changed = folder / "h2" / source.name
    before = changed.stat().st_ino
    changed.write_bytes(b"another" + source.read_bytes()[7:])
    (result,), _ = copy(mpi, folder, source)
    assert result["sent_bytes"] == source.stat().st_size
    assert changed.read_bytes() == source.read_bytes()
    assert changed.stat().st_ino != before
    (result,), _ = copy(mpi, folder, source)
    assert result["sent_bytes"] == 0


def test_hosts_that_cannot_write_are_named_and_the_others_finish(mpi: Mpi, tmp_path: Path, source: Path):
    folder = tmp_path / "to"
    folder.mkdir()
    (folder / "h1").write_text("no folder")
    (folder / "h2" / source.name).mkdir(parents=True)
    (folder / "h3").mkdir()
    with (folder / "h3" / f".{source.name}.trunkline-part").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        (result,), done = copy(mpi, folder, source, ranks=5, status=1)
    assert [(one["host"], one["reason"].partition(": ")[0]) for one in result["failures"]] == [
        ("h1", f"cannot make folder {folder}/h1"),
        ("h2", f"{folder}/h2/{source.name} is a folder"),
        ("h3", f"{folder}/h3/.{source.name}.trunkline-part is being written"),
    ]
    assert f"trunkline: host h2: {folder}/h2/{source.name} is a folder" in done.err
    for rank in (0, 4):
        assert (folder / f"h{rank}" / source.name).read_bytes() == source.read_bytes()
    assert [file.name for file in (folder / "h2").iterdir()] == [source.name]


def test_nowhere_to_write(mpi: Mpi, tmp_path: Path, source: Path):
    (tmp_path / "to").write_text("no folder")
    (result,), _ = copy(mpi, tmp_path / "to", source, status=1)
    assert (len(result["failures"]), result["sent_bytes"]) == (3, 0)


def test_a_source_that_cannot_be_read(mpi: Mpi, tmp_path: Path, source: Path):
    """The other file is copied. A reason is told whole, however long the path before it is."""
    pipe, link_to_pipe, device = tmp_path / "pipe", tmp_path / "link", Path("/dev/null")
    os.mkfifo(pipe)
    link_to_pipe.symlink_to(pipe)
    deep = tmp_path / ("x" * 200) / ("y" * 200)
    deep.mkdir(parents=True)
    too_long = deep / ("z" * 300)
    wrong = [tmp_path / "missing", tmp_path, pipe, link_to_pipe, device, too_long]
    results, done = copy(mpi, tmp_path / "to", *wrong, source, status=1)
    assert [one["failure"] for one in results] == [
        f"cannot read {tmp_path}/missing: No such file or directory",
        f"{tmp_path}/to/h0 would be copied into itself: copies go there",
        f"{pipe} is no regular file",
        f"{link_to_pipe} is no regular file",
        "/dev/null is no regular file",
        f"cannot read {too_long}: File name too long",
        "",
    ]
    assert done.err.count("no host has a new copy") == len(wrong)
    assert (tmp_path / "to" / "h2" / source.name).read_bytes() == source.read_bytes()


def test_one_folder_of_all_hosts_is_written_once(mpi: Mpi, tmp_path: Path, source: Path):
    words = ["--to", tmp_path / "to", "--", source]
    done = mpi.run(3, BUILD / "copy" / f"trunkline-copy-{mpi.name}", *words, per_rank=[ON_OWN_HOST], settings=SETTINGS)
    assert "2 of 3 hosts see another one's" in done.err
    assert (tmp_path / "to" / source.name).read_bytes() == source.read_bytes()
    # The source's own folder: nothing is to be done, and nothing is harmed.
    words = ["--to", tmp_path, "--", source]
    mpi.run(3, BUILD / "copy" / f"trunkline-copy-{mpi.name}", *words, per_rank=[ON_OWN_HOST], settings=SETTINGS)
    assert source.read_bytes() == (tmp_path / "to" / source.name).read_bytes()


def test_several_ranks_of_a_host(mpi: Mpi, tmp_path: Path, source: Path):
    """One of them writes."""
    done = mpi.run(3, BUILD / "copy" / f"trunkline-copy-{mpi.name}", "--to", tmp_path / "to", "--", source)
    assert "on 1 host in" in done.err
    assert (tmp_path / "to" / source.name).read_bytes() == source.read_bytes()


def test_wrong_options(mpi: Mpi, tmp_path: Path):
    done = mpi.run(1, BUILD / "copy" / f"trunkline-copy-{mpi.name}", "--to", tmp_path, status=None)
    assert done.status != 0
    assert "files are needed" in done.err
