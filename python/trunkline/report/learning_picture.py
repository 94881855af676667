"""What a job lost and gained while it tried out what is fastest, call by call."""

from __future__ import annotations

from matplotlib.figure import Figure

from trunkline.bench.learning import CALLS, Learned
from trunkline.draw.colours import ACCENT, INK, NATIVE, SERIES, SOFT
from trunkline.report.chart import svg_text, tidy_axes


def learning_picture(job: Learned) -> str:
    """An ``<svg>`` element of two panels: what a call takes, and what all calls so far have lost."""
    figure = Figure(figsize=(5.2, 5.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    calls = [CALLS * number for number in range(1, len(job.ours_ms) + 1)]
    above.plot(calls, job.native_ms, color=NATIVE, linestyle=(0, (5, 2)), label="native, in turns")
    above.plot(calls, job.ours_ms, color=ACCENT, label="calls that learn")
    above.axhline(job.best_ms, color=SERIES[1], linestyle=(0, (1, 1.4)), label="the best")
    above.set_ylabel("a call, ms")
    above.set_ylim(bottom=0)
    below.plot(calls, job.lost_so_far_ms, color=ACCENT, label="beside native calls")
    below.plot(
        calls, job.allowed_so_far_ms, color=INK, linewidth=1, linestyle=(0, (4, 3)), label="that much is allowed"
    )
    below.plot(calls, job.regret_so_far_ms, color=SERIES[1], linestyle=(0, (1, 1.4)), label="beside the best")
    below.set_ylabel("lost so far, ms")
    below.set_xlabel("calls that learn")
    for axes in (above, below):
        if job.settled_after is not None:
            label = f"settled after {job.settled_after} calls" if axes is above else "_"  # once is enough
            axes.axvline(job.settled_after, color=SOFT, linewidth=1, label=label)
        tidy_axes(axes)
        axes.legend(frameon=False, fontsize=9)
    return svg_text(figure)
