# SPDX-License-Identifier: Apache-2.0
"""Broadcasts and a TCP stream on one link: ``python bench/beside_tcp.py MPI...``. Needs root.

Rank 0 broadcasts to 7 hosts without pause; for part of that time a host without a rank sends a stream to the last one
of them. Prints what the stream gets of its link alone, and beside two trees, which are TCP themselves, and multicasts.
"""

import subprocess
import sys
import time
from pathlib import Path

from trunkline.cluster import load_cluster
from trunkline.lab.message_cost import learn_message_cost
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi, preload_of, require_mpi
from trunkline.units import format_bytes, format_rate

CLUSTER = "paper-4"
RATES_BPS = [10e6, 20e6]
HOSTS = 8
SIZES = [8192, 65536, 1_000_000]
ALGORITHMS = ["two-tree", "multicast"]
BROADCASTS_S = 12.0
STREAM_S = 6.0
BEFORE_S = 4.0
PORT = 5001
PROGRAMS = Path(__file__).parents[1] / "build" / "dev" / "bench"

_TAKE = f"""
import socket, time
door = socket.create_server(("", {PORT}))
print("up", flush=True)
while True:
    link, _ = door.accept()
    began, got = time.perf_counter(), 0
    while data := link.recv(65536):
        got += len(data)
    print(8 * got / (time.perf_counter() - began), flush=True)
"""

_GIVE = f"""
import socket, sys, time
link = socket.create_connection((sys.argv[1], {PORT}))
end = time.perf_counter() + {STREAM_S}
while time.perf_counter() < end:
    link.send(bytes(16384))
"""


class Stream:
    """A TCP stream to the last host that has a rank, from one that has none, as often as it is asked for."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._to, self._from = lab.cluster.hosts[HOSTS - 1], lab.cluster.hosts[HOSTS + 2]
        self._takes = lab.popen([sys.executable, "-c", _TAKE], host=self._to, stdout=subprocess.PIPE)
        self._line()

    def _line(self) -> str:
        assert self._takes.stdout is not None
        return self._takes.stdout.readline()

    def bps(self) -> float:
        """Bits a second that came, in some seconds."""
        self._lab.run([sys.executable, "-c", _GIVE, self._to], host=self._from)
        return float(self._line())

    def end(self) -> None:
        """No more of it."""
        self._takes.kill()


def broadcasts(lab: Lab, mpi: Mpi, algorithm: str, size: int) -> "subprocess.Popen[str]":
    """Without pause, in the background."""
    words, env = mpi.launch(
        hosts=lab.cluster.hosts[:HOSTS],
        ranks=HOSTS,
        ranks_per_host=1,
        program=[str(PROGRAMS / f"trunkline-back-to-back-{mpi.name}"), str(size), str(BROADCASTS_S)],
        agent=lab.agent,
        env={
            "TRUNKLINE_CLUSTER": lab.cluster_file,
            "TRUNKLINE_HOST_COSTS": lab.host_costs or "",
            "TRUNKLINE_STRICT": "1",
            "TRUNKLINE_BCAST": algorithm,
        },
        preload=[preload_of(mpi)],
    )
    return lab.popen(words, env=env, without=("TRUNKLINE_",), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def bps_of(process: "subprocess.Popen[str]") -> float:
    """Bits a second that each rank got, once it has ended."""
    out = process.communicate()[0]
    return float(next(line for line in out.splitlines() if line.startswith("back to back")).split()[-1])


def compare(mpi: Mpi, rate_bps: float) -> None:
    """One row for each size and algorithm."""
    with Lab(load_cluster(CLUSTER), rate_bps) as lab:
        learn_message_cost(lab)
        stream = Stream(lab)
        alone = stream.bps()
        for size in SIZES:
            for algorithm in ALGORITHMS:
                by_itself = bps_of(broadcasts(lab, mpi, algorithm, size))
                process = broadcasts(lab, mpi, algorithm, size)
                time.sleep(BEFORE_S)
                beside = stream.bps()
                bps_of(process)
                words = [mpi.name, format_rate(rate_bps), format_bytes(size), algorithm]
                words += [f"{one / 1e6:.3g}" for one in (by_itself, alone, beside)]
                print(f"| {' | '.join(words)} | {beside / alone:.2f} |", flush=True)
        stream.end()


def main() -> None:
    """A table in Mbit/s."""
    print("| MPI | rate | size | broadcasts | alone | a stream alone | beside them | keeps |\n" + "|---" * 8 + "|")
    for name in sys.argv[1:]:
        for rate_bps in RATES_BPS:
            compare(require_mpi(name), rate_bps)


if __name__ == "__main__":
    main()
