"""Tuning files."""

from trunkline import _core
from trunkline.cluster import faulty

__all__ = ["load_tuning"]


def load_tuning(path: str) -> _core.Tuning:
    """A tuning file.

    Raises:
        BadInput: with everything that is wrong with it.
    """
    try:
        return _core.read_tuning(path)
    except _core.FaultyFile as error:
        raise faulty(error) from None
