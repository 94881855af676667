"""Why a kernel refuses a lab, and how to allow it."""

import os
import shutil
from pathlib import Path

from trunkline.errors import BadInput
from trunkline.paths import FABRIC

_SETTINGS = {
    "/proc/sys/user/max_user_namespaces": ("0", "sysctl -w user.max_user_namespaces=10000"),
    "/proc/sys/kernel/unprivileged_userns_clone": ("0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
}
"""Settings that forbid namespaces to ordinary users, the value that does, and the command that allows them."""


def _forbidding() -> list[str]:
    found = []
    for file, (forbids, allow) in _SETTINGS.items():
        path = Path(file)
        if path.exists() and path.read_text().strip() == forbids:
            setting = file.removeprefix("/proc/sys/").replace("/", ".")
            found.append(f"{setting} is {forbids}; to allow them, run as root: {allow}")
    return found


def check_obstacles() -> None:
    """Look for what would make a lab fail, before it is tried.

    Raises:
        BadInput: with what is missing or forbidden and the command that helps.
    """
    for program, package in (("unshare", "util-linux"), ("nsenter", "util-linux")):
        if shutil.which(program) is None:
            raise BadInput(f"the lab needs the program '{program}'; install it: apt-get install {package}")
    if not FABRIC.exists():
        raise BadInput("the lab's network has not been built; run 'make setup'")
    if os.geteuid() != 0 and (reasons := _forbidding()):
        raise BadInput(
            "the kernel does not let you make user namespaces, which the lab's hosts are: " + "; ".join(reasons)
        )


def explain_refusal(detail: str) -> BadInput:
    """The message for a lab that could not be built, from what the failing step said."""
    reasons = _forbidding() if os.geteuid() != 0 else []
    if reasons:
        advice = "; ".join(reasons)
    elif "ermission" in detail or "not permitted" in detail:
        advice = (
            "this looks like a container or a security policy that forbids namespaces or mounts; run it outside, "
            "as root, or allow CAP_SYS_ADMIN and CAP_NET_ADMIN in user namespaces (Docker: --privileged)"
        )
    elif "not supported" in detail or "Unknown device type" in detail:
        advice = "the kernel lacks a part: the lab needs veth (modprobe veth) and packet sockets (modprobe af_packet)"
    else:
        advice = "'trunkline lab exec CLUSTER -- true' tries the lab alone"
    return BadInput(f"the lab could not be set up: {detail}\n{advice}")
