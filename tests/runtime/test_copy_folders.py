"""`trunkline copy` of folders, where ranks of one machine count as hosts: what each host makes, and what it refuses."""

import os
import stat
from pathlib import Path

import pytest
from conftest import Mpi
from copies import BLOCK, YEAR_2020_NS, copy, reasons

OTHER = 12345
"""A user who is none here."""


def contents(folder: Path) -> dict[str, tuple]:
    """All below a folder: where links lead, the bytes of files, rights and times."""
    found: dict[str, tuple] = {}
    for path in (folder, *folder.rglob("*")):
        there = path.lstat()
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_dir():
            found[name] = ("folder", stat.S_IMODE(there.st_mode), there.st_mtime_ns)
        else:
            found[name] = ("file", stat.S_IMODE(there.st_mode), there.st_mtime_ns, path.read_bytes())
    return found


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Files in folders, one of which may not be written to; an empty one; links of all kinds."""
    folder = tmp_path / "from" / "my tree"
    (folder / "sub" / "deeper").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "sub" / "big").write_bytes(os.urandom(3 * BLOCK + 17))
    (folder / "sub" / "deeper" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "sub" / "deeper" / "run.sh").chmod(0o751)
    (folder / "nothing").touch()
    (folder / "inside").symlink_to("sub/big")
    (folder / "sub" / "outside").symlink_to("/etc/passwd")
    (folder / "sub" / "above").symlink_to("../../../..")
    (folder / "sub" / "folder").symlink_to("deeper")
    (folder / "broken").symlink_to("no such file")
    for path in (folder / "sub" / "big", folder / "sub" / "deeper", folder / "empty", folder / "sub", folder):
        os.utime(path, ns=(YEAR_2020_NS, YEAR_2020_NS))
    (folder / "sub" / "deeper").chmod(0o555)
    return folder


def test_all_that_is_in_a_folder(any_mpi: Mpi, tmp_path: Path, source: Path):
    """Once more, nothing is sent but what has changed."""
    to, wanted = tmp_path / "to", contents(source)
    single = tmp_path / "single"
    single.write_text("beside it")
    results, done = copy(any_mpi, to, source, single)
    assert [(one["files"], one["bytes"], one["failures"], one["left_out"]) for one in results] == [
        (3, 3 * BLOCK + 17 + 10, [], []),
        (1, 9, [], []),
    ]
    assert f"trunkline copy: {source}: 49.2 kB in 3 files on 3 hosts" in done.err
    for rank in range(3):
        there = to / f"h{rank}"
        assert sorted(path.name for path in there.iterdir()) == ["my tree", "single"]
        assert contents(there / source.name) == wanted
    (to / "h1" / source.name / "sub" / "big").write_bytes(b"changed")
    (to / "h2" / source.name / "broken").unlink()
    (to / "h2" / source.name / "of my own").touch()
    (result,), _ = copy(any_mpi, to, source)
    assert (result["failures"], result["sent_bytes"]) == ([], 3 * BLOCK + 17)
    assert contents(to / "h1" / source.name) == wanted
    (to / "h2" / source.name / "of my own").unlink()
    os.utime(to / "h2" / source.name, ns=(YEAR_2020_NS, YEAR_2020_NS))
    assert contents(to / "h2" / source.name) == wanted


def test_what_is_in_the_way_of_a_folder(mpi: Mpi, tmp_path: Path, source: Path):
    """A link where a folder is to be leads nothing out of the copy; the other hosts get all of it."""
    to, theirs = tmp_path / "to", tmp_path / "theirs"
    (theirs / "deeper").mkdir(parents=True)
    for rank in range(6):
        (to / f"h{rank}" / source.name).mkdir(parents=True)
    at = [to / f"h{rank}" / source.name for rank in range(6)]
    (at[1] / "sub").symlink_to(theirs)
    (at[2] / "sub").write_text("no folder")
    (at[3] / "broken").mkdir()
    at[4].rmdir()
    at[4].symlink_to(theirs)
    wrong = {
        "h1": f"{at[1]}/sub is no folder: remove it",
        "h2": f"{at[2]}/sub is no folder: remove it",
        "h3": f"{at[3]}/broken is a folder",
        "h4": f"{at[4]} is no folder: remove it",
    }
    if os.geteuid() == 0:
        os.chown(at[5], OTHER, OTHER)
        wrong["h5"] = f"{at[5]} is another user's folder: remove it"
    (result,), _ = copy(mpi, to, source, ranks=6, status=1)
    assert {host: reason.partition(" (and ")[0] for host, reason in reasons(result).items()} == wrong
    assert reasons(result)["h3"] == wrong["h3"], "one alone"
    assert " more)" in reasons(result)["h1"]
    assert [path.name for path in theirs.rglob("*")] == ["deeper"]
    assert contents(at[0]) == contents(source)
    assert (at[2] / "sub").read_text() == "no folder"
    assert "h5" not in wrong or list(at[5].iterdir()) == [], "nothing is put into what is another user's"


def test_what_an_earlier_copy_has_left_is_no_file_of_the_folder(mpi: Mpi, tmp_path: Path, source: Path):
    """The hidden name of a copy would be taken for its part."""
    left = source / ".small.trunkline-part"
    left.write_text("a part")
    (source / "small").write_text("whole")
    (result,), _ = copy(mpi, tmp_path / "to", source, status=1)
    assert result["left_out"] == [f"{left}: it is a part of a copy that was not finished"]
    assert (tmp_path / "to" / "h2" / source.name / "small").read_text() == "whole"


def test_what_cannot_be_copied_is_named_and_the_rest_is(mpi: Mpi, tmp_path: Path, source: Path):
    os.mkfifo(source / "pipe")
    (result,), done = copy(mpi, tmp_path / "to", source, status=1)
    assert result["left_out"] == [f"{source}/pipe: it is no regular file"]
    assert f"trunkline: left out: {source}/pipe: it is no regular file" in done.err
    (source / "pipe").unlink()
    os.utime(source, ns=(YEAR_2020_NS, YEAR_2020_NS))
    there = tmp_path / "to" / "h2" / source.name
    os.utime(there, ns=(YEAR_2020_NS, YEAR_2020_NS))
    assert contents(there) == contents(source)


def test_a_folder_into_itself_or_where_it_is(mpi: Mpi, tmp_path: Path, source: Path):
    """The one is refused; of the other, rank 0's host keeps what it has."""
    before = contents(source)
    more = ("--to", source / "sub")
    (result,), _ = copy(mpi, tmp_path / "to", source, more=more, status=1)
    assert result["failure"] == f"{source}/sub would be copied into itself: copies go there"
    os.utime(source / "sub", ns=(YEAR_2020_NS, YEAR_2020_NS))
    assert contents(source) == before
    (result,), _ = copy(mpi, tmp_path / "to", source, more=("--to", source.parent), ranks=1)
    assert (result["failures"], result["left_out"]) == ([], [])
    assert contents(source) == before


def test_a_folder_without_a_name(mpi: Mpi, tmp_path: Path, source: Path):
    """Its copy would be above the folder that it is to be in."""
    (result,), _ = copy(mpi, tmp_path / "to", source / "sub" / "..", status=1)
    assert result["failure"] == (
        f"{source}/sub/.. has no name that a copy could have: name the folder as its parent has it"
    )
    assert sorted(path.name for path in (tmp_path / "to").rglob("*")) == ["h0", "h1", "h2"]
