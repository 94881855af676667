"""What the command asks of a kind of plan."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from rich.console import Console

from trunkline import _core
from trunkline.schedule import Schedule


class PlanKind(ABC):
    """One kind: in words, as JSON, as a picture, as C, in traces. A function that a new kind lacks is an error at once.

    Attributes:
        way: How its plans go, for messages: ``by rounds``.
        at_once: What of a plan is under way at once, where that is not all of it, after a space.
    """

    way: str
    at_once: str = ""

    @abstractmethod
    def is_replayed(self, plan: _core.Plan) -> bool:
        """Whether a plan that was just laid is still to be replayed: the core has not proved it, and it is quick."""

    @abstractmethod
    def extent(self, plan: _core.Plan) -> str:
        """How large it is, in a few words."""

    @abstractmethod
    def show(self, console: Console, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan) -> None:
        """Print its steps for people."""

    @abstractmethod
    def as_json(self, plan: _core.Plan) -> dict[str, object]:
        """Its steps."""

    @abstractmethod
    def draw(self, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan, title: str) -> str:
        """It as one picture, SVG text."""

    @abstractmethod
    def sketches(self, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan, title: str) -> list[str]:
        """Its pictures on a page with results, SVG text each; none where they would be too much there."""

    @abstractmethod
    def refused_in_c(self, plan: _core.Plan, collective: str) -> str:
        """Why no C is written for it, and what instead, after the plan's name; empty: it is written."""

    @abstractmethod
    def schedule(self, plan: _core.Plan, collective: str) -> Schedule:
        """What each rank does in that collective."""

    @abstractmethod
    def streams(self, plan: _core.Plan) -> int:
        """Trees that the segments of a message take by turns, as traces number them; 0: traces number its rounds."""
