"""``trunkline plan``: lay a collective over a cluster, compose hierarchical plans, show and edit plan files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperGroup

from trunkline import _core
from trunkline.cli import plan_edit
from trunkline.cli.app import App
from trunkline.cli.options import (
    COLLECTIVE_HELP,
    ClusterOption,
    CollectiveOption,
    OptionalClusterOption,
    RanksOnHostOption,
    SvgOption,
    algorithms_option,
    sizes_option,
)
from trunkline.cli.output import check_outputs, write_text
from trunkline.cli.plan_output import put_out
from trunkline.cli.plan_weights import lay_over_weights
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.hierarchy import Hierarchy, hierarchical_plan, parse_fan_in, parse_split
from trunkline.placement import bounded_placement, placement_of_names, root_rank
from trunkline.plan_sets import set_text
from trunkline.planned import lay_plan, plan_over, read_plan_over, read_plan_set
from trunkline.predict import decide_all
from trunkline.registry import check_collective, find_algorithm
from trunkline.terminal import console, tell
from trunkline.units import format_bytes, parse_message_bytes, parse_segment, parse_sizes
from trunkline.weights import shape_names

USUALLY_LINEAR = ("bcast", "reduce")
"""Collectives whose plan is a line, where nothing else is asked for."""
AUTO_BYTES = 1 << 20
"""Of the message that ``auto`` is asked about, where none is given."""


class _LayByDefault(TyperGroup):
    """Words that begin with no sub-command are those of ``lay``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 (its type is private to Typer)
        is_completed = ctx.resilient_parsing and not args  # by a shell, which wants the sub-commands
        if not is_completed and (not args or args[0] not in [*self.commands, *ctx.help_option_names]):
            if len(args) > 1 and not args[0].startswith("-") and not args[1].startswith("-"):
                known = ", ".join(self.commands)
                raise BadInput(f"plan has no sub-command '{args[0]}'; there are: {known}, or give one cluster")
            args = ["lay", *args]
        return super().parse_args(ctx, args)


app = App(
    cls=_LayByDefault,
    help="Lay a collective over a cluster, compose hierarchical plans, show and edit plan files. "
    "'trunkline plan --cluster ...' is 'trunkline plan lay --cluster ...'.",
    epilog="Example: trunkline plan --cluster cyclic --collective bcast --algorithms linear --root h5 --json -",
    subcommand_metavar="COMMAND ...",
)
app.add_typer(plan_edit.app, name="edit")

SegmentOption = Annotated[
    Optional[str], typer.Option(metavar="SIZE", help="Segment to write into the plan file; else chosen by message.")
]
PlanOutputOption = Annotated[
    Optional[str], typer.Option("--output", "-o", metavar="FILE", help="Write the plan file; '-' for standard output.")
]
PlanJsonOption = Annotated[
    Optional[str], typer.Option(metavar="FILE", help="Write the plan as JSON; '-' for standard output.")
]


@app.command(
    epilog="Example: trunkline plan lay --cluster cyclic --collective bcast --algorithms linear --root h5 --json -"
)
def lay(
    context: typer.Context,
    cluster: OptionalClusterOption = None,
    weights: Annotated[
        Optional[str],
        typer.Option(
            metavar="FILE",
            help="Lay a broadcast over weights and injection times between hosts instead of a cluster: those of this "
            "file, or of what 'trunkline measure --pairs' wrote.",
        ),
    ] = None,
    collective: Annotated[
        Optional[str],
        typer.Option(metavar="NAME", help=f"{COLLECTIVE_HELP} Default: bcast."),
    ] = None,
    shape: Annotated[
        Optional[str],
        algorithms_option(
            "One of 'trunkline algorithms', or auto; default: linear for bcast and reduce, else auto. Over weights one "
            f"of {', '.join(shape_names())}; default: local-search.",
            several=False,
        ),
    ] = None,
    root: Annotated[
        Optional[str], typer.Option(metavar="HOST|RANK", help="Where the message starts; default: rank 0.")
    ] = None,
    size: Annotated[
        Optional[str],
        sizes_option("Message that it is for, where plans depend on the size; default: 8KiB.", several=False),
    ] = None,
    ranks_per_host: Annotated[Optional[int], typer.Option(metavar="N", help="Ranks on each host; default: 1.")] = None,
    file: Annotated[
        Optional[str], typer.Option("--plan", metavar="PLAN", help="Show the plan of this file instead of laying one.")
    ] = None,
    segment: SegmentOption = None,
    output: PlanOutputOption = None,
    json: PlanJsonOption = None,
    svg: SvgOption = None,
) -> None:
    """Lay a collective over a cluster, or read a plan, and say which channels it loads how much."""
    check_outputs({"--output": output, "--json": json, "--svg": svg})
    if weights is not None:
        _check_no_cluster(context, ranks_per_host, file)
        lay_over_weights(
            weights,
            collective=collective,
            shape=shape,
            root=root,
            size=size,
            segment=_segment(segment, output),
            output=output,
            json=json,
            svg=svg,
        )
        return
    if cluster is None:
        raise BadInput("the cluster is not known: give --cluster, or set TRUNKLINE_CLUSTER; or weights with --weights")
    network = load_cluster(cluster)
    placement = bounded_placement(network, 1 if ranks_per_host is None else ranks_per_host)
    segment_bytes = _segment(segment, output)
    if file is not None:
        told = {
            "--collective": collective,
            "--algorithms": shape,
            "--root": root,
            "--sizes": size,
            "--segment": segment,
        }
        _check_left_out(file, [option for option, value in told.items() if value is not None])
        planned = read_plan_over(network, file, placement)
        if planned.file.host_of_rank:
            _check_left_out(file, ["--ranks-per-host"] if ranks_per_host is not None else [])
    else:
        collective = check_collective(collective or "bcast")
        shape = shape or ("linear" if collective in USUALLY_LINEAR else "auto")
        start = root_rank(network, placement, root or "0")
        message: int | None
        if shape == "auto":
            asked = AUTO_BYTES if size is None else parse_sizes(size)[0]
            shape = _auto_shape(network, collective, placement, start, asked)
            message = asked if find_algorithm(collective, shape).by_size else None
        else:
            _check_shape(collective, shape)
            message = _message(collective, shape, size)
        planned = lay_plan(network, collective, shape, placement, start, segment_bytes, message)
    put_out(network, planned, output, json, svg)


@app.command(epilog="Example: trunkline plan show plan.yaml --svg plan.svg")
def show(
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="A plan file.")],
    cluster: Annotated[
        Optional[str], typer.Option(metavar="CLUSTER", help="The cluster; default: the one that the plan names.")
    ] = None,
    json: PlanJsonOption = None,
    svg: SvgOption = None,
    number: Annotated[
        Optional[int], typer.Option(metavar="N", help="Of a set: this one alone, counted from 1; default: all.")
    ] = None,
) -> None:
    """Say what a plan file holds and which channels it loads how much, and draw it."""
    check_outputs({"--json": json, "--svg": svg})
    plans = read_plan_set(plan).plans
    if number is not None and not 1 <= number <= len(plans):
        raise BadInput(f"--number {number}: {plan} has {len(plans)} plans")
    shown = range(1, len(plans) + 1) if number is None else [number]
    if len(shown) > 1 and (json or svg):
        raise BadInput(f"{plan} has {len(plans)} plans: say which one with --number")
    for one in shown:
        read = plans[one - 1]
        name = cluster or read.cluster
        if not name:
            raise BadInput(f"{plan} names no cluster: say which one with --cluster")
        network = load_cluster(name)
        if len(plans) > 1 and "-" not in (json, svg):
            sizes = _core.sizes_text(read) or "all sizes"
            print(f"Plan {one} of {len(plans)}: {read.collective}, {sizes}")
        put_out(network, plan_over(network, read, Path(plan).name, bounded_placement(network, 1)), None, json, svg)


@app.command(name="set", epilog="Example: trunkline plan set quad.yaml@0B-64B binary.yaml@64B- -o plans.yaml")
def join_as_set(
    plans: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAN[@FROM-BELOW]...",
            help="Plan files, or sets; behind @ the sizes of its messages, where the file does not say them or others.",
        ),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The file of the set; '-' for standard output.")
    ] = "-",
) -> None:
    """Make one file of several plans: each call takes the plan of its collective, ranks, hosts, root and size."""
    check_outputs({"--output": output})
    write_text(set_text(plans), output)


@app.command(
    epilog="Example: trunkline plan compose --cluster 8w --ranks-per-host 8 --host-shape binary --root-shape quad "
    "-o plan.yaml"
)
def compose(
    cluster: ClusterOption,
    collective: CollectiveOption = "allreduce",
    host_shape: Annotated[
        str, typer.Option(metavar="flat|binary|quad|K-ary", help="The subtree among the ranks of each host.")
    ] = "flat",
    root_shape: Annotated[
        str,
        typer.Option(metavar="flat|binary|quad|K-ary", help="The subtree among the hosts (cluster-root)."),
    ] = "flat",
    split: Annotated[
        str,
        typer.Option(metavar="N|all", help="So many of its levels are on other hosts than the root's, from below."),
    ] = "0",
    root: Annotated[str, typer.Option(metavar="HOST|RANK", help="Where it ends; default: rank 0.")] = "0",
    ranks_per_host: RanksOnHostOption = 1,
    hosts: Annotated[
        Optional[str],
        typer.Option(
            metavar="HOSTLIST", help="Hosts that take part, in the order of their ranks; one may stand there again."
        ),
    ] = None,
    segment: SegmentOption = None,
    output: PlanOutputOption = None,
    json: PlanJsonOption = None,
    svg: SvgOption = None,
) -> None:
    """Compose a hierarchical plan: a subtree among the ranks of each host, and one among the hosts."""
    check_outputs({"--output": output, "--json": json, "--svg": svg})
    network = load_cluster(cluster)
    placement = bounded_placement(network, ranks_per_host)
    if hosts is not None:
        placement = placement_of_names(network, hosts, ranks_per_host)
    shape = Hierarchy(
        parse_fan_in(host_shape, "--host-shape"),
        parse_fan_in(root_shape, "--root-shape"),
        parse_split(split, "--split"),
    )
    start = root_rank(network, placement, root)
    planned = hierarchical_plan(network, collective, shape, placement, start, _segment(segment, output))
    put_out(network, planned, output, json, svg)


def _check_no_cluster(context: typer.Context, ranks_per_host: int | None, file: str | None) -> None:
    """What goes without weights alone; a cluster of the environment is for other commands."""
    source = context.get_parameter_source("cluster")
    is_named = source is not None and source.name == "COMMANDLINE"
    asked = {"--cluster": is_named, "--ranks-per-host": ranks_per_host is not None, "--plan": file is not None}
    if told := [option for option, is_given in asked.items() if is_given]:
        raise BadInput(
            f"--weights has its own hosts, a rank each, and no switches: leave {' and '.join(told)} out, or --weights"
        )


def _segment(segment: str | None, output: str | None) -> int | None:
    """Bytes of a segment that goes into the plan file."""
    if segment is None:
        return None
    size = parse_segment(segment, "--segment")
    if not output:
        raise BadInput(f"--segment {segment} goes into the plan file: name one with --output FILE")
    return size


def _message(collective: str, shape: str, size: str | None) -> int | None:
    """Bytes of the message that a plan is laid for."""
    if size is None:
        return None
    if not find_algorithm(collective, shape).by_size:
        by_size = [a.name for a in _core.algorithms() if a.collective == collective and a.by_size]
        which = f"; those of {', '.join(by_size)} do" if by_size else ""
        raise BadInput(f"--sizes {size}: plans of {shape} do not depend on the size{which}; leave it out")
    count = parse_message_bytes(size, "--sizes")
    if count == 0:
        raise BadInput("--sizes 0: a message has a byte at least")
    return count


def _auto_shape(
    network: _core.Cluster, collective: str, placement: Sequence[int], root: int, message_bytes: int
) -> str:
    """What ``auto`` runs, or the fastest plan by prediction where that is the library's own algorithm; told."""
    knowledge = _core.Knowledge(network, _core.NativeLibrary.mpich, "", "", host_costs=_core.host_costs_of("mpich", ""))
    (one,) = decide_all(collective, knowledge, placement, root, [message_bytes])
    size = format_bytes(message_bytes)
    if one.algorithm != "native":
        console.print(f"auto, for {size}: {one.algorithm}", markup=False, highlight=False)
        return one.algorithm
    laid = [each for each in one.predictions if each.algorithm != "native"]
    if not laid:
        raise BadInput(f"auto runs the MPI library's own algorithm at {size}, which has no plan: {one.reason}")
    best = min(laid, key=lambda each: each.seconds)
    tell(
        f"auto, for {size}: the MPI library's own algorithm, which has no plan; the fastest of the others is predicted "
        f"to be {best.algorithm}"
    )
    return best.algorithm


def _check_left_out(file: str, options: Sequence[str]) -> None:
    if options:
        raise BadInput(
            f"--plan {file} says itself what {' and '.join(options)} would say; leave that out, or change the file"
        )


def _check_shape(collective: str, shape: str) -> None:
    known = _core.algorithms()
    shapes = [a.name for a in known if a.collective == collective and a.name != "native"]
    if shape == "native":
        raise BadInput("native is the MPI library's own algorithm, which has no plan; 'trunkline algorithms' lists all")
    if shape not in shapes:
        raise BadInput(_core.no_such_algorithm(collective, shape))
