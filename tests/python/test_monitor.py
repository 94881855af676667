"""The monitor: forecasts, the history and what may happen to it, and when the cluster file is written."""

import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import library
from test_pairs import as_file, exact_pairs

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput, Failed
from trunkline.monitor.gain import gains, parse_calls
from trunkline.monitor.history import PREDICTORS, Forecaster, History
from trunkline.pairs import measuring

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
TWO_OF_EACH = (0, 1, 8, 9, 16, 17, 24, 25)


def predicted(values, name):
    """By one predictor, from the values alone."""
    kind = name.split()[0]
    if name == "last value":
        return values[-1]
    if name == "mean of all":
        return fmean(values)
    if kind in ("mean", "median"):
        return (fmean if kind == "mean" else median)(values[-int(name.split()[-1]) :])
    smoothed = values[0]
    for value in values[1:]:
        smoothed += float(name.split()[-1]) * (value - smoothed)
    return smoothed


@given(st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=50))
def test_the_predictor_that_was_off_by_least_forecasts(values):
    forecaster = Forecaster()
    for value in values:
        forecaster.add(value)
    errors = {
        name: sum(abs(predicted(values[:n], name) - values[n]) for n in range(1, len(values))) for name in PREDICTORS
    }
    found = forecaster.forecast()
    assert errors[found.predictor] == pytest.approx(min(errors.values()), rel=1e-9, abs=1e-9)
    assert found.value == pytest.approx(predicted(values, found.predictor), rel=1e-9)
    if len(values) == 1:
        assert found.error is None
    else:
        assert found.error == pytest.approx(min(errors.values()) / (len(values) - 1), rel=1e-9, abs=1e-9)


def test_noise_is_averaged_and_a_step_is_followed():
    noise = Forecaster()
    for turn in range(40):
        noise.add(10 + (-1) ** turn)
    assert noise.forecast().value == pytest.approx(10, abs=0.5)
    step = Forecaster()
    for value in (1.0, 1.0, 1.0, 10.0, 10.0):
        step.add(value)
    assert step.forecast().value == pytest.approx(10)
    with pytest.raises(ValueError, match="nothing was measured"):
        Forecaster().forecast()


@pytest.fixture
def cluster():
    return load_cluster("four-site")


def slowed(cluster, a="home", b="town", by=10):
    """The cluster with one link as much slower."""
    links = cluster.links
    rates = [
        bps / (by if {link.a, link.b} == {a, b} else 1) for link in links for bps in (link.rate_bps, link.back_rate_bps)
    ]
    latencies = [link.mean_latency_s for link in links]
    return _core.with_speeds(cluster, rates, latencies)


def measured(cluster, at=NOW, hosts=TWO_OF_EACH, **other):
    """What measuring would write on that network, without noise."""
    pairs = exact_pairs(cluster, [(a, b) for b in hosts for a in hosts if a < b])
    return json.dumps(as_file(cluster, pairs, date=at.isoformat(), **other), indent=1)


def test_a_history_keeps_and_forecasts(cluster, tmp_path):
    file = tmp_path / "h"
    with History(file, cluster, NOW) as kept:
        assert kept.forecasts(HOUR) is None
        for turn in range(3):
            kept.add(measured(cluster, NOW + timedelta(minutes=turn)), NOW + timedelta(minutes=turn), HOUR)
    assert file.read_text().count("\n") == 3
    with History(file, cluster, NOW + timedelta(minutes=30)) as again:
        assert again.notes == []
        expected = again.forecasts(HOUR)
        assert again.count(HOUR) == (3, 3)
    assert expected.pairs.measured == NOW + timedelta(minutes=2)
    exact = exact_pairs(cluster, [(0, 8)]).pairs[0]
    (found,) = [pair for pair in expected.pairs.pairs if pair.hosts == exact.hosts]
    assert found.latency_s == pytest.approx(exact.latency_s)
    assert found.bandwidth_bps == pytest.approx(exact.bandwidth_bps)


def test_both_ways_of_a_pair_are_told_apart_whoever_comes_first(cluster, tmp_path):
    content = json.loads(measured(cluster, hosts=(0, 8)))
    names = content["pairs"][0]["hosts"]
    with History(tmp_path / "h", cluster, NOW) as kept:
        content["pairs"][0]["bandwidth_Bps"] = [1e6, 2e6]
        kept.add(json.dumps(content), NOW, HOUR)
        content["pairs"][0] |= {"hosts": names[::-1], "bandwidth_Bps": [2e6, 1e6]}
        kept.add(json.dumps(content), NOW, HOUR)
        content["pairs"][0] |= {"bandwidth_Bps": [0, 1e6]}
        kept.add(json.dumps(content), NOW, HOUR)
        (pair,) = kept.forecasts(HOUR).pairs.pairs
    assert (pair.hosts, pair.bandwidth_bps) == ((0, 8), (8e6, 16e6))


def test_of_one_way_times_the_last_ones_count(cluster, tmp_path):
    """With the error that was stated with them; a pair whose clocks say nothing any more is not known."""
    content = json.loads(measured(cluster, hosts=(0, 8)))
    names = content["pairs"][0]["hosts"]
    with History(tmp_path / "h", cluster, NOW) as kept:

        def add(hosts, **one_way):
            pair = {key: value for key, value in content["pairs"][0].items() if "one_way" not in key}
            far = kept.add(json.dumps({**content, "pairs": [{**pair, "hosts": hosts, **one_way}]}), NOW, HOUR)
            return far, kept.forecasts(HOUR).pairs.pairs[0]

        far, pair = add(names, one_way_s=[30e-3, 10e-3], one_way_error_s=1e-3)
        assert (far, pair.one_way.seconds) == ([], (30e-3, 10e-3))
        far, pair = add(names[::-1], one_way_s=[11e-3, 29e-3], one_way_error_s=2e-3)
        assert (far, pair.one_way.seconds, pair.one_way.error_s) == ([], (29e-3, 11e-3), 2e-3)
        # Turned round by more than both errors: measured again at once.
        far, pair = add(names, one_way_s=[10e-3, 30e-3], one_way_error_s=1e-3)
        assert (far, pair.one_way.seconds) == ([(0, 8)], (10e-3, 30e-3))
        far, pair = add(names, one_way_s=[20e-3, 20e-3], one_way_error_s=20e-3)
        assert far == []
        far, pair = add(names, one_way_unknown="the clock of h0 was set meanwhile")
        assert (far, pair.one_way, pair.unknown) == ([], None, "the clock of h0 was set meanwhile")


def test_what_is_far_from_its_forecast_is_named(cluster, tmp_path):
    with History(tmp_path / "h", cluster, NOW) as kept:
        assert kept.add(measured(cluster), NOW, HOUR) == []
        assert kept.add(measured(cluster), NOW, HOUR) == []
        far = kept.add(measured(slowed(cluster)), NOW, HOUR)
        town = (8, 9)
        assert sorted(far) == [(a, b) for a in TWO_OF_EACH for b in TWO_OF_EACH if a < b and (a in town) != (b in town)]
        assert kept.add(measured(slowed(cluster)), NOW, timedelta(0)) == []


def test_old_measurements_are_not_used(cluster, tmp_path):
    with History(tmp_path / "h", cluster, NOW) as kept:
        kept.add(measured(cluster, NOW), NOW, HOUR)
        kept.add(measured(slowed(cluster), NOW + 2 * HOUR), NOW + 2 * HOUR, HOUR)
    with History(tmp_path / "h", cluster, NOW + 2.5 * HOUR) as kept:
        assert kept.count(HOUR) == (1, 2)
        assert kept.forecasts(timedelta(minutes=20)) is None
        assert kept.forecasts(HOUR).pairs.pairs == kept.forecasts(HOUR).pairs.pairs
        assert kept.forecasts(HOUR).latencies[0].error is None


@pytest.mark.parametrize("left", [1, 40, -1])
def test_a_monitor_that_was_killed_while_it_wrote_leaves_a_history(cluster, tmp_path, left):
    file = tmp_path / "h"
    with History(file, cluster, NOW) as kept:
        kept.add(measured(cluster), NOW, HOUR)
        kept.add(measured(cluster), NOW, HOUR)
    first, second = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + second[:left])
    with History(file, cluster, NOW) as kept:
        assert kept.count(HOUR) == (1, 1)
        (note,) = kept.notes
        assert "the last line has no end" in note
        kept.add(measured(cluster), NOW, HOUR)
    assert file.read_bytes() == first + second
    with History(file, cluster, NOW) as kept:
        assert (kept.count(HOUR), kept.notes) == ((2, 2), [])


def test_what_no_history_has_is_refused(cluster, tmp_path):
    file = tmp_path / "h"
    line = json.dumps(json.loads(measured(cluster)))

    def refusal(text, now=NOW):
        file.write_text(text)
        with pytest.raises(BadInput) as refused:
            History(file, cluster, now)
        return str(refused.value)

    assert f"{file}:2: measured at 2026-11-25T12:00:00+00:00, which is 3 hours from now: set the clock" in refusal(
        f"{line.replace('T12:', 'T09:')}\n{line}\n", NOW - 3 * HOUR
    )
    assert f"{file}:1: no JSON" in refusal("{\n" + line + "\n")
    negative = json.loads(line)
    negative["pairs"][1]["latency_s"] = -1
    assert ": latency_s is negative: -1" in refusal(f"{line}\n{json.dumps(negative)}\n")
    elsewhere = json.dumps(json.loads(measured(load_cluster("two-site"), hosts=(0, 4))))
    assert "with other hosts or switches" in refusal(elsewhere + "\n")
    file.write_bytes(b"\xff\n")
    with pytest.raises(BadInput, match="is no text"):
        History(file, cluster, NOW)


def test_two_monitors_do_not_share_a_history(cluster, tmp_path):
    with History(tmp_path / "h", cluster, NOW), pytest.raises(BadInput, match="another monitor writes this history"):
        History(tmp_path / "h", cluster, NOW)
    with History(tmp_path / "h", cluster, NOW):
        pass
    with pytest.raises(BadInput, match="cannot open the history"):
        History(tmp_path, cluster, NOW)


def test_a_history_is_no_link_and_no_device(cluster, tmp_path):
    """Its name may be known to others who write to the folder."""
    victim = tmp_path / "victim"
    victim.write_text("precious, and without an end of its line")
    (tmp_path / "h").symlink_to(victim)
    with pytest.raises(BadInput, match="is a link, which no history may be"):
        History(tmp_path / "h", cluster, NOW)
    assert victim.read_text() == "precious, and without an end of its line"
    with pytest.raises(BadInput, match="is not a regular file"):
        History(Path("/dev/zero"), cluster, NOW)


def test_what_is_no_history_stays_as_it_is(cluster, tmp_path):
    (tmp_path / "other").write_text("no JSON\nand no end")
    with pytest.raises(BadInput, match="no JSON"):
        History(tmp_path / "other", cluster, NOW)
    assert (tmp_path / "other").read_text() == "no JSON\nand no end"


def test_a_history_has_a_bound(cluster, tmp_path):
    with (tmp_path / "h").open("w") as file:
        file.truncate(1 << 40)
    with pytest.raises(BadInput, match="is larger than 1024 MiB; begin another history"):
        History(tmp_path / "h", cluster, NOW)


def test_a_wrong_measurement_is_not_kept(cluster, tmp_path):
    content = json.loads(measured(cluster))
    del content["pairs"][0]["latency_s"]
    with History(tmp_path / "h", cluster, NOW) as kept:
        with pytest.raises(BadInput, match="what was measured: pair 1 .*latency_s is missing"):
            kept.add(json.dumps(content), NOW, HOUR)
        with pytest.raises(BadInput, match="hours from now"):
            kept.add(measured(cluster, NOW + 3 * HOUR), NOW, HOUR)
    with History(tmp_path / "h", cluster, NOW) as kept:
        assert kept.count(HOUR) == (0, 0)


def test_nothing_is_gained_where_nothing_changed(cluster):
    calls = parse_calls("bcast:8KiB,allreduce:100000,barrier:1B")
    found = gains(cluster, cluster, calls, range(32), library("mpich"))
    assert [one.ratio for one in found] == [1, 1, 1]
    assert [(one.old, one.old_s) for one in found] == [(one.new, one.new_s) for one in found]


def test_a_job_without_multicasts_gains_nothing_by_them():
    """As ``explain`` does, the monitor heeds TRUNKLINE_MULTICAST: what its job never runs says nothing of the job."""
    cluster = _core.scaled(load_cluster("cyclic"), 20e6)
    calls, mpi = parse_calls("bcast:8KiB,allgather:1KiB"), library("mpich")
    taken = gains(cluster, cluster, calls, range(32), mpi)
    assert any("multicast" in one.old for one in taken), "the case is no good any more"
    left = gains(cluster, cluster, calls, range(32), mpi, multicasts=False)
    assert not any("multicast" in one.old + one.new for one in left)


def test_a_slow_link_is_worth_other_plans(cluster):
    """Where a link is ten times slower, what ran before is never faster than what is laid for it."""
    calls = parse_calls("bcast:8KiB,bcast:100000,allreduce:8KiB,allreduce:100000")
    found = gains(cluster, slowed(cluster, by=100), calls, range(32), library("openmpi", "4.1.4"))
    assert all(one.ratio >= 1 for one in found)
    assert max(one.ratio for one in found) > 1.1
    with pytest.raises(BadInput, match="'bcast' is no call such as bcast:8KiB"):
        parse_calls("bcast")
    with pytest.raises(BadInput, match="nothing is sent"):
        parse_calls("bcast:0")
    with pytest.raises(BadInput, match="there is no collective 'bcst'"):
        parse_calls("bcst:1KiB")


class Once:
    """``trunkline monitor --once`` with measurements that are there."""

    def __init__(self, trunkline, folder, cluster):
        self.trunkline, self.folder = trunkline, folder
        self.pairs_of = TWO_OF_EACH
        self.file = folder / "lab.yaml"
        self.file.write_text(_core.write_cluster(cluster))

    def __call__(self, network, *options, at=None, status=0):
        pairs = self.folder / "pairs.json"
        pairs.write_text(measured(network, at or datetime.now(UTC), self.pairs_of))
        words = ["monitor", str(self.file), "--once", "--pairs", str(pairs), "--mpi", "mpich", "--json", "-", *options]
        done = self.trunkline(*words)
        assert done.status == status, done.error
        return done


@pytest.fixture
def once(trunkline, tmp_path, cluster):
    return Once(trunkline, tmp_path, cluster)


def test_the_file_is_written_where_plans_gain(once, cluster):
    once.file.chmod(0o640)
    before = once.file.read_text()
    first = once(cluster)
    assert (first.data["wrote"], once.file.read_text()) == (False, before)
    slow = slowed(cluster, by=100)
    second = once(slow)  # half of all measurements say so
    third = once(slow)
    assert third.data["measurements"] == 3
    assert second.data["wrote"] or third.data["wrote"]
    assert "is written anew" in second.error + third.error
    now = load_cluster(str(once.file))
    assert now.topology_fingerprint == cluster.topology_fingerprint
    (link,) = [link for link in now.links if {link.a, link.b} == {"home", "town"}]
    (was,) = [link for link in slow.links if {link.a, link.b} == {"home", "town"}]
    assert link.rate_bps == pytest.approx(was.rate_bps, rel=0.05)
    assert once.file.stat().st_mode & 0o777 == 0o640
    assert sorted(one.name for one in once.folder.iterdir()) == ["lab.yaml", "lab.yaml.history", "pairs.json"]
    assert not once(slow).data["wrote"]


def test_one_host_of_a_switch_is_not_enough(once, cluster):
    once.pairs_of = (0, 1, 8, 9, 16, 17, 24)
    told = " ".join(once(cluster, status=2).error.split())
    assert "h24 is the only host of sea that is measured" in told


def test_a_margin_is_asked_for(once, cluster):
    for _ in range(3):
        done = once(slowed(cluster, by=100), "--margin", "1000")
        assert not done.data["wrote"]
    assert "stays" in done.error


def test_too_old_or_from_the_future(once, cluster):
    old = once(cluster, at=datetime.now(UTC) - 2 * HOUR)
    assert "no measurement is young enough (--max-age)" in old.error
    assert not old.data["wrote"]
    future = once(cluster, at=datetime.now(UTC) + 2 * HOUR, status=2)
    assert "hours from now: set the clock" in " ".join(future.error.split())


def test_what_it_is_asked_wrongly(refused, tmp_path, cluster):
    file = tmp_path / "lab.yaml"
    file.write_text(_core.write_cluster(cluster))

    def told(*words):
        return refused("monitor", *words)

    assert "give either what starts the measuring job" in told(str(file))
    assert "give either what starts the measuring job" in told(str(file), "--pairs", "p", "--", "mpiexec")
    assert "--pairs: is one measurement; add --once" in told(str(file), "--pairs", "p")
    assert "say with --mpi" in told(str(file), "--pairs", "p", "--once")
    assert "there is no such file; a bundled cluster is written by" in told("four-site", "--pairs", "p", "--once")
    assert "is no call such as" in told(str(file), "--pairs", "p", "--once", "--calls", "x", "--mpi", "mpich")
    assert not (tmp_path / "lab.yaml.history").exists()


def program(folder, text):
    file = folder / "job"
    file.write_text(f"#!{sys.executable}\nimport sys, time\n{text}\n")
    file.chmod(0o755)
    return [str(file)]


def job(folder, monkeypatch, text, most_s=60.0):
    monkeypatch.setattr(measuring, "measuring_program", lambda library: "measure")
    return measuring.measure_pairs(
        program(folder, text),
        library(),
        folder / "c.yaml",
        most_pairs=5,
        only=[("a", "b"), ("c", "d")],
        message_bytes=2048,
        least=2,
        budget_s=0.1,
        patience_s=2,
        most_s=most_s,
        environment=os.environ,
    )


def test_a_measuring_job(tmp_path, monkeypatch):
    text = "open(sys.argv[sys.argv.index('--output') + 1], 'w').write(' '.join(sys.argv[1:]))"
    said = job(tmp_path, monkeypatch, text)
    assert said.startswith(f"measure --cluster {tmp_path}/c.yaml --output ")
    assert "--sizes 2048 " in said
    assert "--least 2 --only a=b,c=d --pairs 5 --patience 2" in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sys.exit('h0 - h9: no answer for 2 s')", r"measuring failed \(exit status 1\): h0 - h9: no answer for 2 s"),
        ("sys.exit(3)", r"measuring failed \(exit status 3\): without a word"),
        ("pass", "measuring left no file"),
    ],
)
def test_a_measuring_job_that_fails_says_why(tmp_path, monkeypatch, text, message):
    with pytest.raises(Failed, match=message):
        job(tmp_path, monkeypatch, text)


def test_a_measuring_job_that_does_not_end_is_ended(tmp_path, monkeypatch):
    text = "print('up', file=sys.stderr, flush=True); time.sleep(1000)"
    with pytest.raises(Failed, match=r"has not ended within 3 s and was ended\nup"):
        job(tmp_path, monkeypatch, text, most_s=3)


def test_a_measurement_that_fails_is_told(trunkline, tmp_path, cluster):
    file = tmp_path / "lab.yaml"
    file.write_text(_core.write_cluster(cluster))
    launcher = program(tmp_path, "sys.exit('nobody is there')")
    done = trunkline("monitor", str(file), "--once", "--mpi", "mpich", "--json", "-", "--", *launcher)
    assert done.status == 1
    assert done.data["problem"].endswith("nobody is there")
    assert "not measured: measuring failed" in " ".join(done.error.split())
