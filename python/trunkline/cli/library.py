"""``trunkline library``: the MPI libraries of this machine, and the preload library of each."""

from __future__ import annotations

from typing import Annotated, Optional

import typer
from rich.markup import escape

from trunkline.build_library import prepared_build, remove_libraries
from trunkline.cli.options import JsonOption, mpi_option
from trunkline.cli.output import check_outputs, write_json
from trunkline.errors import BadInput
from trunkline.mpi import preload_of, require_mpi
from trunkline.paths import SOURCE
from trunkline.search_mpis import SeenMpi, search_mpis
from trunkline.terminal import Bar, output, progress_bar


def library(
    mpi: Annotated[
        Optional[str],
        mpi_option("Print the path of the preload library for this one alone, for LD_PRELOAD."),
    ] = None,
    build: Annotated[
        bool, typer.Option("--build", help="Build the preload library for --mpicc, or for all on PATH that have none.")
    ] = False,
    mpicc: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="With --build: the compiler wrapper of the MPI library.")
    ] = None,
    name: Annotated[
        Optional[str], typer.Option(help="With --mpicc: what --mpi will call it; default: its family with its version.")
    ] = None,
    remove: Annotated[
        Optional[str], typer.Option(metavar="NAME|all", help="Remove what --build has kept for this one, or for all.")
    ] = None,
    header: Annotated[bool, typer.Option("--header", help="Print the folder of trunkline.h.")] = False,
    json: JsonOption = None,
) -> None:
    """List the MPI libraries on PATH and in modules, and why each is served or not; build the preload library for one.

    A preload library belongs to one MPI library. What is built is kept in the virtual environment or, where there is
    none that you may write to, in your own data folder; 'trunkline run' finds it there.
    """
    if sum([mpi is not None, build, remove is not None, header]) > 1:
        raise BadInput("give one of --mpi, --build, --remove and --header")
    if mpicc is not None and not build:
        raise BadInput(f"--mpicc says what to build for: trunkline library --build --mpicc {mpicc}")
    if name is not None and mpicc is None:
        raise BadInput("--name is for the MPI library of --mpicc: trunkline library --build --mpicc FILE --name NAME")
    check_outputs({"--json": json})
    if mpi is not None:
        print(preload_of(require_mpi(mpi)))
    elif header:
        print(SOURCE / "include")
    elif remove is not None:
        for folder in remove_libraries(remove):
            print(f"removed {folder}")
    elif build:
        _build([mpicc] if mpicc else _missing_on_path(), name)
    else:
        seen = search_mpis()
        write_json([one.as_json() for one in seen], json)
        if json != "-":
            print_mpis(seen)


def _missing_on_path() -> list[str]:
    seen = search_mpis()
    missing = [one.mpicc for one in seen if one.can_build and one.where == "PATH"]
    if not missing:
        served = ", ".join(one.name for one in seen if one.name)
        raise BadInput(
            f"no MPI library on PATH lacks a preload library (there is one for: {served or 'none'}); name the compiler "
            "wrapper of another one with --mpicc"
        )
    return missing


def _build(wrappers: list[str], name: str | None) -> None:
    for wrapper in wrappers:
        with prepared_build(wrapper, name) as build:
            with progress_bar(None, f"building for {build.mpi.name}") as bar:
                build.make(_Steps(bar))
            print(f"{build.mpi.name}: {preload_of(build.mpi)}", flush=True)


class _Steps:
    """Tells a bar how far a build is."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._done = 0

    def __call__(self, done: int, total: int) -> None:
        self._bar.show(done=done - self._done, total=total)
        self._done = done


def print_mpis(seen: list[SeenMpi]) -> None:
    """For people: a line or two for each, and what to do about those that are not served."""
    console = output(highlight=False)
    if not seen:
        console.print(
            "No MPI library was found: none on PATH, none in modules. Install one (Debian: mpich libmpich-dev, or "
            "openmpi-bin libopenmpi-dev), or load its module; then 'trunkline library --build'.",
            soft_wrap=True,
        )
    for one in seen:
        title = one.name or one.what or "not served"
        console.print(f"[bold]{escape(title)}[/]  {escape(one.mpicc)} ({escape(one.where)})", soft_wrap=True)
        if one.can_build:
            console.print(f"  {one.reason}: trunkline library --build --mpicc {escape(one.mpicc)}", soft_wrap=True)
        else:
            console.print(f"  {escape(one.reason or one.library)}", soft_wrap=True)
