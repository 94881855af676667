"""A C file from a set of plans: a function for each collective, which picks the plan by ranks, root and size."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.generate.routine import c_routine, usual_name_of

_COMMENT = re.compile(r"(/\*.*?\*/)", re.DOTALL)
_DECLARED = (
    re.compile(r"^static [^=;{(]*?\b(\w+)\(", re.MULTILINE),
    re.compile(r"^static (?:const )?(?:struct )?\w+ (\w+)(?:\[| =)", re.MULTILINE),
    re.compile(r"^struct (\w+) \{", re.MULTILINE),
)
_ENUM = re.compile(r"^enum \{(.*?)\}", re.MULTILINE | re.DOTALL)


def c_routines(plans: _core.PlanSet, source: str, name: str | None = None, segment: int | None = None) -> str:
    """The C file for all plans of a set, or for one.

    Each collective has one function. It passes a call that its first plan is not for to the second one, and so on; the
    last one calls MPI's own function.

    Args:
        plans: What it runs.
        source: What they were read from, for the file's head.
        name: Of the function, as in :func:`c_routine`; only where all plans are of one collective.
        segment: Bytes, for plans without a segment of their own.

    Raises:
        BadInput: as :func:`c_routine`, for any of the plans; or where one name is to be that of several functions.
    """
    known = list(plans.plans)
    if len(known) == 1:
        return c_routine(known[0], source, name, segment)
    collectives = list(dict.fromkeys(plan.collective for plan in known))
    if name is not None and len(collectives) > 1:
        raise BadInput(
            f"--name {name}: {source} has plans of {' and '.join(collectives)}, a function each; leave it out"
        )
    sections: list[str] = []
    for collective in collectives:
        sections += _sections([plan for plan in known if plan.collective == collective], source, name, segment)
    return "\n".join(section.rstrip("\n") + "\n" for section in sections)


def _sections(plans: list[_core.PlanFile], source: str, name: str | None, segment: int | None) -> Iterator[str]:
    """Of one collective, the last plan first: those before it call it."""
    (collective,) = {plan.collective for plan in plans}
    public = name or usual_name_of(collective)
    other: str | None = None
    native = _core.facts_of(collective).mpi_name
    if public == native:
        other = f"P{native}"
    own = public.replace("MPI_", "trunkline_").lower()
    for number in range(len(plans), 0, -1):
        plan = plans[number - 1]
        is_public = number == 1
        function = public if is_public else f"{own}_plan_{number}"
        where = f"{source}, line {plan.line}"
        text = c_routine(plan, where, function, segment, other)
        yield _as_section(text, function, f"_{collective.replace('-', '_')}_{number}", is_public=is_public)
        other = function


def _as_section(text: str, function: str, suffix: str, *, is_public: bool) -> str:
    """The same with names of its own, and of a function that others call not seen outside."""
    parts = _COMMENT.split(text)
    code = "".join(part for part in parts if not part.startswith("/*"))
    declared = {word for pattern in _DECLARED for word in pattern.findall(code)}
    for body in _ENUM.findall(code):
        declared |= set(re.findall(r"(\w+)\s*=", body))
    declared.discard(function)
    names = re.compile(rf"\b({'|'.join(sorted(declared))})\b")
    made = "".join(part if part.startswith("/*") else names.sub(rf"\g<1>{suffix}", part) for part in parts)
    if is_public:
        return made
    return re.sub(rf"^int {function}\(", f"static int {function}(", made, flags=re.MULTILINE)
