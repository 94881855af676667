"""What stands for things that Python 3.9 does not have behaves as they do."""

from typing import Annotated

import pytest

from trunkline.compat import StrEnum, annotations_of, pairwise, zip_equal


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
