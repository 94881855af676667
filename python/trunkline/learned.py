"""What jobs that learn have found, and keep for jobs to come: where it is, and what may be done with it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from trunkline import _core
from trunkline.cluster import told_as_bad_input
from trunkline.errors import BadInput, faulty_input
from trunkline.files import is_folder, replace_file

SITE_FOLDER = "/etc/trunkline/learned"
"""As in ``runtime/learned/memory.cpp``."""
_DAY_S = 86400


class Kept(NamedTuple):
    """A file of what jobs have learned."""

    file: Path
    learned: _core.Learned

    @property
    def when_s(self) -> int:
        """When a job used it last, seconds since 1970; 0: it has no entry."""
        return max((entry.when_s for entry in self.learned.entries), default=0)

    def as_json(self) -> dict[str, Any]:
        """Without its entries."""
        jobs = self.learned.jobs
        digests = ("cluster_fingerprint", "build", "placement", "conditions")
        return {
            "file": str(self.file),
            "cluster": jobs.cluster,
            "mpi": jobs.mpi,
            "mpi_version": jobs.mpi_version,
            "hosts": jobs.hosts,
            "ranks": jobs.ranks,
            **{name: f"{getattr(jobs, name):016x}" for name in digests},
            "entries": len(self.learned.entries),
            "when": _core.utc_text(self.when_s) if self.learned.entries else None,
        }


def folders() -> list[Path]:
    """Where jobs look, their own folder first; as ``TRUNKLINE_LEARNED`` says, or the usual ones.

    Raises:
        BadInput: where it says that nothing is kept.
    """
    said = os.environ.get("TRUNKLINE_LEARNED", "")
    if said == "0":
        raise BadInput("TRUNKLINE_LEARNED=0 says that jobs keep nothing: name files or folders, or unset it")
    if said:
        return [Path(one) for one in said.split(":") if one]
    cache = os.environ.get("XDG_CACHE_HOME", "")
    own = Path(cache) if cache.startswith("/") else Path.home() / ".cache"
    return [own / "trunkline" / "learned", Path(SITE_FOLDER)]


def all_of(places: Sequence[Path]) -> tuple[list[Kept], list[str]]:
    """All files of these folders, and these files; and what is wrong with those that cannot be used.

    Raises:
        BadInput: where a file that is named is not there.
    """
    kept, wrong = [], []
    for file in _files_of(places):
        try:
            kept.append(_read(file))
        except BadInput as error:
            wrong.append(str(error))
    return kept, wrong


def named(name: str) -> Path:
    """A file by its path, or by a part of its name that no other has in the folders where jobs look.

    Raises:
        BadInput: where none has it, or several have.
    """
    if "/" in name or Path(name).is_file():
        return Path(name)
    known = [file for file in _files_of(folders()) if name in file.name]
    if len(known) == 1:
        return known[0]
    places = ", ".join(str(folder) for folder in folders())
    if not known:
        raise BadInput(f"no file in {places} has '{name}' in its name; 'trunkline learned list' lists them")
    raise BadInput(f"'{name}' is in the names of {len(known)} files; say more: {', '.join(map(str, known))}")


def found(name: str) -> Kept:
    """What the file holds that :func:`named` finds.

    Raises:
        BadInput: where there is none, or with everything that is wrong with it.
    """
    return _read(named(name))


def forget(file: Path) -> None:
    """Remove a file, whatever is in it.

    Raises:
        BadInput: where it cannot be removed.
    """
    try:
        file.unlink()
    except OSError as error:
        raise BadInput(f"cannot remove {file}: {error.strerror}") from error


def forget_all(folder: Path) -> int:
    """Remove all files of a folder, and what jobs have left there that were killed while they wrote; returns how many.

    Raises:
        BadInput: where one cannot be removed.
    """
    files = [*_files_of([folder]), *(folder.glob("*.yaml.*.part") if is_folder(folder) else ())]
    for file in files:
        forget(file)
    return len(files)


def forget_older(kept: Kept, days: float) -> int:
    """Remove the entries that no job has used for so many days, and the file with the last one; returns how many.

    Raises:
        BadInput: where the file cannot be written or removed.
    """
    least_s = time.time() - days * _DAY_S
    entries = kept.learned.entries
    left = [entry for entry in entries if entry.when_s >= least_s]
    if len(left) == len(entries) and entries:
        return 0
    if left:
        kept.learned.entries = left
        replace_file(kept.file, _core.write_learned(kept.learned))
    else:
        forget(kept.file)
    return len(entries) - len(left)


def merge(kept: Sequence[Kept], folder: Path) -> list[Kept]:
    """Files for a folder, one for jobs that are alike, with what is there already; they are not written yet.

    Of two entries for the same calls the later one counts.

    Raises:
        BadInput: where a file that is there is faulty.
    """
    merged: dict[str, Kept] = {}
    for one in kept:
        name = one.learned.jobs.file_name()
        if name not in merged:
            there = folder / name
            learned = _read(there).learned if there.exists() else _core.parse_learned(_empty(one.learned), str(there))
            merged[name] = Kept(there, learned)
        merged[name].learned.merge(one.learned)
    return list(merged.values())


def _empty(learned: _core.Learned) -> str:
    return _core.write_learned(learned).partition("\nentries:")[0] + "\nentries: []\n"


def _files_of(places: Sequence[Path]) -> Iterator[Path]:
    for place in places:
        if is_folder(place):
            yield from sorted(place.glob("*.yaml"))
        elif place.suffix == ".yaml":
            yield place
        elif place not in folders():
            raise BadInput(f"{place}: is neither a folder nor a .yaml file that jobs have written")


def _read(file: Path) -> Kept:
    with told_as_bad_input():
        learned = _core.read_learned(str(file))
    if learned.jobs.file_name() != file.name:
        # A job would never look for it.
        raise faulty_input([f"{file}: jobs look for it as {learned.jobs.file_name()}: rename it, or leave it out"])
    return Kept(file, learned)
