"""What stands for things that Python 3.9 does not have behaves as they do."""

from dataclasses import FrozenInstanceError, field, fields
from typing import Annotated

import pytest

from trunkline import compat
from trunkline.compat import StrEnum, annotations_of, keyword_dataclass, pairwise, zip_equal


def written_as_text(name: "str", count: "Annotated[int | None, 'an option']" = None) -> "None":
    """As with ``from __future__ import annotations``."""


def test_annotations_are_read():
    found = annotations_of(written_as_text)
    assert found == {"name": str, "count": Annotated[int | None, "an option"], "return": None}


class Way(StrEnum):
    UP = "up"


def test_members_are_their_values():
    assert (str(Way.UP), f"{Way.UP}", Way.UP == "up", Way("up")) == ("up", "up", True, Way.UP)


def test_each_with_the_next_one():
    assert list(pairwise("abc")) == [("a", "b"), ("b", "c")]
    assert list(pairwise("a")) == list(pairwise("")) == []


def test_side_by_side():
    assert list(zip_equal("ab", [1, 2], (None, None))) == [("a", 1, None), ("b", 2, None)]
    assert list(zip_equal([], [])) == list(zip_equal()) == []


@pytest.mark.parametrize("lists", [("ab", "a"), ("a", "ab"), ("", "a"), ("ab", "ab", "abc")])
def test_different_lengths_are_refused(lists):
    with pytest.raises(ValueError, match="different lengths"):
        list(zip_equal(*lists))


def plain():
    class Plain:
        first: int = 1
        then: str
        last: list = field(default_factory=list)

    return Plain


def classes():
    """The same by this Python's own, and by what an older one gets."""
    new = keyword_dataclass(frozen=True)(plain())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compat.sys, "version_info", (3, 9, 0))
        return [new, keyword_dataclass(frozen=True)(plain())]


@pytest.mark.parametrize("kind", classes())
def test_fields_by_name(kind):
    made = kind(then="x")
    assert (made.first, made.then, made.last) == (1, "x", [])
    assert made == kind(then="x", first=1, last=[])
    assert made.last is not kind(then="x").last
    assert [one.name for one in fields(made)] == ["first", "then", "last"]
    for wrong in ({}, {"then": "x", "other": 1}):
        with pytest.raises(TypeError):
            kind(**wrong)
    with pytest.raises(TypeError):
        kind("x")
    with pytest.raises(FrozenInstanceError):
        made.first = 2
