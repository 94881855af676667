"""``trunkline plan edit``: change a plan file step by step; each result is proven before it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Optional

import typer

from trunkline import _core
from trunkline.cli.app import App
from trunkline.cli.output import write_text
from trunkline.cluster import load_cluster
from trunkline.edits.host_tree import HostTree, on_each
from trunkline.edits.levels import add_host_level, add_root_level, remove_host_level, remove_root_level
from trunkline.edits.plans import edited, host_trees_of, on_trees
from trunkline.edits.steps import add_link as link_added
from trunkline.edits.steps import free_roots
from trunkline.edits.steps import join as join_trees
from trunkline.edits.steps import merge_root as root_merged
from trunkline.edits.steps import move as moved
from trunkline.edits.steps import remove_link as link_removed
from trunkline.edits.steps import reroot as rerooted
from trunkline.edits.steps import split_root as root_split
from trunkline.errors import BadInput
from trunkline.planned import read_plan_file

app = App(
    help="Change the trees of a plan: who combines what. The result is proven before it is written.",
    no_args_is_help=True,
)

OutputOption = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="The plan file to write; '-' for standard output.")
]
HostsOption = Annotated[Optional[list[str]], typer.Option("--host", metavar="HOST", help="May be given several times.")]
HostOption = Annotated[list[str], typer.Option("--host", metavar="HOST", help="May be given several times.")]
RootOption = Annotated[bool, typer.Option("--root", help="Of the cluster-root subtree, instead of host subtrees.")]


@dataclass(frozen=True)
class _Edited:
    """What all steps are about."""

    plan: str
    tree: int | None


@app.callback()
def _plan(
    context: typer.Context,
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="The plan file to start from; it stays as it is.")],
    tree: Annotated[
        Optional[int],
        typer.Option(metavar="NUMBER", min=1, help="Of several trees the one to change, before PLAN; default: all."),
    ] = None,
) -> None:
    context.obj = _Edited(plan, tree)


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

    def step(tree: HostTree) -> HostTree:
        if to.isascii() and to.isdigit():
            return moved(tree, rank, int(to))
        tree.ranks_on(to)  # which says what hosts there are
        return moved(tree, rank, tree.leader(to))

    _edit(context, output, f"move --rank {rank} --to {to}", step)


@app.command(epilog="Example: trunkline plan edit binary8W.yaml reroot --rank 8 -o other-root.yaml")
def reroot(
    context: typer.Context,
    output: OutputOption,
    rank: Annotated[int, typer.Option(metavar="RANK", help="The root then; the tree stays as it is.")],
    exchange: Annotated[
        Optional[int],
        typer.Option(metavar="RANK", help="A second root beside it: the two exchange what has come up to each."),
    ] = None,
) -> None:
    """Make another rank the root, or two neighbours, for collectives whose result everybody gets."""
    file = read_plan_file(context.obj.plan)
    if file.collective not in free_roots():
        raise BadInput(f"the program chooses the root of a {file.collective}; {' and '.join(free_roots())} have any")
    words = f"reroot --rank {rank}" + ("" if exchange is None else f" --exchange {exchange}")
    _edit(context, output, words, lambda tree: rerooted(tree, rank, exchange))


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
    if context.obj.tree is not None:
        raise BadInput(
            "--tree: all trees of a plan have the same ranks, so two plans are joined tree by tree; leave it"
        )
    file, trees = _read(context)
    below = read_plan_file(other)
    if below.collective != file.collective:
        raise BadInput(f"{other} is for {below.collective}, and {Path(context.obj.plan).name} for {file.collective}")
    network = load_cluster(cluster)
    others = host_trees_of(below, other)
    if len(others) not in (1, len(trees)):
        raise BadInput(f"{other} has {len(others)} trees, and {Path(context.obj.plan).name} has {len(trees)}")
    joined = [join_trees(tree, others[place % len(others)]) for place, tree in enumerate(trees)]
    for host in joined[0].host_names:
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
    words = " --root" if root else "".join(f" --host {host}" for host in hosts or [])
    step = of_root if root else lambda tree: of_hosts(tree, hosts or [])
    _edit(context, output, f"{context.info_name}{words}", step)


def _links(
    context: typer.Context,
    output: str,
    name: str,
    edit: Callable[[HostTree, str], HostTree],
    hosts: list[str] | None,
) -> None:
    _each(context, output, name, edit, hosts or _read(context)[1][0].other_hosts)


def _each(
    context: typer.Context, output: str, name: str, edit: Callable[[HostTree, str], HostTree], hosts: list[str]
) -> None:
    words = f"{name} --host {' --host '.join(hosts)}"
    _edit(context, output, words, lambda tree: on_each(tree, edit, hosts))


def _edit(context: typer.Context, output: str, words: str, step: Callable[[HostTree], HostTree]) -> None:
    file, trees = _read(context)
    only = context.obj.tree
    what = words if only is None else f"--tree {only} {words}"
    _write(file, on_trees(trees, step, only), what, output)


def _read(context: typer.Context) -> tuple[_core.PlanFile, list[HostTree]]:
    file = read_plan_file(context.obj.plan)
    return file, host_trees_of(file, context.obj.plan)


def _write(file: _core.PlanFile, trees: list[HostTree], what: str, output: str) -> None:
    write_text(_core.write_plan(edited(file, trees, what)).rstrip("\n"), output)
