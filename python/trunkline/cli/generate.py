"""``trunkline generate``: a stand-alone C routine from a plan."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from trunkline import _core
from trunkline.cli.output import write_text
from trunkline.cluster import told_as_bad_input
from trunkline.generate.routine import DEFAULT_SEGMENT
from trunkline.generate.sets import c_routines
from trunkline.units import format_bytes, parse_segment


def generate(
    plan: Annotated[
        str, typer.Argument(metavar="PLAN", help="A plan file, or a set; 'trunkline plan ... -o PLAN' writes one.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The C file; '-' for standard output.")
    ] = "-",
    name: Annotated[
        Optional[str],
        typer.Option(
            metavar="NAME",
            help="Name of the function; default: trunkline_ and the collective's, as in trunkline_allreduce. MPI's "
            "own name, such as MPI_Bcast, makes it stand in for that.",
        ),
    ] = None,
    segment: Annotated[
        Optional[str],
        typer.Option(
            metavar="SIZE",
            help=f"Segment, where the plan has none of its own; default: {format_bytes(DEFAULT_SEGMENT)}.",
        ),
    ] = None,
) -> None:
    """Write a C file with a function like MPI_Bcast or MPI_Allreduce that runs plans, of mpi.h alone."""
    segment_bytes = None if segment is None else parse_segment(segment, "--segment")
    with told_as_bad_input():
        read = _core.read_plans(plan)
    write_text(c_routines(read, Path(plan).name, name, segment_bytes).rstrip("\n"), output)
