"""What starts an MPI job on a real cluster, and how settings reach its ranks: mpiexec, srun, either behind env."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trunkline.errors import BadInput
from trunkline.mpi import BUILD_IT, Mpi, find_mpis, preload_of, require_mpi, settings_of, told_ranks
from trunkline.preloads import (
    has_inside,
    is_binary,
    libraries_of,
    preload_order,
    programs_among,
    refuse_what_drops_preloads,
    sanitizers_of,
    with_preloads,
)

_STANDARD = "mpiabi"
"""The family of the standard's ABI, whichever library has it."""
_BATCH = ("sbatch", "salloc")
_INTERPRETERS = re.compile(r"(python|perl|julia|R|ruby|lua|octave|java|node|(ba|da|k|z)?sh|env)[0-9.]*$")
"""Programs that load MPI by themselves, or start what is linked to it."""
_OTHER_NAMES = ("mpirun", "mpiexec.hydra", "prterun", "orterun")
"""Of what ``mpiexec`` in the same folder is, too."""
_MORE_MPIS = f"for another MPI library run {BUILD_IT} once"


@dataclass(frozen=True)
class _Job:
    """A job's command, taken apart.

    Attributes:
        before: ``env`` with its options and variables, which stand before the launcher; or nothing.
        launcher: The launcher as it was typed.
        path: Its file.
        after: Everything behind it.
        environment: What the launcher finds, as ``env`` makes it.
    """

    before: list[str]
    launcher: str
    path: str
    after: list[str]
    environment: dict[str, str]


def job_with_settings(
    command: Sequence[str], mpi_name: str | None, cluster_file: Path, environment: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """A job's command and its environment, such that Trunkline is preloaded into the ranks.

    Args:
        command: The job as it is started without Trunkline.
        mpi_name: The ranks' MPI library; None: that of the launcher or, for srun, that which the program is linked to.
        cluster_file: The cluster of the ranks.
        environment: Of the caller; its settings of Trunkline reach the ranks.

    Raises:
        BadInput: where the job cannot be told its settings so; the message says how to.
    """
    job = _taken_apart(command, environment)
    kind = Path(job.launcher).name
    if kind in _BATCH:
        raise _belongs_into_script(kind, mpi_name, cluster_file)
    is_srun = kind == "srun"
    mpi = _mpi_behind_srun(job, mpi_name) if is_srun else _mpi_of_launcher(job, mpi_name)
    refuse_what_drops_preloads(job.after, job.environment)
    programs = programs_among(job.after, job.environment)
    _look_at_programs(programs, job.environment)
    sanitizers = sanitizers_of(programs, job.environment)

    def ordered(others: str) -> str:
        return preload_order(str(preload_of(mpi)), others, sanitizers)

    settings = {
        **settings_of(job.environment),
        **mpi.settings_of_mpi4py(job.environment),
        "LD_PRELOAD": ordered(job.environment.get("LD_PRELOAD", "")),
        "TRUNKLINE_CLUSTER": str(cluster_file.resolve()),
    }
    if is_srun:
        merged, _ = with_preloads(job.after, job.environment, ordered)
        return _srun(replace(job, after=merged), settings, environment)
    return [*job.before, job.path, *_told(job, mpi.family, settings, ordered)], dict(environment)


def _told(job: _Job, family: str, settings: Mapping[str, str], ordered: Callable[[str], str]) -> list[str]:
    """What stands behind the launcher, with the settings: Open MPI wants them once more for each program of a job."""
    words: list[str] = []
    rest = list(job.after)
    while True:
        end = rest.index(":") if ":" in rest else len(rest)
        merged, has_own = with_preloads(rest[:end], job.environment, ordered)
        if family == "openmpi" or not words:
            words += told_ranks(
                family, {name: settings[name] for name in settings if name != "LD_PRELOAD" or not has_own}
            )
        words += merged
        if end == len(rest):
            return words
        words.append(":")
        rest = rest[end + 1 :]


_HOLDS_MPI = b"PMPI_Init"


def _look_at_programs(programs: Sequence[str], environment: Mapping[str, str]) -> None:
    """Tells of programs in whose calls nothing can be preloaded.

    Raises:
        BadInput: where a program has its MPI library inside.
    """
    plain = [program for program in programs if not _linked(program, environment)]
    for program in plain:
        if has_inside(program, _HOLDS_MPI):
            raise BadInput(
                f"{program} has its MPI library inside (it is linked statically), where no preload library reaches its "
                "calls: link it to the shared MPI library"
            )
    if programs and len(plain) == len(programs) and not _INTERPRETERS.match(Path(programs[-1]).name):
        print(
            f"trunkline: note: {Path(programs[-1]).name} is linked to no MPI library; only what it loads or starts by "
            "itself is served",
            file=sys.stderr,
        )


def mpi_of_job(command: Sequence[str], mpi_name: str | None, environment: Mapping[str, str]) -> Mpi:
    """The MPI library of a launcher, or the one named, which srun and launchers of others need.

    Raises:
        BadInput: where neither says it.
    """
    return require_mpi(mpi_name) if mpi_name else _mpi_of_launcher(_taken_apart(command, environment), None)


def _taken_apart(command: Sequence[str], environment: Mapping[str, str]) -> _Job:
    """Looks through ``env``: which launcher is behind it, and what that finds in its environment."""
    words, found = list(command), dict(environment)
    before: list[str] = []
    if Path(words[0]).name == "env":
        before.append(_file_of(words.pop(0), found))
        while words and (words[0].startswith("-") or "=" in words[0]):
            word = words.pop(0)
            before.append(word)
            name, equals, value = word.partition("=")
            if word in ("-i", "-", "--ignore-environment"):
                found = {}
            elif word in ("-u", "--unset") and words:
                before.append(words.pop(0))
                found.pop(before[-1], None)
            elif name == "--unset":
                found.pop(value, None)
            elif word.startswith("-") and word != "--":
                raise BadInput(f"'trunkline run' does not know env's option '{word}'; set variables before the command")
            elif equals:
                found[name] = value
    if not words:
        raise BadInput("there is no launcher behind env; give the job as you start it today, such as mpiexec ...")
    return _Job(before, words[0], _file_of(words[0], found), words[1:], found)


def _file_of(word: str, environment: Mapping[str, str]) -> str:
    file = shutil.which(word, path=environment.get("PATH", os.defpath))
    if file is not None:
        return file
    if "/" not in word:
        raise BadInput(f"there is no command '{word}' on PATH; start the job with your MPI library's mpiexec, or srun")
    wrong = "it may not be executed (chmod +x)" if Path(word).is_file() else "no such file"
    raise BadInput(f"cannot start '{word}': {wrong}; a job starts with your MPI library's mpiexec, or srun")


def _mpi_of_launcher(job: _Job, name: str | None) -> Mpi:
    wanted = Path(job.path).resolve()
    found = find_mpis()
    named = require_mpi(name) if name else None
    beside = Path(job.path).with_name("mpiexec") if Path(job.path).name in _OTHER_NAMES else wanted
    its_own = [mpi for mpi in found.values() if Path(mpi.mpiexec).resolve() in (wanted, beside.resolve())]
    if named is not None:
        if its_own and named not in its_own and named.family != _STANDARD:
            raise BadInput(f"{job.path} is the launcher of {its_own[0].name}, not of {name}; leave --mpi out")
        return named
    if its_own:
        return _of_the_programs_abi(job, its_own, found)
    if is_binary(job.path) and _linked(job.path, job.environment):
        raise BadInput(
            f"{job.launcher} is an MPI program, which is one rank where nothing starts several: give the job as you "
            f"start it today, such as trunkline run --cluster FILE -- mpiexec -n 32 {job.launcher}"
        )
    if (start := next((at for at, word in enumerate(job.after) if _is_launcher(word)), None)) is not None:
        now = " ".join([job.launcher, *job.after[:start], "trunkline run --cluster FILE --", *job.after[start:]])
        raise BadInput(f"'{job.launcher}' starts no ranks itself: write it before trunkline, as in '{now}'")
    if any(_is_launcher(part) for word in job.after for part in word.split()):
        raise BadInput(
            f"'{job.launcher}' starts no ranks itself: give the launcher that it is told to start, such as "
            "-- mpiexec -n 32 ./program"
        )
    launcher = Path(job.path)
    wrapper = launcher.with_name(launcher.name.replace("mpiexec", "mpicc").replace("mpirun", "mpicc"))
    build = f"for its own, once: 'trunkline library --build --mpicc {wrapper}'"
    if wrapper == launcher or not wrapper.exists():
        build = _MORE_MPIS
    raise BadInput(
        f"{job.path} is the launcher of no MPI library that there is a preload library for ({_names(found)}): {build}. "
        "Where it starts programs of one of these as that one's mpiexec does, name it: --mpi NAME. Any other launcher: "
        "set LD_PRELOAD=$(trunkline library --mpi NAME) and TRUNKLINE_CLUSTER=FILE for the ranks yourself. A program "
        f"without a launcher: start it with one, such as -- mpiexec -n 32 {job.launcher}"
    )


def _is_launcher(word: str) -> bool:
    """By its name, Debian's ``mpiexec.mpich`` among them."""
    return Path(word).name in ("mpiexec", "srun", *_OTHER_NAMES) or Path(word).name.startswith(("mpiexec.", "mpirun."))


def _of_the_programs_abi(job: _Job, its_own: Sequence[Mpi], found: Mapping[str, Mpi]) -> Mpi:
    """A library may have two ABIs, its own and the standard's, with one launcher: of these that of the program."""
    files = (shutil.which(word, path=job.environment.get("PATH", os.defpath)) for word in job.after)
    linked = (_linked(file, job.environment) for file in files if file is not None and is_binary(file))
    has_standard = any(_is_standard(library) for library in next(filter(None, linked), ()))
    served = [*its_own, *found.values()] if has_standard else its_own
    return next((mpi for mpi in served if (mpi.family == _STANDARD) == has_standard), its_own[0])


def _is_standard(library: Path) -> bool:
    return library.name.startswith("libmpi_abi.so")


def _mpi_behind_srun(job: _Job, name: str | None) -> Mpi:
    """As named, else of the first program behind srun that is linked to an MPI library; srun starts those of any."""
    if name:
        return require_mpi(name)
    found = find_mpis()
    for word in job.after:
        file = shutil.which(word, path=job.environment.get("PATH", os.defpath))
        if file is None or not is_binary(file):
            continue
        libraries = _linked(file, job.environment)
        if not libraries:
            continue
        if mpi := _serving(libraries, found):
            return mpi
        raise BadInput(
            f"{word} is linked to {min(libraries)}, of no MPI library that there is a preload library for "
            f"({_names(found)}); {_MORE_MPIS}"
        )
    raise BadInput(
        "srun starts programs of any MPI library, and none of its words here is a program linked to one: name the "
        f"ranks' library with --mpi NAME ({_names(found)}); {_MORE_MPIS}"
    )


def mpi_of_program(program: str) -> str:
    """The name of the MPI library that a program is linked to; else of the first there is, or ``mpich``."""
    found = find_mpis()
    file = shutil.which(program)
    linked = _linked(file, os.environ) if file is not None and is_binary(file) else set()
    mpi = _serving(linked, found)
    return mpi.name if mpi else next(iter(found), "mpich")


def _serving(libraries: Collection[Path], found: Mapping[str, Mpi]) -> Mpi | None:
    """The first of which one of the files is."""
    return next((mpi for mpi in found.values() if any(_is_of(library, mpi) for library in libraries)), None)


def check_program_mpi(program: str, mpi: Mpi) -> None:
    """Whether a program runs on that MPI library, as far as what it is linked to says.

    Raises:
        BadInput: where it is linked to a library of another family.
    """
    file = shutil.which(program)
    if file is None or not is_binary(file):
        return
    for library in sorted(_linked(file, os.environ)):
        family = "openmpi" if library.name.startswith("libmpi.so.") and "so.12" not in library.name else "mpich"
        if family != mpi.counts_as:
            raise BadInput(
                f"{program} is linked to {library}, so it runs on {family}, not on {mpi.name}: --mpi {family}"
            )
        its_own = _serving([library], find_mpis())
        if its_own is not None and its_own.family == mpi.family and not _has_file_called(library, mpi):
            raise BadInput(
                f"{program} is linked to {library}, of {its_own.name}; {mpi.name} has no library of that name: "
                f"--mpi {its_own.name}, or build it with the mpicc of {mpi.name}"
            )


def _has_file_called(library: Path, mpi: Mpi) -> bool:
    """Whether the loader, which is shown the folder of that MPI library, finds one of that name there."""
    stem = library.name.partition(".so")[0]
    return any(Path(mpi.library).parent.glob(f"{stem}.so*"))


def _is_of(library: Path, mpi: Mpi) -> bool:
    """Whether a file that the loader found is a library's own, of which CMake found the name to link with."""
    if mpi.family == _STANDARD or _is_standard(library):
        return mpi.family == _STANDARD and _is_standard(library)
    named = Path(mpi.library)
    beside = library.parent == named.parent.resolve() and library.name.startswith(f"{named.name}.")
    return beside or library == named.resolve()  # a linker's script beside it, or a link to it


def _linked(file: str, environment: Mapping[str, str]) -> set[Path]:
    """The C libraries of MPI that the loader finds for a program."""
    return {
        Path(place).resolve()
        for name, place in libraries_of(file, environment).items()
        if name.startswith(("libmpi.so", "libmpich.so", "libmpi_abi.so"))
    }


def _srun(job: _Job, settings: Mapping[str, str], environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Into its environment, which srun hands on unless told otherwise; within srun itself the library does nothing."""
    exported = _export_of(job)
    if exported is not None:
        handed_on = exported.split(",")
        needed = [name for name in settings if name == "LD_PRELOAD" or name.startswith("TRUNKLINE_")]
        told = {name.partition("=")[0] for name in handed_on}
        missing = [name for name in needed if name not in told]
        if "ALL" not in handed_on and missing:
            kept = [name for name in handed_on if name not in ("NONE", "NIL", "")]
            raise BadInput(
                f"srun hands on no more of the environment than '{exported}' (--export, or SLURM_EXPORT_ENV): write "
                f"--export={','.join([*kept, *missing])}, or --export=ALL"
            )
    if job.before:
        return [*job.before, *(f"{name}={value}" for name, value in settings.items()), job.path, *job.after], dict(
            environment
        )
    return [job.path, *job.after], {**environment, **settings}


def _export_of(job: _Job) -> str | None:
    """What srun was told to hand on of the environment; None: nothing was said, so all of it."""
    for number, word in enumerate(job.after):
        if word.startswith("--export="):
            return word.partition("=")[2]
        if word == "--export" and number + 1 < len(job.after):
            return job.after[number + 1]
    return job.environment.get("SLURM_EXPORT_ENV")


def _belongs_into_script(kind: str, mpi_name: str | None, cluster_file: Path) -> BadInput:
    mpi = require_mpi(mpi_name) if mpi_name else None
    library = str(preload_of(mpi)) if mpi else "$(trunkline library --mpi NAME)"
    named = f"--mpi {mpi.name} " if mpi else ""
    file = cluster_file.resolve()
    which = "" if mpi else f"\nNAME is the ranks' MPI library: {_names(find_mpis())}."
    return BadInput(
        f"{kind} starts no ranks itself: what does, in its script or behind it, has to be told. Write there\n"
        f"  trunkline run --cluster {file} {named}-- srun ./program\n"
        "(or mpiexec in place of srun), or above a line with srun\n"
        f"  export LD_PRELOAD={library}\n"
        f"  export TRUNKLINE_CLUSTER={file}{which}"
    )


def _names(found: Mapping[str, Mpi]) -> str:
    return ", ".join(found) or "none yet"
