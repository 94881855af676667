#!/usr/bin/env python3
"""How long a program takes to follow a link that slows tenfold, with the monitor beside it, on the lab.

Usage: papers/tools/slow_link.py [--cluster four-site] [--link home-town] [--to 10%] [--mpi mpich] [--rate 20Mbit]
                          [--collective bcast] [--bytes 8192] [--seconds 100] [--change-at 40] [--json FILE]
       papers/tools/slow_link.py --cluster examples/fast-trunk.yaml --rate 100Mbit --link left-right
                          --collective allreduce --bytes 32768

A program makes a call each half second (steady_calls.c) and follows a cluster file; --rate is that of the fastest link.
'trunkline monitor' measures two hosts of each switch, seven tenths of the time. The link slows in the middle.
Afterwards, alone on the lab as it is then, the same program runs with a file that says exactly what the network is, and
with the old one; the faster one counts as best.

Prints the times before and after the change, what ran, when the file was written, and from when on the medians of ten
calls in a row are within 1.2 of the best plan's median for good. Exit status 1: that took 30 s or longer, or never
came. Needs what `make build/stamps/native` builds, and a machine with nothing else to do.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.lab.message_cost import tell_message_cost
from trunkline.lab.running import change_links, running_labs
from trunkline.lab.session import Lab
from trunkline.mpi import preload_of, ready_mpi
from trunkline.units import parse_rate

WITHIN = 1.2
MOST_S = 30.0
MEDIAN_OF = 10
ALONE_S = 25
WORDS_MONITOR = ("--every", "5", "--share", "0.7", "--least", "1", "--most-pairs", "12", "--sizes", "1KiB", "--calls")


class Call:
    """A broadcast: when it began, how long it took, what ran."""

    def __init__(self, line: str) -> None:
        at, seconds, self.algorithm = line.split()
        self.at, self.seconds = float(at), float(seconds)


def calls_of(text: str) -> list[Call]:
    """What the program printed."""
    return [Call(line) for line in text.splitlines() if line]


def two_of_each_switch(cluster: _core.Cluster) -> list[str]:
    """Names, in the cluster's order."""
    taken: dict[str, list[str]] = {}
    for link in cluster.links:
        for host, switch in ((link.a, link.b), (link.b, link.a)):
            if host in cluster.hosts and len(taken.setdefault(switch, [])) < 2:
                taken[switch].append(host)
    chosen = {host for hosts in taken.values() for host in hosts}
    return [host for host in cluster.hosts if host in chosen]


class Program:
    """The program under one MPI library, on all hosts of a lab."""

    def __init__(self, lab: Lab, mpi: str, collective: str, size: int, folder: Path) -> None:
        self.lab, self.mpi, self.collective, self.size = lab, ready_mpi(mpi), collective, size
        self.file = folder / "steady_calls"
        source = Path(__file__).with_name("steady_calls.c")
        subprocess.run([self.mpi.mpicc, "-O1", "-o", str(self.file), str(source), "-ldl"], check=True)

    def start(self, seconds: int, cluster: Path, out: Path, *, follows: bool) -> subprocess.Popen[str]:
        """Its output goes to a file, and its words to one beside it."""
        costs = {"TRUNKLINE_HOST_COSTS": self.lab.host_costs} if self.lab.host_costs else {}
        settings = {"TRUNKLINE_CLUSTER": str(cluster), "TRUNKLINE_FOLLOW": str(int(follows)), "TRUNKLINE_EXPLAIN": "1"}
        hosts = self.lab.cluster.hosts
        argv, env = self.mpi.launch(
            hosts=hosts,
            ranks=len(hosts),
            ranks_per_host=1,
            program=[str(self.file), str(seconds), str(self.size), self.collective],
            agent=Lab.agent,
            env={**costs, **settings},
            preload=[preload_of(self.mpi)],
        )
        with out.open("w") as stream, out.with_suffix(".said").open("w") as said:
            return self.lab.popen(argv, env=env, stdout=stream, stderr=said)

    def alone(self, cluster: Path, out: Path) -> list[Call]:
        """Its calls by one cluster file; the first ones open connections."""
        if self.start(ALONE_S, cluster, out, follows=False).wait() != 0:
            sys.exit(f"the program failed: {out.with_suffix('.said').read_text()}")
        return calls_of(out.read_text())[MEDIAN_OF:]


def start_monitor(lab: Lab, mpi: str, call: str, cluster: Path, folder: Path, seconds: int) -> subprocess.Popen[str]:
    """For so many seconds, on two hosts of each switch, for `COLLECTIVE:BYTES`."""
    hosts = two_of_each_switch(lab.cluster)
    argv, env = ready_mpi(mpi).launch(hosts=hosts, ranks=len(hosts), ranks_per_host=1, program=[], agent=Lab.agent)
    words = [sys.executable, "-m", "trunkline", "monitor", str(cluster), *WORDS_MONITOR, call]
    words += ["--json", str(folder / "rounds.json"), "--", *argv]
    costs = {"TRUNKLINE_HOST_COSTS": lab.host_costs} if lab.host_costs else {}
    with (folder / "monitor.said").open("w") as said:
        return lab.popen(["timeout", "-s", "INT", str(seconds), *words], env={**env, **costs}, stdout=said, stderr=said)


def within_from(calls: list[Call], best_s: float) -> float | None:
    """When the medians of ten calls in a row begin to be within the bound for good; None: they are not at the end."""
    medians = [
        (calls[i].at, median(call.seconds for call in calls[i : i + MEDIAN_OF]))
        for i in range(len(calls) - MEDIAN_OF + 1)
    ]
    late = [number for number, (_, seconds) in enumerate(medians) if seconds > WITHIN * best_s]
    first = late[-1] + 1 if late else 0
    return medians[first][0] if first < len(medians) else None


def told(what: str, calls: list[Call]) -> str:
    """A line: the median, and what ran."""
    ran = ", ".join(dict.fromkeys(call.algorithm for call in calls))
    return f"{what:42} {1e3 * median(call.seconds for call in calls):9.1f} ms  {ran}"


def main() -> int:
    """The experiment."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--cluster", default="four-site")
    options.add_argument("--link", default="home-town")
    options.add_argument("--to", default="10%")
    options.add_argument("--mpi", default="mpich")
    options.add_argument("--rate", default="20Mbit")
    options.add_argument("--collective", choices=("bcast", "allreduce"), default="bcast")
    options.add_argument("--bytes", type=int, default=8192)
    options.add_argument("--seconds", type=int, default=100)
    options.add_argument("--change-at", type=int, default=40)
    options.add_argument("--json")
    asked = options.parse_args()
    rate_bps = parse_rate(asked.rate)
    with (
        tempfile.TemporaryDirectory(prefix="slow-link-") as name,
        Lab(load_cluster(asked.cluster), rate_bps) as lab,
    ):
        folder = Path(name)
        tell_message_cost(lab, len(lab.cluster.hosts))
        lab.open()
        program = Program(lab, asked.mpi, asked.collective, asked.bytes, folder)
        was, now, is_now = folder / "was.yaml", folder / "now.yaml", folder / "is.yaml"
        for file in (was, now):
            file.write_text(_core.write_cluster(lab.cluster))
        call = f"{asked.collective}:{asked.bytes}"
        monitor = start_monitor(lab, asked.mpi, call, now, folder, asked.seconds + 5)
        job = program.start(asked.seconds, now, folder / "followed", follows=True)
        start = time.monotonic()
        time.sleep(asked.change_at)
        (here,) = [one for one in running_labs() if one.owner == os.getpid()]
        change_links(here, [asked.link, f"rate={asked.to}"])
        changed = time.monotonic()
        status = job.wait()
        monitor.wait()
        ends = asked.link.split("-")
        share = float(asked.to.rstrip("%")) / 100
        rates = [
            bps * (share if {link.a, link.b} == set(ends) else 1)
            for link in lab.cluster.links
            for bps in (link.rate_bps, link.back_rate_bps)
        ]
        latencies = [link.mean_latency_s for link in lab.cluster.links]
        is_now.write_text(_core.write_cluster(_core.with_speeds(lab.cluster, rates, latencies)))
        best, old = (program.alone(file, folder / file.stem) for file in (is_now, was))
        if status != 0:
            print((folder / "followed.said").read_text())
            return 1
        followed = calls_of((folder / "followed").read_text())
        rounds = [json.loads(line) for line in (folder / "rounds.json").read_text().splitlines()]
        written = now.stat().st_mtime - time.time() + time.monotonic() - changed
        before = [call for call in followed if call.at < changed][MEDIAN_OF:]
        after = [call for call in followed if call.at >= changed]
        best_s = min(median(call.seconds for call in calls) for calls in (best, old))
        within = within_from(after, best_s)
        print(f"{asked.cluster} at {asked.rate}, {asked.mpi}, {call}; {asked.link} at {asked.to} from then on")
        print(told("before the change, monitor beside", before))
        print(told("the old plan on the new network, alone", old))
        print(told("the plan for the new network, alone", best))
        print(told("after the change, the last ten calls", after[-10:]))
        print(f"the old plan takes {median(call.seconds for call in old) / best_s:.2f} times what the best one takes")
        print(f"{len(rounds)} rounds of the monitor; a round took {median(one['seconds'] for one in rounds):.1f} s")
        if any(one.get("wrote") for one in rounds):
            print(f"the file was written last {written:.1f} s after the change")
        switched = next((call for call in after if call.algorithm != after[0].algorithm), None)
        if switched is not None:
            print(f"other plans ran from {switched.at - changed:.1f} s after the change on")
        if within is None:
            print(f"within {WITHIN} of the best plan: never")
        else:
            print(f"within {WITHIN} of the best plan from {within - changed:.1f} s after the change on")
        if asked.json:
            data = {
                "changed_at": changed - start,
                "within_seconds": None if within is None else within - changed,
                "best_seconds": best_s,
                "old_seconds": median(call.seconds for call in old),
                "calls": [[call.at - changed, call.seconds, call.algorithm] for call in followed],
                "rounds": rounds,
            }
            Path(asked.json).write_text(json.dumps(data, indent=1))
        return 0 if within is not None and within - changed < MOST_S else 1


if __name__ == "__main__":
    sys.exit(main())
