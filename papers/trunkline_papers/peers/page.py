"""The page of ``trunkline_papers bench peers``."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from trunkline import _core
from trunkline.report.page import plan_over, render
from trunkline.units import format_rate
from trunkline_papers.pages import TEMPLATES
from trunkline_papers.peers.chart import heat_colour, peer_curves
from trunkline_papers.peers.comparison import BEST
from trunkline_papers.peers.figures import Figure
from trunkline_papers.peers.results import PeerCell, Place, place_of
from trunkline_papers.peers.tables import BESIDE, Line, beside_rows, lines, unfinished

__all__ = ["peers_page"]


def peers_page(
    cells: Sequence[PeerCell],
    clusters: Sequence[tuple[_core.Cluster, float]],
    left_out: Mapping[str, str],
    figure: Figure | None,
    json_file: str | None,
) -> str:
    """Heat maps of the ratios, then for each cluster the curves of every peer, the table and Trunkline's trees.

    Args:
        cells: All that was measured.
        clusters: What they were measured on, with the rate of the fastest link of each, bits per second.
        left_out: Peers that are missing, and why.
        figure: Of the papers, where one was asked for: its title and claims are shown.
        json_file: Where the cells were written, for the name of the file that the page offers.
    """
    algorithm = "auto" if figure is None else figure.algorithms[0]
    every = list(lines(cells, algorithm))
    raw = json.dumps([cell.as_json() for cell in cells], indent=1).encode()
    return render(
        "peers.html.j2",
        cells,
        templates=TEMPLATES,
        figure=figure,
        collective=_core.facts_of(cells[0].collective if cells else "bcast").mpi_name,
        beside_columns=BESIDE,
        beside=beside_rows(figure, cells) if figure else [],
        algorithm=algorithm,
        left_out=left_out,
        unfinished=unfinished(cells),
        sections=[_section(cluster, rate, cells, every, algorithm) for cluster, rate in clusters],
        maps=[heat for heat in (_heat(every, best=True), _heat(every, best=False)) if heat["rows"]],
        libraries={cell.mpi: cell.library for cell in cells if cell.library},
        json_name=Path(json_file).name if json_file else "peers.json",
        json_base64=base64.b64encode(raw).decode(),
    )


def _section(
    cluster: _core.Cluster, rate_bps: float, cells: Sequence[PeerCell], every: Sequence[Line], algorithm: str
) -> dict[str, object]:
    place = place_of(cluster, rate_bps)
    here = [cell for cell in cells if cell.place == place]
    times = [cell.seconds_median for cell in here] + [cell.message_bytes * 8 / cell.rate_bps for cell in here]
    ran, drawings = plan_over(cluster, here, algorithm)
    names = {cell.mpi: f"{cell.mpi} {cell.mpi_version}" if "-" not in cell.mpi else cell.mpi for cell in here}
    return {
        "cluster": cluster,
        "rate": rate_bps,
        "limit": _core.facts_of(here[0].collective).limit_in_transfers(here[0].hosts) if here else 1.0,
        "charts": [
            peer_curves([cell for cell in here if cell.mpi == mpi], title, min(times), max(times))
            for mpi, title in names.items()
        ],
        "lines": [line for line in every if line.default.place == place],
        "ran": ran,
        "drawings": drawings,
        "races": [cell for cell in here if cell.algorithm == BEST],
    }


def _heat(every: Sequence[Line], best: bool) -> dict[str, object]:
    """Ratios by cluster and peer (rows) and size (columns), with their colours."""
    found: dict[tuple[Place, str], dict[int, float]] = {}
    for line in every:
        gain = line.gain(line.best if best else line.default)
        if gain is not None:
            found.setdefault((line.default.place, line.default.mpi), {})[line.default.message_bytes] = gain
    sizes = sorted({size for row in found.values() for size in row})
    names = {place: place[0] for place, _ in found}
    if len(set(names.values())) < len(names):  # clusters of one name, or one at several rates
        names = {place: f"{place[0]} at {format_rate(place[2])}" for place in names}
    return {
        "title": "each library at the best setting found" if best else "each library as it comes",
        "sizes": sizes,
        "rows": [
            ((names[place], mpi), [(row[size], heat_colour(row[size])) if size in row else None for size in sizes])
            for (place, mpi), row in found.items()
        ],
    }
