"""The files that people name: whatever is wrong with them ends in a message, never in a traceback."""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from trunkline.errors import BadInput

__all__ = ["is_file", "is_folder", "read_json", "read_text", "replace_file"]


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
    """Put another text in the place of a file, with its mode: who reads it meanwhile sees all of one or of the other.

    Raises:
        BadInput: where it cannot be written; the file is as it was then.
    """
    unfinished = ""
    try:
        mode = file.stat().st_mode & 0o7777 if file.exists() else 0o644
        descriptor, unfinished = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        Path(unfinished).replace(file)
    except OSError as error:
        if unfinished:
            Path(unfinished).unlink(missing_ok=True)
        raise BadInput(f"cannot write {file}: {error.strerror}") from error
