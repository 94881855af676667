"""What every sub-command does alike with its results."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from trunkline.errors import BadInput
from trunkline.files import replace_file
from trunkline.terminal import tell


def check_outputs(files: Mapping[str, str | None]) -> None:
    """Before anything else is done: whether all results can be written.

    Args:
        files: By the option that names each; None and ``-`` are fine.

    Raises:
        BadInput: where one cannot, a name is empty, or two are to go to standard output.
    """
    to_stdout = [option for option, file in files.items() if file == "-"]
    if len(to_stdout) > 1:
        raise BadInput(f"only one of {' and '.join(to_stdout)} can go to standard output; name a file for the other")
    for option, file in files.items():
        if file == "":
            raise BadInput(f"{option}: the file's name is empty")
        if file not in (None, "-"):
            _check_suffix(option, Path(str(file)))
            _check_writable(str(file))


_OTHER_PICTURES = (".eps", ".gif", ".htm", ".html", ".jpeg", ".jpg", ".json", ".pdf", ".png", ".ps", ".webp")


def _check_suffix(option: str, file: Path) -> None:
    """What is no picture by its name would be opened by a program that cannot show it."""
    if option == "--svg" and file.suffix.lower() in _OTHER_PICTURES:
        raise BadInput(
            f"--svg {file}: SVG is what is written, so name it {file.with_suffix('.svg')}; browsers show it, and "
            "programs such as rsvg-convert make other formats of it"
        )


def _check_writable(file: str) -> None:
    path = Path(file).absolute()
    try:
        nearest = next(folder for folder in (path, *path.parents) if folder.exists())
        if path.is_dir():
            raise BadInput(f"cannot write {file}: it is a folder")
        if nearest != path and not nearest.is_dir():
            raise BadInput(f"cannot write {file}: {nearest} is no folder")
    except OSError as error:  # such as a folder that may not be looked into
        raise BadInput(f"cannot write {file}: {error.strerror}") from error
    if not os.access(nearest, os.W_OK):
        raise BadInput(f"cannot write {file}: permission denied")


def make_folder(folder: Path) -> None:
    """Make a folder where there is none, and say so: its name may be a slip.

    Raises:
        OSError: where it cannot be made.
    """
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        tell(f"made the folder {folder}")


def write_text(text: str, file: str) -> None:
    """Write to a file, making its folder, or to standard output where ``file`` is ``-``.

    The file is what the user named, so a link of that name is followed, and a device or a pipe is written to, as by the
    shell's ``>``. What has a name of ours is for :func:`write_whole`.

    Raises:
        BadInput: where the file cannot be written.
    """
    if file == "-":
        print(text)
        return
    if not file:
        raise BadInput("cannot write: the file's name is empty")
    path = Path(file)
    try:
        make_folder(path.parent)
        path.write_text(_with_end(text), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot write {file}: {error.strerror}") from error


def write_whole(text: str, file: Path) -> None:
    """Write to a file, making its folder: a reader sees all of it, and a link of that name is replaced.

    Raises:
        BadInput: where it cannot be written.
    """
    try:
        make_folder(file.parent)
    except OSError as error:
        raise BadInput(f"cannot make the folder {file.parent}: {error.strerror}") from error
    replace_file(file, _with_end(text))


def _with_end(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def write_json(data: object, file: str | None) -> None:
    """Write data as JSON to a file or, for ``-``, to standard output; None: nobody has asked for it."""
    if file is not None:
        write_text(json.dumps(data, indent=2), file)
