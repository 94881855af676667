#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time `trunkline trace analyse` on made traces: papers/tools/trace_speed.py FOLDER RANKS CALLS [RANKS_PER_HOST].

An allreduce over a binary tree, with the events of a real one and times that vary. Prints the bytes of trace a call and
rank, the seconds, and the most memory that was used.
"""

import resource
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

BEGIN, OVER, ARRIVED, HANDED_ON, COMPLETE = 1, 2, 3, 4, 5
MOST_KINDS, KIND_BYTES, HEADER_BYTES = 2048, 96, 4096
PERIOD_NS = 2_000_000


def events_of(rank: int, ranks: int) -> list[tuple[int, int]]:
    """Of one call: ns, and what."""
    parent, children = (rank - 1) // 2, [child for child in (2 * rank + 1, 2 * rank + 2) if child < ranks]
    depth = (rank + 1).bit_length()
    height = ranks.bit_length()
    up = 20_000 * (height - depth + 1)
    found = [(up - 4000 + 500 * i, ARRIVED | child << 12) for i, child in enumerate(children)]
    found += [(up, HANDED_ON | parent << 12)] if rank else [(up, COMPLETE)]
    back = 20_000 * height + 30_000 * depth
    found += [(back, ARRIVED | parent << 12)] if rank else []
    found += [(back + 2000 + 700 * i, HANDED_ON | child << 12) for i, child in enumerate(children)]
    return [*found, (back + 9000, OVER)]


def write_trace(folder: Path, rank: int, ranks: int, calls: int, each: int) -> int:
    """One rank's file; returns its records."""
    events = events_of(rank, ranks)
    generator = np.random.default_rng(rank)
    times = np.array([0, *(ns for ns, _ in events)], np.int64)[None, :] + PERIOD_NS * np.arange(calls)[:, None]
    times[:, 1:] += generator.integers(0, 400, times[:, 1:].shape)
    times = np.sort(times, axis=1)
    records = np.zeros((calls, len(events) + 1, 2), np.uint64)
    records[:, :, 0] = times.astype(np.uint64) | (np.arange(calls, dtype=np.uint64) % 65536 << np.uint64(48))[:, None]
    records[:, 0, 1] = BEGIN | np.arange(calls, dtype=np.uint64) << np.uint64(16)
    records[:, 1:, 1] = np.array([what for _, what in events], np.uint64)
    count = calls * (len(events) + 1)
    capacity = 1 << (count - 1).bit_length()
    numbers = (HEADER_BYTES, KIND_BYTES, MOST_KINDS, 16, rank, ranks, 0xFFFFFFFF)
    clock = (1_000_000, 1_767_225_600_000_000_000, 0, 0)
    words = (b"20260101-000000-1", f"h{rank // each}".encode(), b"mpich 4.0.2", b"made")
    header = struct.pack(
        "<8s8IQQqqQQQII48s64s32s16s", b"trktrace", 1, *numbers, capacity, *clock, count, 0, 1, 1, *words
    )
    kind = struct.pack("<QQQIi24s40s", 7, 4, 8192, 1, 0, b"allreduce", b"custom")
    with (folder / f"20260101-000000-1.rank-{rank:05d}.trace").open("wb") as file:
        file.write(header.ljust(HEADER_BYTES, b"\0") + kind.ljust(MOST_KINDS * KIND_BYTES, b"\0"))
        records.tofile(file)
    return count


def main() -> None:
    """Write, analyse, print."""
    folder, ranks, calls = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    each = int(sys.argv[4]) if len(sys.argv) > 4 else 2
    folder.mkdir(parents=True)
    records = sum(write_trace(folder, rank, ranks, calls, each) for rank in range(ranks))
    start = time.monotonic()
    words = ["trunkline", "trace", "analyse", str(folder), "--report", str(folder / "report.html")]
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
    took = time.monotonic() - start
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (1 << 20)
    print(f"{ranks} ranks, {calls} calls: {records} records, {16 * records / ranks / calls:.1f} bytes a call and rank")
    print(f"analysed with its page in {took:.1f} s, at most {most:.2f} GiB")


if __name__ == "__main__":
    main()
