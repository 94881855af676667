"""``bench peers`` without a lab: the race, rounds, going on from a file, tables, the page."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from trunkline import _core
from trunkline.bench.job import PING_PONG, Limits, Outcome
from trunkline.bench.peers import run as run_module
from trunkline.bench.peers.driver import Setting
from trunkline.bench.peers.mpich import MpichDriver
from trunkline.bench.peers.pvm import PvmDriver
from trunkline.bench.peers.results import PeerCell, Results, place_of
from trunkline.bench.peers.run import BEST, Comparison, asked_for, compare, steps
from trunkline.bench.peers.sweep import best_setting, sweep
from trunkline.bench.peers.tables import lines, markdown
from trunkline.cli import bench_peers as command
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput, Failed
from trunkline.mpi import Mpi
from trunkline.report.peers_page import peers_page


def library(name="mpich", version="4.0.2"):
    return Mpi(name, name.partition("-")[0], version, "mpicc", "/nowhere/mpiexec", "libmpi.so")


def cell(mpi="mpich", algorithm="native", size=1 << 20, over=10.0, cluster="cyclic", setting="default", **more):
    limit = size * 8 / 2e7
    values = {
        "collective": "bcast",
        "cluster": load_cluster(cluster).name,
        "cluster_fingerprint": place_of(load_cluster(cluster), 2e7)[1],
        "rate_bps": 2e7,
        "hosts": 32,
        "ranks": 32,
        "mpi": mpi,
        "mpi_version": "4.0.2",
        "algorithm": algorithm,
        "ran": "two-tree" if algorithm == "auto" else algorithm,
        "segment_bytes": 0,
        "message_bytes": size,
        "seconds_median": over * limit,
        "seconds_low": over * limit,
        "seconds_high": over * limit,
        "repetitions": 1,
        "limit_seconds": limit,
        "stopped_by": "limit",
        "trunkline_version": "0",
        "seconds": [over * limit],
        "setting": setting,
        "rounds": 1,
        "limits": [limit],
    }
    return PeerCell(**values | more)


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


def outcome_of(seconds, given_up=None):
    outcome = Outcome(given_up=given_up)
    for size, value in seconds.items():
        outcome.seconds[size, "native"] = [value]
        outcome.seconds[size, PING_PONG] = [0.001]
        outcome.ran[size, "native"] = ("native", 0)
    return outcome


class TestRace:
    SETTINGS = (
        Setting("default"),
        Setting("slow"),
        Setting("fast when large", least_bytes=100),
        Setting("broken"),
    )

    def run(self, setting, sizes, beat):
        self.jobs.append((setting.name, list(sizes), list(beat)))
        if setting.name == "default":
            return outcome_of(dict.fromkeys(sizes, 1.0))
        if setting.name == "slow":
            return outcome_of({}, given_up=sizes[0])
        if setting.name == "broken":
            raise Failed("the benchmark ended\nno such algorithm")
        return outcome_of(dict.fromkeys(sizes, 0.5))

    def test_the_fastest_wins_and_what_falls_behind_is_dropped(self):
        self.jobs = []
        told = []
        trials, untried = sweep(
            self.run, self.SETTINGS, [10, 100, 1000, 10000], 60, lambda *what: told.append(what[0].name)
        )
        assert untried == 0
        assert best_setting(trials, 10) == ("default", 1.0)
        assert best_setting(trials, 1000) == ("fast when large", 0.5)
        slow = [sizes for name, sizes, _ in self.jobs if name == "slow"]
        assert slow == [[10, 100, 1000, 10000], [100, 1000, 10000]]  # out after two sizes
        assert self.jobs[1][2] == [1.0] * 4  # told what to beat
        reasons = {trial.setting: trial.reason for trial in trials if trial.reason}
        assert reasons == {"slow": "given up: too slow", "broken": "no such algorithm"}
        assert told[-2:] == ["default", "fast when large"]  # the finals
        finalist = next(t for t in trials if (t.setting, t.message_bytes) == ("default", 10))
        assert finalist.seconds == [1.0, 1.0]

    def test_a_kind_whose_segments_are_all_too_slow_is_left_out(self):
        self.jobs = []
        slow = [Setting(f"slow:{segment}") for segment in (1, 2, 3)]

        def run(setting, sizes, beat):
            self.jobs.append((setting.name, list(sizes), beat))
            return outcome_of(dict.fromkeys(sizes, 1.0)) if setting.name == "default" else outcome_of({}, sizes[0])

        trials, _ = sweep(run, [Setting("default"), *slow], [10, 100], 60)
        assert "slow:2" in [name for name, _, _ in self.jobs]
        assert "slow:3" not in [name for name, _, _ in self.jobs]
        assert {t.reason for t in trials if t.setting == "slow:3"} == {"left out: others of its kind were too slow"}

    def test_without_time_only_the_default_runs(self):
        self.jobs = []
        trials, untried = sweep(self.run, self.SETTINGS, [10], 0)
        assert untried == 3
        assert {trial.setting for trial in trials} == {"default"}


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

    def test_where_the_default_won_it_runs_once(self, monkeypatch):
        outcome = outcome_of({1024: 0.5})
        outcome.seconds[1024, "auto"], outcome.ran[1024, "auto"] = [0.2], ("linear", 512)
        monkeypatch.setattr(run_module, "follow", lambda *_: outcome)
        driver, jobs = MpichDriver(library()), []
        monkeypatch.setattr(driver, "start", lambda _lab, _folder, words, *_: jobs.append(words))
        results = Results()
        results.put([cell(cluster="paper-1", algorithm=BEST, size=1024, rounds=0)])
        comparison = Comparison([(load_cluster("paper-1"), 2e7)], [driver], [1024], 1, Limits(), 60)
        assert [failure for _, failure in compare(comparison, results)] == [""]
        assert len(jobs) == 1
        assert "native,auto" in jobs[0]
        assert {c.algorithm: c.seconds for c in results.cells} == {"native": [0.5], BEST: [0.5], "auto": [0.2]}

    def compare(self, monkeypatch, outcome, results):
        monkeypatch.setattr(run_module, "follow", lambda *_: outcome)
        driver = PvmDriver(library("pvm", "3.4.6"))
        monkeypatch.setattr(driver, "start", lambda *_: None)
        comparison = Comparison([(load_cluster("paper-1"), 2e7)], [driver], [1024, 8192], 1, Limits(), 60)
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


class TestResults:
    def test_a_run_goes_on_from_its_file(self, tmp_path):
        file = str(tmp_path / "peers.json")
        driver = MpichDriver(library())
        comparison = Comparison([(load_cluster("cyclic"), 2e7)], [driver], [1 << 20], 2, Limits(), 60)
        results = Results(file)
        assert [step.round for step in steps(comparison, results)] == [0, 1, 2]
        results.put([cell(algorithm=BEST, rounds=0, over=3.0)])
        results.add([cell(rounds=0, over=10.0), cell(algorithm="auto", rounds=0), cell(algorithm=BEST, over=2.0)], 0.04)
        again = Results(file)
        assert [step.round for step in steps(comparison, again)] == [2]
        assert again.rate_of(load_cluster("cyclic")) == 2e7
        place = place_of(load_cluster("cyclic"), 2e7)
        best = again.get(place, library(), BEST, 1 << 20)
        assert best.rounds == 1
        assert best.seconds_median == pytest.approx(2.0 * best.limit_seconds)  # the race's times are gone
        again.add([cell(over=20.0)], 0.04)
        assert again.get(place, library(), "native", 1 << 20).seconds_median == pytest.approx(15 * best.limit_seconds)

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
            return len(steps(Comparison([(network, 2e7)], [driver], [1 << 20], 1, Limits(), 60), results))

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
        comparison = Comparison(of_cyclic, [MpichDriver(library())], [65536], 1, Limits(), 0, best=False)
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
            ({"seconds": [1.0, None]}, "seconds is .*, not a list of numbers"),
            ({"trials": [1]}, "trials is .*, not a list of objects"),
            ({"mpi": 7}, "mpi is 7, not a text"),
        ],
    )
    def test_another_file_is_refused(self, tmp_path, content, said):
        file = tmp_path / "other.json"
        file.write_text(content if isinstance(content, str) else json.dumps([cell().as_json() | content]))
        with pytest.raises(BadInput, match=rf"other.json is not a file of 'trunkline bench peers'.*{said}"):
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
        assert "<script" not in page
        assert "pvm" in page
        data = re.search(r"<pre>(.*?)</pre>", page, flags=re.DOTALL)
        assert len(json.loads(data[1].replace("&#34;", '"'))) == len(comparison_cells)

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
    @pytest.mark.parametrize("name", ["table-3", "table-4", "broadcast-8", "broadcast-9", "broadcast-10"])
    def test_a_figure_for_the_terminal_writes_no_files(self, refused, tmp_path, name):
        for option in ("--json", "--report", "--markdown"):
            assert "leave out --json" in refused("bench", "peers", "--figure", name, option, tmp_path / "f")

    def test_what_cannot_be_measured(self, refused):
        words = ("bench", "peers", "--peers", "mpich", "--rate", "20Mbit", "--cluster")
        assert "random-1x1 has one host" in refused(*words, "random:1x1", "--sizes", "8KiB")
        assert "random-1x1 has one host" in refused(*words, "paper-1, random:1x1", "--sizes", "8KiB")
        assert "0 bytes" in refused(*words, "paper-1", "--sizes", "0")

    def test_what_a_library_says_is_shown_as_it_is(self, monkeypatch, capsys):
        said = "the benchmark ended:\n[h0:12] no [/] way"
        monkeypatch.setattr(command, "compare", lambda *_: iter([(step, said)]))
        driver = MpichDriver(library())
        comparison = Comparison([(load_cluster("cyclic"), 2e7)], [driver], [8192], 1, Limits(), 0, best=False)
        (step,) = steps(comparison, Results())
        assert command._measure(comparison, Results()) == [f"cyclic, mpich: {said}"]
        assert "[h0:12] no [/] way" in capsys.readouterr().err
