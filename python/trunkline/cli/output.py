"""What every sub-command does alike with its results."""

import json
from pathlib import Path

from rich.console import Console

from trunkline.errors import BadInput

__all__ = ["console", "write_json", "write_text"]

console = Console(stderr=True)
"""For people: progress and tables. Data goes to standard output."""


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
