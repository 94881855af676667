"""Table 4 of the papers: what cutting a message into segments costs one sender, X times T(m/X) over T(m).

Their T(m/X) is the gap g of table 2, as 3.73 ms for 128 segments of 256 bytes says: segments stream. So here a line
of two hosts sends the segments one after the other, and the first one's latency is in the time.
"""

from collections.abc import Mapping
from dataclasses import replace

from rich.table import Table

from trunkline import _core
from trunkline.bench.job import PATIENCE_S, PING_PONG, Limits, timing_words
from trunkline.errors import Failed
from trunkline.lab.session import Lab
from trunkline.statistics import median_with_interval
from trunkline.temporary import temporary_folder
from trunkline.terminal import titled_table
from trunkline.units import format_bytes, format_rate
from trunkline_papers.peers.driver import DEFAULT, Driver
from trunkline_papers.peers.figures import Figure

__all__ = ["measure_transfers", "transfer_table"]


def _pair(rate_bps: float) -> _core.Cluster:
    """Two hosts on one switch."""
    text = (
        f"trunkline: cluster/1\nname: pair\ndefaults: {{rate: {rate_bps:.0f}bit, latency: 10us}}\nswitches: [s0]\n"
        "hosts:\n  - {hosts: 'h[0-1]', switch: s0}\n"
    )
    return _core.parse_cluster(text, "pair")


def measure_transfers(figure: Figure, driver: Driver, rate_bps: float, limits: Limits) -> dict[tuple[int, int], float]:
    """Time over T(m) of each message in each segment, between two hosts; by message and segment bytes.

    Raises:
        Failed: where the library hangs.
    """
    sizes, names = sorted(figure.rows), {f"linear:{segment}": segment for segment in figure.segments}
    with Lab(_pair(rate_bps)) as lab, temporary_folder("peers") as folder:
        words = timing_words("bcast", lab.cluster, sizes, list(names), replace(limits, patience_s=PATIENCE_S))
        outcome = driver.run(lab, folder, words, DEFAULT, True)
    if outcome.given_up is not None:
        raise Failed(f"{driver.name} did nothing for {PATIENCE_S:.0f} s at {format_bytes(outcome.given_up)}")
    limit = {size: median_with_interval(outcome.seconds[size, PING_PONG]).value for size in sizes}
    return {
        (size, segment): median_with_interval(outcome.seconds[size, name]).value / limit[size]
        for size in sizes
        for name, segment in names.items()
    }


def transfer_table(figure: Figure, ratios: Mapping[tuple[int, int], float], rate_bps: float) -> Table:
    """Ours and theirs, over T(m)."""
    title = f"{figure.name}: {figure.title}; here at {format_rate(rate_bps)} | theirs at 100 Mbit/s"
    table = titled_table(title, "segment", *map(format_bytes, figure.rows))
    for k, segment in enumerate(figure.segments):
        cells = [f"{ratios[size, segment]:.2f} | {row[k] / row[-1]:.2f}" for size, row in figure.rows.items()]
        table.add_row(format_bytes(segment), *cells)
    return table
