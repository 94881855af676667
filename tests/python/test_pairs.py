"""Times between pairs of hosts: their files, what is refused, and the cluster that follows from them."""

import itertools
import json
import random
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.pairs.file import MeasuredPair, OneWay, Pairs, check_age, parse_pairs
from trunkline.pairs.fit import fit_pairs, uneven_lines
from trunkline.pairs.latencies import nonnegative_least_squares

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
HEADERS_BITS = 8 * (_core.frame_wire_bytes - _core.frame_payload_bytes)
OF_WIRE = _core.frame_wire_bytes / _core.frame_payload_bytes


def links_of(cluster, a, b):
    return [cluster.links[channel // 2] for channel in cluster.path(cluster.hosts[a], cluster.hosts[b])]


def rate_from(cluster, a, b):
    return min(map(cluster.channel_bps, cluster.path(cluster.hosts[a], cluster.hosts[b])))


def measured_latency(cluster, a, b, message_s=0.0):
    """Half a round trip."""
    headers_s = sum(
        HEADERS_BITS / bps / 2 for link in links_of(cluster, a, b) for bps in (link.rate_bps, link.back_rate_bps)
    )
    return message_s + headers_s + sum(link.mean_latency_s for link in links_of(cluster, a, b))


def more_there(cluster, a, b):
    """By so much it takes longer from a to b than half a round trip, by each link's own numbers."""
    links = cluster.links
    more = 0.0
    for channel in cluster.path(cluster.hosts[a], cluster.hosts[b]):
        link = links[channel // 2]
        ways = [(link.latency_s, link.rate_bps), (link.back_latency_s, link.back_rate_bps)]
        (there_s, there_bps), (back_s, back_bps) = ways[:: -1 if channel % 2 else 1]
        more += (there_s - back_s + HEADERS_BITS / there_bps - HEADERS_BITS / back_bps) / 2
    return more


def exact_pairs(cluster, wanted, message_s=50e-6, injection_s=lambda _: 5e-6, clocks=None):
    """What would be measured on a network without noise, whose hosts are as fast as their links.

    ``clocks``: of each host how far its clock is off, and how far its system says that it may be.
    """
    rows = []
    for a, b in wanted:
        there, back = (rate_from(cluster, *ends) / OF_WIRE for ends in ((a, b), (b, a)))
        latency = measured_latency(cluster, a, b, message_s)
        one_way = None
        if clocks:
            more = more_there(cluster, a, b) + clocks[b][0] - clocks[a][0]
            one_way = OneWay((latency + more, latency - more), clocks[a][1] + clocks[b][1] + 2e-6)
        rows.append(MeasuredPair((a, b), latency, (there, back), (injection_s(a), injection_s(b)), one_way))
    return Pairs(NOW, "mpich", rows)


def as_file(cluster, pairs, **other):
    rows = [
        {
            "hosts": [cluster.hosts[host] for host in pair.hosts],
            "latency_s": pair.latency_s,
            "bandwidth_Bps": [bps / 8 if bps else 0 for bps in pair.bandwidth_bps],
            "injection_s": list(pair.injection_s),
            **(
                {"one_way_s": list(pair.one_way.seconds), "one_way_error_s": pair.one_way.error_s}
                if pair.one_way
                else {"one_way_unknown": pair.unknown}
                if pair.unknown
                else {}
            ),
        }
        for pair in pairs.pairs
    ]
    head = {
        "trunkline": "pairs/1",
        "cluster": cluster.name,
        "topology_fingerprint": f"{cluster.topology_fingerprint:016x}",
        "date": pairs.measured.isoformat(),
        "mpi": pairs.mpi,
        "pairs": rows,
    }
    return {**head, **other}


@pytest.fixture
def cluster():
    return load_cluster("two-site")


def some(cluster):
    return exact_pairs(cluster, [(0, 1), (0, 4)])


def test_a_file_is_read(cluster):
    pairs = parse_pairs(json.dumps(as_file(cluster, some(cluster))), "p.json", cluster)
    assert pairs == some(cluster)
    assert pairs.hosts == [0, 1, 4]


def test_one_way_times_of_a_file_are_read_and_may_be_missing(cluster):
    pairs = exact_pairs(cluster, [(0, 1), (0, 4)], clocks=[(0, 1e-3)] * 5)
    unknown = MeasuredPair((1, 4), 1e-3, (None, None), (0, 0), None, "the clock of h4 is not synchronized")
    with_both = Pairs(NOW, "mpich", [*pairs.pairs, unknown])
    content = as_file(cluster, with_both)
    assert parse_pairs(json.dumps(content), "p.json", cluster) == with_both
    # By clocks that are apart one may be below zero.
    content["pairs"][0] |= {"one_way_s": [9e-3, -3e-3], "one_way_error_s": 4e-3}
    assert parse_pairs(json.dumps(content), "p.json", cluster).pairs[0].one_way.more_s == pytest.approx(6e-3)


def refused(cluster, **change):
    content = as_file(cluster, some(cluster))
    content["pairs"][0].update(change)
    with pytest.raises(BadInput) as refusal:
        parse_pairs(json.dumps(content), "p.json", cluster)
    return str(refusal.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"latency_s": -1e-3}, "latency_s is negative: -0.001"),
        ({"latency_s": None}, "latency_s is missing"),
        ({"latency_s": 0}, "latency_s is 0, which nothing takes"),
        ({"latency_s": 1e9}, "latency_s is 1e+09, longer than an hour"),
        ({"latency_s": True}, "latency_s is no number"),
        ({"latency_s": float("nan")}, "latency_s is nan"),
        ({"bandwidth_Bps": [1e6, -1]}, "bandwidth_Bps is negative: -1"),
        ({"bandwidth_Bps": [1e6]}, "bandwidth_Bps must be two numbers, there and back"),
        ({"injection_s": [1e-6, "fast"]}, "injection_s is no number"),
        ({"one_way_s": [1e-3, 2e-3]}, "one_way_error_s is missing"),
        ({"one_way_s": 1e-3, "one_way_error_s": 0}, "one_way_s must be two numbers, there and back"),
        ({"one_way_s": [1e-3, float("inf")], "one_way_error_s": 0}, "one_way_s is inf"),
        ({"one_way_s": [1e-3, -1e9], "one_way_error_s": 0}, "one_way_s is -1e+09, longer than an hour"),
        ({"one_way_s": [1e-3, 1e-3], "one_way_error_s": -1}, "one_way_error_s is negative: -1"),
        (
            {"one_way_s": [9e-3, -3e-3], "one_way_error_s": 2e-3},
            "one_way_s is below zero by more than one_way_error_s, which nothing takes",
        ),
        ({"one_way_unknown": 3}, "one_way_unknown is no line of text"),
        ({"one_way_unknown": "a\x1bb"}, "one_way_unknown is no line of text"),
    ],
)
def test_what_no_network_does_is_refused_with_the_pair(cluster, change, message):
    names = " - ".join(cluster.hosts[:2])
    assert refused(cluster, **change) == f"p.json: pair 1 ({names}): {message}"


def test_hosts_that_are_none_are_refused(cluster):
    first = cluster.hosts[0]
    assert refused(cluster, hosts=[first, "x"]) == f"p.json: pair 1 ({first} - x): there is no host x"
    assert refused(cluster, hosts=[first, first]) == f"p.json: pair 1 ({first} - {first}): it is one host, not two"
    assert refused(cluster, hosts="x") == 'p.json: pair 1: hosts must be two names, such as ["h0", "h1"]'
    assert refused(cluster, hosts=[cluster.hosts[4], first]).endswith("they are here a second time")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no JSON"),
        ("[]", "no file of measured pairs"),
        ('{"trunkline": "cluster/1"}', "no file of measured pairs"),
        ('{"trunkline": "pairs/1"}', "with other hosts or switches than two-site"),
    ],
)
def test_other_files_are_refused(cluster, text, message):
    with pytest.raises(BadInput, match=message):
        parse_pairs(text, "p.json", cluster)


def test_a_file_of_another_cluster_or_without_pairs_is_refused(cluster):
    other = json.dumps(as_file(load_cluster("paper-1"), some(load_cluster("paper-1"))))
    with pytest.raises(BadInput, match="measured on paper-1, with other hosts or switches than two-site"):
        parse_pairs(other, "p.json", cluster)
    with pytest.raises(BadInput, match="pairs: there are none"):
        parse_pairs(json.dumps(as_file(cluster, some(cluster)) | {"pairs": []}), "p.json", cluster)
    with pytest.raises(BadInput, match="date: 'today' is no time"):
        parse_pairs(json.dumps(as_file(cluster, some(cluster), date="today")), "p.json", cluster)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner)))
def test_whatever_stands_for_a_pair_is_refused_with_its_number(value):
    cluster = load_cluster("two-site")
    content = as_file(cluster, some(cluster))
    content["pairs"].insert(1, value)
    with pytest.raises(BadInput, match=r"p\.json: pair 2"):
        parse_pairs(json.dumps(content), "p.json", cluster)


def test_measurements_have_an_age(cluster):
    pairs, day = some(cluster), timedelta(days=1)
    assert check_age(pairs, "p.json", day, NOW + timedelta(hours=23)) == timedelta(hours=23)
    assert check_age(pairs, "p.json", day, NOW - timedelta(minutes=4)) == timedelta(0)
    with pytest.raises(BadInput, match="measured 25 hours ago, .* and at most 24 are accepted"):
        check_age(pairs, "p.json", day, NOW + timedelta(hours=25))
    with pytest.raises(BadInput, match="which is 2 hours from now: set the clocks"):
        check_age(pairs, "p.json", day, NOW - timedelta(hours=2))


@given(st.integers(0, 2**32))
def test_least_squares_are_the_best_of_all_sets_of_zeros(seed):
    lot = random.Random(seed)
    columns = lot.randint(1, 5)
    rows = columns + lot.randint(0, 4)
    matrix = np.array([[lot.choice([0.0, 1.0, lot.uniform(-1, 1)]) for _ in range(columns)] for _ in range(rows)])
    matrix = np.vstack([matrix, 0.1 * np.eye(columns)])
    wanted = np.array([lot.uniform(-1, 1) for _ in range(len(matrix))])
    least = np.inf
    for free in itertools.product([False, True], repeat=columns):
        x = np.zeros(columns)
        x[list(free)] = np.linalg.lstsq(matrix[:, list(free)], wanted, rcond=None)[0]
        if (x >= 0).all():
            least = min(least, float(np.linalg.norm(matrix @ x - wanted)))
    found = nonnegative_least_squares(matrix, wanted)
    assert (found >= 0).all()
    assert float(np.linalg.norm(matrix @ found - wanted)) <= least * (1 + 1e-9) + 1e-12


def all_pairs(cluster):
    return list(itertools.combinations(range(len(cluster.hosts)), 2))


def both_ways(rates):
    """Of each channel, from one of each link."""
    return [bps for one in rates for bps in (one, one)]


def another(cluster, latencies, rates):
    """The cluster with latencies and rates dealt over its links."""
    count = len(cluster.links)
    return _core.with_speeds(
        cluster,
        both_ways([rates[number % len(rates)] for number in range(count)]),
        [latencies[number % len(latencies)] for number in range(count)],
    )


@settings(deadline=None, max_examples=60)
@given(
    hosts=st.integers(2, 24),
    switches=st.integers(1, 6),
    seed=st.integers(0, 1000),
    latencies=st.lists(st.floats(1e-6, 0.05), min_size=1, max_size=30),
)
def test_a_sample_tells_the_latency_of_every_pair(hosts, switches, seed, latencies):
    stated = load_cluster(f"random:{hosts}x{min(switches, hosts)}:{seed}")
    true = another(stated, latencies, [100e6])
    sample = _core.pairs_to_measure(stated, range(hosts), 0)
    fit = fit_pairs(stated, exact_pairs(true, sample))
    assert max(map(abs, fit.errors)) < 0.02
    for a, b in all_pairs(stated):
        wanted = measured_latency(true, a, b, 50e-6)
        assert fit.latency_s(a, b) == pytest.approx(wanted, rel=0.03)


def test_the_slow_trunk_gets_its_rate_and_others_keep_theirs():
    stated = load_cluster("four-site")  # 100 Mbit/s, 50 between
    true = another(stated, [1e-5], [100e6])
    rates = [link.rate_bps for link in true.links]
    names = [{link.a, link.b} for link in true.links]
    rates[names.index({"home", "town"})] = 5e6
    rates[names.index({"h3", "home"})] = 20e6
    true = _core.with_speeds(true, both_ways(rates), [link.latency_s for link in true.links])
    fit = fit_pairs(stated, exact_pairs(true, _core.pairs_to_measure(stated, range(32), 150)))
    fitted = {frozenset((link.a, link.b)): link.rate_bps for link in fit.cluster.links}
    assert fitted[frozenset(("home", "town"))] == pytest.approx(5e6, rel=0.01)
    assert fitted[frozenset(("h3", "home"))] == pytest.approx(20e6, rel=0.01)
    assert fitted[frozenset(("h4", "home"))] == pytest.approx(100e6, rel=0.01)
    assert fitted[frozenset(("home", "land"))] == pytest.approx(100e6, rel=0.01)  # stated 50: pairs are faster
    assert fit.unseen == []


def test_a_link_that_is_slow_one_way_gets_both_rates_and_keeps_its_difference_of_latencies():
    text = _core.write_cluster(load_cluster("two-site"))
    stated = _core.parse_cluster(
        text + "    back: {latency: 3ms}\n", "x"
    )  # of the link between the sites, the last one
    long_link = len(stated.links) - 1
    rates = both_ways([link.rate_bps for link in stated.links])
    rates[2 * long_link + 1] /= 10
    means = [link.mean_latency_s for link in stated.links]
    means[long_link] *= 4
    true = _core.with_speeds(stated, rates, means)
    assert true.links[long_link].back_rate_bps == stated.links[long_link].rate_bps / 10
    fitted = fit_pairs(stated, exact_pairs(true, _core.pairs_to_measure(stated, range(5), 0))).cluster.links[long_link]
    for name in ("rate_bps", "back_rate_bps", "latency_s", "back_latency_s"):
        assert getattr(fitted, name) == pytest.approx(getattr(true.links[long_link], name), rel=0.03)
    assert fitted.back_latency_s - fitted.latency_s == pytest.approx(3e-3 - 1.6e-3, rel=0.01)


TWO_SITES = """\
trunkline: cluster/1
name: sites
defaults: {rate: 100Mbit, latency: 50us}
switches: s[0-2]
hosts:
  - {hosts: "h[0-2]", switch: s0}
  - {hosts: "h[3-5]", switch: s1}
  - {hosts: "h[6-8]", switch: s2}
links:
  - {between: [s0, s1], latency: 12ms}
  - {between: [s2, s0], latency: 3ms}
"""


def with_ways(cluster, ways):
    """The cluster with latencies there and back of some links, which are named by their ends."""
    latencies = [
        seconds
        for link in cluster.links
        for seconds in ways.get((link.a, link.b), (link.latency_s, link.back_latency_s))
    ]
    return _core.with_speeds(cluster, both_ways([link.rate_bps for link in cluster.links]), latencies)


def ways_of(cluster):
    return {(link.a, link.b): (link.latency_s, link.back_latency_s) for link in cluster.links}


def test_clocks_tell_the_ways_of_a_link_apart():
    stated = _core.parse_cluster(TWO_SITES, "x")
    true = with_ways(stated, {("s0", "s1"): (20e-3, 5e-3), ("s2", "s0"): (1e-3, 5e-3)})
    pairs = exact_pairs(true, all_pairs(stated), clocks=[(0.0, 0.0)] * 9)
    fit = fit_pairs(stated, pairs)
    fitted = ways_of(fit.cluster)
    assert fitted[("s0", "s1")] == pytest.approx((20e-3, 5e-3), rel=0.01)
    assert fitted[("s2", "s0")] == pytest.approx((1e-3, 5e-3), rel=0.05)
    assert sorted(fit.differing) == [number for number, link in enumerate(stated.links) if link.a[0] == link.b[0]]
    assert max(map(abs, fit.one_way_errors_s)) < 1e-4
    # What was found stays where it is measured again, and where clocks say nothing.
    again = fit_pairs(fit.cluster, pairs)
    assert again.differing == {}
    assert ways_of(again.cluster)[("s0", "s1")] == pytest.approx((20e-3, 5e-3), rel=0.01)
    silent = fit_pairs(fit.cluster, exact_pairs(true, all_pairs(stated)))
    assert ways_of(silent.cluster)[("s0", "s1")] == pytest.approx((20e-3, 5e-3), rel=0.01)
    assert silent.one_way_errors_s == [None] * len(pairs.pairs)
    turned = with_ways(stated, {("s0", "s1"): (5e-3, 20e-3), ("s2", "s0"): (1e-3, 5e-3)})
    changed = fit_pairs(fit.cluster, exact_pairs(turned, all_pairs(stated), clocks=[(0.0, 0.0)] * 9))
    assert ways_of(changed.cluster)[("s0", "s1")] == pytest.approx((5e-3, 20e-3), rel=0.01)


@pytest.mark.parametrize(("error_s", "is_known"), [(3.6e-3, True), (3.8e-3, False)])
def test_a_difference_counts_where_clocks_are_better_known(error_s, is_known):
    """20 ms there and 5 back are 7.5 off the mean, as are two clocks of 3.75 ms."""
    stated = _core.parse_cluster(TWO_SITES, "x")
    true = with_ways(stated, {("s0", "s1"): (20e-3, 5e-3)})
    fit = fit_pairs(stated, exact_pairs(true, all_pairs(stated), clocks=[(0.0, error_s)] * 9))
    wanted = (20e-3, 5e-3) if is_known else (12.5e-3, 12.5e-3)
    assert ways_of(fit.cluster)[("s0", "s1")] == pytest.approx(wanted, rel=0.01)
    assert bool(fit.differing) == is_known


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32), most_s=st.sampled_from([0.0, 1e-5, 1e-3, 20e-3]))
def test_no_difference_is_made_up_of_clocks_that_are_off(seed, most_s):
    """Ways that are alike stay so, whatever clocks say within their errors; a file's own differences stay, too."""
    lot = random.Random(seed)
    stated = _core.parse_cluster(TWO_SITES, "x")
    true = with_ways(stated, {("s2", "s0"): (4e-3, 1e-3)}) if seed % 2 else stated
    clocks = [(lot.uniform(-most_s, most_s), most_s) for _ in range(9)]
    sample = _core.pairs_to_measure(stated, range(9), lot.choice([0, 20, 36]))
    fit = fit_pairs(true, exact_pairs(true, sample, clocks=clocks))
    assert fit.differing == {}
    for ends, ways in ways_of(true).items():
        assert ways_of(fit.cluster)[ends] == pytest.approx(
            ways, rel=0.05, abs=6e-5
        )  # what all have in common is a message's


@settings(deadline=None, max_examples=60)
@given(
    hosts=st.integers(4, 16),
    switches=st.integers(2, 5),
    seed=st.integers(0, 1000),
    lot=st.randoms(use_true_random=False),
    most_s=st.sampled_from([0.0, 2e-4, 2e-3]),
)
def test_one_way_times_of_every_pair_follow_within_what_clocks_are_off(hosts, switches, seed, lot, most_s):
    """Against the network itself: some links between switches differ by direction, and each clock is off."""
    stated = load_cluster(f"random:{hosts}x{min(switches, hosts)}:{seed}")
    of_hosts = set(stated.hosts)
    trunks = [(link.a, link.b) for link in stated.links if link.in_tree and not {link.a, link.b} & of_hosts]
    ways = {ends: (lot.uniform(0, 40e-3), lot.uniform(0, 40e-3)) for ends in trunks if lot.random() < 0.7}
    true = with_ways(stated, ways)
    clocks = [(lot.uniform(-most_s, most_s), most_s) for _ in range(hosts)]
    sample = _core.pairs_to_measure(stated, range(hosts), 0)
    fit = fit_pairs(stated, exact_pairs(true, sample, clocks=clocks))
    known = 2 * most_s + 2e-6
    links = len(stated.links)
    for (a, b), off_s in zip(sample, fit.one_way_errors_s, strict=True):
        # What is measured is off by the clocks; a link by the error of the best pair, and rounding.
        way = stated.path(stated.hosts[a], stated.hosts[b])
        bound = len(way) * known + 0.01 * fit.latency_s(a, b)
        assert abs(off_s) <= bound, (a, b, links)
        assert fit.more_s(a, b) == pytest.approx(more_there(true, a, b), abs=bound + known)


@pytest.mark.parametrize(("share", "rate"), [(0.85, 100e6), (0.7, 70e6)])
def test_ways_that_are_nearly_alike_are_alike(cluster, share, rate):
    rates = both_ways([100e6] * len(cluster.links))
    rates[1] *= share
    true = _core.with_speeds(cluster, rates, [link.mean_latency_s for link in cluster.links])
    fitted = fit_pairs(cluster, exact_pairs(true, all_pairs(cluster))).cluster.links[0]
    assert (fitted.rate_bps, fitted.back_rate_bps) == (pytest.approx(100e6, rel=1e-3), pytest.approx(rate, rel=1e-3))


def test_hosts_that_are_too_slow_show_nothing_of_a_fast_trunk():
    stated = load_cluster("paper-4")
    names = [{link.a, link.b} for link in stated.links]
    trunk = names.index({"s0", "s1"})
    rates = [link.rate_bps for link in stated.links]
    rates[trunk] = 10e9
    true = _core.with_speeds(stated, both_ways(rates), [link.latency_s for link in stated.links])
    fit = fit_pairs(true, exact_pairs(true, _core.pairs_to_measure(true, range(32), 150)))
    assert fit.cluster.links[trunk].rate_bps == 10e9


def test_what_no_pair_crosses_stays_as_stated_and_is_told(cluster):
    fit = fit_pairs(cluster, exact_pairs(another(cluster, [1e-3], [1e6]), [(0, 1)]))
    seen = {links.a for links in links_of(cluster, 0, 1)} | {links.b for links in links_of(cluster, 0, 1)}
    assert len(fit.unseen) == len([link for link in cluster.links if link.in_tree]) - 2
    for number in fit.unseen:
        link, before = fit.cluster.links[number], cluster.links[number]
        assert not {link.a, link.b} <= seen
        assert (link.rate_bps, link.latency_s) == (before.rate_bps, before.latency_s)


def test_a_host_that_sends_slowly_gets_an_injection_time(cluster):
    pairs = exact_pairs(cluster, all_pairs(cluster), injection_s=lambda host: 500e-6 if host == 2 else 20e-6)
    fitted = fit_pairs(cluster, pairs).cluster
    assert [fitted.injection_s(host) for host in range(5)] == [0, 0, pytest.approx(480e-6), 0, 0]


FABRIC = """\
trunkline: cluster/1
name: fabric
defaults: {rate: 10Gbit, latency: 10us}
paths: equal-cost
switches: ["spine-[0-2]", "leaf-[0-3]"]
hosts:
  - {hosts: "h[0-11]", switches: "leaf-[0-3]", deal: 3}
links:
"""
FABRIC += "".join(f"  - between: [spine-{spine}, leaf-{leaf}]\n" for spine in range(3) for leaf in range(4))


def through(cluster, a, b, numbers):
    """Rate and latency of each hop from a to b; a hash of the two hosts picks the spine."""
    spine = f"spine-{_core.link_taken(a, b, 3)}"
    leaves = [f"leaf-{host // 3}" for host in (a, b)]
    plain = (10e9, 10e-6)
    between = [] if leaves[0] == leaves[1] else [numbers.get((spine, leaf), plain) for leaf in leaves]
    return [numbers.get(cluster.hosts[a], plain), *between, numbers.get(cluster.hosts[b], plain)]


def fabric_pairs(cluster, numbers):
    """What would be measured, link by link of the fabric as it is, which fits know nothing of."""

    def way_s(hops):
        return sum(latency_s + HEADERS_BITS / bps for bps, latency_s in hops)

    rows = []
    for a, b in all_pairs(cluster):
        ways = through(cluster, a, b, numbers), through(cluster, b, a, numbers)
        rates = [min(bps for bps, _ in way) / OF_WIRE for way in ways]
        rows.append(MeasuredPair((a, b), 50e-6 + sum(map(way_s, ways)) / 2, tuple(rates), (5e-6, 5e-6)))
    return Pairs(NOW, "mpich", rows)


def stated_numbers(cluster):
    """Of each link that a written cluster file has, by its ends: rates there and back, and latencies."""
    plain = _core.parse_cluster(_core.write_cluster(cluster).replace("paths: equal-cost\n", ""), "x")
    return {(link.a, link.b): (link.rate_bps, link.latency_s, link.back_rate_bps) for link in plain.links}


@settings(deadline=None, max_examples=40)
@given(
    leaf_rates=st.lists(st.sampled_from([1e9, 2e9, 5e9]), min_size=4, max_size=4),
    leaf_latencies=st.lists(st.floats(20e-6, 1e-3), min_size=4, max_size=4),
    slow_host=st.integers(0, 11),
)
def test_links_that_equal_cost_paths_make_one_get_what_all_of_them_have(leaf_rates, leaf_latencies, slow_host):
    cluster = _core.parse_cluster(FABRIC, "x")
    assert [one.name for one in cluster.merged] == ["spine-0+2"]
    numbers = {
        (f"spine-{spine}", f"leaf-{leaf}"): (leaf_rates[leaf], leaf_latencies[leaf])
        for spine in range(3)
        for leaf in range(4)
    }
    numbers[f"h{slow_host}"] = (0.5e9, 10e-6)
    pairs = fabric_pairs(cluster, numbers)
    fit = fit_pairs(cluster, pairs)
    assert (fit.uneven, fit.unseen) == ([], [])
    assert max(map(abs, fit.errors)) < 0.02
    for pair in pairs.pairs:
        for bps, ends in zip(pair.bandwidth_bps, (pair.hosts, pair.hosts[::-1]), strict=True):
            assert rate_from(fit.cluster, *ends) == pytest.approx(bps * OF_WIRE, rel=0.01)
    written = stated_numbers(fit.cluster)
    for leaf in range(4):
        alike = {written[(f"spine-{spine}", f"leaf-{leaf}")] for spine in range(3)}
        assert len(alike) == 1
    assert fit.cluster.topology_fingerprint == cluster.topology_fingerprint
    # And once more from what was written.
    again = fit_pairs(_core.parse_cluster(_core.write_cluster(fit.cluster), "y"), pairs)
    assert max(map(abs, again.errors)) < 0.02


@pytest.mark.parametrize(("numbers", "told"), [((1e9, 10e-6), "rate"), ((10e9, 5e-3), "latency")])
def test_one_slow_link_of_several_is_told_and_not_guessed(numbers, told):
    cluster = _core.parse_cluster(FABRIC, "x")
    fit = fit_pairs(cluster, fabric_pairs(cluster, {("spine-1", "leaf-2"): numbers}))
    (uneven,) = fit.uneven
    assert [{cluster.links[link].a, cluster.links[link].b} for link in uneven.links] == [{"spine-0+2", "leaf-2"}]
    assert uneven.rate == pytest.approx(0.1 if told == "rate" else 1.0, rel=0.05)
    assert uneven.latency > 10 if told == "latency" else uneven.latency == pytest.approx(1, rel=0.1)
    slow = next(link for link in fit.cluster.links if {link.a, link.b} == {"spine-0+2", "leaf-2"})
    assert slow.rate_bps == pytest.approx(10e9, rel=0.01)
    (line,) = uneven_lines(fit)
    assert line.startswith("not alike: spine-0+2 - leaf-2 (3 links): some pairs over it ")
    assert ("of the rate" in line, "times the latency" in line) == (told == "rate", told == "latency")
    assert fit_pairs(cluster, fabric_pairs(cluster, {})).uneven == []


def test_measured_numbers_that_make_other_switches_one_are_refused():
    """A spine of twice the rate, which the spanning tree takes, has slowed down to the others'."""
    text = FABRIC.replace("deal: 3}", "deal: 3, rate: 40Gbit}")
    slowed = _core.parse_cluster(text, "x")
    faster = "".join(f"  - {{between: [spine-0, leaf-{leaf}], rate: 20Gbit}}\n" for leaf in range(4))
    head, _, links = text.partition("links:\n")
    others = "".join(line + "\n" for line in links.splitlines() if "spine-0" not in line)
    cluster = _core.parse_cluster(f"{head}links:\n{faster}{others}", "x")
    assert [one.name for one in cluster.merged] == ["spine-1+1"]
    with pytest.raises(BadInput, match="has other switches that equal-cost paths make one"):
        fit_pairs(cluster, exact_pairs(slowed, all_pairs(cluster)))


def test_a_cluster_takes_no_number_that_no_network_has(cluster):
    rates, times = [1e6] * 2 * len(cluster.links), [0.0] * len(cluster.links)
    with pytest.raises(ValueError, match="the rate of .* is 0"):
        _core.with_speeds(cluster, [0.0, *rates[1:]], times, [0.0] * 5)
    with pytest.raises(ValueError, match="the injection time of .* is -1"):
        _core.with_speeds(cluster, rates, times, [-1.0] + [0.0] * 4)
    with pytest.raises(ValueError, match="a rate of each channel, a latency of each link or channel, and an injection"):
        _core.with_speeds(cluster, rates[1:], times, [0.0] * 5)


def test_hosts_keep_their_injection_times_where_none_are_given(cluster):
    rates, times = [1e6] * 2 * len(cluster.links), [0.0] * len(cluster.links)
    busy = _core.with_speeds(cluster, rates, times, [1e-3, 2e-3, 0.0, 3e-3, 0.0])
    faster = _core.with_speeds(busy, [2e6] * len(rates), times)
    assert [faster.injection_s(host) for host in range(5)] == [1e-3, 2e-3, 0.0, 3e-3, 0.0]
