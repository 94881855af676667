"""Temporary folders that do not pile up, whatever way their owners end."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_YOUNG_S = 60.0
"""In which its owner has surely locked a folder."""


@contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """A folder that goes with the ``with`` block.

    A process that is killed outright cannot remove its own, so whoever is next removes what it left: the kernel gives
    up a lock with its holder, across containers that share the folder too.

    Args:
        kind: A word for its name: ``trunkline-KIND-...``.
    """
    prefix = f"trunkline-{kind}-"
    _remove_left_ones(Path(tempfile.gettempdir()), prefix)
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        lock = os.open(name, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield Path(name)
        finally:
            os.close(lock)


def _remove_left_ones(folder: Path, prefix: str) -> None:
    for left in folder.glob(f"{prefix}*"):
        with suppress(OSError):  # locked, another user's, or gone meanwhile
            lock = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(lock).st_uid == os.getuid() and time.time() - os.fstat(lock).st_mtime > _YOUNG_S:
                    shutil.rmtree(left)
            finally:
                os.close(lock)
