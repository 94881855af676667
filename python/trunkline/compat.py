"""What newer Pythons bring and the oldest one that is served, 3.9, does not have."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import chain, tee
from typing import Any, Callable, TypeVar, overload

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
