#!/usr/bin/env python3
"""Prints what the preload library costs on one host, native beside it in the same jobs, under every MPI library here.

Usage: tools/beside_native.py [--mpi NAMES] [--storm CALLS] [storm|communicators|datatypes|hops]...

    storm           broadcasts of mixed sizes, roots and communicators, ranks late now and then (a million calls)
    communicators   split, one broadcast, free
    datatypes       one broadcast of a million elements with each kind of datatype
    hops            64 MiB down a line of ranks, beside a bare loop of MPI_Irecv and MPI_Isend

Needs the programs of `make build/stamps/dev`, and a machine with nothing else to do. Exit status 1 where bytes were
wrong.
"""

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / room) for room in ("runtime", "shared")]
import conftest  # noqa: E402

CLUSTER = {"TRUNKLINE_CLUSTER": "cyclic"}
STORM_CHOICES = ("auto", "two-tree", "linear", "circulant:1448", "scatter-ring", "binary")
STORM_RANKS = 4


def storm(mpi: conftest.Mpi, calls: int) -> bool:
    """Seconds of the slowest rank, and KiB of the rank whose memory grew most. Returns whether all bytes were right."""
    words = (mpi.program("runtime-storm"), str(calls), "7", *STORM_CHOICES)
    done = mpi.run(STORM_RANKS, *words, settings=CLUSTER, per_rank=[conftest.ON_OWN_HOST], status=None)
    ours, native, ours_kib, native_kib = (float(word) for word in done.out.split()[:4])
    print(
        f"{mpi.name:16} {calls:9} {native:9.1f} {ours:9.1f} {ours / native:6.2f} {native_kib:9.0f} {ours_kib:9.0f}"
        f"  {'right' if done.status == 0 else 'WRONG: ' + done.out.strip()}",
        flush=True,
    )
    return done.status == 0


def communicators(mpi: conftest.Mpi) -> bool:
    """Medians in microseconds."""
    program = conftest.BUILD / "bench" / f"trunkline-communicators-{mpi.name}"
    done = mpi.run(4, program, settings=CLUSTER, per_rank=[conftest.ON_OWN_HOST])
    row = json.loads(done.out)
    print(f"{mpi.name:16} {row['native_us']:9.1f} {row['ours_us']:9.1f} {row['ratio']:6.2f}", flush=True)
    return True


def datatypes(mpi: conftest.Mpi) -> bool:
    """Medians in milliseconds, and the ratio of the best ones, which noise does not reach."""
    program = conftest.BUILD / "bench" / f"trunkline-datatypes-{mpi.name}"
    done = mpi.run(2, program, settings={"TRUNKLINE_BCAST": "unaware-linear:8KiB"})
    rows = [json.loads(line) for line in done.out.splitlines()]
    for row in rows:
        print(
            f"{mpi.name:16} {row['datatype']:30} {row['native_ms']:9.2f} {row['ours_ms']:9.2f} {row['ratio']:6.2f}"
            f" {row['ratio_of_best']:6.2f}  {'right' if row['right'] else 'WRONG'}",
            flush=True,
        )
    return all(row["right"] for row in rows)


def hops(mpi: conftest.Mpi) -> bool:
    """Medians; throughput and processor time over the bare loop's."""
    for ranks, segment in ((4, 1 << 16), (2, 1 << 16), (2, 15888), (2, 4304), (2, 1416)):
        program = conftest.BUILD / "bench" / f"trunkline-segment-hop-{mpi.name}"
        words = (program, str(1 << 26 if segment == 1 << 16 else 1 << 22), str(segment))
        done = mpi.run(ranks, *words, settings={"TRUNKLINE_BCAST": f"unaware-linear:{segment}"})
        row = json.loads(done.out)
        print(
            f"{mpi.name:16} {ranks:5} {row['bytes']:9} {segment:8} {row['throughput']:11.2f} {row['hop_us']:9.2f}"
            f" {row['bare_hop_us']:9.2f} {row['hop_ratio']:6.2f} {row['to_first_send_us']:13.2f}",
            flush=True,
        )
    return True


HEADS = {
    "storm": "library              calls native, s   ours, s  ratio nat., KiB ours, KiB",
    "communicators": "library         native, us  ours, us  ratio",
    "hops": "library          ranks     bytes  segment  throughput  hop, us  bare, us  ratio  first send, us",
    "datatypes": "library          datatype                      native,ms  ours, ms  ratio   best",
}


def main() -> None:
    """Runs what was asked for, library by library."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="WHAT", help="default: all of them")
    parser.add_argument("--mpi", help="names, separated by commas; default: all that are here")
    parser.add_argument("--storm", type=int, default=1_000_000, metavar="CALLS", help="default: 1000000")
    asked = parser.parse_args()
    if unknown := set(asked.what) - set(HEADS):
        parser.error(f"what is {', '.join(sorted(unknown))}? There are: {', '.join(HEADS)}")
    conftest.SECONDS = 6 * 3600
    libraries = [mpi for mpi in conftest.installed() if asked.mpi is None or mpi.name in asked.mpi.split(",")]
    if not libraries:
        parser.error(f"no such library in {conftest.BUILD / 'lib'}")
    right = True
    for what in asked.what or HEADS:
        print(f"{what}\n{HEADS[what]}")
        for mpi in libraries:
            run = {
                "storm": lambda one: storm(one, asked.storm),
                "communicators": communicators,
                "datatypes": datatypes,
                "hops": hops,
            }
            right = run[what](mpi) and right
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
