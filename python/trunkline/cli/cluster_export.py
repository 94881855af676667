"""``trunkline cluster export``: clusters for other programs."""

from typing import Annotated

import typer

from trunkline import _core
from trunkline.cli.options import ClusterOption
from trunkline.cli.output import write_text
from trunkline.cluster import load_cluster
from trunkline.compat import StrEnum
from trunkline.sources.simgrid_export import simgrid_platform


class Format(StrEnum):
    """What can be written."""

    SIMGRID = "simgrid"
    YAML = "yaml"


_WRITERS = {Format.SIMGRID: simgrid_platform, Format.YAML: _core.write_cluster}


def export(
    cluster: ClusterOption,
    format: Annotated[  # noqa: A002
        Format, typer.Option(help="SimGrid: platform XML, version 4.1; YAML: a cluster file.")
    ] = Format.SIMGRID,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="'-' for standard output.")] = "-",
) -> None:
    """Write a cluster for another program, or as a cluster file; importing it again gives an equal cluster."""
    write_text(_WRITERS[format](load_cluster(cluster)).rstrip("\n"), output)
