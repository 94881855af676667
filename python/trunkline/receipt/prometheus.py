"""Receipts as lines for Prometheus, in the text format that its documents call exposition format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Callable

from trunkline.receipt.worth import UNKNOWN, Sum, Worth

Sample = tuple[Mapping[str, str], float]


@dataclass(frozen=True)
class _Metric:
    """What stands for each collective of each cluster."""

    name: str
    kind: str
    help: str
    of: Callable[[Sum], float]
    is_measured: bool = False


_METRICS = (
    _Metric(
        "trunkline_calls_total", "counter", "Collective calls, as rank 0 of each job counted them.", lambda s: s.calls
    ),
    _Metric("trunkline_bytes_total", "counter", "Bytes of these calls, where they are known.", lambda s: s.bytes),
    _Metric("trunkline_call_seconds_total", "counter", "Seconds of rank 0 in these calls.", lambda s: s.seconds),
    _Metric(
        "trunkline_saved_seconds",
        "gauge",
        "Seconds saved beside native calls, as measured by trials, meetings not counted; below 0: lost.",
        lambda s: s.saved_s,
        is_measured=True,
    ),
    _Metric(
        "trunkline_saved_error_seconds",
        "gauge",
        "By how much trunkline_saved_seconds may be off, 19 times in 20.",
        lambda s: s.error_s,
        is_measured=True,
    ),
    _Metric(
        "trunkline_saved_rank_seconds",
        "gauge",
        "Seconds saved times the ranks that took part, meetings not counted.",
        lambda s: s.saved_rank_s,
        is_measured=True,
    ),
)


def prometheus_text(worth: Worth) -> str:
    """All metrics, each with its HELP and its TYPE."""
    of_jobs = [(_labels(cluster), float(one.jobs)) for cluster, one in sorted(worth.by_cluster.items())]
    net = [(_labels(name), one.saved_s) for name, one in sorted(worth.by_cluster.items()) if one.measured_jobs]
    lines = list(_metric("trunkline_jobs_total", "counter", "Jobs that left a receipt.", of_jobs))
    for metric in _METRICS:
        samples = [
            (_labels(cluster, collective), float(metric.of(one)))
            for (cluster, collective), one in sorted(worth.by_cluster_and_collective.items())
            if one.measured_jobs or not metric.is_measured
        ]
        lines += _metric(metric.name, metric.kind, metric.help, samples)
    words = "Seconds saved by all collectives together, less what ranks spent on telling each other their times."
    lines += _metric("trunkline_net_saved_seconds", "gauge", words, net)
    unread: list[Sample] = [({}, float(len(worth.unread)))]
    lines += _metric("trunkline_receipts_unread", "gauge", "Files beside receipts that could not be read.", unread)
    newest: list[Sample] = [({}, worth.newest.timestamp())] if worth.newest else []
    lines += _metric("trunkline_newest_job_timestamp_seconds", "gauge", "When the last of the jobs began.", newest)
    return "".join(f"{line}\n" for line in lines)


def _labels(cluster: str, collective: str | None = None) -> dict[str, str]:
    """A label that is empty is none to Prometheus."""
    named = {"cluster": "" if cluster == UNKNOWN else cluster}
    return named if collective is None else {**named, "collective": collective}


def _metric(name: str, kind: str, words: str, samples: Iterable[Sample]) -> Iterator[str]:
    """Nothing where there are no samples."""
    told = [f"{name}{_label_text(labels)} {value!r}" for labels, value in samples]
    if told:
        yield f"# HELP {name} {_escaped(words)}"
        yield f"# TYPE {name} {kind}"
        yield from told


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _label_text(labels: Mapping[str, str]) -> str:
    values = {name: _escaped(value).replace('"', '\\"') for name, value in labels.items()}
    pairs = ",".join(f'{name}="{value}"' for name, value in values.items())
    return f"{{{pairs}}}" if pairs else ""
