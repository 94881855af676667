"""Temporary folders go with their owners, sooner or later."""

import os
import signal
import tempfile
import time

import pytest

from trunkline.temporary import temporary_folder


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def aged(folder):
    long_ago = time.time() - 3600
    os.utime(folder, (long_ago, long_ago))


def killed_with_a_folder(kind):
    """What a process leaves that is killed outright; its name."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        with temporary_folder(kind) as folder:
            (folder / "file").touch()
            os.write(write, str(folder).encode())
            signal.pause()
    name = os.read(read, 4096).decode()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return name


def test_it_goes_with_its_block(place):
    with temporary_folder("test") as folder:
        (folder / "file").touch()
        assert folder.parent == place
    assert list(place.iterdir()) == []


def test_what_a_killed_owner_left_goes_with_the_next(place):
    left = killed_with_a_folder("test")
    other = killed_with_a_folder("other")
    for folder in (left, other):
        aged(folder)
    with temporary_folder("test"):
        assert not os.path.exists(left)
        assert os.path.exists(other), "of another kind"


def test_what_is_in_use_or_young_stays(place):
    young = killed_with_a_folder("test")
    with temporary_folder("test") as mine:
        aged(mine)
        with temporary_folder("test"):
            assert mine.exists()
            assert os.path.exists(young)
