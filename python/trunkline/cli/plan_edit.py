"""``trunkline plan edit``: change a plan file step by step; each result is proven before it is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Optional

import typer

from trunkline import _core
from trunkline.cli.app import App
from trunkline.cli.output import write_text
from trunkline.cluster import load_cluster
from trunkline.edits.host_tree import HostTree, on_each
from trunkline.edits.join import join as join_trees
from trunkline.edits.levels import add_host_level, add_root_level, remove_host_level, remove_root_level
from trunkline.edits.links import add_link as link_added
from trunkline.edits.links import remove_link as link_removed
from trunkline.edits.move import move as moved
from trunkline.edits.plans import edited, host_tree_of
from trunkline.edits.reroot import free_roots
from trunkline.edits.reroot import reroot as rerooted
from trunkline.edits.root import merge_root as root_merged
from trunkline.edits.root import split_root as root_split
from trunkline.errors import BadInput
from trunkline.planned import read_plan_file

__all__ = ["app"]

app = App(
    help="Change a plan of one tree: who combines what. The result is proven before it is written.",
    no_args_is_help=True,
)

OutputOption = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="The plan file to write; '-' for standard output.")
]
HostsOption = Annotated[Optional[list[str]], typer.Option("--host", metavar="HOST", help="May be given several times.")]
HostOption = Annotated[list[str], typer.Option("--host", metavar="HOST", help="May be given several times.")]
RootOption = Annotated[bool, typer.Option("--root", help="Of the cluster-root subtree, instead of host subtrees.")]


@app.callback()
def _plan(
    context: typer.Context,
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="The plan file to start from; it stays as it is.")],
) -> None:
    context.obj = plan


@app.command(name="add-level", epilog="Example: trunkline plan edit nary8W.yaml add-level -o quad8W.yaml")
def add_level(context: typer.Context, output: OutputOption, host: HostsOption = None, root: RootOption = False) -> None:
    """Halve the largest groups that one rank combines, in the subtrees of these hosts or of all."""
    _levels(context, output, host, root, add_root_level, add_host_level)


@app.command(name="remove-level", epilog="Example: trunkline plan edit quad8W.yaml remove-level -o nary8W.yaml")
def remove_level(
    context: typer.Context, output: OutputOption, host: HostsOption = None, root: RootOption = False
) -> None:
    """Put the smallest pairs of groups together again: undoes add-level."""
    _levels(context, output, host, root, remove_root_level, remove_host_level)


@app.command(name="split-root", epilog="Example: trunkline plan edit nary8W.yaml split-root --host w3 -o split.yaml")
def split_root(context: typer.Context, output: OutputOption, host: HostOption) -> None:
    """Let a host combine the group of hosts that it is in; of the root's own group it takes one half."""
    _each(context, output, "split-root", root_split, host)


@app.command(name="merge-root", epilog="Example: trunkline plan edit split.yaml merge-root --host w2 -o merged.yaml")
def merge_root(context: typer.Context, output: OutputOption, host: HostOption) -> None:
    """Let the hosts that a host combines contribute where it contributes itself: undoes split-root."""
    _each(context, output, "merge-root", root_merged, host)


@app.command(epilog="Example: trunkline plan edit plan.yaml move --rank 12 --to w1 -o moved.yaml")
def move(
    context: typer.Context,
    output: OutputOption,
    rank: Annotated[int, typer.Option(metavar="RANK", help="What moves, with all that hangs below it.")],
    to: Annotated[str, typer.Option(metavar="HOST|RANK", help="What it hangs below then; of a host, its leader.")],
) -> None:
    """Hang a rank, with all below it, below another one."""
    file, tree = _read(context)
    place = int(to) if to.isascii() and to.isdigit() else tree.leader(_host(tree, to))
    _write(file, moved(tree, rank, place), f"move --rank {rank} --to {to}", output)


@app.command(epilog="Example: trunkline plan edit binary8W.yaml reroot --rank 8 -o other-root.yaml")
def reroot(
    context: typer.Context,
    output: OutputOption,
    rank: Annotated[int, typer.Option(metavar="RANK", help="The root then; the tree stays as it is.")],
) -> None:
    """Make another rank the root, for collectives whose result everybody gets."""
    file, tree = _read(context)
    if file.collective not in free_roots():
        raise BadInput(f"the program chooses the root of a {file.collective}; {' and '.join(free_roots())} have any")
    _write(file, rerooted(tree, rank), f"reroot --rank {rank}", output)


@app.command(name="add-link", epilog="Example: trunkline plan edit binary8W.yaml add-link -o links8W.yaml")
def add_link(context: typer.Context, output: OutputOption, host: HostsOption = None) -> None:
    """Let one more rank of these hosts, or of all, send over the network by itself, past its host's leader."""
    _links(context, output, "add-link", link_added, host)


@app.command(name="remove-link", epilog="Example: trunkline plan edit links8W.yaml remove-link -o binary8W.yaml")
def remove_link(context: typer.Context, output: OutputOption, host: HostsOption = None) -> None:
    """Take such a link away again: undoes add-link."""
    _links(context, output, "remove-link", link_removed, host)


@app.command(epilog="Example: trunkline plan edit split4W.yaml join binary8W.yaml --cluster 4w+8w -o 4W+8W.yaml")
def join(
    context: typer.Context,
    output: OutputOption,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The plan file whose root hangs below the first root.")],
    cluster: Annotated[str, typer.Option(metavar="CLUSTER", help="The cluster with the hosts of both plans.")],
) -> None:
    """Join the plans of two clusters under the root of the first one; ranks of the other one come last."""
    file, tree = _read(context)
    below = read_plan_file(other)
    if below.collective != file.collective:
        raise BadInput(f"{other} is for {below.collective}, and {Path(context.obj).name} for {file.collective}")
    network = load_cluster(cluster)
    joined = join_trees(tree, host_tree_of(below, other))
    for host in joined.host_names:
        if network.find_host(host) is None:
            raise BadInput(f"{network.name} has no host {host}; name the cluster with the hosts of both plans")
    file.cluster, file.topology_fingerprint = network.name, network.topology_fingerprint
    file.cluster_fingerprint = None
    _write(file, joined, f"join {Path(other).stem}", output)


def _levels(
    context: typer.Context,
    output: str,
    hosts: list[str] | None,
    root: bool,
    of_root: Callable[[HostTree], HostTree],
    of_hosts: Callable[[HostTree, list[str]], HostTree],
) -> None:
    if root and hosts:
        raise BadInput("--root is about the subtree among the hosts, --host about those on hosts: keep one of them")
    file, tree = _read(context)
    words = " --root" if root else "".join(f" --host {host}" for host in hosts or [])
    _write(file, of_root(tree) if root else of_hosts(tree, hosts or []), f"{context.info_name}{words}", output)


def _links(
    context: typer.Context,
    output: str,
    name: str,
    edit: Callable[[HostTree, str], HostTree],
    hosts: list[str] | None,
) -> None:
    _each(context, output, name, edit, hosts or _read(context)[1].other_hosts)


def _each(
    context: typer.Context, output: str, name: str, edit: Callable[[HostTree, str], HostTree], hosts: list[str]
) -> None:
    file, tree = _read(context)
    _write(file, on_each(tree, edit, hosts), f"{name} --host {' --host '.join(hosts)}", output)


def _read(context: typer.Context) -> tuple[_core.PlanFile, HostTree]:
    file = read_plan_file(context.obj)
    return file, host_tree_of(file, context.obj)


def _host(tree: HostTree, name: str) -> str:
    return tree.hosts[tree.ranks_on(name)[0]]


def _write(file: _core.PlanFile, tree: HostTree, what: str, output: str) -> None:
    write_text(_core.write_plan(edited(file, tree, what)).rstrip("\n"), output)
