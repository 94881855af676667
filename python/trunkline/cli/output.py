"""What every sub-command does alike with its results."""

import json
import os
from pathlib import Path

from rich.console import Console

from trunkline.errors import BadInput

__all__ = ["check_writable", "console", "write_json", "write_text"]

console = Console(stderr=True)
"""For people: progress and tables. Data goes to standard output."""


def check_writable(file: str | None) -> None:
    """Before anything that takes long: whether its result can be written; None and ``-`` are fine.

    Raises:
        BadInput: where it cannot.
    """
    if file in (None, "-"):
        return
    path = Path(str(file))
    nearest = next(parent for parent in path.absolute().parents if parent.exists())
    if path.is_dir():
        raise BadInput(f"cannot write {file}: it is a folder")
    if not nearest.is_dir():
        raise BadInput(f"cannot write {file}: {nearest} is no folder")
    if not os.access(path if path.exists() else nearest, os.W_OK):
        raise BadInput(f"cannot write {file}: permission denied")


def write_text(text: str, file: str) -> None:
    """Write to a file, making its folder, or to standard output where ``file`` is ``-``.

    Raises:
        BadInput: where the file cannot be written.
    """
    if file == "-":
        print(text)
        return
    path = Path(file)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot write {file}: {error.strerror}") from error


def write_json(data: object, file: str) -> None:
    """Write data as JSON to a file or, for ``-``, to standard output."""
    write_text(json.dumps(data, indent=2), file)
