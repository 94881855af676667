"""A lab: an emulated cluster that lives exactly as long as its owner wants, and never longer than its owner."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from trunkline import _core
from trunkline.errors import BadInput, Failed
from trunkline.lab import syscalls
from trunkline.lab.impairments import NO_IMPAIRMENTS, Impairments
from trunkline.lab.obstacles import check_obstacles, explain_refusal
from trunkline.lab.places import CLUSTER_FILE, FOLDER, MOST_HOSTS, TEMPORARY
from trunkline.paths import FABRIC

_SUPER_FRAME = 2
"""Frames that a host's kernel may hand to the network in one piece.

Segmentation offload would merge all that waits in a socket, up to 64 KB; the network delivers such a super-frame when
its last byte is there, so that every hop of a pipeline would store a dozen frames. A real network card hands over each
frame. Two keep a small segment whole, which halves the work.
"""

_QUEUE_BYTES = 512 << 10
"""What waits at a port of a switch of which the file says nothing. Hosts are told it, too."""

_INSIDE = """import runpy, sys
sys.path = [*filter(None, sys.path), sys.argv.pop()]
runpy.run_module("trunkline.lab.first_process", run_name="__main__", alter_sys=True)"""
"""As ``python -P -m``, which came with Python 3.11: nothing comes from the folder that the caller is in.

The last word is the folder that our own package is in."""
_HOST_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def check_host(cluster: _core.Cluster, name: str | None) -> str:
    """The host of this name, or the first one.

    Raises:
        BadInput: where there is no such host.
    """
    hosts = cluster.hosts
    if name is not None and name not in hosts:
        raise BadInput(f"there is no host '{name}' on {cluster.name}; there are: {_core.compress_hostlist(hosts)}")
    return hosts[0] if name is None else name


class Lab:
    """An emulated cluster, up within its ``with`` block.

    Every host has namespaces of its own (network, name, IPC, shared memory, boot id) and one Ethernet port; one program
    is the network between them. As an ordinary user everything is inside a user namespace; as root it needs none.
    When the block ends, or its owner dies in whatever way, the kernel removes all of it with its first process.

    Attributes:
        cluster: The cluster as emulated: at this lab's rates.
        rate_bps: Rate of its fastest link, bits per second.
        cluster_file: Path of the cluster's file as the hosts see it.
        agent: Path of the remote shell that MPI launchers are given, as the hosts see it.
        priority: What the network's process was allowed: ``fifo``, ``nice`` or ``none``.
        host_costs: What messages cost here, as ``TRUNKLINE_HOST_COSTS`` says it; empty: it was not measured.
    """

    cluster_file = str(CLUSTER_FILE)
    agent = str(FOLDER / "agent")

    def __init__(
        self,
        cluster: _core.Cluster,
        rate_bps: float | None = None,
        impairments: Impairments = NO_IMPAIRMENTS,
        *,
        single_frames: bool = False,
    ) -> None:
        """Prepare a lab of that cluster.

        Args:
            cluster: What to emulate, with what impairments say of its links and switches.
            rate_bps: Rate of the fastest link, every other in proportion; None: the rates of the cluster.
            impairments: What they say of hosts, and the seed.
            single_frames: Links of the cluster harm no frames, but will later: hosts hand over each frame by itself.
        """
        stated = _core.with_queues(cluster, _QUEUE_BYTES)
        self.cluster = stated if rate_bps is None else _core.scaled(stated, rate_bps)
        self.rate_bps = max(link.most_bps for link in self.cluster.links)
        self.priority = ""
        self.host_costs = ""
        self._impairments = impairments
        # What happens to a frame on a link happens to one frame.
        self._super_frame = 1 if single_frames or _core.has_impairments(self.cluster) else _SUPER_FRAME
        self._keeper: subprocess.Popen[bytes] | None = None
        self._first = 0
        self._running: list[subprocess.Popen[Any]] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Lab:
        hosts = self.cluster.hosts
        if len(hosts) > MOST_HOSTS:
            raise BadInput(f"{self.cluster.name} has {len(hosts)} hosts; one machine emulates at most {MOST_HOSTS}")
        if (odd := next((name for name in hosts if not _HOST_NAME.fullmatch(name)), None)) is not None:
            raise BadInput(
                f"the lab cannot have a host '{odd}': the kernel and the launchers of MPI libraries take names of at "
                "most 64 letters, digits and . _ - that begin with a letter or digit; name it otherwise in a copy of "
                "the file"
            )
        check_obstacles()
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        self._keeper = subprocess.Popen(
            [
                *("unshare", *user, "--net", "--mount", "--ipc", "--uts", "--pid", "--fork", "--kill-child"),
                *("--mount-proc", sys.executable, "-c", _INSIDE, Path(__file__).parents[2]),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=_start_apart,
        )
        names = [[name, *self.cluster.aliases(index)] for index, name in enumerate(hosts)]
        harm = self._impairments
        try:
            description = {
                "cluster": _core.write_cluster(self.cluster),
                "hosts": hosts,
                "names": names,
                "tcp_rto_min_ms": harm.tcp_rto_min_ms,
                "ipv6": harm.ipv6,
                "tcp_buffer_bytes": harm.tcp_buffer_bytes,
                "fabric": [str(FABRIC), "--seed", str(harm.seed)],
                "super_frame": self._super_frame,
            }
            answer = self._ask(json.dumps(description))
        except BaseException:
            self._end()
            raise
        self.priority = str(answer["priority"])
        children = Path(f"/proc/{self._keeper.pid}/task/{self._keeper.pid}/children").read_text().split()
        self._first = int(children[0])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def popen(
        self,
        argv: Sequence[str],
        *,
        host: str | None = None,
        env: Mapping[str, str] | None = None,
        without: tuple[str, ...] = (),
        folder: Path | None = None,
        stdin: int | IO[Any] | None = subprocess.DEVNULL,
        stdout: int | IO[Any] | None = None,
        stderr: int | IO[Any] | None = None,
        text: bool = True,
    ) -> subprocess.Popen[Any]:
        """Start a program on a host of the lab (default: the first), in the caller's folder and environment.

        Only TMPDIR is another: a folder that goes with the lab, since MPI libraries leave files in theirs when killed.

        Args:
            argv: The program and its arguments.
            host: Name of a host of the cluster.
            env: Variables to add to the environment.
            without: Beginnings of names of variables that are left out of the caller's environment.
            folder: Where it starts; default: the caller's folder.
            stdin: As for :class:`subprocess.Popen`; nothing by default.
            stdout: As for :class:`subprocess.Popen`.
            stderr: As for :class:`subprocess.Popen`.
            text: Whether the streams are text.

        Raises:
            BadInput: where there is no such host.
            Failed: where the lab is not up.
        """
        if self._keeper is None:
            raise Failed("the lab is not up")
        name = check_host(self.cluster, host)
        user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        enter = [
            *(shutil.which("nsenter") or "nsenter", "--target", str(self._first), *user),
            *("--net", "--ipc", "--uts", "--pid", "--mount", f"--wdns={folder or Path.cwd()}"),
        ]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(without)}
        process = subprocess.Popen(
            [*enter, self.agent, name, "exec " + shlex.join(argv)],
            env={**kept, "TMPDIR": str(TEMPORARY), **(env or {})},
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            text=text,
        )
        self._running.append(process)
        return process

    def run(
        self,
        argv: Sequence[str],
        *,
        host: str | None = None,
        env: Mapping[str, str] | None = None,
        without: tuple[str, ...] = (),
        timeout: float | None = None,
        capture: bool = False,
        stdin: int | IO[Any] | None = subprocess.DEVNULL,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program on a host of the lab to its end; see :meth:`popen`.

        Raises:
            Failed: where it has not ended within ``timeout`` seconds; it is ended then, and the lab stays up.
        """
        pipe = subprocess.PIPE if capture else None
        process = self.popen(argv, host=host, env=env, without=without, stdin=stdin, stdout=pipe, stderr=pipe)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self._kill(process)
            raise Failed(f"'{Path(argv[0]).name}' has not ended within {timeout:g} s and was ended") from None
        return subprocess.CompletedProcess(list(argv), process.returncode, out, err)

    @property
    def root(self) -> Path:
        """Its hosts' files as this process sees them.

        Raises:
            Failed: where the lab is not up.
        """
        if self._keeper is None:
            raise Failed("the lab is not up")
        return Path(f"/proc/{self._first}/root")

    def stats(self) -> dict[str, Any]:
        """What the network counted since the last :meth:`reset_stats`: frames, drops, lateness, its busy share."""
        return self._ask("stats")

    def reset_stats(self) -> None:
        """Start counting anew."""
        self._ask("reset")

    def open(self) -> None:
        """From now on take changes of links from others, too (``trunkline lab set``)."""
        self._ask("open")

    def change(self, changes: str) -> dict[str, Any]:
        """Change links at once, all of them or, where one is none, nothing.

        Args:
            changes: Such as ``s0-s1 rate=1Mbit ; h3 down`` (``_core.parse_link_changes``).

        Returns:
            ``seconds`` since the last :meth:`reset_stats`, and ``text``, what has been changed.

        Raises:
            BadInput: where one is none.
        """
        answer = self._ask(f"set {changes}")
        if "error" in answer:
            raise BadInput(f"{self.cluster.name}: {answer['error']}")
        return answer

    def set_rate(self, rate_bps: float) -> None:
        """Change the rate of the fastest link, every other in proportion, while the lab is up.

        The file the hosts see keeps the rates that the lab started with.
        """
        self._ask(f"rate {rate_bps}")
        self.cluster = _core.scaled(self.cluster, rate_bps)
        self.rate_bps = rate_bps

    @contextlib.contextmanager
    def at_rate(self, rate_bps: float) -> Iterator[None]:
        """Its links at another rate for as long as the ``with`` block takes."""
        self._ask(f"rate {rate_bps}")
        try:
            yield
        finally:
            self._ask(f"rate {self.rate_bps}")

    @contextlib.contextmanager
    def unimpaired(self) -> Iterator[None]:
        """Its links without loss and the like for as long as the ``with`` block takes."""
        self._ask("impair off")
        try:
            yield
        finally:
            self._ask("impair on")

    def _ask(self, line: str) -> dict[str, Any]:
        keeper = self._keeper
        if keeper is None or keeper.stdin is None or keeper.stdout is None or keeper.stderr is None:
            raise Failed("the lab is not up")
        with self._lock:
            with contextlib.suppress(BrokenPipeError):  # what it said before it ended says why
                keeper.stdin.write(line.encode() + b"\n")
                keeper.stdin.flush()
            text = keeper.stdout.readline()
        if text:
            answer: dict[str, Any] = json.loads(text)
            if "failed" not in answer:
                return answer
            detail = str(answer["failed"])
        else:
            detail = (keeper.stderr.read().decode(errors="replace").strip().splitlines() or ["it ended"])[-1]
        raise Failed(f"the lab is down: {detail}") if self._first else explain_refusal(detail)

    def _kill(self, process: subprocess.Popen[Any]) -> None:
        """End a program with all that it started; where that does not help, the lab."""
        for pid in _family(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self._end()

    def _end(self) -> None:
        if self._keeper is None:
            return
        keeper, self._keeper = self._keeper, None
        keeper.kill()  # the kernel kills its child with it, and with that the whole lab
        keeper.wait()
        for process in self._running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=5)
        for stream in (keeper.stdin, keeper.stdout, keeper.stderr):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()


def _family(pid: int) -> list[int]:
    """A process and all that descend from it, parents first."""
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):  # it has ended meanwhile
            for thread in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (thread / "children").read_text().split())
    return found


def _start_apart() -> None:
    """Die with the owner; leave the terminal's Ctrl-C to it, so that it can end the lab in order."""
    syscalls.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
