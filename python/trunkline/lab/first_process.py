"""The first process inside a lab's namespaces: builds the cluster, starts the network, lives until its owner ends.

Talks to its owner in lines: reads a description, then commands for the network; writes one JSON object for each. At the
command ``open`` it begins to take changes from others, too (:mod:`trunkline.lab.door`).
"""

import json
import os
import select
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields

from pyroute2 import IPRoute

from trunkline.compat import zip_equal
from trunkline.lab import syscalls
from trunkline.lab.door import Door
from trunkline.lab.host import Traits, start_host
from trunkline.lab.places import CLUSTER_FILE, DOOR, FOLDER, SUPER_FRAME, TEMPORARY, ip_address

_AGENT = """\
#!/bin/sh
# A remote shell for MPI launchers: trunkline-agent [-OPTION ...] HOST [-n] COMMAND ...
while case $1 in -*) true ;; *) false ;; esac; do shift; done
host=$1
shift
[ "$1" = -n ] && shift  # some launchers ask for no standard input there
if ! pid=$(cat "/run/trunkline/hosts/$host" 2>/dev/null); then
  echo "trunkline lab: there is no host '$host' on this cluster" >&2
  exit 255
fi
exec nsenter --target "$pid" --net --uts --ipc --mount --wdns="$PWD" /bin/sh -c "$*"
"""


def main() -> None:
    """Build, say so, serve until standard input ends; then the kernel ends everything with us."""
    description = json.loads(sys.stdin.buffer.readline())
    try:
        _prepare_files(description)
        traits = Traits(**{one.name: description[one.name] for one in fields(Traits)})
        processes = _build(description["hosts"], traits)
        fabric, control = _start_fabric(description["fabric"])
    except Exception as error:
        _say({"failed": f"{type(error).__name__}: {error}" if not isinstance(error, OSError) else str(error)})
        sys.exit(1)
    _say({"ready": True, "priority": fabric["priority"], "processes": processes})
    _serve(control, fabric["pid"])


def _say(answer: object) -> None:
    print(json.dumps(answer), flush=True)


def _prepare_files(description: dict[str, object]) -> None:
    syscalls.mount_tmpfs("/run")
    hosts = FOLDER / "hosts"
    hosts.mkdir(parents=True)
    TEMPORARY.mkdir()
    TEMPORARY.chmod(stat.S_ISVTX | stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
    agent = FOLDER / "agent"
    agent.write_text(_AGENT)
    agent.chmod(stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
    CLUSTER_FILE.write_text(str(description["cluster"]))
    SUPER_FRAME.write_text(str(description["super_frame"]))
    table = FOLDER / "names"
    names: list[list[str]] = description["names"]  # type: ignore[assignment]
    lines = [f"{ip_address(index)} {' '.join(all_names)}\n" for index, all_names in enumerate(names)]
    table.write_text("127.0.0.1 localhost\n" + "".join(lines))
    syscalls.bind(str(table), "/etc/hosts")


def _build(hosts: Sequence[str], traits: Traits) -> list[int]:
    started = [start_host(index, name, len(hosts), traits) for index, name in enumerate(hosts)]
    for (_, from_host, _), name in zip_equal(started, hosts):
        _expect(from_host, b"n", name)
    with IPRoute() as route:
        for index, (pid, _, _) in enumerate(started):
            route.link("add", ifname=f"p{index}", kind="veth", peer={"ifname": "eth0", "net_ns_pid": pid}, state="up")
    for _, _, to_host in started:
        os.write(to_host, b"g")
    for (pid, from_host, to_host), name in zip_equal(started, hosts):
        _expect(from_host, b"u", name)
        os.close(from_host)
        os.close(to_host)
        (FOLDER / "hosts" / name).write_text(str(pid))
    return [pid for pid, _, _ in started]


def _expect(descriptor: int, word: bytes, name: str) -> None:
    answer = os.read(descriptor, 4096)
    if answer != word:
        raise OSError(f"host {name} could not be set up: {answer.decode(errors='replace').lstrip('!') or 'it died'}")


def _start_fabric(program: Sequence[str]) -> tuple[dict[str, object], socket.socket]:
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [*program, str(CLUSTER_FILE), "--control", str(theirs.fileno())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=[theirs.fileno()],
        text=True,
    )
    theirs.close()
    assert process.stdout is not None
    assert process.stderr is not None
    words = process.stdout.readline().split(maxsplit=1)
    if not words or words[0] != "ready":
        raise OSError(process.stderr.read().strip() or "the network ended at once")
    return {"pid": process.pid, "priority": words[1].strip() if len(words) > 1 else ""}, ours


class _NetworkDied(Exception):
    pass


def _ask(control: socket.socket, line: bytes) -> bytes:
    """The network's answer to a command, with the end of its line."""
    answer = b""
    try:
        control.sendall(line + b"\n")
        while not answer.endswith(b"\n"):
            part = control.recv(1 << 16)
            if not part:
                raise _NetworkDied
            answer += part
    except OSError:
        raise _NetworkDied from None
    return answer


def _serve(control: socket.socket, fabric: object) -> None:
    woken, wake = socket.socketpair()
    for end in (woken, wake):
        end.setblocking(False)
    signal.set_wakeup_fd(wake.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    try:
        _serve_all(control, fabric, woken)
    except _NetworkDied:
        _say({"failed": "the network between the hosts has died"})


def _serve_all(control: socket.socket, fabric: object, woken: socket.socket) -> None:
    commands = sys.stdin.fileno()
    waiting = b""
    door: Door | None = None
    while True:
        readable, _, _ = select.select([commands, woken, *(door.sockets if door else [])], [], [])
        if woken in readable:
            woken.recv(4096)
            if fabric in _reap():
                raise _NetworkDied
        if door:
            for one in door.sockets:
                if one in readable:
                    door.serve(one)
        if commands not in readable:
            continue
        got = os.read(commands, 4096)
        if not got:
            return
        waiting += got
        while b"\n" in waiting:
            line, _, waiting = waiting.partition(b"\n")
            if line == b"open":
                door = door or Door(DOOR, lambda request: _ask(control, request.encode()))
                _say({"ok": True})
                continue
            sys.stdout.buffer.write(_ask(control, line))
            sys.stdout.buffer.flush()


def _reap() -> set[int]:
    """Processes that ended; the first process of a namespace inherits all that lose their parent."""
    ended: set[int] = set()
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended.add(pid)


if __name__ == "__main__":
    main()
