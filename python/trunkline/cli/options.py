"""Arguments and options that several sub-commands take alike."""

from typing import Annotated

import typer

from trunkline import _core
from trunkline.random_sites import SITES_FORM
from trunkline.registry import check_collective

__all__ = [
    "COLLECTIVE_HELP",
    "BudgetOption",
    "CellsJsonOption",
    "ClusterArgument",
    "ClusterOption",
    "CollectiveOption",
    "HostsOption",
    "JsonOption",
    "LabRateOption",
    "LeastOption",
    "MostOption",
    "MpisOption",
    "RanksOnHostOption",
    "ReportOption",
    "SizesOption",
]

_CLUSTER = f"A bundled cluster's name, a cluster file, random:HOSTSxSWITCHES[:SEED], or {SITES_FORM}."

ClusterArgument = Annotated[str, typer.Argument(metavar="CLUSTER", help=_CLUSTER)]
ClusterOption = Annotated[str, typer.Option(metavar="CLUSTER", help=_CLUSTER)]
COLLECTIVE_HELP = f"The collective operation: {', '.join(_core.collectives())}."
CollectiveOption = Annotated[
    str,
    typer.Option(metavar="NAME", help=COLLECTIVE_HELP, callback=check_collective),
]
MpisOption = Annotated[str, typer.Option(help="MPI libraries, separated by commas: mpich, openmpi, mpich-5.0.2, ...")]
SizesOption = Annotated[str, typer.Option(help="Message sizes, separated by commas.")]
LabRateOption = Annotated[
    str, typer.Option(help="Rate of the fastest link (20Mbit), or auto: the highest this machine can emulate truly.")
]
RanksOnHostOption = Annotated[int, typer.Option(min=1, metavar="N", help="Ranks on each host.")]
HostsOption = Annotated[int | None, typer.Option(metavar="N", help="Use the first N hosts alone.")]
LeastOption = Annotated[int, typer.Option(min=1, help="Fewest repetitions of whatever is timed.")]
MostOption = Annotated[int, typer.Option(min=1, max=1000, help="Most repetitions of whatever is timed.")]
BudgetOption = Annotated[float, typer.Option(min=0, help="Seconds after which nothing is repeated once more.")]
JsonOption = Annotated[str | None, typer.Option(metavar="FILE", help="Write it as JSON; '-' for standard output.")]
CellsJsonOption = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write every measured cell as JSON; '-' for standard output.")
]
ReportOption = Annotated[str | None, typer.Option(metavar="FILE", help="Write a self-contained HTML page.")]
