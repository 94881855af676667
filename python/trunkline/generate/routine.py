"""A C file with an ``MPI_Bcast``-compatible function that runs one plan, of trees or of rounds."""

import re

from jinja2 import Environment, PackageLoader, StrictUndefined

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.generate.head import origin_lines, way_lines
from trunkline.generate.tables import MOST_BLOCKS, tables, too_large
from trunkline.units import format_bytes

__all__ = ["DEFAULT_SEGMENT", "bcast_routine"]

DEFAULT_SEGMENT = 8192
"""Bytes, where neither plan nor caller names a segment: below eager limits, with most of the bandwidth."""

MOST_SEGMENT = 1 << 30
"""Bytes; MPI counts in int, and a longer segment pipelines nothing anyway."""

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


def bcast_routine(plan: _core.PlanFile, source: str, name: str = "trunkline_bcast", segment: int | None = None) -> str:
    """The C file for a plan.

    Args:
        plan: What it runs; it has passed the checker.
        source: What the plan was read from, for the file's head.
        name: Of the function; ``MPI_Bcast`` makes it stand in for MPI's own, which it then calls as ``PMPI_Bcast``.
        segment: Bytes, for a plan without a segment of its own; None: DEFAULT_SEGMENT.

    Raises:
        BadInput: where the plan is of another collective, of one rank, or of too many blocks for so many ranks, the
            name cannot be used, or the segment is too long or contradicts the plan's.
    """
    if plan.collective != "bcast":
        raise BadInput(f"{source} is a plan for {plan.collective}; routines are generated for bcast alone")
    if len(plan.plan) == 1:
        raise BadInput(f"{source} is a plan for one rank, which has nobody to send to; lay it over two ranks or more")
    if too_much := too_large(plan.plan):
        raise BadInput(
            f"{source} has {too_much}, which is too much for tables: the product may be {MOST_BLOCKS} at most; take a "
            "plan of trees, such as two-tree, or one for fewer ranks"
        )
    _check_name(name)
    native = "PMPI_Bcast" if name == "MPI_Bcast" else "MPI_Bcast"
    segment_bytes = _segment_of(plan, source, segment)
    return _templates.get_template("bcast.c.j2").render(
        origin=origin_lines(plan, source),
        way=way_lines(plan.plan, segment_bytes, native),
        name=name,
        native=native,
        ranks=len(plan.plan),
        root=plan.plan.root,
        segment=segment_bytes,
        **tables(plan.plan),
    )


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


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in _C_WORDS.split():
        raise BadInput(f"'{name}' cannot be the name of a C function; take one such as trunkline_bcast")
    if name == "MPI_Bcast":
        return
    if re.match(r"P?MPI_|__|_[A-Z]", name):
        raise BadInput(f"'{name}' is not free: such names belong to MPI or to C; take one such as trunkline_bcast")
    if name in _words_of_the_file():
        raise BadInput(f"'{name}' is the name of something else in the file; take one such as trunkline_bcast")


def _words_of_the_file() -> set[str]:
    """What any generated file may call something, comments left out."""
    sources = "".join(_loader.get_source(_templates, template)[0] for template in _loader.list_templates())
    return set(re.findall(r"\w+", re.sub(r"/\*.*?\*/|{{.*?}}|{%.*?%}", " ", sources, flags=re.DOTALL)))
