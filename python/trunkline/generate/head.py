"""What the head of a generated file says: where it comes from, what it runs and when, where it expects the ranks."""

import textwrap
from collections.abc import Sequence
from itertools import chain, groupby

from trunkline import __version__, _core
from trunkline.kinds import kind_of

_COLUMNS = 120
_LONGEST_HOSTLIST = 400


def origin_lines(plan: _core.PlanFile, source: str, what: str) -> list[str]:
    """Lines of the head comment on where the file comes from.

    Args:
        plan: What it runs.
        source: What the plan was read from.
        what: It is, in a word.
    """
    over = f" over {plan.cluster}" if plan.cluster else ""
    made_by = f" ({plan.provenance})" if plan.provenance else ""
    kind = kind_of(plan.plan)
    return _wrapped(
        f"{what} {kind.way}: {plan.algorithm}{over}, {kind.extent(plan.plan)}. Written by 'trunkline generate' "
        f"{__version__} from {source}{made_by}.",
        _placement(plan.host_of_rank),
    )


def way_lines(plan: _core.PlanFile, segment: int, native: str) -> list[str]:
    """Lines of the head comment on how a message goes, and when it does."""
    facts, sizes = _core.facts_of(plan.collective), _core.sizes_text(plan)
    ranks = f"On communicators of {len(plan.plan)} processes"
    if not facts.has_data:
        return _wrapped(
            f"{ranks} word goes from rank to rank. For any other number of processes and inter-communicators it calls "
            f"{native}."
        )
    from_root = f" and {'to' if facts.reduces else 'from'} root {plan.plan.root}," if facts.has_root else ""
    pieces = f"pieces of up to {segment} bytes{' or one element' if facts.reduces else ''}"
    if facts.before == _core.Holding.own_block:
        pieces = "shares"
    combined = ", combined with its own operand," if facts.reduces else ""
    other = ["any other number of processes", *["any other root"] * facts.has_root, "inter-communicators"]
    other += ["operations that do not commute"] * facts.reduces
    message = f"a message {sizes}" if sizes else "the message"
    return _wrapped(
        f"{ranks}{from_root} {message} goes in {pieces}: a rank hands each one on{combined} as soon as it has all that "
        f"the plan puts into it. For {', '.join(other)}, messages{' of other sizes,' if sizes else ''} of no bytes and "
        f"wrong arguments it calls {native}."
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
