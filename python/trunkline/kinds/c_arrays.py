"""Numbers as the initializers of arrays in C."""

from collections.abc import Iterable, Sequence
from itertools import chain, islice

__all__ = ["numbers", "rows", "short_rows"]


def rows(table: Sequence[Sequence[int]]) -> str:
    """Numbers in columns, as the lines of an initializer of arrays."""
    width = _width(chain.from_iterable(table))
    return "\n".join(f"    {{\n{numbers(row, '        ', width)}\n    }}," for row in table)


def short_rows(table: Sequence[Sequence[int]]) -> str:
    """The same of rows that each fit on a line."""
    width = _width(chain.from_iterable(table))
    return "\n".join("    {" + ", ".join(f"{number:{width}}" for number in row) + "}," for row in table)


def numbers(listed: Iterable[int], indent: str, width: int = 0) -> str:
    """Numbers in columns, as the lines of an initializer of one array."""
    width = width or _width(listed)
    rest = iter(listed)
    lines = []
    while row := list(islice(rest, 16)):
        lines.append(indent + ", ".join(f"{number:{width}}" for number in row) + ",")
    return "\n".join(lines)


def _width(listed: Iterable[int]) -> int:
    return max(len(str(number)) for number in listed)
