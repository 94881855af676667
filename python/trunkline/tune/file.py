"""Tuning files."""

from trunkline import _core
from trunkline.cluster import told_as_bad_input


def load_tuning(path: str) -> _core.Tuning:
    """A tuning file.

    Raises:
        BadInput: with everything that is wrong with it.
    """
    with told_as_bad_input():
        return _core.read_tuning(path)
