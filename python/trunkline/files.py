"""The files that people name: whatever is wrong with them ends in a message, never in a traceback."""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from trunkline.errors import BadInput

__all__ = ["is_file", "is_folder", "read_json", "read_text", "replace_file"]

_TRIES = 16
"""Names tried for a new file; each is one of 2^64."""


def is_file(path: Path) -> bool:
    """Whether a file is there that may be looked at; a name that is too long names none."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """The same of a folder."""
    try:
        return path.is_dir()
    except OSError:
        return False


def read_text(file: str) -> str:
    """The text of a file, or of standard input for ``-``.

    Raises:
        BadInput: where it cannot be read, or is not UTF-8 text.
    """
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise BadInput(f"{file}:{line}:{column}: not UTF-8 text; is it another kind of file?") from error


def read_json(file: str) -> Any:  # noqa: ANN401  # whoever asks checks what it is
    """What a JSON file holds.

    Raises:
        BadInput: where it cannot be read, or is not JSON.
    """
    try:
        return json.loads(read_text(file))
    except (ValueError, RecursionError) as error:  # nested deeper than Python goes
        raise BadInput(f"{file}: is not JSON: {error}") from error


def replace_file(file: Path, text: str) -> None:
    """Put a text in the place of a file: who reads it meanwhile sees all of the old one or of the new one.

    Others may write to the folder, too. So the text goes to a new file, whose name no one can know before, and a link
    of the file's name is replaced, never followed. A file that was there keeps its mode.

    Raises:
        BadInput: where it cannot be written; the file is as it was then.
    """
    unfinished = None
    try:
        if file.exists() and not file.is_file():
            raise BadInput(f"cannot write {file}: it is not a regular file, and no other can be replaced as a whole")
        mode = _own_mode(file)
        descriptor, unfinished = _new_file(file.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            if mode is not None:
                os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        unfinished.replace(file)
        unfinished = None
    except OSError as error:
        raise BadInput(f"cannot write {file}: {error.strerror}") from error
    finally:
        if unfinished is not None:
            with suppress(OSError):
                unfinished.unlink()


def _own_mode(file: Path) -> int | None:
    """Of a file of ours; None: there is none. That of a stranger's, or of what a link leads to, says nothing."""
    with suppress(FileNotFoundError):
        found = file.lstat()
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
            return found.st_mode & 0o777
    return None


def _new_file(folder: Path) -> tuple[int, Path]:
    for _ in range(_TRIES):
        path = folder / f".trunkline-{secrets.token_hex(8)}.part"
        with suppress(FileExistsError):
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666), path
    raise FileExistsError(errno.EEXIST, "every name tried for a new file is taken")
