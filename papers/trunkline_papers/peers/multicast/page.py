"""The page of ``trunkline_papers bench multicast``."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from trunkline.report.page import render
from trunkline_papers.pages import TEMPLATES
from trunkline_papers.peers.multicast.cells import MulticastCell
from trunkline_papers.peers.multicast.charts import FIGURES
from trunkline_papers.peers.multicast.tables import loss_words

__all__ = ["multicast_page"]


def multicast_page(cells: Sequence[MulticastCell], figures: Mapping[str, str], left_out: Mapping[str, str]) -> str:
    """The figures, then a table of times for each loss and number of receivers.

    Args:
        cells: All that was measured.
        figures: SVG by name, as :func:`trunkline_papers.peers.multicast.charts.paper_figures` names them, and ``loss``.
        left_out: Peers that are missing, and why.
    """
    sections = []
    for (loss, receivers), some in groupby(cells, key=lambda cell: (cell.loss, cell.receivers)):
        rows = list(some)
        times: dict[str, dict[int, float]] = {}
        for cell in rows:
            times.setdefault(cell.name, {})[cell.message_bytes] = cell.seconds_median
        sections.append(
            {
                "title": f"{receivers} receivers, {loss_words(loss)}",
                "sizes": sorted({cell.message_bytes for cell in rows}),
                "bound": {cell.message_bytes: cell.bound_seconds for cell in rows},
                "rows": times,
            }
        )
    numbers = {name: f"As {name.replace('-', ' ')} of the paper." for name in FIGURES}
    captions = numbers | {"loss": "What loss leaves of the rate."}
    libraries = {cell.mpi: cell.library for cell in cells}
    return render(
        "multicast.html.j2",
        cells,
        templates=TEMPLATES,
        sections=sections,
        figures=figures,
        captions=captions,
        left_out=left_out,
        libraries=libraries,
    )
