"""What newer Pythons bring and the oldest one that is served, 3.9, does not have."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, dataclass, fields
from enum import Enum
from functools import partial
from itertools import chain, tee
from typing import TYPE_CHECKING, Any, Callable, TypeVar, overload

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[Any], Any]:
        """For type checkers alone."""
        return lambda decorated: decorated


A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
_END: Any = object()


class StrEnum(str, Enum):
    """As :class:`enum.StrEnum` of Python 3.11: members are their values, printed too."""

    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]


def pairwise(items: Iterable[A]) -> Iterator[tuple[A, A]]:
    """As :func:`itertools.pairwise` of Python 3.10: each item with the next one."""
    firsts, seconds = tee(items)
    next(seconds, None)
    return zip(firsts, seconds)


@overload
def zip_equal(first: Iterable[A], second: Iterable[B], /) -> Iterator[tuple[A, B]]: ...
@overload
def zip_equal(first: Iterable[A], second: Iterable[B], third: Iterable[C], /) -> Iterator[tuple[A, B, C]]: ...
@overload
def zip_equal(*several: Iterable[Any]) -> Iterator[tuple[Any, ...]]: ...
def zip_equal(*several: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """As ``zip(..., strict=True)`` of Python 3.10.

    Raises:
        ValueError: where one ends before another.
    """
    columns = [chain(one, [_END]) for one in several]
    for row in zip(*columns):
        if any(item is _END for item in row):
            if not all(item is _END for item in row):
                raise ValueError("zip_equal: what is to go side by side is of different lengths")
            return
        yield row


def annotations_of(function: Callable[..., Any]) -> dict[str, Any]:
    """As ``inspect.get_annotations(..., eval_str=True)`` of Python 3.10: those that are texts are read.

    ``typing.get_type_hints`` would put an Optional around each whose default is None, and so hide what Annotated says.
    """
    read = vars(sys.modules[function.__module__])
    return {
        name: eval(value, read) if isinstance(value, str) else value  # our own source
        for name, value in function.__annotations__.items()
    }


@dataclass_transform(kw_only_default=True)
def keyword_dataclass(kind: type[A] | None = None, /, *, frozen: bool = False) -> Any:  # noqa: ANN401
    """As ``dataclass(kw_only=True)`` of Python 3.10: fields are given by name, so those with a default may come first.

    Args:
        kind: The class; None: it comes later, as where the decorator is called.
        frozen: As in ``dataclass``.
    """
    if kind is None:
        return partial(keyword_dataclass, frozen=frozen)
    if sys.version_info >= (3, 10):
        return dataclass(kw_only=True, frozen=frozen)(kind)  # novm
    made = dataclass(init=False, frozen=frozen)(kind)
    made.__init__ = _init_by_name
    return made


def _init_by_name(self: Any, **given: Any) -> None:  # noqa: ANN401
    names = {one.name for one in fields(self)}
    if unknown := sorted(given.keys() - names):
        raise TypeError(f"{type(self).__name__} has no {', '.join(unknown)}")
    for one in fields(self):
        if one.name in given:
            value = given[one.name]
        elif one.default_factory is not MISSING:
            value = one.default_factory()
        elif one.default is not MISSING:
            value = one.default
        else:
            raise TypeError(f"{type(self).__name__} needs {one.name}")
        object.__setattr__(self, one.name, value)
