"""Arguments and options that several sub-commands take alike: one name and one form for one thing.

A shell completes names behind options that are known here. Where none fits, it completes files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Optional

import typer

from trunkline import _core
from trunkline.cluster import bundled_clusters
from trunkline.errors import BadInput
from trunkline.mpi import find_mpis
from trunkline.random_sites import SITES_FORM
from trunkline.registry import check_collective
from trunkline.units import parse_rate, parse_time


def _names(known: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What completes one of these names, or the last one of several with commas between."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in known() if name.startswith(last)]

    return complete


cluster_names = _names(bundled_clusters)
collective_names = _names(_core.collectives)
mpi_names = _names(find_mpis)
algorithm_names = _names(lambda: ["auto", *dict.fromkeys(algorithm.name for algorithm in _core.algorithms())])


CLUSTER_HELP = f"A bundled cluster's name, a cluster file, random:HOSTSxSWITCHES[:SEED], or {SITES_FORM}."


def algorithms_option(text: str, *, several: bool = True) -> Any:  # noqa: ANN401 (as Typer says of its own)
    """``--algorithms``, in the one form that it has everywhere.

    Args:
        text: What they are here.
        several: Whether there may be more than one.
    """
    metavar = "NAME[:SEGMENT]" + ",..." * several
    return typer.Option("--algorithms", metavar=metavar, help=text, autocompletion=algorithm_names)


def mpi_option(text: str, *, several: bool = False) -> Any:  # noqa: ANN401
    """``--mpi``, in the one form that it has everywhere."""
    return typer.Option("--mpi", metavar="NAME" + ",..." * several, help=text, autocompletion=mpi_names)


def sizes_option(text: str = "Message sizes, separated by commas.", *, several: bool = True) -> Any:  # noqa: ANN401
    """``--sizes``, in the one form that it has everywhere."""
    return typer.Option("--sizes", metavar="SIZE" + ",..." * several, help=text)


def _cluster(text: str = "", envvar: str | None = "TRUNKLINE_CLUSTER") -> Any:  # noqa: ANN401
    shown = text or CLUSTER_HELP
    return typer.Option("--cluster", metavar="CLUSTER", envvar=envvar, help=shown, autocompletion=cluster_names)


ClusterOption = Annotated[str, _cluster()]
OptionalClusterOption = Annotated[Optional[str], _cluster()]
DefaultClusterOption = Annotated[str, _cluster(envvar=None)]
"""For a sub-command with a cluster of its own, which the environment does not change."""
COLLECTIVE_HELP = f"The collective operation: {', '.join(_core.collectives())}."
CollectiveOption = Annotated[
    str,
    typer.Option(metavar="NAME", help=COLLECTIVE_HELP, callback=check_collective, autocompletion=collective_names),
]
MpisOption = Annotated[
    str, mpi_option("MPI libraries, separated by commas: mpich, openmpi, mpich-5.0.2, ...", several=True)
]
SizesOption = Annotated[str, sizes_option()]
TestEveryOption = Annotated[str, typer.Option(metavar="TIME|never", help="How often such work calls MPI_Test.")]
_LAB_RATE = "Rate of the fastest link (20Mbit), or auto: the highest this machine can emulate truly."


def tests_every_s(test_every: str) -> float:
    """Seconds between tests; 0: there are none."""
    return 0.0 if test_every == "never" else parse_time(test_every)


def _checked_lab_rate(text: str) -> str:
    """Before anything is started: whether it is one."""
    if text != "auto":
        try:
            parse_rate(text)
        except BadInput as error:
            raise BadInput(f"--rate: {error}, or auto") from None
    return text


LabRateOption = Annotated[str, typer.Option(metavar="RATE", callback=_checked_lab_rate, help=_LAB_RATE)]
RateOption = Annotated[
    Optional[str],
    typer.Option(metavar="RATE", help="Rate of the fastest link (20Mbit), others in proportion, as the lab runs it."),
]
RatesOption = Annotated[
    Optional[str],
    typer.Option(
        "--rate",
        metavar="RATE,...",
        help="Rates of the fastest link, separated by commas, other links in proportion; default: the file's rates.",
    ),
]
RanksOnHostOption = Annotated[int, typer.Option(min=1, metavar="N", help="Ranks on each host.")]
HostsOption = Annotated[Optional[int], typer.Option(metavar="N", help="Use the first N hosts alone.")]
LeastOption = Annotated[int, typer.Option(min=1, help="Fewest repetitions of whatever is timed.")]
MostOption = Annotated[int, typer.Option(min=1, max=1000, help="Most repetitions of whatever is timed.")]
BudgetOption = Annotated[
    float, typer.Option(min=0, metavar="SECONDS", help="Seconds after which nothing is repeated once more.")
]
PREDICTED_SIZES = "8,512,2KiB,8KiB,32KiB,128KiB,512KiB,2MiB,8MiB"
"""The default of predictions."""
JsonOption = Annotated[Optional[str], typer.Option(metavar="FILE", help="Write it as JSON; '-' for standard output.")]
CellsJsonOption = Annotated[
    Optional[str], typer.Option(metavar="FILE", help="Write every measured cell as JSON; '-' for standard output.")
]
SvgOption = Annotated[Optional[str], typer.Option(metavar="FILE", help="Draw it as SVG; '-' for standard output.")]
ReportOption = Annotated[Optional[str], typer.Option(metavar="FILE", help="Write a self-contained HTML page.")]
RootOption = Annotated[str, typer.Option(metavar="HOST|RANK", help="Where the message starts.")]
PlannedRootOption = Annotated[
    Optional[str],
    typer.Option(metavar="HOST|RANK", help="Where the message starts; default: the plan's, else rank 0."),
]
"""For a sub-command that takes a plan of one's own."""
DealtOption = Annotated[
    bool, typer.Option("--dealt", help="Hosts go in turn over the sites, as cards are dealt; else in the file's order.")
]
_BY_ARRIVAL = "Ranks of a host combine short allreduces as they come (TRUNKLINE_WITHIN_HOSTS=arrival), not by plans."
ByArrivalOption = Annotated[bool, typer.Option("--by-arrival", help=_BY_ARRIVAL)]
PlannedRanksOption = Annotated[
    Optional[int], typer.Option(metavar="N", help="Ranks on every host; default: the plan's, else 1.")
]
"""The same."""
TunedPlanOption = Annotated[
    Optional[str],
    typer.Option(metavar="FILE", help="Write the plans that were found: a set with one for each class of sizes."),
]

MpiOption = Annotated[str, mpi_option("The MPI library whose native algorithm it is: mpich, openmpi, ...")]
HostCostsOption = Annotated[
    str,
    typer.Option(
        metavar="COSTS",
        envvar="TRUNKLINE_HOST_COSTS",
        help="What messages cost their hosts: free, mpich, mpich-5, openmpi, and what a lab or 'trunkline measure' "
        "says behind it; default: as measured with the library.",
    ),
]


def multicasts_wanted() -> bool:
    """Whether ``auto`` may multicast by TRUNKLINE_MULTICAST, as the library reads it."""
    said = os.environ.get("TRUNKLINE_MULTICAST") or "1"
    if said not in ("0", "1", "ipv6", "broadcast"):
        raise BadInput(f"TRUNKLINE_MULTICAST={said}: must be 0, 1, ipv6 or broadcast")
    return said != "0"
