"""What the head of a generated file says: where it comes from, what it runs and when, where it expects the ranks."""

import textwrap
from collections.abc import Sequence
from itertools import chain, groupby

from trunkline import __version__, _core
from trunkline.kinds import kind_of

__all__ = ["origin_lines", "way_lines"]

_COLUMNS = 120
_LONGEST_HOSTLIST = 400


def origin_lines(plan: _core.PlanFile, source: str, what: str) -> list[str]:
    """Lines of the head comment on where the file comes from.

    Args:
        plan: What it runs.
        source: What the plan was read from.
        what: What it is, in a word.
    """
    over = f" over {plan.cluster}" if plan.cluster else ""
    made_by = f" ({plan.provenance})" if plan.provenance else ""
    shape = kind_of(plan.plan).c_shape(plan, over)
    return _wrapped(
        f"{what} {shape}. Written by 'trunkline generate' {__version__} from {source}{made_by}.",
        _placement(plan.host_of_rank),
    )


def way_lines(plan: _core.PlanFile, segment: int, native: str) -> list[str]:
    """Lines of the head comment on how a message goes, and when it does."""
    facts, ranks, root = _core.facts_of(plan.collective), len(plan.plan), plan.plan.root
    from_root = f" and {'to' if facts.reduces else 'from'} root {root}" if facts.has_root else ""
    other_root = " any other root," if facts.has_root else ""
    sizes = _core.sizes_text(plan)
    message, other_sizes = (f"a message {sizes}", " of other sizes,") if sizes else ("the message", "")
    not_commuting = " operations that do not commute," if facts.reduces else ""
    way = kind_of(plan.plan).c_way(plan, segment)
    if not facts.has_data:
        return _wrapped(
            f"On communicators of {ranks} processes {way} For any other number of processes and inter-communicators it "
            f"calls {native}."
        )
    return _wrapped(
        f"On communicators of {ranks} processes{from_root}, {message} {way} For any other number of processes,"
        f"{other_root} inter-communicators,{not_commuting} messages{other_sizes} of no bytes and wrong arguments it "
        f"calls {native}."
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
