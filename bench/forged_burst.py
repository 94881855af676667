# SPDX-License-Identifier: Apache-2.0
"""Multicasts while one receiver is flooded with forged datagrams: ``python bench/forged_burst.py MPI...``. Needs root.

They go to all groups that the receiver's host listens to, from that host itself, so that no link carries them: what
they cost is the receiver's. All look like ours, but have no valid seal; first without the group's mark, then with it,
as one who listens can copy it. Broadcasts with and without take turns on one lab; the timing program checks every
byte. Prints medians of the slowest rank's times.
"""

import json
import subprocess
import sys
from statistics import median

from trunkline.bench.job import Limits
from trunkline.bench.measure import measure
from trunkline.cluster import load_cluster
from trunkline.lab.message_cost import learn_message_cost
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi, require_mpi
from trunkline.units import format_bytes, format_seconds

CLUSTER = "paper-4"
HOSTS = 8
RATE_BPS = 10e6
SIZES = [8, 8192, 65536, 1_000_000]
TURNS = 3
KINDS = ["unmarked", "marked"]
FORGED_A_SECOND = 100_000

_FLOOD = f"""
import itertools, json, os, signal, socket, struct, sys, time
def groups():
    for line in open("/proc/net/udp").readlines()[1:]:
        address, port = line.split()[1].split(":")
        quad = socket.inet_ntoa(struct.pack("<I", int(address, 16)))
        if quad.startswith("239.255."):
            yield quad, int(port, 16)
ended = []
signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
gate = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
gate.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 0)
gate.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(socket.gethostbyname(socket.gethostname())))
marks = {{}}
def mark_of(group):
    if group not in marks:
        ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ear.bind(group)
        own = socket.inet_aton(socket.gethostbyname(socket.gethostname()))
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group[0]) + own)
        ear.settimeout(0.5)
        try:
            marks[group] = ear.recv(2000)[:4]
        except TimeoutError:
            return None
    return marks[group]
bodies = [struct.pack("<BBHIIQII", kind, 1, 64, sender, 7, turn, 0, 0) + os.urandom(72)
          for kind, sender, turn in itertools.product((1, 2, 3, 6, 8, 9), (0, 1), (0, 1, 5, 50))]
sent, busy = 0, 0.0
print("up", flush=True)
while not ended:
    known = list(groups())
    if sys.argv[1] == "marked":
        known = [group for group in known if mark_of(group)]
    if not known:
        time.sleep(0.01)
        continue
    forged = [[marks.get(group, b"????") + body for body in bodies] for group in known]
    began = time.perf_counter()
    for turn in range(250):
        for one in range({FORGED_A_SECOND} // 1000):
            place = one % len(known)
            gate.sendto(forged[place][(turn + one) % len(bodies)], known[place])
        sent += {FORGED_A_SECOND} // 1000
        time.sleep(max(0.0, began + (turn + 1) / 1000 - time.perf_counter()))
    busy += time.perf_counter() - began
print(json.dumps([sent, busy]))
"""


def medians(lab: Lab, mpi: Mpi) -> list[float]:
    """Seconds of a multicast, by size."""
    cells = measure(lab, mpi, "bcast", SIZES, ["multicast"], Limits(least=5, most=10, budget_s=2), hosts=HOSTS)
    return [cell.seconds_median for cell in cells]


def flooded(lab: Lab, mpi: Mpi, kind: str) -> tuple[list[float], float]:
    """The same while the last receiver is flooded, and how many datagrams a second came."""
    victim = lab.cluster.hosts[HOSTS - 1]
    with lab.popen([sys.executable, "-c", _FLOOD, kind], host=victim, stdout=subprocess.PIPE) as flood:
        assert flood.stdout is not None
        flood.stdout.readline()
        seconds = medians(lab, mpi)
        # The flood is a grandchild, in its host's namespaces.
        lab.run(["pkill", "-TERM", "-f", "IP_MULTICAST_TTL"], host=victim, capture=True)
        sent, busy_s = json.loads(flood.stdout.readline())
    return seconds, sent / busy_s


def compare(mpi: Mpi) -> None:
    """One row for each size."""
    with Lab(load_cluster(CLUSTER), RATE_BPS) as lab:
        learn_message_cost(lab)
        runs: dict[str, list[list[float]]] = {"quiet": [], **{kind: [] for kind in KINDS}}
        rates = []
        for _ in range(TURNS):
            runs["quiet"].append(medians(lab, mpi))
            for kind in KINDS:
                seconds, a_second = flooded(lab, mpi, kind)
                runs[kind].append(seconds)
                rates.append(a_second)
    print(f"{mpi.name}: {min(rates):.0f} to {max(rates):.0f} forged datagrams a second")
    for index, size in enumerate(SIZES):
        quiet, *under = (median(run[index] for run in all_runs) for all_runs in runs.values())
        words = " | ".join(f"{format_seconds(one)}, {one / quiet:.2f}" for one in under)
        print(f"| {mpi.name} | {format_bytes(size)} | {format_seconds(quiet)} | {words} |", flush=True)


def main() -> None:
    """A table for each library."""
    print(f"| MPI | size | quiet | {' | '.join(f'{kind}, over quiet' for kind in KINDS)} |\n" + "|---" * 5 + "|")
    for name in sys.argv[1:]:
        compare(require_mpi(name))


if __name__ == "__main__":
    main()
