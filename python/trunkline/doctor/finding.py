"""What a doctor has looked at: as it should be, worth knowing, or wrong, and then what to do."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    topic: str
    state: str
    """``ok``, ``note`` or ``wrong``."""
    text: str
    advice: str = ""
    """What to do; empty where nothing needs to be done."""


def ok(topic: str, text: str) -> Finding:
    """It is as it should be."""
    return Finding(topic, "ok", text)


def note(topic: str, text: str, advice: str = "") -> Finding:
    """It is worth knowing, and stops nothing that runs."""
    return Finding(topic, "note", text, advice)


def wrong(topic: str, text: str, advice: str) -> Finding:
    """It has to be mended."""
    return Finding(topic, "wrong", text, advice)


def is_well(found: Sequence[Finding]) -> bool:
    """Whether nothing is wrong."""
    return all(one.state != "wrong" for one in found)


def verdict(found: Sequence[Finding]) -> str:
    """In one sentence."""
    faults = [one for one in found if one.state == "wrong"]
    if not faults:
        return "Trunkline is well here."
    return f"{len(faults)} {'thing is' if len(faults) == 1 else 'things are'} wrong here: see what to do above."


def as_json(found: Sequence[Finding]) -> list[dict[str, str]]:
    """As the command writes them."""
    return [vars(one) for one in found]
