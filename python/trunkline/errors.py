"""What the command says when it cannot go on, and the exit status that goes with it."""

from collections.abc import Sequence


class TrunklineError(Exception):
    """A message for the person at the terminal; never a traceback."""

    exit_status = 1


class Failed(TrunklineError):
    """It ran, and the answer is no (exit status 1)."""


class BadInput(TrunklineError):
    """Usage, a faulty file, or something missing on this machine (exit status 2).

    The message says what is wrong, where, and what to do.
    """

    exit_status = 2


def faulty_input(faults: Sequence[str]) -> BadInput:
    """All faults of an input file as one message, each on a line of its own; ``file:line:column: what, and advice``."""
    many = f"{len(faults)} faults; nothing is done with a faulty file\n" if len(faults) > 1 else ""
    return BadInput(many + "\n".join(faults))
