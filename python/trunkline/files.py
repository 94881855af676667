"""Reading the files that people name: whatever is in them ends in a message, never in a traceback."""

import json
import sys
from pathlib import Path
from typing import Any

from trunkline.errors import BadInput

__all__ = ["is_file", "is_folder", "read_json", "read_text"]


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
