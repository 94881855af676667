"""The ``trunkline`` command: one module a sub-command, nothing but options and printing in it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType

import typer

from trunkline import __version__
from trunkline.cli.forms import App
from trunkline.errors import TrunklineError

__all__ = ["app", "main"]

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
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},  # all sub-commands inherit it
    rich_markup_mode="rich",
)


def _print_version(value: bool) -> None:
    if value:
        print(f"trunkline {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version: bool = typer.Option(
        False, "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
    ),
) -> None:
    pass


def _register() -> None:
    from trunkline.cli import (
        algorithms,
        bench,
        cluster,
        copy,
        demo,
        doctor,
        generate,
        lab,
        library,
        measure,
        monitor,
        plan,
        predict,
        run,
        simulate,
        trace,
        tune,
    )

    def add(function: Callable[..., None], panel: str, example: str) -> None:
        app.command(epilog=f"Example: {example}", rich_help_panel=panel)(function)

    add(demo.demo, _FIRST, "trunkline demo --json demo.json --report demo.html")
    app.add_typer(cluster.app, name="cluster", rich_help_panel=_FIRST)
    add(doctor.doctor, _FIRST, "trunkline run --cluster lab.yaml -- mpiexec -n 32 trunkline doctor")
    add(run.run, _FIRST, "trunkline run --cluster lab.yaml -- mpiexec -n 32 ./program")
    app.add_typer(trace.app, name="trace", rich_help_panel=_FIRST)
    add(library.library, _FIRST, "LD_PRELOAD=$(trunkline library --mpi mpich) ./program")
    add(copy.copy, _FIRST, "trunkline run --cluster lab.yaml -- mpiexec -n 32 trunkline copy big.bin --to /scratch")
    add(predict.explain, _PLANS, "trunkline explain --cluster cyclic --mpi mpich --tuning tuning.yaml --json -")
    add(
        predict.predict,
        _PLANS,
        "trunkline predict --cluster cyclic --mpi openmpi --sizes 8KiB,1MiB --svg curves.svg",
    )
    app.add_typer(plan.app, name="plan", rich_help_panel=_PLANS)
    add(algorithms.algorithms, _PLANS, "trunkline algorithms --json -")
    add(generate.generate, _PLANS, "trunkline generate plan.yaml -o my_bcast.c")
    app.add_typer(lab.app, name="lab", rich_help_panel=_MEASURES)
    app.add_typer(bench.app, name="bench", rich_help_panel=_MEASURES)
    app.add_typer(simulate.app, name="simulate", rich_help_panel=_MEASURES)
    add(measure.measure, _MEASURES, "trunkline lab run --cluster cyclic --mpi mpich -- trunkline measure -o net.yaml")
    add(tune.tune, _MEASURES, "trunkline tune --cluster cyclic --mpi mpich --collective bcast -o tuning.yaml")
    add(
        monitor.monitor,
        _MEASURES,
        "trunkline monitor --cluster lab.yaml --every 60 -- mpiexec -hosts n01,n17,n33 -n 3",
    )


def _end(number: int, _frame: FrameType | None) -> None:
    """End in order, and once: a second signal would end what puts labs and folders away."""
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_IGN)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def main() -> None:
    """Entry point: exit status 0, 1 (it ran, the answer is no) or 2 (usage or bad input)."""
    _register()
    signal.signal(signal.SIGTERM, _end)  # else labs, simulations and their folders would stay behind
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # in the background it may be ignored
        signal.signal(signal.SIGINT, _end)
    try:
        app()
    except TrunklineError as error:
        print(f"trunkline: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        print("trunkline: interrupted", file=sys.stderr)
        sys.exit(130)
