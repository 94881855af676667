"""A C file with a function that runs one plan, with the arguments of MPI's own function for the collective.

The head of the file says where it comes from, what it runs and when, and where it expects the ranks.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, groupby
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from trunkline import __version__, _core
from trunkline.errors import BadInput
from trunkline.kinds import kind_of
from trunkline.schedule import Does
from trunkline.units import format_bytes

DEFAULT_SEGMENT = 8192
"""Bytes, where neither plan nor caller names a segment: below eager limits, with most of the bandwidth."""

MOST_SEGMENT = 1 << 30
"""Bytes; MPI counts in int, and a longer segment pipelines nothing anyway."""

_MOST_COLUMNS = 108
_C_WORDS = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long main "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"
)
_loader = PackageLoader("trunkline.generate")
_templates = Environment(
    loader=_loader,
    autoescape=False,  # C, not HTML
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


class _Kind(NamedTuple):
    """What is written for a collective."""

    what: str
    family: str
    """What moves: bytes of one message, sums, gathered shares, or words of nothing."""
    parameters: str
    """In C. IN is ``const``, or nothing where MPI is so old that it declares without."""

    @property
    def arguments(self) -> str:
        """Their names."""
        return ", ".join(re.findall(r"(\w+)(?:\[\])?(?=,|$)", self.parameters))


_REDUCED = "IN void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, "
_GATHERED = "IN void* send, int send_count, MPI_Datatype send_type, void* receive, "
_UNEVEN = "IN void* send, void* receive, IN int counts[], MPI_Datatype type, MPI_Op operation, MPI_Comm comm"
_KINDS = {
    "bcast": _Kind("Broadcast", "bytes", "void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm"),
    "reduce": _Kind("Reduction", "sums", f"{_REDUCED}int root, MPI_Comm comm"),
    "allreduce": _Kind("Allreduce", "sums", f"{_REDUCED}MPI_Comm comm"),
    "reduce-scatter": _Kind("Reduce-scatter", "sums", _UNEVEN),
    "reduce-scatter-block": _Kind("Reduce-scatter of equal shares", "sums", f"{_REDUCED}MPI_Comm comm"),
    "allgather": _Kind("Allgather", "gathers", f"{_GATHERED}int count, MPI_Datatype type, MPI_Comm comm"),
    "allgatherv": _Kind(
        "Allgather of unequal shares",
        "gathers",
        f"{_GATHERED}IN int counts[], IN int starts[], MPI_Datatype type, MPI_Comm comm",
    ),
    "barrier": _Kind("Barrier", "words", "MPI_Comm comm"),
}
_SINCE = {"sums": "2.2", "gathers": "2.0"}
"""The MPI that has what they take."""


def c_routine(
    plan: _core.PlanFile,
    source: str,
    name: str | None = None,
    segment: int | None = None,
    other: str | None = None,
) -> str:
    """The C file for a plan.

    Args:
        plan: What it runs; it has passed the checker.
        source: What the plan was read from, for the file's head.
        name: Of the function; that of MPI's own, such as ``MPI_Bcast``, makes it stand in for that one, which it then
            calls as ``PMPI_Bcast``. None: ``trunkline_`` and the collective.
        segment: Bytes, for a plan without a segment of its own; None: DEFAULT_SEGMENT.
        other: What runs for calls that the plan is not for; None: MPI's own function.

    Raises:
        BadInput: where the plan is of a collective or of a kind that nothing is generated for, of one rank, or of too
            many blocks for so many ranks, the name cannot be used, or the segment is too long or contradicts the
            plan's.
    """
    kind, steps, facts = _kind_of(plan, source), kind_of(plan.plan), _core.facts_of(plan.collective)
    if len(plan.plan) == 1:
        raise BadInput(f"{source} is a plan for one rank, which has nobody to send to; lay it over two ranks or more")
    usual_name = usual_name_of(plan.collective)
    name = usual_name if name is None else name
    _check_name(name, facts.mpi_name, usual_name)
    native = other or (f"P{name}" if name == facts.mpi_name else facts.mpi_name)
    segment_bytes = _segment_of(plan, source, segment)
    schedule, shares = steps.schedule(plan.plan, plan.collective), _shares_of(facts)
    return _templates.get_template("routine.c.j2").render(
        origin=origin_lines(plan, source, kind.what),
        way=way_lines(plan, segment_bytes, native),
        name=name,
        mpi_name=facts.mpi_name,
        native=native,
        declaration=_declaration(name, kind),
        arguments=kind.arguments,
        family=kind.family,
        since=_SINCE.get(kind.family, ""),
        everywhere=not facts.has_root,
        shares=shares,
        order=_numbers(plan.plan.order) if shares else "",
        ranks=len(plan.plan),
        root=plan.plan.root,
        segment=segment_bytes,
        least=plan.from_bytes,
        below=plan.below_bytes,
        blocks=schedule.blocks,
        turns=schedule.turns,
        from_last=schedule.from_last,
        takes=any(one.does & Does.take for rank in schedule.steps for one in rank[:1]),
        steps="\n".join(f"    {{{', '.join(map(str, map(int, one)))}}}," for rank in schedule.steps for one in rank),
        first_steps=_numbers(accumulate(map(len, schedule.steps), initial=0)),
    )


def _numbers(listed: Iterable[int]) -> str:
    """As the lines of an initializer of an array in C."""
    return textwrap.fill(", ".join(map(str, listed)), 116, initial_indent="    ", subsequent_indent="    ") + ","


def usual_name_of(collective: str) -> str:
    """Of its function in C."""
    return f"trunkline_{collective.replace('-', '_')}"


def _shares_of(facts: _core.CollectiveFacts) -> str:
    """Of ranks, in words of the templates; empty: they have none."""
    if _core.Holding.own_block not in (facts.before, facts.after):
        return ""
    return "even" if facts.even_shares else "uneven"


def _declaration(name: str, kind: _Kind) -> str:
    """In C, on several lines where one is too short."""
    start = f"int {name}("
    lines = [start]
    for word in f"{kind.parameters})".replace(", ", ",|").split("|"):
        if len(lines[-1].replace("IN ", "const ")) + len(word) > _MOST_COLUMNS:
            lines.append(" " * (len(start) - 1))
        lines[-1] += word if lines[-1] == start else f" {word}"
    return "\n".join(lines)


def _kind_of(plan: _core.PlanFile, source: str) -> _Kind:
    kind = _KINDS.get(plan.collective)
    if kind is None:
        raise BadInput(f"{source} is a plan for {plan.collective}; routines are generated for {', '.join(_KINDS)}")
    if refused := kind_of(plan.plan).refused_in_c(plan.plan, plan.collective):
        raise BadInput(f"{source} {refused}")
    return kind


def _segment_of(plan: _core.PlanFile, source: str, wanted: int | None) -> int:
    own = plan.segment_bytes
    if own is not None and wanted is not None and own != wanted:
        raise BadInput(
            f"{source} has a segment of {format_bytes(own)}, which --segment {format_bytes(wanted)} contradicts; "
            "leave the option out, or change the plan"
        )
    used = own or wanted or DEFAULT_SEGMENT
    if used > MOST_SEGMENT:
        raise BadInput(f"a segment of {format_bytes(used)} is too long; {format_bytes(MOST_SEGMENT)} is the most")
    return used


def _check_name(name: str, mpi_name: str, usual_name: str) -> None:
    instead = f"take one such as {usual_name}"
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in _C_WORDS.split():
        raise BadInput(f"'{name}' cannot be the name of a C function; {instead}")
    if name == mpi_name:
        return
    if re.match(r"P?MPI_|__|_[A-Z]", name):
        raise BadInput(f"'{name}' is not free: such names belong to MPI or to C; {instead}, or {mpi_name}")
    if name in _words_of_the_file():
        raise BadInput(f"'{name}' is the name of something else in the file; {instead}")


def _words_of_the_file() -> set[str]:
    """What any generated file may call something, comments left out."""
    sources = "".join(_loader.get_source(_templates, template)[0] for template in _loader.list_templates())
    sources += "".join(kind.parameters for kind in _KINDS.values())
    return set(re.findall(r"\w+", re.sub(r"/\*.*?\*/|{{.*?}}|{%.*?%}", " ", sources, flags=re.DOTALL)))


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
