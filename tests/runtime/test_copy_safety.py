"""`trunkline copy` into folders that others have changed, or by names that lead elsewhere: theirs stays as it is."""

import os
import shlex
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import BUILD, ON_OWN_HOST, Mpi
from copies import BLOCK, YEAR_2020_NS, copy, reasons, state

OTHER = 12345
"""A user who is none here."""
AS_OTHER = ("setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups")
SWAP = BUILD / "tests" / "runtime" / "libruntime-swap.so"

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a file another user's")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "from" / "data.bin"
    file.parent.mkdir()
    file.write_bytes(os.urandom(3 * BLOCK + 1001))
    file.chmod(0o640)
    os.utime(file, ns=(YEAR_2020_NS, YEAR_2020_NS))
    return file


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """One that other users reach, as none of pytest's is."""
    with tempfile.TemporaryDirectory(prefix="copy-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def of_each_rank(folder: Path, *cases: str) -> list[str | Path]:
    """Words that run a rank with settings of its own, after its host has its name."""
    script = folder / "of_each_rank.sh"
    lines = [f"{rank}) export {case} ;;" for rank, case in enumerate(cases) if case]
    script.write_text(
        "\n".join(["case ${PMI_RANK:-$OMPI_COMM_WORLD_RANK} in", *lines, "esac", 'exec "$@"\n']), encoding="utf-8"
    )
    return [ON_OWN_HOST, "sh", script]


def foreign(file: Path) -> Path:
    """Made another user's, with rights and a time of its own."""
    file.chmod(0o604)
    os.utime(file, ns=(1, 1))
    if os.geteuid() == 0:
        os.chown(file, OTHER, OTHER)
    return file


def test_what_no_copy_has_made_is_replaced_and_does_not_change(
    mpi: Mpi, tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
):
    """Its bytes are not taken, and it does not get the rights. All of them have the file's bytes, or its length."""
    to, theirs = tmp_path / "to", tmp_path / "theirs"
    theirs.mkdir()
    empty = source.with_name("empty")
    empty.touch()
    kept: list[Path] = []

    def place(rank: int, of: Path = source) -> Path:
        (to / f"h{rank}").mkdir(parents=True, exist_ok=True)
        return to / f"h{rank}" / of.name

    def same(file: Path) -> Path:
        shutil.copyfile(source, file)
        kept.append(file)
        return file

    place(0).symlink_to(foreign(same(theirs / "linked")))
    place(1).hardlink_to(foreign(same(theirs / "hard")))
    place(2).symlink_to(theirs / "missing")
    place(3).symlink_to(theirs)
    place(4).symlink_to(source)
    place(5).hardlink_to(same(theirs / "own"))  # the caller's, and yet not a copy's
    shutil.copyfile(source, place(6))
    place(6).chmod(0o666)  # others who have it open could still write to it
    os.mkfifo(place(7, empty))
    os.mkfifo(theirs / "pipe")
    place(8, empty).symlink_to(theirs / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(place(9, empty).parent)  # names of sockets are short
        listener.bind(empty.name)
    ranks = 10
    if os.geteuid() == 0:
        foreign(Path(shutil.copyfile(source, place(10))))
        os.mknod(place(11, empty), stat.S_IFCHR | 0o600, os.makedev(1, 3))
        ranks = 12
    kept += [theirs, theirs / "pipe", source]
    before = [(file, state(file)) for file in kept]
    placed = {file: file.lstat().st_ino for file in to.rglob("*") if not file.is_dir() or file.is_symlink()}
    unlinked = {theirs / "hard", theirs / "own"}  # they lose the name in the folder
    results, _ = copy(mpi, to, source, empty, ranks=ranks)
    assert [(one["failures"], one["sent_bytes"]) for one in results] == [([], source.stat().st_size), ([], 0)]
    for file, was in before:
        now = state(file)
        assert now == ((*was[:4], 1, *was[5:]) if file in unlinked else was), file
    assert not (theirs / "missing").exists()
    assert not (theirs / source.name).exists()
    assert [file for file, inode in placed.items() if file.lstat().st_ino == inode] == []
    for rank in range(ranks):
        for file in (source, empty):
            there = place(rank, file)
            assert (stat.S_ISREG(there.lstat().st_mode), there.lstat().st_nlink) == (True, 1), there
            assert there.read_bytes() == file.read_bytes()
            assert stat.S_IMODE(there.stat().st_mode) == stat.S_IMODE(file.stat().st_mode)


def test_a_part_that_no_copy_has_left_is_refused(mpi: Mpi, tmp_path: Path, source: Path):
    to, theirs = tmp_path / "to", tmp_path / "theirs"
    theirs.mkdir()
    parts = []
    for rank in range(7):
        (to / f"h{rank}").mkdir(parents=True)
        parts.append(to / f"h{rank}" / f".{source.name}.trunkline-part")
    half = source.read_bytes()[: 2 * BLOCK]
    for name in ("linked", "hard", "missing"):
        (theirs / name).write_bytes(b"precious" + half)
    (theirs / "missing").unlink()
    parts[1].symlink_to(foreign(theirs / "linked"))
    parts[2].hardlink_to(theirs / "hard")
    os.mkfifo(parts[3])
    parts[4].write_bytes(half)
    parts[4].chmod(0o662)
    parts[5].symlink_to(theirs / "missing")
    wrong = {
        "h1": f"cannot write {parts[1]}: it is a link: remove it",
        "h2": f"{parts[2]} has another name, too (it is a hard link): remove it",
        "h3": f"cannot write {parts[3]}: it is no regular file: remove it",
        "h4": f"{parts[4]} may be written by other users: remove it",
        "h5": f"cannot write {parts[5]}: it is a link: remove it",
    }
    if os.geteuid() == 0:
        parts[6].write_bytes(half)
        foreign(parts[6])
        wrong["h6"] = f"{parts[6]} is another user's: remove it"
    kept = [file for file in (*parts[1:], *theirs.iterdir()) if os.path.lexists(file)]
    before = [state(file) for file in kept]
    (result,), done = copy(mpi, to, source, ranks=7, status=1)
    assert reasons(result) == wrong
    assert f"trunkline: host h2: {wrong['h2']}" in done.err
    assert [state(file) for file in kept] == before
    assert not (theirs / "missing").exists()
    assert [file.name for file in (to / "h0").iterdir()] == [source.name]


def test_a_host_that_would_lead_elsewhere_is_refused(any_mpi: Mpi, tmp_path: Path, source: Path):
    """Where {host} stands in a path, and there alone."""
    names = ["h0", "../../evil", "..", ".", "a/b", "/evil", "x" * 256, "y" * 255, "z {host}"]
    each = of_each_rank(tmp_path, *(f"TRUNKLINE_HOST={shlex.quote(name)}" for name in names))
    to = tmp_path / "deep" / "to"
    (result,), done = copy(any_mpi, to, source, ranks=len(names), per_rank=each, status=1, settings={})
    for name, reason in reasons(result).items():
        assert f"host name '{name}'" in reason
        assert f"trunkline: host {name}: {reason}" in done.err
    assert list(reasons(result)) == names[1:7]
    assert "is longer than 255 bytes" in reasons(result)["x" * 256]
    assert sorted(file.name for file in to.iterdir()) == sorted(["h0", "y" * 255, "z {host}"])
    assert {file.name for file in tmp_path.rglob("*") if file.is_dir()} >= {"deep", "to", "from"}
    assert {file.name for file in tmp_path.iterdir()} == {"deep", "from", "of_each_rank.sh"}
    assert {file.name for file in to.parent.iterdir()} == {"to", "results.json"}
    more = ("--to", tmp_path / "plain")
    (result,), _ = copy(any_mpi, to, source, ranks=5, per_rank=each, settings={}, more=more)
    assert (result["hosts"], result["sharing_hosts"]) == (5, 4)
    assert (tmp_path / "plain" / source.name).read_bytes() == source.read_bytes()


def test_names_up_to_the_limit_of_the_file_system(mpi: Mpi, tmp_path: Path):
    """Of 255 bytes, and with bytes that are no letters, which stand in the JSON as Python has them in names."""
    names = [b"n" * 239, b"n" * 240, b"n" * 255, "ü".encode() * 127, b"latin-\xfc-1 \xed\xa0\x80 \xf0\x9f\x98\x80"]
    files = [os.fsencode(tmp_path) + b"/" + name for name in names]
    for file in files:
        Path(os.fsdecode(file)).write_bytes(file)
    results, done = copy(mpi, tmp_path / "to", *files, ranks=2)
    assert [os.fsencode(one["file"]) for one in results] == files
    assert [one["failures"] for one in results] == [[]] * len(files)
    assert done.err.count("on 2 hosts in") == len(files)
    for host in ("h0", "h1"):
        there = os.fsencode(tmp_path / "to" / host)
        assert sorted(os.listdir(there)) == sorted(names)
        assert all(Path(os.fsdecode(there + b"/" + name)).read_bytes().endswith(name) for name in names)


def test_links_on_the_way_to_the_folder(mpi: Mpi, tmp_path: Path, source: Path):
    """The caller's are followed, another user's are not, and what a link leads to is not made."""
    to, theirs = tmp_path / "to", tmp_path / "theirs"
    places = [theirs / name for name in ("own", "relative", "foreign", "deep", "missing")]
    for rank, place in enumerate(places):
        place.mkdir(parents=True)
        (to / f"h{rank}").mkdir(parents=True)
    (to / "h0" / "in").symlink_to(places[0])
    (to / "h1").rmdir()
    (to / "h1").symlink_to("../theirs/./relative")
    (to / "h2" / "in").symlink_to(places[2])
    (to / "h3").rmdir()
    (to / "h3").symlink_to(places[3])
    places[4].rmdir()
    (to / "h4" / "in").symlink_to(places[4])
    (to / "h5").mkdir()
    (to / "h5" / "in").symlink_to(to / "h5" / "in")
    refused = {"h4": "No such file or directory", "h5": "Too many levels of symbolic links"}
    if os.geteuid() == 0:
        for link in (to / "h2" / "in", to / "h3"):
            os.lchown(link, OTHER, OTHER)
            said = f"{link} is a link of user {OTHER}: name the folder that it leads to"
            refused[link.relative_to(to).parts[0]] = said
    refused = {host: f"cannot make folder {to}/{host}/in: {why}" for host, why in sorted(refused.items())}
    (result,), _ = copy(mpi, to, source, ranks=7, status=1, more=("--to", to / "{host}" / "in"))
    assert reasons(result) == refused
    assert (places[0] / source.name).read_bytes() == source.read_bytes()
    assert (places[1] / "in" / source.name).read_bytes() == source.read_bytes()
    assert (to / "h6" / "in" / source.name).read_bytes() == source.read_bytes()
    assert not places[4].exists()
    if os.geteuid() == 0:
        assert list(places[2].iterdir()) == list(places[3].iterdir()) == []


def test_what_others_exchange_meanwhile_is_not_followed(
    mpi: Mpi, tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
):
    """Between two steps: the folder for a link, the file that is compared for a pipe, what was written for a link.

    And another copy, whose part was found, ends before it is ours.
    """
    to, theirs = tmp_path / "to", tmp_path / "theirs"
    theirs.mkdir()
    whole = to / "h2" / source.name
    whole.parent.mkdir(parents=True)
    shutil.copy2(source, whole)
    ended = to / "h4" / f".{source.name}.trunkline-part"
    ended.parent.mkdir()
    ended.write_bytes(b"another copy")
    precious = theirs / source.name
    precious.write_bytes(b"precious")
    (theirs / f".{source.name}.trunkline-part").write_bytes(b"precious")
    before = {file: state(foreign(file)) for file in theirs.iterdir()}
    link = f"SWAP_TO={shlex.quote(str(precious))}"
    each = of_each_rank(
        tmp_path,
        "",
        f"SWAP_FOLDER={shlex.quote(str(to / 'h1'))} SWAP_TO={shlex.quote(str(theirs))}",
        f"SWAP_WHOLE={source.name}",
        f"SWAP_PART={source.name} {link}",
        f"SWAP_ENDED={shlex.quote(str(ended))}",
    )
    monkeypatch.setenv("TRUNKLINE_TEST_PRELOAD", str(SWAP))
    (result,), done = copy(mpi, to, source, ranks=5, status=1, per_rank=each)
    assert {line for line in done.err.splitlines() if line.startswith("swap: ")} == {
        "swap: a folder",
        "swap: a pipe",
        "swap: a link",
        "swap: a name",
    }
    assert reasons(result) == {
        "h3": f"{to}/h3/{source.name} was replaced by another file as it took its name: copy it again",
        "h4": f"{ended} is being written: another copy is under way",
    }
    assert ended.with_name("ended").read_bytes() == b"another copy"
    assert {file: state(file) for file in theirs.iterdir()} == before
    for there in (to / "h0" / source.name, to / "h1.moved" / source.name, whole):
        assert stat.S_ISREG(there.lstat().st_mode)
        assert there.read_bytes() == source.read_bytes()


@only_root
def test_root_keeps_owners_and_finds_their_copies_again(mpi: Mpi, tmp_path: Path, source: Path):
    os.chown(source, OTHER, OTHER)
    runs_as = source.with_name("runs-as")
    runs_as.write_bytes(b"#!")
    os.chown(runs_as, OTHER, OTHER + 1)
    runs_as.chmod(0o6755)
    (first, _), _ = copy(mpi, tmp_path / "to", source, runs_as, ranks=2)
    assert first["sent_bytes"] == source.stat().st_size
    (again, runs_again), _ = copy(mpi, tmp_path / "to", source, runs_as, ranks=2)
    # A file of the owner's that gets to run with a group's rights is a new one each time.
    assert (again["sent_bytes"], runs_again["sent_bytes"]) == (0, 2)
    for host in ("h0", "h1"):
        for file in (source, runs_as):
            there = (tmp_path / "to" / host / file.name).stat()
            of = file.stat()
            assert (there.st_uid, there.st_gid, there.st_mode) == (of.st_uid, of.st_gid, of.st_mode)


@only_root
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="there is no setpriv (util-linux) to be another user with")
def test_another_user_runs_nothing_with_rights_that_were_not_kept(any_mpi: Mpi, open_folder: Path):
    """A user's copies of root's programs, and of the user's own; and root's file that is there already."""
    if not all(folder.stat().st_mode & stat.S_IXOTH for folder in BUILD.parents):
        pytest.skip(f"no other user reaches {BUILD}")
    to = open_folder / "out" / "to"
    to.parent.mkdir()
    os.chown(to.parent, OTHER, OTHER)
    owners = {
        "root-4755": (0, 0, 0o755),
        "root-2755": (0, 0, 0o755),
        "root-1755": (0, 0, 0o755),
        "own-7755": (OTHER, OTHER, 0o7755),
        "group-6755": (OTHER, 0, 0o755),
        "there-644": (0, 0, 0o644),
        "older-644": (0, 0, 0o644),
    }
    files = []
    for name, (user, group, _) in owners.items():
        file = open_folder / name
        file.write_bytes(name.encode())
        os.chown(file, user, group)
        file.chmod(int(name[-4:].lstrip("-"), 8))
        files.append(file)
    (to / "h1").mkdir(parents=True)
    os.chown(to, OTHER, OTHER)
    os.chown(to / "h1", OTHER, OTHER)
    shutil.copy2(open_folder / "there-644", to / "h1")
    shutil.copyfile(open_folder / "older-644", to / "h1" / "older-644")
    was_there = state(to / "h1" / "there-644")
    session = open_folder / "session"
    session.mkdir()
    os.chown(session, OTHER, OTHER)
    around = ["env", f"TMPDIR={session}", f"HOME={session}", *AS_OTHER]
    results, _ = copy(any_mpi, to, *files, ranks=2, settings={}, around=around)
    assert [one["failures"] for one in results] == [[]] * len(files)
    for name, (_, _, mode) in owners.items():
        for host in ("h0", "h1"):
            there = (to / host / name).lstat()
            if (host, name) == ("h1", "there-644"):
                continue
            assert (there.st_uid, stat.S_IMODE(there.st_mode)) == (OTHER, mode), (host, name)
            assert there.st_mtime_ns == (open_folder / name).stat().st_mtime_ns
    assert state(to / "h1" / "there-644") == was_there
