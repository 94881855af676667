"""The ``trunkline`` command: one module a sub-command, nothing but options and printing in it."""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from trunkline.cli.app import App, tell_version
from trunkline.errors import TrunklineError

HELP = """Collective operations of unmodified MPI programs, laid over the switches they run on.

[bold]See it[/], on this machine alone:\n
  trunkline demo\n
[bold]Describe the switches[/] of your cluster:\n
  trunkline cluster import slurm topology.conf --rate 25Gbit -o lab.yaml\n
[bold]Ask whether it pays[/] there:\n
  trunkline doctor --pays --cluster lab.yaml --ranks-per-host 32\n
[bold]Run a job[/] with it:\n
  trunkline run --cluster lab.yaml -- mpiexec -n 32 ./program\n
[bold]Ask why it did not get faster[/]:\n
  trunkline run --cluster lab.yaml -- mpiexec -n 32 trunkline doctor
"""
"""The five things that people do."""

_FIRST, _PLANS, _MEASURES = "For a start", "Plans and predictions", "Emulate, measure, simulate"
"""Panels of the sub-commands."""

app = App(
    name="trunkline",
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},  # all sub-commands inherit it
    rich_markup_mode="rich",
)
tell_version(app, "trunkline")


class _SubCommand(NamedTuple):
    """Where a sub-command is, and how help shows it."""

    name: str
    module: str  # of this room
    panel: str
    example: str | None = None  # None: of a group, whose own sub-commands have theirs


_SUB_COMMANDS = (
    _SubCommand("demo", "demo", _FIRST, "trunkline demo --json demo.json --report demo.html"),
    _SubCommand("cluster", "cluster", _FIRST),
    _SubCommand("doctor", "doctor", _FIRST, "trunkline run --cluster lab.yaml -- mpiexec -n 32 trunkline doctor"),
    _SubCommand("run", "run", _FIRST, "trunkline run --cluster lab.yaml -- mpiexec -n 32 ./program"),
    _SubCommand("trace", "trace", _FIRST),
    _SubCommand("receipt", "receipt", _FIRST),
    _SubCommand("library", "library", _FIRST, "LD_PRELOAD=$(trunkline library --mpi mpich) ./program"),
    _SubCommand(
        "copy",
        "copy",
        _FIRST,
        "trunkline run --cluster lab.yaml -- mpiexec -n 32 trunkline copy big.bin --to /scratch",
    ),
    _SubCommand(
        "explain",
        "explain",
        _PLANS,
        "trunkline explain --cluster cyclic --mpi mpich --tuning tuning.yaml --json -",
    ),
    _SubCommand(
        "predict",
        "predict",
        _PLANS,
        "trunkline predict --cluster cyclic --mpi openmpi --sizes 8KiB,1MiB --svg curves.svg",
    ),
    _SubCommand("plan", "plan", _PLANS),
    _SubCommand("algorithms", "algorithms", _PLANS, "trunkline algorithms --json -"),
    _SubCommand("generate", "generate", _PLANS, "trunkline generate plan.yaml -o my_bcast.c"),
    _SubCommand("lab", "lab", _MEASURES),
    _SubCommand("bench", "bench", _MEASURES),
    _SubCommand("simulate", "simulate", _MEASURES),
    _SubCommand("evidence", "evidence", _MEASURES),
    _SubCommand("learned", "learned", _MEASURES),
    _SubCommand(
        "measure",
        "measure",
        _MEASURES,
        "trunkline lab run --cluster cyclic --mpi mpich -- trunkline measure -o net.yaml",
    ),
    _SubCommand(
        "tune",
        "tune",
        _MEASURES,
        "trunkline tune --cluster cyclic --mpi mpich --collective bcast -o tuning.yaml",
    ),
    _SubCommand(
        "monitor",
        "monitor",
        _MEASURES,
        "trunkline monitor --cluster lab.yaml --every 60 -- mpiexec -hosts n01,n17,n33 -n 3",
    ),
)
"""In the order of the help, where groups come last in each panel."""


def _register(words: Sequence[str] = ()) -> None:
    """Imports the sub-command that the words begin with, or all: for help, and to say what else there is.

    To import all of them takes several times as long as most of what they do.
    """
    asked = [one for one in _SUB_COMMANDS if one.name in words[:1]]
    for one in asked or _SUB_COMMANDS:
        module = importlib.import_module(f"trunkline.cli.{one.module}")
        if one.example is None:
            app.add_typer(module.app, name=one.name, rich_help_panel=one.panel)
        else:
            add = app.command(one.name, epilog=f"Example: {one.example}", rich_help_panel=one.panel)
            add(getattr(module, one.name))


def _end(number: int, _frame: FrameType | None) -> None:
    """End in order, and once: a second signal would end what puts labs and folders away."""
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_IGN)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


_UNWRITTEN = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""What becomes of standard output: nobody reads any more, or there is no room."""


def _open_what_is_closed() -> None:
    """Output that the caller has closed goes nowhere; else the next file that is opened would take its number."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - for as long as the process lives


def main() -> None:
    """Entry point: exit status 0, 1 (it ran, the answer is no) or 2 (usage or bad input)."""
    _open_what_is_closed()
    _register(sys.argv[1:])
    run_command(app, "trunkline")


def run_command(command: App, name: str) -> None:
    """Run a command to its end, with its exit status; its name stands before what went wrong."""
    _open_what_is_closed()
    signal.signal(signal.SIGTERM, _end)  # else labs, simulations and their folders would stay behind
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # in the background it may be ignored
        signal.signal(signal.SIGINT, _end)
    try:
        try:
            command()
        finally:
            sys.stdout.flush()  # an error is one here, and not at the interpreter's end
    except TrunklineError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        sys.exit(130)
    except OSError as error:
        if error.errno not in _UNWRITTEN or error.filename is not None:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left in buffers
        if error.errno == errno.EPIPE:
            sys.exit(1)
        print(f"{name}: cannot write to standard output: {error.strerror}", file=sys.stderr)
        sys.exit(2)
