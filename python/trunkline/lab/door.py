"""Where a running lab takes changes of its links: a socket in its own folder, which is gone with it.

Whoever can open it is the lab's owner, since nobody else gets through ``/proc/PID/root``; it is looked at again. What
comes in is not trusted: one line, of bounded length, of words that the network reads. Nobody who connects and says
nothing, or takes no answer, holds the lab up.
"""

import contextlib
import json
import os
import socket
import stat
import struct
from collections.abc import Callable
from pathlib import Path

LONGEST_LINE = 1 << 16
MOST_CLIENTS = 16
_PRINTABLE = range(0x20, 0x7F)


def read_request(line: bytes) -> str:
    """The command for the network that a line asks for, without its end.

    Raises:
        ValueError: where it is none.
    """
    if len(line) > LONGEST_LINE:
        raise ValueError(f"a request has at most {LONGEST_LINE} bytes")
    if any(byte not in _PRINTABLE for byte in line):
        raise ValueError("a request is a line of printable ASCII")
    if not line.startswith(b"set "):
        raise ValueError("a request begins with 'set '")
    return line.decode("ascii")


def _refusal(reason: str) -> bytes:
    return json.dumps({"error": reason}).encode() + b"\n"


class Door:
    """Serves what select() finds readable."""

    def __init__(self, path: Path, ask: Callable[[str], bytes]) -> None:
        """Open it.

        Args:
            path: Of the socket.
            ask: The network's answer to a command, a line of JSON.
        """
        self._ask = ask
        self._waiting: dict[socket.socket, bytes] = {}
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.setblocking(False)
        self._listener.bind(str(path))
        path.chmod(stat.S_IRUSR | stat.S_IWUSR)
        self._listener.listen(MOST_CLIENTS)

    @property
    def sockets(self) -> list[socket.socket]:
        """The one that others connect to, and those of who has."""
        return [self._listener, *self._waiting]

    def serve(self, readable: socket.socket) -> None:
        """Accept, or read what has come; answer a whole line, and close."""
        if readable is self._listener:
            self._accept()
            return
        try:
            got = readable.recv(1 << 12)
        except OSError:
            got = b""
        if not got:
            self._close(readable)
            return
        line, end, _ = (self._waiting[readable] + got).partition(b"\n")
        self._waiting[readable] = line
        if end or len(line) > LONGEST_LINE:
            self._answer(readable, line)

    def _accept(self) -> None:
        try:
            client, _ = self._listener.accept()
        except OSError:  # it has gone again
            return
        client.setblocking(False)
        self._waiting[client] = b""
        _, user, _ = struct.unpack(
            "3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        )
        if user != os.geteuid():
            self._say(client, _refusal("only the owner of a lab changes it"))
        elif len(self._waiting) > MOST_CLIENTS:
            self._say(client, _refusal("too many ask at once; try again"))

    def _answer(self, client: socket.socket, line: bytes) -> None:
        try:
            answer = self._ask(read_request(line))
        except ValueError as error:
            answer = _refusal(str(error))
        self._say(client, answer)

    def _say(self, client: socket.socket, answer: bytes) -> None:
        with contextlib.suppress(OSError):  # it takes no answer
            client.sendall(answer)
        self._close(client)

    def _close(self, client: socket.socket) -> None:
        del self._waiting[client]
        client.close()
