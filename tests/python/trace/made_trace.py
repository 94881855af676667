"""Trace files made by hand: bytes as docs/tracing.md describes them, written without the reader's own tables."""

import struct
from dataclasses import dataclass, field
from pathlib import Path

BEGIN, OVER, ARRIVED, HANDED_ON, COMPLETE, TOLD, HEARD, SUM = 1, 2, 3, 4, 5, 6, 7, 8
MOST_KINDS = 2048


def kind_bytes(
    plan=0xABCDEF0123456789, size=4, segment=8192, communicator=1, root=0, collective="allreduce", name="custom"
):
    return struct.pack("<QQQIi24s40s", plan, size, segment, communicator, root, collective.encode(), name.encode())


@dataclass
class Made:
    """The trace of one rank; times in microseconds of its own clock."""

    rank: int
    ranks: int
    host: str = "h0"
    start_us: float = 0.0
    offset_us: float = 0.0
    error_us: float = 0.0
    end_us: float = 0.0
    """When clocks were compared once more; 0: they were not."""
    end_offset_us: float = 0.0
    end_error_us: float = 0.0
    chosen: int = 0
    job: str = "20260101-000000-1"
    version: int = 1
    finished: bool = True
    kinds: list[bytes] = field(default_factory=lambda: [kind_bytes()])
    records: list[tuple[int, int]] = field(default_factory=list)
    calls: int = 0

    def put(self, us: float, call: int, what: int) -> None:
        self.records.append((round(us * 1000) & (1 << 48) - 1 | (call & 0xFFFF) << 48, what))

    def begin(self, us: float, turn: int, kind: int = 0) -> None:
        self.calls += 1
        self.put(us, self.calls - 1, BEGIN | kind << 4 | turn << 16)

    def event(self, us: float, what: int, peer: int = 0, part: int = 0, tree: int = 0) -> None:
        self.put(us, self.calls - 1, what | tree << 4 | peer << 12 | part << 32)

    def over(self, us: float, failed: bool = False) -> None:
        self.put(us, self.calls - 1, OVER | failed << 4)

    def as_bytes(self, capacity: int = 1 << 16, lost: int = 0) -> bytes:
        head = len(self.records) + lost
        header = struct.pack(
            "<8s8IQQqqQQQII48s64s32s16sQqQII",
            b"trktrace",
            self.version,
            4096,
            96,
            MOST_KINDS,
            16,
            self.rank,
            self.ranks,
            0xFFFFFFFF,
            capacity,
            round(self.start_us * 1000),
            1_767_225_600_000_000_000,
            round(self.offset_us * 1000),
            round(self.error_us * 1000),
            head,
            0,
            len(self.kinds),
            int(self.finished),
            self.job.encode(),
            self.host.encode(),
            b"mpich 4.0.2",
            b"0.3.0",
            round(self.end_us * 1000),
            round(self.end_offset_us * 1000),
            round(self.end_error_us * 1000),
            self.chosen,
            0,
        )
        table = b"".join(self.kinds).ljust(MOST_KINDS * 96, b"\0")
        ring = [struct.pack("<QQ", *record) for record in self.records]
        if lost:  # the oldest one stands where the next one would come
            turned = head % capacity
            ring = ring[-turned:] + ring[:-turned] if turned else ring
        return header.ljust(4096, b"\0") + table + b"".join(ring)

    def write(self, folder: Path, **how) -> Path:
        file = folder / f"{self.job}.rank-{self.rank:05d}.trace"
        file.write_bytes(self.as_bytes(**how))
        return file


HOSTS = "aabbccdd"
CLOCK_US = {"a": 0.0, "b": 1000.0, "c": 2000.0, "d": 3000.0}
"""What each host's clock shows more than the first one's."""

BEGINS = [0, 2, 1, 0, 3, 4, 0, 5]
UP = {1: (4, 6, 0), 3: (2, 5, 2), 2: (7, 27, 0), 5: (6, 8, 4), 7: (8, 11, 6), 6: (12, 32, 4)}
"""Of each rank when it hands up, when that arrives, and where."""
CALL_A = {
    "top": (35, 60, 62),  # rank 4 hands up, it arrives, all is complete
    "down": {
        2: (64, 84, 0),
        4: (67, 93, 0),
        1: (69, 71, 0),
        3: (86, 89, 2),
        6: (96, 121, 4),
        5: (99, 100, 4),
        7: (123, 125, 6),
    },
    "over": [70, 72, 88, 90, 101, 102, 124, 127],
}
CALL_B = {
    "top": (35, 64, 66),
    "down": {1: (68, 70, 0), 2: (70, 92, 0), 4: (73, 101, 0), 3: (93, 95, 2), 6: (103, 127, 4), 5: (107, 109, 4),
             7: (131, 133, 6)},
    "over": [75, 73, 97, 99, 108, 110, 133, 136],
}  # fmt: skip
PERIOD_US = 1000


def eight_ranks(folder: Path, calls=(CALL_A, CALL_B), upto: float | None = None, **of_all) -> None:
    """Two calls on eight ranks of four hosts: 0 combines 1, 2 and 4; 2 combines 3; 4 combines 5 and 6; 6 combines 7."""
    for rank, host in enumerate(HOSTS):
        made = Made(rank, 8, host, start_us=500 + CLOCK_US[host], offset_us=-CLOCK_US[host], **of_all)
        for turn, call in enumerate(calls):
            events = []
            up = UP | {4: (*call["top"][:2], 0)}
            for child, (left, came, parent) in up.items():
                events += [(left, HANDED_ON, parent)] if child == rank else []
                events += [(came, ARRIVED, child)] if parent == rank else []
            for child, (left, came, parent) in call["down"].items():
                events += [(left, HANDED_ON, child)] if parent == rank else []
                events += [(came, ARRIVED, parent)] if child == rank else []
            events += [(call["top"][2], COMPLETE, 0)] if rank == 0 else []
            at = PERIOD_US * turn
            made.begin(at + BEGINS[rank], turn)
            for when, what, peer in sorted(events):
                if upto is None or at + when < upto:
                    made.event(at + when, what, peer)
            if upto is None or at + call["over"][rank] < upto:
                made.over(at + call["over"][rank])
        made.write(folder)


def only_tree(analysis):
    """Of a job whose calls all went along one."""
    [group] = analysis.groups
    [tree] = group.trees
    return tree


def us(times):
    """By call."""
    return (times.ravel() / 1000).tolist()
