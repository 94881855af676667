"""What the head of a generated file says: where it comes from, what it runs and when, where it expects the ranks."""

import textwrap
from collections.abc import Sequence
from itertools import chain, groupby

from trunkline import __version__, _core

__all__ = ["origin_lines", "way_lines"]

_COLUMNS = 120
_LONGEST_HOSTLIST = 400
_NAMES = {"bcast": "Broadcast", "reduce": "Reduction", "allreduce": "Allreduce"}


def origin_lines(plan: _core.PlanFile, source: str) -> list[str]:
    """Lines of the head comment on where the file comes from.

    Args:
        plan: What it runs.
        source: What the plan was read from.
    """
    over = f" over {plan.cluster}" if plan.cluster else ""
    made_by = f" ({plan.provenance})" if plan.provenance else ""
    name = _NAMES[plan.collective]
    return _wrapped(
        f"{name} {_kind(plan, over)}. Written by 'trunkline generate' {__version__} from {source}{made_by}.",
        _placement(plan.host_of_rank),
    )


def way_lines(plan: _core.PlanFile, segment: int, native: str) -> list[str]:
    """Lines of the head comment on how a message goes, and when it does."""
    of, ranks, root = plan.collective, len(plan.plan), plan.plan.root
    from_root = {"bcast": f" and from root {root}", "reduce": f" and to root {root}", "allreduce": ""}[of]
    other_root = "" if of == "allreduce" else " any other root,"
    not_commuting = "" if of == "bcast" else " operations that do not commute,"
    way = _way(plan.plan, segment) if of == "bcast" else _way_up(plan.plan, segment, down=of == "allreduce")
    return _wrapped(
        f"On communicators of {ranks} processes{from_root}, the message {way} For any other number of processes,"
        f"{other_root} inter-communicators,{not_commuting} messages of no bytes and wrong arguments it calls {native}."
    )


def _kind(plan: _core.PlanFile, over: str) -> str:
    trees = plan.plan.trees
    if trees is None:
        blocks = plan.plan.blocks
        many = "any number of blocks" if blocks is None else f"{blocks} block{'s' * (blocks > 1)}"
        in_all = "" if blocks is None else f"{plan.plan.round_count(blocks)} "
        return f"of {many} in {in_all}rounds: {plan.algorithm}{over}"
    height, degree = max(tree.height for tree in trees), max(tree.max_degree for tree in trees)
    along = "a tree" if len(trees) == 1 else f"{len(trees)} trees that take segments by turns"
    to = {"bcast": "to send to", "reduce": "to receive from", "allreduce": "below a rank"}[plan.collective]
    return f"along {along}: {plan.algorithm}{over}, height {height}, at most {degree} {to}"


def _way(plan: _core.Plan, segment: int) -> str:
    if plan.trees is not None:
        down = "down the tree" if len(plan.trees) == 1 else f"down the {len(plan.trees)} trees by turns"
        return (
            f"goes in segments of {segment} bytes {down}: a rank hands each segment on, to its children in order, as "
            "soon as it has it."
        )
    blocks = plan.blocks
    if blocks is None:
        cut = f"is cut into blocks of {segment} bytes."
    else:
        cut = f"is cut into {blocks} block{'s' * (blocks > 1)}, which go in pieces of up to {segment} bytes."
    return (
        f"{cut} In each round of the plan a rank sends blocks to one other rank, and receives blocks from one. Nobody "
        "waits for the end of a round: what a rank has to send goes as soon as it is there."
    )


def _way_up(plan: _core.Plan, segment: int, *, down: bool) -> str:
    trees = plan.trees
    assert trees is not None  # nothing else is generated of reductions
    up = "the tree" if len(trees) == 1 else f"the {len(trees)} trees by turns"
    back = f" From rank {plan.root} the result goes down the same way at once." if down else ""
    return (
        f"goes in segments of up to {segment} bytes, or one element, up {up}: a rank combines its own operand with its "
        f"children's, in order, and sends the segment on as soon as it has all of them.{back}"
    )


def _wrapped(*paragraphs: str) -> list[str]:
    lines = (textwrap.wrap(_in_comment(text), _COLUMNS - 3, break_long_words=False) for text in paragraphs if text)
    return list(chain.from_iterable(lines))


def _placement(hosts: Sequence[str]) -> str:
    if not hosts:
        return "The plan names no hosts."
    runs = [(host, len(list(run))) for host, run in groupby(hosts)]
    counts = {count for _, count in runs}
    listed = _core.compress_hostlist([host for host, _ in runs])
    if len(counts) > 1 or len(listed) > _LONGEST_HOSTLIST:
        return "The plan names the host of each rank."
    many = counts.pop()
    each = "one rank on each" if many == 1 else f"{many} ranks on each"
    return f"Hosts of the ranks, in order, {each}: {listed}."


def _in_comment(text: str) -> str:
    """Text on one line that neither ends a comment, nor looks as if it began one, nor holds a trigraph."""
    return " ".join(text.split()).replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")
