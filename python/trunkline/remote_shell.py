"""What another program answers, within bounds of time and length: here, or on many hosts at once over ssh."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

LONGEST_ANSWER = 64 << 20
"""Bytes of an answer on standard output, and as many on standard error."""
_PART = 1 << 16

_AT_ONCE = 16
_PATIENCE_S = 60


class SaysTooMuch(Exception):
    """An answer without end, or one that is longer than any that is meant."""

    def __init__(self) -> None:
        super().__init__(f"the answer is longer than {LONGEST_ANSWER >> 20} MiB")


def answer_of(words: Sequence[str], patience_s: float) -> subprocess.CompletedProcess[str]:
    """What a program says that is given no input, and its status. One that goes beyond a bound is killed.

    Raises:
        SaysTooMuch: where it says more than LONGEST_ANSWER.
        subprocess.TimeoutExpired: where it does not end in time.
        OSError: where it cannot be started.
    """
    until = time.monotonic() + patience_s
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            out, error = _said(process, patience_s)
            process.wait(max(0.0, until - time.monotonic()))
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(words, process.returncode, out, error)


def _said(process: subprocess.Popen[bytes], patience_s: float) -> tuple[str, str]:
    until = time.monotonic() + patience_s
    streams = [stream.fileno() for stream in (process.stdout, process.stderr) if stream is not None]
    said = {stream: bytearray() for stream in streams}
    with selectors.DefaultSelector() as waiting:
        for stream in streams:
            waiting.register(stream, selectors.EVENT_READ)
        while waiting.get_map():
            ready = waiting.select(max(0.0, until - time.monotonic()))
            if not ready and time.monotonic() >= until:
                raise subprocess.TimeoutExpired(process.args, patience_s)
            for key, _ in ready:
                part = os.read(key.fd, _PART)
                said[key.fd] += part
                if not part:
                    waiting.unregister(key.fd)
                if len(said[key.fd]) > LONGEST_ANSWER:
                    raise SaysTooMuch
    out, error = (said[stream].decode(errors="replace") for stream in streams)
    return out, error


def ask_all(ssh: str, hosts: Sequence[str], command: Sequence[str]) -> list[subprocess.CompletedProcess[str] | str]:
    """What became of a command on each host, in their order; a text says why a host was not asked.

    Args:
        ssh: The client's file.
        hosts: As ssh takes them, ``USER@HOST`` as well. Nobody is asked for a password.
        command: Its words, which the host's shell reads.
    """
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(lambda host: _ask(ssh, host, command), hosts))


def _ask(ssh: str, host: str, command: Sequence[str]) -> subprocess.CompletedProcess[str] | str:
    words = [ssh, "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "--", host, *command]
    try:
        ended = answer_of(words, _PATIENCE_S)
    except subprocess.TimeoutExpired:
        return f"no answer within {_PATIENCE_S} s"
    except SaysTooMuch as error:
        return str(error)
    if ended.returncode == 255:  # ssh's own; the command's status is passed on else
        return ended.stderr.strip() or "ssh ended with status 255"
    return ended
