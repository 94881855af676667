"""Labs that run now, and how their links are changed from outside, or from one of their hosts."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trunkline import _core
from trunkline.errors import BadInput, Failed
from trunkline.lab.places import CLUSTER_FILE, DOOR, SUPER_FRAME

_INSIDE = b'run_module("trunkline.lab.first_process"'
"""In the command line of a lab's first process."""
ANSWER_SECONDS = 30


@dataclass(frozen=True)
class RunningLab:
    """A lab of ours.

    Attributes:
        owner: Process that started it; 0: seen from one of its own hosts.
        root: Its files as this process sees them.
        cluster: What it emulates.
    """

    owner: int
    root: Path
    cluster: _core.Cluster

    @property
    def door(self) -> Path:
        """The socket on which it takes changes, where it does."""
        return self.root / DOOR.relative_to("/")

    @property
    def single_frames(self) -> bool:
        """Whether its hosts hand over each frame by itself."""
        return (self.root / SUPER_FRAME.relative_to("/")).read_text() == "1"

    @property
    def text(self) -> str:
        """For people."""
        return f"{self.owner} ({self.cluster.name})"


def running_labs() -> list[RunningLab]:
    """All of this user, those first that started first.

    Root may enter those of others, too. But what their files lead to is for their owners to say, so root leaves them
    alone.
    """
    found = []
    for process in sorted(Path("/proc").glob("[0-9]*"), key=lambda one: int(one.name)):
        try:
            if _INSIDE not in (process / "cmdline").read_bytes() or not _is_first_of_ours(process):
                continue
            root = process / "root"
            cluster = _core.read_cluster(str(root / CLUSTER_FILE.relative_to("/")))
            found.append(RunningLab(_parent(int(_parent(process.name))), root, cluster))
        except (OSError, _core.FaultyFile, StopIteration):  # it has ended, is not up yet, or is another user's
            continue
    return found


def _status(process: Path | str, field: str) -> str:
    lines = (Path("/proc") / process / "status").read_text().splitlines()
    return next(line for line in lines if line.startswith(field)).split()[-1]


def _is_first_of_ours(process: Path) -> bool:
    """Whether it is the first process of its namespace, and no host that is just starting; and our user's."""
    return _status(process, "Uid:") == str(os.geteuid()) and _status(process, "NSpid:") == "1"


def _parent(process: str | int) -> int:
    return int(_status(str(process), "PPid:")) if int(process) else 0


def pick_lab(owner: int | None) -> RunningLab:
    """The lab that this process started, or the only one.

    Raises:
        BadInput: where there is none, or several and none is named.
    """
    labs = running_labs()
    all_labs = ", ".join(lab.text for lab in labs)
    if not labs:
        raise BadInput("no lab of yours is running; 'trunkline lab shell' and 'trunkline lab run' start one")
    if owner is not None:
        named = [lab for lab in labs if lab.owner == owner]
        if not named:
            raise BadInput(f"process {owner} has no lab; labs are of these: {all_labs}")
        return named[0]
    if len(labs) > 1:
        raise BadInput(f"several labs are running: {all_labs}; name one: --lab {labs[0].owner}")
    return labs[0]


def change_links(lab: RunningLab, words: Sequence[str]) -> dict[str, Any]:
    """Change links of a lab.

    Args:
        lab: Which one.
        words: Links, KEY=VALUE, ``down``, ``up``.

    Returns:
        ``seconds`` since its program started, and ``text``, what has been changed.

    Raises:
        BadInput: where the words are no change of its links, or it takes none.
        Failed: where it ends meanwhile.
    """
    try:
        change = _core.parse_link_change(lab.cluster, words)
    except ValueError as error:
        raise BadInput(f"{lab.cluster.name}: {error}") from None
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(ANSWER_SECONDS)
            connection.connect(str(lab.door))
            with contextlib.suppress(BrokenPipeError):  # refused before it was heard: the answer says why
                connection.sendall(f"set {change.text}\n".encode())
            answer = b""
            while not answer.endswith(b"\n"):
                if not (part := connection.recv(1 << 16)):
                    raise Failed("the lab has ended meanwhile")
                answer += part
    except (FileNotFoundError, ConnectionRefusedError):
        raise BadInput(
            f"the lab of {lab.text} takes no changes: its program has not started yet, or it is one of a command that "
            "measures; those of 'trunkline lab run', 'exec' and 'shell' take them"
        ) from None
    except OSError as error:
        raise Failed(f"the lab of {lab.text} does not answer: {error.strerror or error}") from None
    said: dict[str, Any] = json.loads(answer)
    if "error" in said:
        raise BadInput(f"{lab.cluster.name}: {said['error']}")
    return said
