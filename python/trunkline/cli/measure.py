"""``trunkline measure``: the network's tables, measured by the ranks of an MPI job."""

from __future__ import annotations

import os
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Optional

import typer

from trunkline.cli.options import OptionalClusterOption, mpi_option, sizes_option
from trunkline.cli.output import check_outputs
from trunkline.cluster import cluster_file, load_cluster
from trunkline.errors import BadInput
from trunkline.mpi import require_mpi, running_mpi
from trunkline.pairs.measuring import PAIRS_SIZE, measuring_program
from trunkline.units import parse_bytes

SIZES = "256,512,1KiB,2KiB,4KiB,8KiB,16KiB,32KiB"
"""Those of the papers' table 2."""


def measure(
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The file with the tables.")],
    cluster: OptionalClusterOption = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Latency, bandwidth and injection time between pairs of hosts, as JSON.")
    ] = False,
    most_pairs: Annotated[
        int, typer.Option(min=1, help="With --pairs: of more pairs, a sample that tells the links apart.")
    ] = 200,
    patience: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="With --pairs: how long a pair may take.")
    ] = 300.0,
    sizes: Annotated[
        Optional[str],
        sizes_option(
            f"Message sizes, separated by commas; default: {SIZES}. With --pairs one size, of what streams are "
            f"made of: {PAIRS_SIZE}."
        ),
    ] = None,
    noise: Annotated[
        float, typer.Option(min=0, max=1, help="Widest uncertainty of a median, as a part of it, that is accepted.")
    ] = 0.15,
    budget: Annotated[
        float,
        typer.Option(
            min=0, metavar="SECONDS", help="How long a figure is repeated that varies; six samples are always taken."
        ),
    ] = 0.5,
    mpi: Annotated[Optional[str], mpi_option("The MPI library of the job; default: the launcher's.")] = None,
) -> None:
    """Measure latency, gap and processor times between ranks, the eager limit, and datagrams; or pairs of hosts.

    To be started as the program of an MPI job with at least two ranks on each kind of path.
    """
    if not cluster:
        raise BadInput("the cluster is not known: give --cluster, or set TRUNKLINE_CLUSTER")
    load_cluster(cluster)  # faults are reported here, not by MPI_Abort
    library = require_mpi(mpi) if mpi else running_mpi()
    program = measuring_program(library)
    wanted = sorted({parse_bytes(size) for size in (sizes or (PAIRS_SIZE if pairs else SIZES)).split(",")})
    if wanted[0] == 0 or wanted[-1] > 1 << 30:
        raise BadInput("--sizes: from 1 byte to 1 GiB")
    if pairs and len(wanted) > 1:
        raise BadInput("--pairs: one size, of the messages that streams are made of")
    check_outputs({"--output": output})
    words = [
        str(program),
        *("--cluster", str(cluster_file(cluster).resolve()), "--output", str(Path(output).resolve())),
        *("--sizes", ",".join(map(str, wanted)), "--noise", str(noise)),
        *("--budget", str(budget)),
        *(
            "--date",
            datetime.now(timezone.utc).isoformat(timespec="seconds")
            if pairs
            else str(datetime.now(timezone.utc).date()),
        ),
        *(("--pairs", str(most_pairs), "--patience", str(patience)) if pairs else ()),
    ]
    sys.stdout.flush()
    os.execv(program, words)
