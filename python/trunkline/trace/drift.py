"""How clocks drift: what the two comparisons with rank 0's clock, in MPI_Init and in MPI_Finalize, say of each host.

Between them the difference is taken to change evenly. What both comparisons may be wrong by is no drift. Ranks of one
host have one clock, so all of them take what the best compared one of them says: their times stay comparable exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

from trunkline.trace.file import Header


def drift_of(headers: Sequence[Header]) -> dict[int, float]:
    """By rank: by how much rank 0's clock is faster than its host's, as a part of the time; 0 where it is not known."""
    first_host = next((header.host for header in headers if header.rank == 0), None)
    best: dict[str, Header] = {}
    for header in headers:
        if header.end_ns <= header.start_ns or header.host == first_host:
            continue
        known = best.get(header.host)
        if known is None or header.clock_error_ns + header.end_error_ns < known.clock_error_ns + known.end_error_ns:
            best[header.host] = header
    found = {}
    for host, one in best.items():
        change = one.end_offset_ns - one.clock_offset_ns
        if abs(change) > one.clock_error_ns + one.end_error_ns:
            found[host] = change / (one.end_ns - one.start_ns)
    return {header.rank: found.get(header.host, 0.0) for header in headers}
