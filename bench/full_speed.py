# SPDX-License-Identifier: Apache-2.0
"""Multicasts over links that are not shaped, beside one TCP stream: ``python bench/full_speed.py MPI...``. Needs root.

The lab's own network stands still; a kernel bridge joins the hosts, so links are as fast as the processors. All hosts
share those. Prints, for 2, 4 and 8 receivers, bytes a second of a broadcast to all of them and of one TCP stream to
one of them, both in one run; then what a byte costs the processor of the root and of a receiver, which says something
on a busy machine as well (``--processors``: that alone). ``--bare``: instead of all that, bytes a second and costs of
multicasts without repair, seal and MPI, which are the most that this machine can do, beside the stream.
"""

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from unshaped import unshape

from trunkline.bench.job import Limits
from trunkline.bench.measure import measure
from trunkline.cluster import load_cluster
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi, preload_of, require_mpi
from trunkline.temporary import temporary_folder

if TYPE_CHECKING:
    from trunkline._core import Cluster

SIZES = [1 << 20, 16 << 20]
RECEIVERS = [2, 4, 8]
ALGORITHMS = ["native", "two-tree", "multicast"]
STREAM_BYTES = 1 << 30
STREAMS = 5
PROCESSOR_TIME = Path(__file__).resolve().parents[1] / "build" / "dev" / "bench"
PORT = 5001

_TAKE = f"""
import socket, sys
door = socket.create_server(("", {PORT}))
print("up", flush=True)
buffer = bytearray(1 << 20)
for _ in range({STREAMS}):
    link, _ = door.accept()
    while link.recv_into(buffer):
        pass
    link.send(b"!")
    link.close()
"""

_GIVE = f"""
import socket, sys, time
data = bytes(1 << 20)
for _ in range({STREAMS}):
    link = socket.create_connection((sys.argv[1], {PORT}))
    began = time.perf_counter()
    for _ in range({STREAM_BYTES >> 20}):
        link.sendall(data)
    link.shutdown(socket.SHUT_WR)
    link.recv(1)
    print({STREAM_BYTES} / (time.perf_counter() - began), flush=True)
"""


def star(receivers: int) -> "Cluster":
    """One switch; its links are stated faster than any processor here is."""
    text = (
        "trunkline: cluster/1\nname: star\ndefaults: {rate: 40Gbit, latency: 10us}\nswitches: s0\n"
        f'hosts:\n  - {{hosts: "h[0-{receivers}]", switch: s0}}\n'
    )
    with temporary_folder("star") as folder:
        file = folder / "star.yaml"
        file.write_text(text)
        return load_cluster(str(file))


def tcp_stream_bps(lab: Lab) -> float:
    """Median bytes a second of one stream from the first host to the second one."""
    first, second = lab.cluster.hosts[:2]
    with lab.popen([sys.executable, "-c", _TAKE], host=second, stdout=subprocess.PIPE) as takes:
        assert takes.stdout is not None
        takes.stdout.readline()
        given = lab.run([sys.executable, "-c", _GIVE, second], host=first, capture=True)
    return median(float(line) for line in given.stdout.split())


def compare(mpi: Mpi, receivers: int) -> None:
    """One row for each size."""
    with Lab(star(receivers)) as lab:
        unshape(lab)
        stream = tcp_stream_bps(lab)
        cells = measure(lab, mpi, "bcast", SIZES, ALGORITHMS, Limits(least=5, most=15, budget_s=3))
        for size in SIZES:
            bps = [
                size / next(c for c in cells if (c.message_bytes, c.algorithm) == (size, a)).seconds_median
                for a in ALGORITHMS
            ]
            words = " | ".join(f"{one / 1e9:.3g}" for one in (*bps, stream))
            print(f"| {mpi.name} | {receivers} | {size >> 20} MiB | {words} | {bps[-1] / stream:.2f} |", flush=True)


def processor_time(mpi: Mpi, receivers: int) -> None:
    """One row for each algorithm."""
    with Lab(star(receivers)) as lab:
        unshape(lab)
        for algorithm in ALGORITHMS[1:]:
            argv, env = mpi.launch(
                hosts=lab.cluster.hosts,
                ranks=receivers + 1,
                ranks_per_host=1,
                program=[str(PROCESSOR_TIME / f"trunkline-processor-time-{mpi.name}")],
                agent=lab.agent,
                env={"TRUNKLINE_CLUSTER": lab.cluster_file, "TRUNKLINE_STRICT": "1", "TRUNKLINE_BCAST": algorithm},
                preload=[preload_of(mpi)],
            )
            found = json.loads(lab.run(argv, env=env, capture=True).stdout)
            words = f"{found['root_ns']:.2f} | {found['receiver_ns']:.2f} | {found['sleeps_a_MB']:.0f}"
            print(f"| {mpi.name} | {receivers} | {algorithm} | {words} |", flush=True)


def bare(receivers: int) -> None:
    """One row: no multicast of this machine is faster."""
    program = str(PROCESSOR_TIME / "trunkline-bare-multicast")
    with Lab(star(receivers)) as lab, ExitStack() as stack:
        unshape(lab)
        stream = tcp_stream_bps(lab)
        hosts = lab.cluster.hosts
        look_up = "import socket, sys; print(*map(socket.gethostbyname, sys.argv[1:]))"
        addresses = lab.run([sys.executable, "-c", look_up, *hosts], host=hosts[0], capture=True).stdout.split()
        takers = []
        for number in range(receivers):
            argv = [program, "take", addresses[number + 1], str(number), addresses[0]]
            taker = stack.enter_context(lab.popen(argv, host=hosts[number + 1], stdout=subprocess.PIPE))
            assert taker.stdout is not None
            taker.stdout.readline()
            takers.append(taker)
        sent = lab.run([program, "send", addresses[0], str(receivers)], host=hosts[0], capture=True).stdout
        rate, root = (float(word.split()[0]) for word in sent.split(","))
        most = max(float(taker.communicate()[0].split()[0]) for taker in takers)
        share = rate * 1e9 / stream
        print(f"| {receivers} | {rate:.2f} | {root:.2f} | {most:.2f} | {stream / 1e9:.2f} | {share:.2f} |", flush=True)


def main() -> None:
    """Tables in GB/s, and in nanoseconds a byte."""
    if "--bare" in sys.argv:
        print("| receivers | bare, GB/s | root, ns/B | receiver, ns/B | one TCP stream, GB/s | bare over it |")
        print("|---" * 6 + "|")
        for receivers in RECEIVERS:
            bare(receivers)
        return
    names = [name for name in sys.argv[1:] if name != "--processors"]
    if names == sys.argv[1:]:
        print_speeds(names)
    print("| MPI | receivers | 16 MiB by | root, ns/B | receiver, ns/B | sleeps a MB |\n" + "|---" * 6 + "|")
    for name in names:
        for receivers in RECEIVERS:
            processor_time(require_mpi(name), receivers)


def print_speeds(names: list[str]) -> None:
    """A table in GB/s."""
    print(
        f"| MPI | receivers | size | {' | '.join(ALGORITHMS)} | one TCP stream | multicast over it |\n"
        + "|---" * 8
        + "|"
    )
    for name in names:
        for receivers in RECEIVERS:
            compare(require_mpi(name), receivers)


if __name__ == "__main__":
    main()
