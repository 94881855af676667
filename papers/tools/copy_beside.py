#!/usr/bin/env python3
"""A file from one host of the lab to 2, 7, 15 and 31 others: `trunkline copy`, udpcast, UFTP and sbcast in turns.

Usage: papers/tools/copy_beside.py [--cluster cyclic] [--rate 20Mbit] [--mpi mpich] [--receivers 2,7,15,31]
                            [--bytes 20000000] [--repetitions 3] [--ways trunkline,udpcast,uftp] [--json FILE]

Every host writes its copy to this machine's disk, sbcast's to memory (/dev/shm is a host's own), and every copy is
compared with the file. The clock of 'trunkline copy' is its own, from the first word to the last host's last byte;
those of udpcast and UFTP begin once all receivers have joined, and end with the last receiver; that of sbcast is its
command's, inside an allocation of all hosts. The link takes bytes times 1538 / 1448 / rate: that is one. Prints
medians. udpcast and UFTP come with `make peers`; sbcast needs root and Slurm (docs/slurm.md). A machine with nothing
else to do.
"""

import argparse
import filecmp
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from trunkline.cluster import load_cluster
from trunkline.copying import Copy
from trunkline.lab.message_cost import learn_message_cost
from trunkline.lab.session import Lab
from trunkline.lab.slurm import check_slurm, start_slurm
from trunkline.mpi import preload_of, ready_mpi
from trunkline.sources.slurm_write import topology_conf
from trunkline.units import parse_counts, parse_rate
from trunkline_papers.peers.multicast.study import first_hosts

MEETING = "239.255.69.2"
"""Where a sender and receivers of udpcast look for each other."""
PART = 0.99
"""Of the link's rate: beyond it queues only grow, and both answer full queues by sending again."""
OWN_FOLDER = Path("/dev/shm")
"""The one that hosts of a lab do not share, which sbcast needs: it writes under one name on all."""
SBCAST_BLOCK = "512k"
"""Its own, 8 MB, take longer over slow links than the 10 s after which Slurm gives up a message."""
SLURM: dict[str, str] = {}
"""How commands find the lab's Slurm, where it runs."""
FRAME, UDP_PAYLOAD, TCP_PAYLOAD = 1538, 1472, 1448
"""Bytes of a full frame on the wire, and what it carries."""


def ours(lab: Lab, file: Path, to: Path, mpi: str) -> float:
    """Seconds of 'trunkline copy'."""
    library = ready_mpi(mpi)
    results = to / "results.json"
    program = Copy([str(file)], str(to / "{host}"), 4 << 20, 64 << 20, False, str(results), False).words(library)
    hosts = lab.cluster.hosts
    argv, env = library.launch(
        hosts=hosts,
        ranks=len(hosts),
        ranks_per_host=1,
        program=program,
        agent=Lab.agent,
        env={"TRUNKLINE_CLUSTER": Lab.cluster_file, "TRUNKLINE_HOST_COSTS": lab.host_costs},
        preload=[preload_of(library)],
    )
    done = lab.run(argv, env=env, capture=True)
    if done.returncode:
        sys.exit(f"trunkline copy failed: {done.stderr}")
    (result,) = json.loads(results.read_text())
    return float(result["seconds"])


def udpcast(lab: Lab, file: Path, to: Path, _mpi: str) -> float:
    """Seconds of udp-sender to the last udp-receiver."""
    first, *others = lab.cluster.hosts
    common = ("--nokbd", "--mcast-rdv-address", MEETING, "--interface", "eth0")
    receivers = [
        lab.popen(["udp-receiver", *common, "--file", str(to / host / file.name)], host=host, stderr=subprocess.DEVNULL)
        for host in others
    ]
    time.sleep(2)
    rate = f"{PART * lab.rate_bps * UDP_PAYLOAD / FRAME:.0f}"
    words = ("--full-duplex", "--nopointopoint", "--rexmit-hello-interval", "50", "--min-wait", "1", "--no-progress")
    joined = ("--min-receivers", str(len(others)), "--max-bitrate", rate, "--file", str(file))
    sender = lab.popen(["udp-sender", *common, *words, *joined], host=first, stderr=subprocess.PIPE)
    assert sender.stderr is not None
    heard = []
    for line in sender.stderr:
        heard.append(line)
        if "Starting transfer" in line:
            break
    start = time.monotonic()
    sender.stderr.read()
    statuses = [one.wait() for one in (sender, *receivers)]
    if any(statuses):
        sys.exit(f"udpcast failed: {statuses} {''.join(heard)}")
    return time.monotonic() - start


def uftp(lab: Lab, file: Path, to: Path, _mpi: str) -> float:
    """Seconds from the sender's first word on the file to the last daemon's confirmation."""
    first, *others = lab.cluster.hosts
    ids = [f"0x{number:08X}" for number in range(1, len(others) + 1)]
    daemons = [
        lab.popen(
            ["uftpd", "-d", "-q", "-x", "1", "-I", "eth0", "-U", own, "-D", str(to / host), "-B", "1048576"],
            host=host,
            stderr=subprocess.DEVNULL,
        )
        for host, own in zip(others, ids, strict=True)
    ]
    time.sleep(2)
    rate = f"{PART * lab.rate_bps * UDP_PAYLOAD / FRAME / 1000:.0f}"
    words = (
        "-R",
        rate,
        "-b",
        "1444",
        "-I",
        "eth0",
        "-H",
        ",".join(ids),
        "-r",
        "0.02:0.002:1",
        "-x",
        "2",
        "-B",
        "1048576",
    )
    sender = lab.popen(["uftp", *words, str(file)], host=first, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert sender.stdout is not None
    start, heard = time.monotonic(), []
    for line in sender.stdout:
        heard.append(line)
        if "File ID" in line:
            start = time.monotonic()
    status = sender.wait()
    took = time.monotonic() - start
    for daemon in daemons:
        daemon.terminate()
        daemon.wait()
    if status:
        sys.exit(f"uftp failed: {status} {''.join(heard)}")
    return took


def sbcast(lab: Lab, file: Path, _to: Path, _mpi: str) -> float:
    """Seconds of Slurm's sbcast in an allocation of all hosts."""
    clocked = f"date +%s.%N; sbcast --force --size={SBCAST_BLOCK} {file} {OWN_FOLDER / file.name} && date +%s.%N"
    done = lab.run(["salloc", "--quiet", f"-N{len(lab.cluster.hosts)}", "sh", "-c", clocked], env=SLURM, capture=True)
    if done.returncode:
        sys.exit(f"sbcast failed: {done.stderr}")
    start, end = map(float, done.stdout.split())
    return end - start


WAYS: dict[str, Callable[[Lab, Path, Path, str], float]] = {
    "trunkline": ours,
    "udpcast": udpcast,
    "uftp": uftp,
    "sbcast": sbcast,
}


def check(lab: Lab, file: Path, to: Path, name: str) -> None:
    """All receivers have the file; it is removed again."""
    if name == "sbcast":
        for host in lab.cluster.hosts:
            copy = OWN_FOLDER / file.name
            if lab.run(["sh", "-c", f"cmp {file} {copy} && rm {copy}"], host=host).returncode:
                sys.exit(f"sbcast: {copy} of {host} differs")
        return
    for host in lab.cluster.hosts:
        copy = to / host / file.name
        if host != lab.cluster.hosts[0] and not filecmp.cmp(file, copy, shallow=False):
            sys.exit(f"{name}: {copy} differs")
        copy.unlink(missing_ok=True)


def main() -> None:
    """See above."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--cluster", default="cyclic")
    options.add_argument("--rate", default="20Mbit")
    options.add_argument("--mpi", default="mpich")
    options.add_argument("--receivers", default="2,7,15,31")
    options.add_argument("--bytes", type=int, default=20_000_000)
    options.add_argument("--repetitions", type=int, default=3)
    options.add_argument("--ways", default="trunkline,udpcast,uftp", help=f"some of {', '.join(WAYS)}")
    options.add_argument("--json", type=Path)
    wanted = options.parse_args()
    if unknown := set(wanted.ways.split(",")) - set(WAYS):
        options.error(f"--ways: there is no {', '.join(unknown)}; there are {', '.join(WAYS)}")
    ways = {name: WAYS[name] for name in wanted.ways.split(",")}
    if "sbcast" in ways:
        check_slurm()
    rate_bps = parse_rate(wanted.rate)
    link_s = wanted.bytes * 8 * FRAME / TCP_PAYLOAD / rate_bps
    rows = []
    print(f"{wanted.bytes} bytes, {wanted.cluster} at {wanted.rate}: the link takes {link_s:.2f} s")
    for receivers in parse_counts(wanted.receivers, "--receivers"):
        network = first_hosts(load_cluster(wanted.cluster), receivers + 1)
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        with tempfile.TemporaryDirectory(prefix="copy-beside-") as folder, Lab(network, rate_bps) as lab:
            learn_message_cost(lab)
            if "sbcast" in ways:
                SLURM.update(start_slurm(lab, topology_conf(network), 1, None))
            file, to = Path(folder, "message"), Path(folder, "to")
            for host in network.hosts:
                (to / host).mkdir(parents=True)
            for _ in range(wanted.repetitions):
                file.write_bytes(os.urandom(wanted.bytes))
                for name, way in ways.items():
                    seconds[name].append(way(lab, file, to, wanted.mpi))
                    check(lab, file, to, name)
        rows.append({"receivers": receivers, "bytes": wanted.bytes, "rate_bps": rate_bps, "seconds": seconds})
        said = ", ".join(f"{name} {median(own):.2f} s ({median(own) / link_s:.2f})" for name, own in seconds.items())
        print(f"{receivers} receivers: {said}", flush=True)
        if wanted.json:
            wanted.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
