"""The files that people name: whatever is wrong with them ends in a message, never in a traceback, nor in no end."""

from __future__ import annotations

import errno
import json
import os
import secrets
import select
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from trunkline.errors import BadInput

LARGEST_TEXT = 64 << 20
"""Bytes; of what the core reads, too (``largest_text_file`` of ``core/text/text_file.hpp``)."""
_TO_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
"""Without waiting for anyone to write to a pipe, and without making a terminal ours."""
_SILENCE_S = 60.0
"""After which nothing more is expected of a pipe that a file's name stands for."""
_PART = 1 << 16
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


def read_text(file: str, most: int = LARGEST_TEXT) -> str:
    """The text of a file, of a pipe or of a device, or of standard input for ``-``.

    Args:
        file: Its name. A pipe, such as a shell's ``<(command)``, may be silent for a minute at a time.
        most: Bytes.

    Raises:
        BadInput: where it cannot be read, has more bytes, or is not UTF-8 text.
    """
    try:
        data = _up_to(sys.stdin.buffer, file, most) if file == "-" else _all_of(file, most)
    except OSError as error:
        raise BadInput(f"{_shown(file)}: cannot be read: {error.strerror}") from error
    return _decoded(data, file)


def read_regular_text(file: Path, most: int) -> str:
    """The text of a regular file.

    Raises:
        BadInput: where it cannot be read, is another sort of file, has more bytes, or is not UTF-8 text.
    """
    try:
        with open_regular(file) as opened:
            return _decoded(_up_to(opened, str(file), most), str(file))
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from error


def read_json(file: str) -> Any:  # noqa: ANN401  # whoever asks checks what it is
    """What a JSON file holds.

    Raises:
        BadInput: where it cannot be read, or is not JSON.
    """
    try:
        return json.loads(read_text(file))
    except (ValueError, RecursionError) as error:  # nested deeper than Python goes
        raise BadInput(f"{file}: is not JSON: {error}") from error


@contextmanager
def open_regular(file: Path) -> Iterator[BinaryIO]:
    """A file to be read, which is a regular one: a pipe could keep its reader waiting, and a device need not end.

    Raises:
        BadInput: where it is another sort of file.
        OSError: where it cannot be opened.
    """
    descriptor = os.open(file, _TO_READ)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadInput(f"{file}: is not a regular file")
    with os.fdopen(descriptor, "rb") as opened:
        yield opened


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


def _shown(file: str) -> str:
    return "standard input" if file == "-" else file


def _too_large(file: str, most: int) -> BadInput:
    return BadInput(f"{_shown(file)}: is larger than {most >> 20} MiB, more than any such file that Trunkline reads")


def _up_to(opened: BinaryIO, file: str, most: int) -> bytes:
    data = opened.read(most + 1)
    if len(data) > most:
        raise _too_large(file, most)
    return data


def _all_of(file: str, most: int) -> bytes:
    """All bytes of a file, which may be a pipe or a device."""
    descriptor = os.open(file, _TO_READ)
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        patience_ms = None if os.isatty(descriptor) else _SILENCE_S * 1000
        data = bytearray()
        while len(data) <= most:
            # A pipe that no one has opened for writing yet has not ended: reading it would say that it has.
            if not waiting.poll(patience_ms):
                raise BadInput(f"{file}: nothing has come from this pipe for {_SILENCE_S:g} s, nor has it ended")
            with suppress(BlockingIOError):
                part = os.read(descriptor, _PART)
                if not part:
                    return bytes(data)
                data += part
        raise _too_large(file, most)
    finally:
        os.close(descriptor)


def _decoded(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise BadInput(f"{file}:{line}:{column}: not UTF-8 text; is it another kind of file?") from error
