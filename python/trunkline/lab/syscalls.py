"""The few system calls that Python 3.11 lacks."""

import ctypes
import os
import signal

_libc = ctypes.CDLL(None, use_errno=True)

MOUNT, UTS, IPC, NETWORK = 0x20000, 0x4000000, 0x8000000, 0x40000000
_MS_BIND = 4096
_PR_SET_PDEATHSIG = 1


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(namespaces: int) -> None:
    """Give the calling process namespaces of its own: a sum of MOUNT, UTS, IPC, NETWORK."""
    _checked(_libc.unshare(namespaces), "new namespaces")


def mount_tmpfs(where: str) -> None:
    """An empty file system in memory over a folder."""
    _checked(_libc.mount(b"tmpfs", where.encode(), b"tmpfs", 0, None), f"tmpfs on {where}")


def bind(source: str, where: str) -> None:
    """Show a file at another path as well."""
    _checked(_libc.mount(source.encode(), where.encode(), None, _MS_BIND, None), f"{source} over {where}")


def die_with_parent() -> None:
    """Have the kernel kill the calling process as soon as its parent ends, however it ends."""
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0), "parent-death signal")
