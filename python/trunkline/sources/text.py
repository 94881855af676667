"""Reading the files of a source."""

import sys
from pathlib import Path

from trunkline.errors import BadInput

__all__ = ["read_source"]


def read_source(file: str) -> str:
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
