"""One run of the timing program: its command line, and what it prints."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from trunkline import _core
from trunkline.errors import Failed
from trunkline.mpi import Mpi
from trunkline.paths import mpi_program
from trunkline.placement import placement_on
from trunkline.units import format_bytes, format_seconds

PING_PONG = "ping-pong"
PATIENCE_S = 300.0
"""After which a library that does nothing is given up."""


@dataclass(frozen=True)
class Limits:
    """When a cell has been repeated often enough."""

    least: int = 3
    """Fewest repetitions."""
    most: int = 40
    """Most repetitions."""
    budget_s: float = 10.0
    """Seconds spent on a cell after which no repetition is started, once there are ``least``."""
    width: float = 0.04
    """The 95 % interval of the median, as a part of it, that is narrow enough."""
    race: float = 0.0
    """An algorithm is out once its best time is above this many times the best median; 0: all stay in."""
    give_up: float = 0.0
    """The job ends once a repetition takes a second more than this many times the seconds to beat; 0: never. Needs
    ``patience_s``."""
    patience_s: float = 0.0
    """The job ends once nothing has happened for so many seconds; 0: never."""


@dataclass(frozen=True)
class Repetition:
    """One repetition has been made; what a progress display needs."""

    mpi: str
    message_bytes: int
    algorithm: str
    seconds: float
    decided: bool
    """Whether it was the last one of its cell."""

    @property
    def text(self) -> str:
        """For people: ``8 KiB linear 12.3 ms``."""
        what = "T" if self.algorithm == PING_PONG else self.algorithm
        return f"{format_bytes(self.message_bytes)} {what} {format_seconds(self.seconds)}"


@dataclass
class Outcome:
    """What a job measured, by size and algorithm.

    Attributes:
        seconds: Times of the slowest rank, warm-up left out.
        ran: The algorithm that ran, and the bytes of its segment.
        work_seconds: Of the work of a rank beside the last of its calls; missing: there was none.
        library: What the library says about itself.
        given_up: The size at which the job ended because it was too slow or hung, 0 before the first one; None: it
            ended well.
        hung: Whether nothing happened for ``patience_s`` then.
    """

    seconds: dict[tuple[int, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    ran: dict[tuple[int, str], tuple[str, int]] = field(default_factory=dict)
    work_seconds: dict[tuple[int, str], float] = field(default_factory=dict)
    library: str = ""
    given_up: int | None = None
    hung: bool = False


def program(mpi: Mpi) -> str:
    """Path of the timing program built for this library."""
    return str(mpi_program("bench", mpi.name))


def timing_words(
    collective: str,
    cluster: _core.Cluster,
    sizes: Sequence[int],
    algorithms: Sequence[str],
    limits: Limits,
    beat: Sequence[float] = (),
    placement: Sequence[int] | None = None,
    root: int = 0,
) -> list[str]:
    """Options of the timing program; its ping-pong is between the root and the next rank on its line on another host.

    ``placement``: the host of each rank; None: one rank on every host.
    """
    seats = placement_on(cluster, 1) if placement is None else placement
    line = _core.lay_trees("bcast", "linear", cluster, seats, root)[0]
    peer = next(rank for rank in _walk(line) if seats[rank] != seats[root])
    return [
        *("--collective", collective, "--root", str(root), "--peer", str(peer)),
        *("--sizes", ",".join(map(str, sizes)), "--algorithms", ",".join(algorithms)),
        *("--least", str(limits.least), "--most", str(limits.most), "--budget", str(limits.budget_s)),
        *("--width", str(limits.width), "--race", str(limits.race)),
        *(("--beat", ",".join(f"{seconds:.9f}" for seconds in beat)) if any(beat) else ()),
        *(("--give-up", str(limits.give_up)) if limits.give_up else ()),
        *(("--patience", str(limits.patience_s)) if limits.patience_s else ()),
    ]


def _walk(tree: _core.Tree) -> Iterator[int]:
    rank = tree.root
    while children := tree.children[rank]:
        rank = children[0]
        yield rank


def follow(
    process: subprocess.Popen[str],
    name: str,
    on_progress: Callable[[Repetition], None] = lambda _: None,
    on_other: Callable[[dict[str, object]], bool] = lambda _: False,
    into: Outcome | None = None,
) -> Outcome:
    """Read what a job prints to its end; its standard error must come the same way.

    ``on_other`` is shown each object first, and says whether that was all there is to do about it. ``into`` has what
    was measured even where the job does not end well.

    Raises:
        Failed: where it does not end well, with what it said.
    """
    outcome = Outcome() if into is None else into
    said: list[str] = []
    assert process.stdout is not None
    with process:
        for text in process.stdout:
            if not text.startswith("{"):
                said.append(text)
                continue
            event = json.loads(text)
            if on_other(event):
                continue
            if "mpi_library" in event:
                outcome.library = event["mpi_library"]
            elif "given_up" in event:
                outcome.given_up, outcome.hung = event["given_up"], event["hung"]
            else:
                keep(outcome, name, event, on_progress)
    if process.returncode != 0 and outcome.given_up is None:
        raise Failed(f"the benchmark ended with status {process.returncode} under {name}:\n{''.join(said).strip()}")
    return outcome


def keep(outcome: Outcome, name: str, event: dict[str, object], on_progress: Callable[[Repetition], None]) -> None:
    """Take down one repetition that the program has said."""
    key = (int(str(event["message_bytes"])), str(event["algorithm"]))
    seconds = float(str(event["seconds"]))
    if not event["warm_up"]:
        outcome.seconds[key].append(seconds)
    outcome.ran[key] = str(event["ran"]), int(str(event["segment_bytes"]))
    if work_seconds := float(str(event.get("work_seconds", 0.0))):
        outcome.work_seconds[key] = work_seconds
    on_progress(Repetition(name, *key, seconds, bool(event["decided"])))
