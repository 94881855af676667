"""A C file with an ``MPI_Bcast``-compatible function that runs the trees of one plan."""

import re
import textwrap
from collections.abc import Sequence
from itertools import accumulate, chain, groupby, islice

from jinja2 import Environment, PackageLoader, StrictUndefined

from trunkline import __version__, _core
from trunkline.errors import BadInput
from trunkline.units import format_bytes

__all__ = ["DEFAULT_SEGMENT", "bcast_routine"]

DEFAULT_SEGMENT = 8192
"""Bytes, where neither plan nor caller names a segment: below eager limits, with most of the bandwidth."""

MOST_SEGMENT = 1 << 30
"""Bytes; MPI counts in int, and a longer segment pipelines nothing anyway."""

_COLUMNS = 120
_LONGEST_HOSTLIST = 400
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
        BadInput: where the plan is of another collective or of one rank, the name cannot be used, or the segment is
            too long or contradicts the plan's.
    """
    if plan.collective != "bcast":
        raise BadInput(f"{source} is a plan for {plan.collective}; routines are generated for bcast alone")
    trees = plan.plan.trees
    if trees is None:
        raise BadInput(f"{source} is a plan of {plan.algorithm}, which is no tree; routines are generated from trees")
    if len(trees[0]) == 1:
        raise BadInput(f"{source} is a plan for one rank, which has nobody to send to; lay it over two ranks or more")
    _check_name(name)
    return _templates.get_template("bcast.c.j2").render(
        origin=_origin(plan, trees, source),
        name=name,
        native="PMPI_Bcast" if name == "MPI_Bcast" else "MPI_Bcast",
        ranks=len(trees[0]),
        root=trees[0].root,
        trees=len(trees),
        segment=_segment_of(plan, source, segment),
        **_tables(trees),
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


def _tables(trees: Sequence[_core.Tree]) -> dict[str, str]:
    """The arrays of the file, a row a tree: of lines their order, of any other trees parents and children."""
    children = [tree.children for tree in trees]
    if all(tree.max_degree == 1 for tree in trees):
        orders = []
        for tree, below in zip(trees, children, strict=True):
            orders.append([tree.root])
            while below[orders[-1][-1]]:
                orders[-1] += below[orders[-1][-1]]
        return {"orders": _rows(orders)}
    return {
        "orders": "",
        "parents": _rows([[-1 if parent is None else parent for parent in tree.parent] for tree in trees]),
        "begins": _rows([list(accumulate(map(len, below), initial=0)) for below in children]),
        "children": _rows([list(chain.from_iterable(below)) for below in children]),
    }


def _rows(table: Sequence[Sequence[int]]) -> str:
    """Numbers in columns, as the lines of an initializer of arrays."""
    width = max(len(str(number)) for numbers in table for number in numbers)
    lines = []
    for numbers in table:
        rest = iter(numbers)
        lines.append("    {")
        while row := list(islice(rest, 16)):
            lines.append("        " + ", ".join(f"{number:{width}}" for number in row) + ",")
        lines.append("    },")
    return "\n".join(lines)


def _origin(plan: _core.PlanFile, trees: Sequence[_core.Tree], source: str) -> list[str]:
    """Lines of the head comment: where the file comes from, and where it expects the ranks."""
    height, degree = max(tree.height for tree in trees), max(tree.max_degree for tree in trees)
    along = "a tree" if len(trees) == 1 else f"{len(trees)} trees that take segments by turns"
    over = f" over {plan.cluster}" if plan.cluster else ""
    paragraphs = [
        f"Broadcast along {along}: {plan.algorithm}{over}, height {height}, at most {degree} to send to. "
        f"Written by 'trunkline generate' {__version__} from {source}"
        + (f" ({plan.provenance})." if plan.provenance else "."),
        _placement(plan.host_of_rank),
    ]
    return list(
        chain.from_iterable(
            textwrap.wrap(_in_comment(text), _COLUMNS - 3, break_long_words=False) for text in paragraphs if text
        )
    )


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
