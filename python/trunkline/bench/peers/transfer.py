"""Table 4 of the papers: what cutting a message into segments costs one sender, X times T(m/X) over T(m)."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from rich.table import Table

from trunkline import _core
from trunkline.bench.job import PING_PONG, Limits, follow, timing_words
from trunkline.bench.peers.driver import DEFAULT, Driver
from trunkline.bench.peers.figures import Figure
from trunkline.bench.stats import median_with_interval
from trunkline.lab.session import Lab
from trunkline.report.tables import titled_table
from trunkline.units import format_bytes, format_rate

__all__ = ["measure_transfers", "transfer_table"]


def _pair(rate_bps: float) -> _core.Cluster:
    """Two hosts on one switch."""
    text = (
        f"trunkline: cluster/1\nname: pair\ndefaults: {{rate: {rate_bps:.0f}bit, latency: 10us}}\nswitches: [s0]\n"
        "hosts:\n  - {hosts: 'h[0-1]', switch: s0}\n"
    )
    return _core.parse_cluster(text, "pair")


def measure_transfers(figure: Figure, driver: Driver, rate_bps: float, limits: Limits) -> dict[int, float]:
    """T(m) in seconds for every segment and every message of the table, between two hosts."""
    sizes = sorted({*figure.segments, *figure.rows})
    with Lab(_pair(rate_bps)) as lab, tempfile.TemporaryDirectory(prefix="trunkline-peers-") as folder:
        words = timing_words(lab.cluster, sizes, ["native"], limits)
        outcome = follow(driver.start(lab, Path(folder), words, DEFAULT, False), driver.name)
    return {size: median_with_interval(outcome.seconds[size, PING_PONG]).value for size in sizes}


def transfer_table(figure: Figure, times: Mapping[int, float], rate_bps: float) -> Table:
    """Ours and theirs, over T(m)."""
    table = titled_table(f"{figure.name}: {figure.title}; here at {format_rate(rate_bps)} | theirs at 100 Mbit/s")
    table.add_column("segment", justify="right")
    for size in figure.rows:
        table.add_column(format_bytes(size), justify="right", no_wrap=True)
    for k, segment in enumerate(figure.segments):
        cells = []
        for size, theirs in figure.rows.items():
            own = -(-size // segment) * times[segment] / times[size]
            cells.append(f"{own:.2f} | {theirs[k] / theirs[-1]:.2f}")
        table.add_row(format_bytes(segment), *cells)
    return table
