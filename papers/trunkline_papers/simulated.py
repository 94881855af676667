"""Programs of ``papers/programs`` on simulated ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from trunkline.errors import BadInput
from trunkline.simulate.engine import Job, run_ranks
from trunkline_papers.paths import PROGRAMS

__all__ = ["run_program"]

Said = TypeVar("Said")

_RANKS = PROGRAMS / "libtrunkline-simulated-programs.so"


def run_program(
    job: Job,
    runs: str,
    options: Mapping[str, str],
    words: Sequence[str],
    read: Callable[[Iterable[str]], Iterator[Said]],
    settings: Mapping[str, str] | None = None,
) -> Iterator[Said]:
    """As :func:`trunkline.simulate.engine.run_ranks`; the first word is the program.

    Raises:
        BadInput: where the programs were not built.
        Failed: as there.
    """
    if not _RANKS.exists():
        raise BadInput(f"{_RANKS} is missing, which simulated ranks run: 'make papers-programs' builds it")
    return run_ranks(job, runs, options, words, read, settings, _RANKS)
