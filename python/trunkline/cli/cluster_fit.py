"""``trunkline cluster fit``: a cluster file with the numbers that were measured between pairs of hosts."""

from collections import Counter
from datetime import datetime, timedelta, timezone
from statistics import median
from typing import Annotated

import typer

from trunkline import _core
from trunkline.cli.options import ClusterOption, JsonOption
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster
from trunkline.compat import zip_equal
from trunkline.pairs.file import Pairs, check_age, load_pairs
from trunkline.pairs.fit import MOST_NAMED, Fit, fit_pairs, uneven_lines
from trunkline.terminal import tell
from trunkline.units import format_seconds, listed


def fit(
    cluster: ClusterOption,
    pairs: Annotated[str, typer.Option(metavar="FILE", help="What 'trunkline measure --pairs' wrote.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="'-' for standard output.")] = "-",
    max_age: Annotated[
        float, typer.Option(min=0, metavar="HOURS", help="Measurements that are older are refused.")
    ] = 24.0,
    json: JsonOption = None,
) -> None:
    """Write the cluster file with rates, latencies and injection times as measured between pairs of hosts.

    What the pairs do not show stays as the file states it.
    """
    check_outputs({"--output": output, "--json": json})
    stated = load_cluster(cluster)
    measured = load_pairs(pairs, stated)
    age = check_age(measured, pairs, timedelta(hours=max_age), datetime.now(timezone.utc))
    fitted = fit_pairs(stated, measured)
    when = f"measured at {measured.measured.isoformat(timespec='seconds')} under {measured.mpi}"
    write_text(
        f"# Rates, latencies and injection times: {when}, {len(measured.pairs)} pairs of hosts.\n"
        + (_core.write_cluster(fitted.cluster).rstrip("\n")),
        output,
    )
    errors = [abs(error) for error in fitted.errors]
    tell(
        f"{stated.name}: {len(measured.pairs)} pairs of {len(measured.hosts)} hosts, {age.total_seconds() / 3600:.3g} "
        f"hours old; a message costs {format_seconds(fitted.message_s)} besides its way; latencies of the pairs follow "
        f"from the links within {median(errors):.1%} in the median, {max(errors):.1%} at worst"
    )
    links = fitted.cluster.links
    if unseen := [f"{links[link].a} - {links[link].b}" for link in fitted.unseen]:
        tell(f"as stated, since no pair crosses them: {listed(unseen, MOST_NAMED)}")
    for line in uneven_lines(fitted):
        tell(line)
    _tell_one_way(fitted, measured)
    write_json(
        {
            "cluster": stated.name,
            "pairs": len(measured.pairs),
            "age_seconds": age.total_seconds(),
            "message_seconds": fitted.message_s,
            "links": [
                {
                    "between": [link.a, link.b],
                    "rate_bps": link.rate_bps,
                    "latency_seconds": link.latency_s,
                    "back": {"rate_bps": link.back_rate_bps, "latency_seconds": link.back_latency_s},
                    "stated_rate_bps": before.rate_bps,
                    "stated_latency_seconds": before.latency_s,
                    "stated_back": {"rate_bps": before.back_rate_bps, "latency_seconds": before.back_latency_s},
                    "seen": number not in fitted.unseen,
                    "difference_known_seconds": fitted.differing.get(number),
                }
                for number, (link, before) in enumerate(zip_equal(links, stated.links))
                if link.in_tree
            ],
            "injection_seconds": {name: fitted.cluster.injection_s(host) for host, name in enumerate(stated.hosts)},
            "errors": fitted.errors,
            "uneven": [
                {
                    "links": [[links[link].a, links[link].b] for link in one.links],
                    "rate_share": one.rate,
                    "latency_ratio": one.latency,
                }
                for one in fitted.uneven
            ],
            "one_way_errors_seconds": fitted.one_way_errors_s,
        },
        json,
    )


def _tell_one_way(fitted: Fit, measured: Pairs) -> None:
    """What clocks showed of ways there and back, and where they showed nothing."""
    lines = []
    links = fitted.cluster.links
    for number, known_s in list(fitted.differing.items())[:MOST_NAMED]:
        link = links[number]
        lines.append(
            f"{link.a} - {link.b}: {format_seconds(link.latency_s)} there and {format_seconds(link.back_latency_s)} "
            f"back, by clocks; half of the difference is off by {format_seconds(known_s)} at most"
        )
    if len(fitted.differing) > MOST_NAMED:
        lines.append(f"and {len(fitted.differing) - MOST_NAMED} more links whose ways differ")
    known = [(pair, off) for pair, off in zip_equal(measured.pairs, fitted.one_way_errors_s) if pair.one_way]
    off_s = max((abs(off) for _, off in known if off is not None), default=0.0)
    if known:
        stated_s = max(pair.one_way.error_s for pair, _ in known if pair.one_way)
        lines.append(
            f"one-way latencies of {len(known)} pairs follow from the links within {format_seconds(off_s)} at worst; "
            f"clocks and waiting put them off by {format_seconds(stated_s)} at most"
        )
    reasons = Counter(pair.unknown or "the file does not say" for pair in measured.pairs if not pair.one_way)
    for reason, count in reasons.most_common(MOST_NAMED):
        lines.append(f"whether ways there and back differ is not known of {count} pairs: {reason}")
    for line in lines:
        tell(line)
