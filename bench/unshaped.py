# SPDX-License-Identifier: Apache-2.0
"""A lab whose links are as fast as the processors."""

import os
import signal
import subprocess
from pathlib import Path

from trunkline.lab.session import Lab


def unshape(lab: Lab) -> None:
    """Stop the lab's network and join its hosts' ports by a bridge of the kernel."""
    inside = ["nsenter", "--target", str(lab._first), "--net", "--pid", "--mount"]
    children = Path(f"/proc/{lab._first}/task/{lab._first}/children").read_text().split()
    for child in children:
        if Path(f"/proc/{child}/exe").readlink().name == "trunkline-fabric":
            os.kill(int(child), signal.SIGSTOP)
    run = lambda *words: subprocess.run([*inside, "ip", *words], check=True)  # noqa: E731
    run("link", "add", "br0", "type", "bridge")
    run("link", "set", "br0", "up")
    for host in range(len(lab.cluster.hosts)):
        run("link", "set", f"p{host}", "master", "br0", "gso_max_segs", "65535", "gso_max_size", "65536")
        lab.run(
            ["ip", "link", "set", "eth0", "gso_max_segs", "65535", "gso_max_size", "65536"],
            host=lab.cluster.hosts[host],
        )
