"""Scripts of a lab: what happens to its links while a program runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType

from trunkline import _core
from trunkline.cluster import told_as_bad_input
from trunkline.errors import TrunklineError
from trunkline.lab.session import Lab


def load_script(file: str, cluster: _core.Cluster) -> list[_core.LabStep]:
    """The steps of a script, checked against the cluster.

    Raises:
        BadInput: with everything that is wrong with the file.
    """
    with told_as_bad_input():
        return _core.read_lab_script(file, cluster)


class Playing:
    """Makes the steps' changes while its ``with`` block runs, each at its time since the block began.

    A machine that is busy makes them later, never sooner.

    Attributes:
        made: What the network answered to each: ``seconds`` and ``text``.
    """

    def __init__(self, lab: Lab, steps: Sequence[_core.LabStep], say: Callable[[str], None]) -> None:
        """Prepare it.

        Args:
            lab: The lab, up.
            steps: In the order of time; may be empty.
            say: Told of each step that is made, and at the end of those that were not reached.
        """
        self.made: list[dict[str, object]] = []
        self._lab = lab
        self._steps = steps
        self._say = say
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._play, name="lab script", daemon=True)

    @property
    def unreached(self) -> Sequence[_core.LabStep]:
        """Steps that have not been made."""
        return self._steps[len(self.made) :]

    def __enter__(self) -> Playing:
        self._start = time.monotonic()
        if self._steps:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._steps:
            self._thread.join()
        for step in self.unreached:
            self._say(f"script: not reached: at {step.at_s:g} s {step.text}")

    def _play(self) -> None:
        for step in self._steps:
            if self._over.wait(max(0.0, self._start + step.at_s - time.monotonic())):
                return
            try:
                answer = self._lab.change(step.text)
            except TrunklineError as failure:  # such as a lab that has died, of which its owner is told, too
                self._say(f"script: {failure}")
                return
            self.made.append(answer)
            self._say(f"script: at {answer['seconds']:.2f} s {answer['text']}")
