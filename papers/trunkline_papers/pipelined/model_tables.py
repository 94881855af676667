"""Tables of a validated model, as the papers print theirs."""

from collections.abc import Sequence

from rich.console import Group
from rich.markup import escape
from rich.table import Table

from trunkline import _core
from trunkline.terminal import titled_table
from trunkline.units import format_bytes, format_rate, format_seconds
from trunkline_papers.pipelined.model import Verdict
from trunkline_papers.pipelined.published import paper_network, paper_parameters, paper_pieces

__all__ = ["parameters_table", "pieces_table", "segments_tables"]


def _percent(part: float) -> str:
    return f"{part * 100:+.0f} %"


def segments_tables(verdicts: Sequence[Verdict]) -> Group:
    """The paper's table 3 with times, a table for each algorithm; the verdicts of one cluster and MPI.

    The segment that the model takes and the best one, what is lost by the first, how far off its predicted time is, and
    the paper's own segments.
    """
    first = verdicts[0]
    worst = max(verdicts, key=lambda v: v.loss)
    off = max(verdicts, key=lambda v: abs(v.error))
    summary = (
        f"Most lost by the model's segment: {_percent(worst.loss)} ({worst.algorithm}, "
        f"{format_bytes(worst.message_bytes)}). Predicted times are off by at most {abs(off.error) * 100:.0f} %. "
        "Segments are in bytes; the paper's are the best by its model and as measured, at "
        f"{paper_network(first.rate_bps)}."
    )
    names = dict.fromkeys(v.algorithm for v in verdicts)
    return Group(*(_segments([v for v in verdicts if v.algorithm == name]) for name in names), summary)


def _segments(rows: Sequence[Verdict]) -> Table:
    first = rows[0]
    where = f"{escape(first.cluster)} at {format_rate(first.rate_bps)}, {first.mpi} {first.mpi_version}"
    columns = ("size", "model's", "predicted", "measured", "error", "best", "measured", "loss", "paper's")
    table = titled_table(f"{first.algorithm} on {where}: segments", *columns)
    for row in rows:
        table.add_row(
            format_bytes(row.message_bytes),
            str(row.chosen.segment_bytes),
            format_seconds(row.chosen.seconds_predicted),
            format_seconds(row.chosen.seconds_median),
            _percent(row.error),
            str(row.best.segment_bytes),
            format_seconds(row.best.seconds_median),
            _percent(row.loss),
            f"{row.paper[0]}, {row.paper[1]}" if row.paper else "",
        )
    return table


def parameters_table(measured: _core.Measurement, rate_bps: float) -> Table:
    """The paper's table 2: the parameters of the model at each distance, the paper's own last."""
    network = paper_network(rate_bps)
    title = f"{escape(measured.cluster)}, {measured.mpi} {measured.mpi_version}: parameters of the model"
    table = titled_table(title, "links", "m", "g(m)", "RTT(m)", "L(m)", f"paper's at {network}: g, RTT, L")
    for distance in measured.distances:
        for k, point in enumerate(distance.points):
            paper = paper_parameters(network, point.bytes)
            table.add_row(
                str(distance.channels) if k == 0 else "",
                format_bytes(point.bytes),
                *(format_seconds(seconds) for seconds in (point.gap_s, point.round_trip_s, point.latency_s)),
                ", ".join(format_seconds(seconds) for seconds in paper) if paper else "",
                end_section=k == len(distance.points) - 1,
            )
    return table


def pieces_table(measured: _core.Measurement, verdicts: Sequence[Verdict]) -> Table:
    """The paper's table 4: X g(m / X), the message in segments one after the other, beside T(m) in one piece.

    From the gaps of the shortest distance between hosts, or on the one host where there is no
    other; each with its ratio to T(m), and the paper's ratio.
    """
    network = paper_network(verdicts[0].rate_bps)
    limits = {v.message_bytes: v.limit_seconds for v in verdicts}
    near = next((d for d in measured.distances if d.channels > 0), measured.distances[0])
    title = f"{escape(measured.cluster)}: X g(m / X), over T(m); (the paper's at {network})"
    table = titled_table(title, "segment", *map(format_bytes, limits))
    for point in near.points:
        row = []
        for size, limit in limits.items():
            seconds = size / point.bytes * point.gap_s
            paper, whole = paper_pieces(network, size, point.bytes), paper_pieces(network, size, 0)
            theirs = f" ({paper / whole:.2f})" if paper and whole else ""
            row.append(f"{format_seconds(seconds)} {seconds / limit:.2f}{theirs}" if point.bytes <= size else "")
        table.add_row(format_bytes(point.bytes), *row)
    table.add_row("in one", *(format_seconds(limit) for limit in limits.values()))
    return table
