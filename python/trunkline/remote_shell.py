"""A command on many hosts at once, over ssh."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

__all__ = ["ask_all"]

_AT_ONCE = 16
_PATIENCE_S = 60


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
        ended = subprocess.run(
            words, capture_output=True, text=True, timeout=_PATIENCE_S, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {_PATIENCE_S} s"
    if ended.returncode == 255:  # ssh's own; the command's status is passed on else
        return ended.stderr.strip() or "ssh ended with status 255"
    return ended
