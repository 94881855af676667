"""The JSON of ``trunkline trace analyse``: everything that was found out, names and units in the keys."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from trunkline import _core
from trunkline.trace.analysis import Analysed, AnalysedTree, Analysis
from trunkline.trace.compare import Compared
from trunkline.trace.critical_path import CriticalPath, PathStage
from trunkline.trace.file import drift_of
from trunkline.trace.metrics import order_counts, order_pairs, stats_of, wrapper_latency
from trunkline.trace.nodes import Node
from trunkline.trace.protocol import Protocol
from trunkline.trace.stages import Stage
from trunkline.trace.subtrees import Subtree
from trunkline.trace.suggest import Advice

FORMAT = "trace-analysis/1"


def analysis_as_json(analysis: Analysis) -> dict[str, Any]:
    """Ranks are those of MPI_COMM_WORLD; times are microseconds."""
    job = analysis.job
    return {
        "trunkline": FORMAT,
        "job": job.name,
        "ranks": job.ranks,
        "missing_ranks": job.missing,
        "hosts": {str(rank): host for rank, host in job.hosts.items()},
        "mpi": job.headers[0].mpi,
        "library": job.headers[0].version,
        "finished": all(header.finished for header in job.headers),
        "records": analysis.records,
        "lost_records": sum(header.lost for header in job.headers),
        "clock_error_us": max(header.error_ns for header in job.headers) / 1e3,
        "most_drift_ppm": max((abs(one) * 1e6 for one in drift_of(job.headers).values()), default=0.0),
        "notes": analysis.notes,
        "groups": [_group(analysed) for analysed in analysis.groups],
    }


def _group(analysed: Analysed) -> dict[str, Any]:
    group = analysed.group
    return {
        "collective": group.collective,
        "blocking": group.is_blocking,
        "algorithm": group.algorithm,
        "plan": f"{group.plan:016x}" if group.plan else None,
        "bytes": group.bytes if _core.facts_of(group.collective).has_data else 0,
        "segment_bytes": group.segment_bytes,
        "root": group.root,
        "ranks": group.ranks,
        "calls": analysed.counted,
        "skipped": analysed.skipped,
        "unmatched": group.unmatched,
        "time": analysed.time.as_json(),
        "imbalance": asdict(analysed.imbalance),
        "trees": [_tree(tree) for tree in analysed.trees],
        "rounds": [
            {"round": stage.number, "ranks": stage.ranks, "slowest_rank": stage.slowest, "wait": stage.wait.as_json()}
            for stage in analysed.rounds
        ],
        "critical_path": None if analysed.critical is None else _critical_path(analysed.critical),
        "protocol": None if analysed.protocol is None else _protocol(analysed.protocol),
    }


def _critical_path(path: CriticalPath) -> dict[str, Any]:
    """Microseconds a call; what is not on the path of a call counts 0 there."""
    return {
        "calls": path.calls,
        "time": path.time.as_json(),
        "begins": [{"rank": rank, "calls": part} for rank, part in path.begins],
        "stages": [
            {
                "stage": stage.kind,
                "rank": stage.rank,
                "sender": stage.sender,
                "share": stage.share,
                "calls": stage.calls,
                "mean_us": stage.mean,
            }
            for stage in path.stages
        ],
    }


def _protocol(protocol: Protocol) -> dict[str, Any]:
    """Steps a call, of all ranks together, and the parts of a call."""
    return {
        "steps": {step.name: {"told": step.told, "heard": step.heard} for step in protocol.steps},
        "parts": [
            {"part": span.name, "ranks": span.ranks, "slowest_rank": span.slowest, "time": span.time.as_json()}
            for span in protocol.spans
        ],
    }


def _tree(tree: AnalysedTree) -> dict[str, Any]:
    return {
        "tree": tree.times.number,
        "root": tree.times.root,
        "calls": int(tree.times.whole.sum()),
        "parents": {str(rank): node.parent for rank, node in tree.times.nodes.items()},
        "stages": [
            {
                "stage": stage.kind,
                "node": stage.node,
                "contributor": stage.contributor,
                "part": stage.part,
                "ranks": stage.ranks,
                "share": tree.share(stage),
                **stage.stats.as_json(),
            }
            for stage in tree.stages
        ],
        "nodes": [_node(node) for node in tree.times.nodes.values() if len(node.contributors) > 1],
        "subtrees": [_subtree(subtree) for subtree in tree.subtrees],
        "costs": [asdict(cost) for cost in tree.costs],
        "by_proxies": [cost.rank for cost in tree.classes],
        "fastest_rank": tree.fastest.rank,
        "slowest_rank": tree.slowest.rank,
    }


def _subtree(subtree: Subtree) -> dict[str, Any]:
    """Several nodes as one; times are microseconds."""
    return {
        "subtree": subtree.name,
        "root": subtree.root,
        "nodes": subtree.nodes,
        "contributors": [{"node": node, "contributor": contributor} for node, contributor in subtree.contributors],
        "down_latency": None if subtree.down_latency is None else subtree.down_latency.as_json(),
        "up_latency": None if subtree.up_latency is None else subtree.up_latency.as_json(),
        "arrival_wait_mean_us": subtree.arrival_wait,
        "departures_mean_us": subtree.curve,
    }


def _node(node: Node) -> dict[str, Any]:
    """What is known of each contributor besides its stages."""
    known = node.contributors
    pairs = order_pairs(node)
    latencies = {one: wrapper_latency(node, one) for one in known}
    return {
        "node": node.rank,
        "contributors": known,
        "arrival_order": order_counts(node.t1, known).tolist() if node.t1 else None,
        "departure_order": order_counts(node.t4, known).tolist() if node.t4 else None,
        "departure_by_arrival": None if pairs is None else pairs.tolist(),
        "wrapper_latency": {
            str(one): stats_of(times).as_json() for one, times in latencies.items() if times is not None
        },
    }


def advice_as_json(advice: Advice) -> dict[str, Any]:
    """The best step first; where there is none, why."""
    steps = [
        {
            "edit": step.words,
            "command": step.command,
            "predicted_gain": step.gain,
            "attacks": _attacked(step.attacks),
            "slow_hosts": list(step.slow),
        }
        for step in advice.steps
    ]
    return {"suggestions": steps, "no_suggestion": advice.silent or None, "is_good": advice.is_good}


def _attacked(stage: Stage | PathStage) -> dict[str, Any]:
    if isinstance(stage, PathStage):
        return {"stage": stage.kind, "node": stage.rank, "contributor": stage.sender}
    return {"stage": stage.kind, "node": stage.node, "contributor": stage.contributor}


def compared_as_json(compared: list[Compared]) -> list[dict[str, Any]]:
    """The run beside another one."""
    return [
        {
            "collective": pair.first.group.collective,
            "bytes": pair.first.group.bytes if _core.facts_of(pair.first.group.collective).has_data else 0,
            "other_algorithm": pair.first.group.algorithm,
            "algorithm": pair.second.group.algorithm,
            "other_mean_us": pair.first.time.mean,
            "mean_us": pair.second.time.mean,
            "times_faster": pair.ratio,
            "interval": pair.interval,
            "certain": pair.is_certain,
            "stages": [{"stage": name, "other_mean_us": other, "mean_us": this} for name, other, this in pair.stages()],
        }
        for pair in compared
    ]
