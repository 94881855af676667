"""What races and rounds share: a job of a step's peer on its lab, and a cell of what it measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from trunkline.bench.job import PING_PONG, Limits, Outcome, timing_words
from trunkline.bench.measure import make_cell
from trunkline.lab.session import Lab
from trunkline_papers.peers.comparison import BEST, Comparison, Step
from trunkline_papers.peers.driver import Setting
from trunkline_papers.peers.results import PeerCell, Results

__all__ = ["Work"]


@dataclass
class Work:
    """One step at work: its cluster's lab is up, and has a folder for files."""

    comparison: Comparison
    results: Results
    step: Step
    lab: Lab
    folder: Path
    on_step: Callable[[Step, str], None]

    def job(
        self, setting: Setting, sizes: Sequence[int], algorithms: Sequence[str], limits: Limits, beat: Sequence[float]
    ) -> Outcome:
        """Run one job to its end, preloaded where an algorithm of Trunkline's takes part; ``beat``: as in sweep.Run."""
        driver = self.step.driver
        words = timing_words(self.comparison.collective, self.lab.cluster, sizes, algorithms, limits, beat=beat)
        preload = any(name != "native" for name in algorithms)
        return driver.run(self.lab, self.folder, words, setting, preload)

    def cell(self, outcome: Outcome, size: int, algorithm: str, name: str, setting: str) -> PeerCell:
        """The cell ``name`` of a size from the times of ``algorithm``."""
        ping_pong = outcome.seconds[size, PING_PONG]
        return make_cell(
            PeerCell,
            self.lab,
            self.step.driver.mpi,
            self.comparison.collective,
            size,
            name,
            (name, 0) if name == BEST else outcome.ran[size, algorithm],
            outcome.seconds[size, algorithm],
            ping_pong,
            self.comparison.limits.width,
            hosts=len(self.lab.cluster.hosts),
            ranks=len(self.lab.cluster.hosts),
            setting=setting,
            limits=list(ping_pong),
            library=outcome.library,
        )
