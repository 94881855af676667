"""Clusters and plans in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.markup import escape
from rich.tree import Tree as RichTree

from trunkline import _core
from trunkline.draw.cluster import switch_notes
from trunkline.draw.layout import switch_tree
from trunkline.draw.names import hostlist
from trunkline.draw.shown_rounds import blocks_shown, transfer_in_words

MOST_ROWS = 60
MOST_ROUNDS = 12
MOST_TRANSFERS = 6


def cluster_tree(cluster: _core.Cluster) -> RichTree:
    """The spanning tree over the switches, each with its hosts."""
    hosts: dict[str, list[str]] = {name: [] for name in cluster.switches}
    for host, name in enumerate(cluster.hosts):
        hosts[cluster.switch_of(host)].append(name)
    notes = switch_notes(cluster)
    root, behind = switch_tree(cluster)

    def label(name: str) -> str:
        short = escape(hostlist(hosts[name])) if hosts[name] else ""
        return f"[bold]{escape(name)}[/]  {escape(notes[name])}" + (f": [cyan]{short}[/]" if short else "")

    tree = RichTree(label(root))
    stack = [(root, tree)]
    while stack:
        name, branch = stack.pop()
        stack.extend((child, branch.add(label(child))) for child in behind[name])
    return tree


def line_over_switches(cluster: _core.Cluster, placement: Sequence[int], tree: _core.Tree) -> Iterator[str]:
    """A line as rows of hosts, one row for each stay below a switch; what it crosses in between is named."""
    names, children = cluster.hosts, tree.children
    stays: list[tuple[str, list[int]]] = []
    rank: int | None = tree.root
    while rank is not None:
        switch = cluster.switch_of(placement[rank])
        if not stays or stays[-1][0] != switch:
            stays.append((switch, []))
        stays[-1][1].append(rank)
        rank = children[rank][0] if children[rank] else None
    for switch, ranks in stays[:MOST_ROWS]:
        shown: dict[str, int] = {}
        for rank in ranks:
            shown[names[placement[rank]]] = shown.get(names[placement[rank]], 0) + 1
        words = [escape(name) if count == 1 else f"{escape(name)} ({count} ranks)" for name, count in shown.items()]
        if len(words) > 40:
            words = [*words[:20], f"... {len(words) - 40} more ...", *words[-20:]]
        yield f"[bold]{escape(switch)}[/]  " + " → ".join(words)
    if len(stays) > MOST_ROWS:
        yield f"... and {len(stays) - MOST_ROWS} more stays below a switch"


def rank_tree(cluster: _core.Cluster, placement: Sequence[int], tree: _core.Tree) -> RichTree:
    """Who sends to whom, in sending order; the first ranks of large trees."""
    names = cluster.hosts
    return named_tree([names[host] for host in placement], tree)


def named_tree(hosts: Sequence[str], tree: _core.Tree, notes: Sequence[str] | None = None) -> RichTree:
    """The same of ranks on hosts of no cluster.

    Args:
        hosts: Their names, by rank.
        tree: It.
        notes: What to say of each rank besides.
    """
    children = tree.children

    def label(rank: int) -> str:
        return f"{rank} [cyan]{escape(hosts[rank])}[/]" + (f"  {escape(notes[rank])}" if notes else "")

    drawn = RichTree(label(tree.root))
    queue = [(tree.root, drawn)]
    room = MOST_ROWS
    for rank, branch in queue:
        shown = children[rank][:room]
        queue.extend((child, branch.add(label(child))) for child in shown)
        room -= len(shown)
        if len(shown) < len(children[rank]):
            branch.add(f"... and {len(children[rank]) - len(shown)} more")
    return drawn


def rounds_in_words(plan: _core.Plan) -> Iterator[str]:
    """The first transfers of the first rounds: enough to see how it goes."""
    blocks = blocks_shown(plan)
    if plan.blocks is None:
        yield f"The generator {plan.generator} makes the rounds from the number of blocks; here those of {blocks}."
    yield ""
    for number, transfers in enumerate(plan.list_rounds(blocks, MOST_ROUNDS).rounds):
        shown = [
            f"{transfer.sender} -> {transfer.receiver}: {transfer_in_words(transfer)}"
            for transfer in transfers[:MOST_TRANSFERS]
        ]
        hidden = len(transfers) - len(shown)
        yield f"round {number}: {', '.join(shown) or 'nothing is sent'}" + (f", and {hidden} more" if hidden else "")
    if (more := plan.round_count(blocks) - MOST_ROUNDS) > 0:
        yield f"... {more} more rounds: --svg draws more" + (", --json has them all" if plan.blocks else "")
