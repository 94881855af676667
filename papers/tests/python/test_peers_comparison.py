"""``trunkline_papers bench peers`` without a lab: the race, rounds, going on from a file, tables, the page."""

import html
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from made_up import library
from made_up_peers import peer_cell as cell

from trunkline import _core
from trunkline.bench.job import PING_PONG, Limits, Outcome
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput, Failed
from trunkline_papers.cli import bench_peers as command
from trunkline_papers.peers import driver as driver_module
from trunkline_papers.peers import run as run_module
from trunkline_papers.peers.comparison import BEST, Comparison, asked_for, steps
from trunkline_papers.peers.driver import Setting
from trunkline_papers.peers.mpich import MpichDriver
from trunkline_papers.peers.page import peers_page
from trunkline_papers.peers.pvm import PvmDriver
from trunkline_papers.peers.results import PeerCell, Results, place_of, read_cells, save_cells
from trunkline_papers.peers.run import compare
from trunkline_papers.peers.sweep import LEFT_OUT, best_setting, sweep
from trunkline_papers.peers.tables import lines, markdown


@pytest.fixture
def comparison_cells():
    return [
        cell(mpi, algorithm, size, over, cluster, setting)
        for cluster in ("cyclic", "paper-4")
        for mpi, algorithm, over, setting in (
            ("mpich", "native", 12.0, "default"),
            ("mpich", BEST, 1.8, "tsp_tree-kary-1:4096"),
            ("mpich", "auto", 1.2, "default"),
            ("lam", "native", 6.0, "default"),
        )
        for size in (65536, 1 << 20)
    ]


def outcome_of(seconds, given_up=None, hung=False):
    outcome = Outcome(given_up=given_up, hung=hung)
    for size, value in seconds.items():
        outcome.seconds[size, "native"] = [value]
        outcome.seconds[size, PING_PONG] = [0.001]
        outcome.ran[size, "native"] = ("native", 0)
    return outcome


class Race:
    """A library of settings with given seconds, by size; what takes over twice the time to beat is given up."""

    def __init__(self, times):
        self.times, self.jobs = times, []

    def run(self, setting, sizes, beat):
        self.jobs.append((setting.name, list(sizes), list(beat)))
        own = self.times[setting.name]
        if isinstance(own, str):
            raise Failed(f"the benchmark ended\n{own}")
        done = {}
        for size, to_beat in zip(sizes, beat, strict=True):
            if to_beat and own[size] > 2 * to_beat + 1:
                return outcome_of(done, given_up=size)
            done[size] = own[size]
        return outcome_of(done)

    def sweep(self, sizes, budget_s=60, settings=None, **more):
        kept = {}
        settings = settings or [Setting(name) for name in self.times]
        sweep(self.run, settings, sizes, budget_s, on_trials=lambda *what: kept.update(last=what), **more)
        return list(kept["last"][0]), kept["last"][1]


class TestRace:
    SIZES = (10, 100, 1000)

    def test_every_size_has_its_own_winner(self):
        """A pipeline is far behind with short messages and first with long ones."""
        times = {
            "default": [1, 10, 100],
            "pipeline": [4, 25, 30],
            "tree": [0.5, 30, 400],
            "broken": "no such algorithm",
        }
        race = Race({k: v if isinstance(v, str) else dict(zip(self.SIZES, v, strict=True)) for k, v in times.items()})
        trials, untried = race.sweep(self.SIZES)
        assert set(untried.values()) == {0}
        assert [best_setting(trials, size)[0] for size in self.SIZES] == ["tree", "default", "pipeline"]
        # Whatever was tried at whatever size has its trial: a time, or why there is none.
        assert {(t.message_bytes, t.setting) for t in trials} == {(s, n) for s in self.SIZES for n in times}
        assert {t.reason for t in trials if not t.seconds} == {
            "given up: over 2 times the best time",
            "no such algorithm",
        }

    def test_a_setting_goes_on_behind_the_size_where_it_is_given_up(self):
        race = Race({"default": dict.fromkeys(self.SIZES, 1.0), "late": {10: 9.0, 100: 9.0, 1000: 0.5}})
        trials, _ = race.sweep(self.SIZES)
        assert [sizes for name, sizes, _ in race.jobs if name == "late"][:3] == [[10, 100, 1000], [100, 1000], [1000]]
        assert best_setting(trials, 1000) == ("late", 0.5)

    def test_what_is_told_to_beat_and_what_runs_again(self):
        race, told = Race({"default": {10: 1.0}, "fast": {10: 0.5}}), []
        trials, _ = race.sweep([10], on_setting=lambda *what: told.append(what[0].name))
        assert [beat for _, _, beat in race.jobs] == [[0.0], [1.0], [0.5], [0.5]]
        assert told == ["default", "fast", "fast", "default"]  # the finals
        assert {t.setting: t.seconds for t in trials} == {"default": [1.0, 1.0], "fast": [0.5, 0.5]}

    def test_segments_too_long_for_a_message_are_left_out(self):
        race = Race({"default": {10: 1.0, 100: 1.0}, "long": {100: 0.5}})
        trials, untried = race.sweep([10, 100], settings=[Setting("default"), Setting("long", least_bytes=100)])
        assert (10, "long") not in {(t.message_bytes, t.setting) for t in trials}
        assert untried == {10: 0, 100: 0}

    def test_other_segments_are_left_out_only_where_two_fell_behind(self):
        """Measured times count as well as jobs that were given up."""
        slow = {10: 2.5, 100: 0.9}
        race = Race({"default": {10: 1.0, 100: 1.0}, "line:1": slow, "line:2": slow, "line:3": {10: 0.1, 100: 0.5}})
        trials, _ = race.sweep([10, 100])
        assert ("line:3", [100], [0.9]) in race.jobs
        assert best_setting(trials, 100)[0] == "line:3"
        (left_out,) = [t for t in trials if t.setting == "line:3" and t.message_bytes == 10]
        assert left_out.reason == LEFT_OUT

    def test_a_race_goes_on_where_it_ran_out_of_time(self):
        race = Race({"default": {10: 1.0}, "a": {10: 0.9}, "b": {10: 0.8}})
        trials, untried = race.sweep([10], budget_s=0)
        assert (untried, [t.setting for t in trials]) == ({10: 2}, ["default"])
        race.jobs.clear()
        trials, untried = race.sweep([10], known=trials)
        assert [name for name, _, _ in race.jobs] == ["a", "b", "b", "a", "default"]
        assert (untried, best_setting(trials, 10)) == ({10: 0}, ("b", 0.8))

    def test_a_hang_is_called_so(self):
        trials = []
        sweep(
            lambda _setting, _sizes, _beat: outcome_of({}, given_up=10, hung=True),
            [Setting("default")],
            [10],
            60,
            on_trials=lambda some, _: trials.extend(some),
        )
        assert trials[0].reason == "hung"


class FakeLab:
    """A lab that is never up: the driver of the test starts nothing on it."""

    def __init__(self, cluster, rate_bps):
        self.cluster, self.rate_bps = _core.scaled(cluster, rate_bps), rate_bps

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class TestRounds:
    @pytest.fixture(autouse=True)
    def without_a_lab(self, monkeypatch):
        monkeypatch.setattr(run_module, "Lab", FakeLab)
        monkeypatch.setattr(run_module, "learn_message_cost", lambda _: None)

    def test_where_the_default_won_it_runs_once(self, monkeypatch):
        outcome = outcome_of({1024: 0.5})
        outcome.seconds[1024, "auto"], outcome.ran[1024, "auto"] = [0.2], ("linear", 512)
        monkeypatch.setattr(driver_module, "follow", lambda *_, **__: outcome)
        driver, jobs = MpichDriver(library()), []
        monkeypatch.setattr(driver, "start", lambda _lab, _folder, words, *_: jobs.append(words))
        results = Results()
        results.put([cell(cluster="paper-1", algorithm=BEST, size=1024, rounds=0)])
        comparison = Comparison("bcast", [(load_cluster("paper-1"), 2e7)], [driver], [1024], 1, Limits(), 60)
        assert [failure for _, failure in compare(comparison, results)] == [""]
        assert len(jobs) == 1
        assert "native,auto" in jobs[0]
        assert {c.algorithm: c.seconds for c in results.cells} == {"native": [0.5], BEST: [0.5], "auto": [0.2]}

    def compare(self, monkeypatch, outcome, results):
        monkeypatch.setattr(driver_module, "follow", lambda *_, **__: outcome)
        driver = PvmDriver(library("pvm", "3.4.6"))
        monkeypatch.setattr(driver, "start", lambda *_: None)
        comparison = Comparison("bcast", [(load_cluster("paper-1"), 2e7)], [driver], [1024, 8192], 1, Limits(), 60)
        return [failure for _, failure in compare(comparison, results)], steps(comparison, results)

    def test_a_job_that_is_given_up_keeps_its_shorter_sizes(self, monkeypatch):
        results = Results()
        failures, left = self.compare(monkeypatch, outcome_of({1024: 0.5}, given_up=8192), results)
        assert "did nothing for 300 s at 8 KiB" in failures[0]
        assert [(cell.mpi, cell.message_bytes) for cell in results.cells] == [("pvm", 1024)]
        assert len(left) == 1  # the same command tries the rest again

    def test_a_job_that_ends_well_leaves_nothing_to_do(self, monkeypatch):
        results = Results()
        failures, left = self.compare(monkeypatch, outcome_of({1024: 0.5, 8192: 0.7}), results)
        assert (failures, left) == ([""], [])
        assert [cell.seconds for cell in results.cells] == [[0.5], [0.7]]
        assert {cell.rounds for cell in results.cells} == {1}

    def test_one_failing_job_does_not_keep_the_others_from_running(self, monkeypatch):
        outcomes = {"auto": Failed("no memory"), "native": outcome_of({1024: 0.3})}
        started = []

        def start(_lab, _folder, words, setting, _preload):
            started.append(setting.name)
            return "auto" if "native,auto" in words else "native"

        def follow(process, *_, **__):
            if isinstance(outcomes[process], Failed):
                raise outcomes[process]
            return outcomes[process]

        driver = MpichDriver(library())
        monkeypatch.setattr(driver_module, "follow", follow)
        monkeypatch.setattr(driver, "start", start)
        results = Results()
        results.put([cell(cluster="paper-1", algorithm=BEST, size=1024, rounds=0, setting="binomial")])
        comparison = Comparison("bcast", [(load_cluster("paper-1"), 2e7)], [driver], [1024], 1, Limits(), 60)
        assert [failure for _, failure in compare(comparison, results)] == ["no memory"]
        assert started == ["default", "binomial"]
        assert [(c.algorithm, c.seconds) for c in results.cells] == [(BEST, [0.3])]

    def test_without_a_race_earlier_ones_say_what_is_best(self):
        results = Results()
        results.put(
            [cell(cluster="paper-1", algorithm=name, size=1024) for name in ("native", "auto")]
            + [cell(cluster="paper-1", algorithm=BEST, size=1024, setting="binomial", untried=1)]
        )
        comparison = Comparison(
            "bcast", [(load_cluster("paper-1"), 2e7)], [MpichDriver(library())], [1024], 1, Limits(), 0
        )
        assert steps(comparison, results) == []
        assert len(asked_for(comparison, results)) == 3
        (step,) = steps(replace(comparison, rounds=2), results)
        assert step.round == 2
        assert [s.round for s in steps(replace(comparison, sizes=[1024, 8192]), results)] == [
            1
        ]  # native and auto alone
        assert [s.round for s in steps(replace(comparison, sweep_s=60), results)] == [0, 1]

    def test_a_race_that_goes_on_measures_its_new_winner(self, monkeypatch):
        known = [{"setting": "default", "seconds_median": 0.5}]
        results = Results()
        results.put(
            [cell(cluster="paper-1", algorithm=name, size=1024) for name in ("native", "auto")]
            + [cell(cluster="paper-1", algorithm=BEST, size=1024, trials=known, untried=1)]
        )
        driver = MpichDriver(library())
        settings = [Setting("default"), Setting("binomial")]
        monkeypatch.setattr(driver, "settings", lambda *_: settings)
        monkeypatch.setattr(driver, "start", lambda _lab, _folder, _words, setting, _preload: setting.name)
        monkeypatch.setattr(
            driver_module, "follow", lambda name, *_, **__: outcome_of({1024: 0.5 if name == "default" else 0.3})
        )
        comparison = Comparison("bcast", [(load_cluster("paper-1"), 2e7)], [driver], [1024], 1, Limits(), 60)
        assert [failure for _, failure in compare(comparison, results)] == ["", ""]
        best = next(c for c in results.cells if c.algorithm == BEST)
        assert (best.setting, best.rounds, best.seconds, best.untried) == ("binomial", 1, [0.3], 0)
        assert steps(comparison, results) == []


class TestResults:
    def test_a_run_goes_on_from_its_file(self, tmp_path):
        file = str(tmp_path / "peers.json")
        driver = MpichDriver(library())
        comparison = Comparison("bcast", [(load_cluster("cyclic"), 2e7)], [driver], [1 << 20], 2, Limits(), 60)
        results = Results(file)
        assert [step.round for step in steps(comparison, results)] == [0, 1, 2]
        results.put([cell(algorithm=BEST, rounds=0, over=3.0)])
        results.add([cell(rounds=0, over=10.0), cell(algorithm="auto", rounds=0), cell(algorithm=BEST, over=2.0)], 0.04)
        again = Results(file)
        assert [step.round for step in steps(comparison, again)] == [2]
        assert again.rate_of(load_cluster("cyclic")) == 2e7
        place = place_of(load_cluster("cyclic"), 2e7)
        best = again.get(place, library(), "bcast", BEST, 1 << 20)
        assert best.rounds == 1
        assert best.seconds_median == pytest.approx(2.0 * best.limit_seconds)  # the race's times are gone
        again.add([cell(over=20.0)], 0.04)
        assert again.get(place, library(), "bcast", "native", 1 << 20).seconds_median == pytest.approx(
            15 * best.limit_seconds
        )

    def test_another_network_of_the_same_name_and_another_version_start_anew(self, tmp_path):
        first, second = (load_cluster(f"random:16x4:{seed}") for seed in (1, 2))
        assert (first.name, second.name) == ("random-16x4", "random-16x4-2")
        text = _core.write_cluster(second).replace(second.name, first.name)
        file = tmp_path / "same-name.yaml"
        file.write_text(text)
        renamed = load_cluster(str(file))
        results = Results()
        results.put([cell(cluster="random:16x4", algorithm=name) for name in ("native", "auto", BEST)])

        def left(network, driver):
            return len(steps(Comparison("bcast", [(network, 2e7)], [driver], [1 << 20], 1, Limits(), 60), results))

        assert (left(first, MpichDriver(library())), results.rate_of(first)) == (0, 2e7)
        assert (left(renamed, MpichDriver(library())), results.rate_of(renamed)) == (2, None)
        assert left(first, MpichDriver(library(version="4.0.3"))) == 2

    def test_what_was_not_asked_for_is_not_shown(self):
        results = Results()
        asked = cell(size=65536)
        others = [cell(), cell(size=65536, rate_bps=3e7), cell(size=65536, cluster="paper-4")]
        others += [cell("lam", size=65536), cell(size=65536, algorithm="linear"), cell(size=65536, algorithm=BEST)]
        results.put([*others, asked])
        of_cyclic = [(load_cluster("cyclic"), 2e7)]
        comparison = Comparison("bcast", of_cyclic, [MpichDriver(library())], [65536], 1, Limits(), 0, best=False)
        assert asked_for(comparison, results) == [asked]

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ('[{"what": 1}]', "a cell has no .*seconds_median"),
            ("[7]", "there is 7 where a cell should be"),
            ({"what": 1}, "a cell has what"),
            ({"seconds_median": None}, "seconds_median is None, not a number above zero"),
            ({"limit_seconds": 0}, "limit_seconds is 0, not a number above zero"),
            ({"message_bytes": "8"}, "message_bytes is '8', not a count"),
            ({"dealt": 0}, "dealt is 0, not true or false"),
            ({"bound_seconds": -1.0}, "bound_seconds is -1.0, not a number above zero, or null"),
            ({"seconds": [1.0, None]}, "seconds is .*, not a list of numbers"),
            ({"trials": [1]}, "trials is .*, not a list of objects"),
            ({"mpi": 7}, "mpi is 7, not a text"),
        ],
    )
    def test_another_file_is_refused(self, tmp_path, content, said):
        file = tmp_path / "other.json"
        file.write_text(content if isinstance(content, str) else json.dumps([cell().as_json() | content]))
        with pytest.raises(BadInput, match=rf"other.json is not a file of 'trunkline_papers bench peers'.*{said}"):
            Results(str(file))


class TestTables:
    def test_every_peer_is_compared_with_trunkline(self, comparison_cells):
        found = {
            (line.default.cluster, line.default.mpi, line.default.message_bytes): line
            for line in lines(comparison_cells)
        }
        mpich = found["cyclic", "mpich", 65536]
        assert mpich.gain(mpich.default) == pytest.approx(10.0)
        assert mpich.gain(mpich.best) == pytest.approx(1.5)
        lam = found["cyclic", "lam", 65536]
        assert lam.own.mpi == "mpich"
        assert lam.gain(lam.default) == pytest.approx(5.0)
        assert lam.best is None

    def test_the_best_is_never_worse_than_the_default(self):
        cells = [
            cell(over=3.0),
            cell(algorithm=BEST, over=3.2, setting="pipeline:1024"),
            cell(algorithm="auto", over=1.5),
        ]
        (line,) = lines(cells)
        assert line.best.setting == "default"
        assert line.gain(line.best) == pytest.approx(2.0)

    def test_each_cluster_has_one_table_whenever_its_peers_came(self, comparison_cells):
        results = Results()
        results.put(sorted(comparison_cells, key=lambda one: one.mpi == "lam"))  # races come before lam's first round
        assert markdown(results.cells).count("| peer |") == 2

    def test_markdown_holds_the_ratios(self, comparison_cells):
        text = markdown(comparison_cells)
        assert "| mpich 4.0.2 | 64 KiB | 26.2 ms | 12.00 | 1.80 | tsp_tree-kary-1:4096 | 1.20 | 10.00 | 1.50 |" in text
        assert text.count("| peer |") == 2

    def test_markdown_of_a_figure_is_about_its_algorithm(self):
        text = markdown([cell(over=6.0), cell(algorithm="linear", over=2.0)], "linear")
        assert "| Trunkline: linear |" in text
        assert "| 6.00 |  |  | 2.00 | 3.00 |  |" in text

    def test_the_page_stands_alone(self, comparison_cells):
        page = peers_page(
            comparison_cells,
            [(load_cluster("cyclic"), 2e7), (load_cluster("paper-4"), 2e7)],
            {"pvm": "not there"},
            None,
            None,
        )
        pictures = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
        assert len(pictures) == 2 * (2 + 2)  # a chart for each peer, two trees, for each cluster
        for picture in pictures:
            ET.fromstring(picture)
        assert not re.search(r"""(src|href)=["']?https?:""", page)
        assert page.count("<script>") == page.count("<script") == 1, "its own, which tells of what is wider"
        assert "pvm" in page
        data = re.search(r"<pre>(.*?)</pre>", page, flags=re.DOTALL)
        assert len(json.loads(html.unescape(data[1]))) == len(comparison_cells)

    def test_what_others_say_is_text_on_the_page(self):
        hostile = '</pre><img src="http://nowhere.example/">'
        cells = [cell(library=hostile), cell(algorithm="auto", over=2.0)]
        cells += [cell(algorithm=BEST, trials=[{"setting": "x", "reason": hostile}])]
        page = peers_page(cells, [(load_cluster("cyclic"), 2e7)], {"lam": hostile}, None, None)
        assert "<img" not in page
        assert page.count("&lt;/pre&gt;&lt;img src=") == 5  # library, race, what is left out, two in the cells

    def test_a_race_that_is_not_over_is_said_everywhere(self):
        cells = [cell(), cell(algorithm="auto", over=2.0)]
        cells += [cell(algorithm=BEST, over=5.0, trials=[{"setting": "default", "seconds_median": 1.0}] * 3, untried=9)]
        said = "cyclic at 20 Mbit/s, mpich: 'best' is the best of 3 of 12 settings"
        assert said in markdown(cells)
        assert said in html.unescape(peers_page(cells, [(load_cluster("cyclic"), 2e7)], {}, None, None))
        assert said not in markdown([replace(one, untried=0) for one in cells])

    def test_two_rates_of_one_cluster_stay_apart(self):
        cells = [cell(algorithm=name, over=over) for name, over in (("native", 8.0), ("auto", 2.0))]
        faster = place_of(load_cluster("cyclic"), 4e7)[1]
        cells += [replace(one, rate_bps=4e7, cluster_fingerprint=faster) for one in cells]
        cells[2].seconds_median /= 2
        network = load_cluster("cyclic")
        page = peers_page(cells, [(network, 2e7), (network, 4e7)], {}, None, None)
        assert [f"cyclic at {rate} Mbit/s" in page for rate in (20, 40)] == [True, True]
        assert re.findall(r'<td class="strong">(.*?)×', page) == ["4.00", "2.00"]


class TestCommand:
    def test_a_figure_that_measures_nothing_takes_no_settings(self, papers_refused):
        for words in (("--cluster", "cyclic"), ("--sizes", "8KiB"), ("--peers", "mpich"), ("--rate", "10Mbit")):
            for name in ("table-3", "broadcast-9", "broadcast-10"):
                assert "leave out --cluster" in papers_refused("bench", "peers", "--figure", name, *words)
        assert "leave out --sizes" in papers_refused("bench", "peers", "--figure", "table-4", "--sizes", "8KiB")

    @pytest.mark.parametrize("name", ["table-3", "table-4", "broadcast-8", "broadcast-9", "broadcast-10"])
    def test_a_figure_for_the_terminal_writes_no_files(self, papers_refused, tmp_path, name):
        for option in ("--json", "--report", "--markdown"):
            assert "leave out --json" in papers_refused("bench", "peers", "--figure", name, option, tmp_path / "f")

    def test_what_cannot_be_measured(self, papers_refused):
        words = ("bench", "peers", "--peers", "mpich", "--rate", "20Mbit", "--cluster")
        assert "random-1x1 has one host" in papers_refused(*words, "random:1x1", "--sizes", "8KiB")
        assert "random-1x1 has one host" in papers_refused(*words, "paper-1, random:1x1", "--sizes", "8KiB")
        assert "0 bytes" in papers_refused(*words, "paper-1", "--sizes", "0")

    def test_what_a_library_says_is_shown_as_it_is(self, monkeypatch, capsys):
        said = "the benchmark ended:\n[h0:12] no [/] way"
        monkeypatch.setattr(command, "compare", lambda *_: iter([(step, said)]))
        driver = MpichDriver(library())
        comparison = Comparison("bcast", [(load_cluster("cyclic"), 2e7)], [driver], [8192], 1, Limits(), 0, best=False)
        (step,) = steps(comparison, Results())
        assert command._measure(comparison, Results()) == [f"cyclic, mpich: {said}"]
        assert "[h0:12] no [/] way" in capsys.readouterr().err


def test_cells_of_earlier_runs_are_one_file_or_none(tmp_path):
    assert read_cells(tmp_path / "none", PeerCell, "bench peers") == []
    with pytest.raises(BadInput, match="/dev/zero: is larger than 64 MiB"):
        read_cells(Path("/dev/zero"), PeerCell, "bench peers")


def test_cells_take_the_place_of_a_planted_link(tmp_path):
    """What it leads to stays as it is."""
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "cells.json").symlink_to(tmp_path / "victim")
    save_cells(tmp_path / "cells.json", list[PeerCell]())
    assert (tmp_path / "cells.json").read_text() == "[]\n"
    assert (tmp_path / "victim").read_text() == "precious"
