"""The ``trunkline`` command: one module a sub-command, nothing but options and printing in it."""

import signal
import sys
from types import FrameType

import typer

from trunkline import __version__
from trunkline.errors import TrunklineError

__all__ = ["app", "main"]

app = typer.Typer(
    name="trunkline",
    help="Collective operations of unmodified MPI programs, laid over the switches they run on.",
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

    app.command(epilog="Example: trunkline demo --json demo.json --report demo.html")(demo.demo)
    app.add_typer(cluster.app, name="cluster")
    app.add_typer(plan.app, name="plan")
    app.command(epilog="Example: trunkline lab run cyclic --mpi mpich -- trunkline measure -o net.yaml")(
        measure.measure
    )
    app.command(epilog="Example: trunkline monitor lab.yaml --every 60 -- mpiexec -hosts n01,n17,n33 -n 3")(
        monitor.monitor
    )
    app.command(
        epilog="Example: trunkline run --cluster lab.yaml -- mpiexec -n 32 trunkline copy big.bin --to /scratch"
    )(copy.copy)
    app.command(epilog="Example: trunkline run --cluster lab.yaml -- mpiexec -n 32 trunkline doctor")(doctor.doctor)
    app.command(epilog="Example: trunkline predict cyclic --mpi openmpi --sizes 8KiB,1MiB --svg curves.svg")(
        predict.predict
    )
    app.command(epilog="Example: trunkline explain cyclic --mpi mpich --tuning tuning.yaml --json -")(predict.explain)
    app.add_typer(lab.app, name="lab")
    app.command(
        epilog="Example: trunkline run --cluster my-cluster.yaml -- mpiexec -n 32 ./program",
    )(run.run)
    app.command(epilog="Example: LD_PRELOAD=$(trunkline library --mpi mpich) ./program")(library.library)
    app.command(epilog="Example: trunkline generate plan.yaml -o my_bcast.c")(generate.generate)
    app.command(epilog="Example: trunkline algorithms --json -")(algorithms.algorithms)
    app.add_typer(bench.app, name="bench")
    app.add_typer(simulate.app, name="simulate")
    app.add_typer(trace.app, name="trace")
    app.command(epilog="Example: trunkline tune --cluster cyclic --mpi mpich --collective bcast -o tuning.yaml")(
        tune.tune
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
