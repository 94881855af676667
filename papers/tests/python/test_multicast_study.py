"""``trunkline_papers bench multicast``: what is measured, going on, tables, figures, page, wrong input."""

import contextlib
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from io import StringIO

import pytest
from made_up import library
from made_up_peers import MULTICAST_RATE as RATE
from made_up_peers import MULTICAST_SIZES as SIZES
from made_up_peers import multicast_cell, multicast_cells
from rich.console import Console

from trunkline import _core
from trunkline.bench.job import PING_PONG, Limits
from trunkline.cluster import bundled_clusters, load_cluster
from trunkline.errors import BadInput, Failed
from trunkline_papers.cli import bench_multicast as command
from trunkline_papers.peers import driver as driver_module
from trunkline_papers.peers import drivers as drivers_module
from trunkline_papers.peers import transfer_driver
from trunkline_papers.peers.drivers import choose_multicast_drivers
from trunkline_papers.peers.mpich import MpichDriver
from trunkline_papers.peers.multicast import run as run_module
from trunkline_papers.peers.multicast.cells import MulticastResults
from trunkline_papers.peers.multicast.charts import loss_figure, paper_figures
from trunkline_papers.peers.multicast.page import multicast_page
from trunkline_papers.peers.multicast.run import measure_study
from trunkline_papers.peers.multicast.study import Loss, Study, first_hosts, jobs
from trunkline_papers.peers.multicast.tables import best_ways, multicast_tables
from trunkline_papers.peers.pvm import PvmDriver
from trunkline_papers.peers.transfer_driver import TransferDriver


@pytest.fixture
def cells():
    return multicast_cells()


def study(receivers=(2, 7), losses=("0", "1%"), drivers=None, sizes=SIZES):
    drivers = drivers or [MpichDriver(library()), PvmDriver(library("pvm", "3.4.6")), TransferDriver("udpcast")]
    return Study(
        load_cluster("paper-4"),
        RATE,
        receivers,
        [Loss(loss) for loss in losses],
        drivers,
        ["native", "multicast"],
        sizes,
        Limits(least=2, most=2, patience_s=9.0),
    )


def text_of(table):
    out = StringIO()
    Console(file=out, width=400).print(table)
    return re.sub(r"\s+", " ", out.getvalue())  # titles are wrapped


class TestNetworks:
    @pytest.mark.parametrize("name", bundled_clusters())
    def test_all_hosts_are_the_same_network(self, name):
        cluster = load_cluster(name)
        assert first_hosts(cluster, len(cluster.hosts)).fingerprint == cluster.fingerprint

    def test_fewer_hosts_need_fewer_switches(self):
        whole = load_cluster("paper-4")
        assert [len(first_hosts(whole, count).switches) for count in (3, 8, 9, 32)] == [1, 1, 2, 4]
        dealt = first_hosts(load_cluster("cyclic"), 3)
        assert [dealt.switch_of(host) for host in range(3)] == ["s0", "s1", "s2"]
        assert len(dealt.links) == 2 + 3

    def test_links_of_hosts_stay_as_they_are(self):
        text = "trunkline: cluster/1\nname: n\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: [s]\nhosts:\n"
        text += "  - {hosts: a, switch: s, rate: 10Gbit}\n  - {hosts: 'b[0-3]', switch: s, loss: 2%}\n"
        two = first_hosts(_core.parse_cluster(text, "n"), 2)
        assert sorted(link.rate_bps for link in two.links) == [1e9, 10e9]
        assert _core.has_impairments(two)
        assert two.hosts == ["a", "b0"]


class TestWhatIsDue:
    def test_all_peers_of_a_network_follow_each_other(self):
        found = [(job.loss.text, job.receivers, job.driver.name) for job in jobs(study(), MulticastResults())]
        names = ("mpich", "pvm", "udpcast")
        assert found == [(loss, count, name) for loss in ("0", "1%") for count in (2, 7) for name in names]

    def test_what_the_file_has_is_left_out(self):
        results = MulticastResults()
        results.add(multicast_cell(algorithm=name, size=size) for name in ("native", "multicast") for size in SIZES)
        results.add([multicast_cell("udpcast", "paced"), multicast_cell("pvm", receivers=7, loss="1%")])
        left = {(job.loss.text, job.receivers, job.driver.name): job for job in jobs(study(), results)}
        assert ("0", 2, "mpich") not in left
        assert left["1%", 2, "mpich"].sizes == list(SIZES)
        assert left["0", 2, "udpcast"].sizes == list(SIZES)  # of the longer one, fec is missing
        assert left["1%", 7, "pvm"].sizes == [SIZES[0]]
        assert left["0", 7, "udpcast"].cells == 4

    def test_another_rate_counts_for_nothing(self):
        results = MulticastResults()
        results.add(multicast_cell(algorithm=name, size=size) for name in ("native", "multicast") for size in SIZES)
        slower = replace(study(losses=("0",), receivers=(2,)), rate_bps=10e6)
        assert "mpich" in {job.driver.name for job in jobs(slower, results)}
        assert slower.asked_for(results) == []


class FakeLab:
    """A lab that is none: its jobs say what they are told to."""

    def __init__(self, cluster):
        self.cluster, self.rate_bps = cluster, max(link.most_bps for link in cluster.links)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@pytest.fixture
def labs(monkeypatch):
    """Labs that came up; ``act`` is what their jobs do."""

    class Labs:
        up: list = []  # noqa: RUF012
        act = staticmethod(lambda *_: None)

    Labs.up = []

    def lab(cluster):
        Labs.up.append(cluster)
        return FakeLab(cluster)

    def follow(words, name, on_progress, into):
        sizes = [int(size) for size in words[words.index("--sizes") + 1].split(",")]
        algorithms = words[words.index("--algorithms") + 1].split(",")
        Labs.act(name, sizes, algorithms, on_progress, into)
        return into

    monkeypatch.setattr(run_module, "Lab", lab)
    monkeypatch.setattr(run_module, "learn_message_cost", lambda _: None)
    monkeypatch.setattr(driver_module, "follow", follow)
    for driver in (MpichDriver, PvmDriver, TransferDriver):
        monkeypatch.setattr(driver, "start", lambda _self, _lab, _folder, words, _setting, _preload: list(words))
    return Labs


def say(outcome, on_progress, name, size, algorithm, decided=True):
    outcome.library = f"{name} 7.7"
    for what in (PING_PONG, algorithm):
        outcome.seconds[size, what].append(1.0)
        outcome.ran[size, what] = (what, 0)
        on_progress(run_module.Repetition(name, size, what, 1.0, decided))


def all_well(name, sizes, algorithms, on_progress, outcome):
    for size in sizes:
        for algorithm in algorithms:
            say(outcome, on_progress, name, size, algorithm)


class TestRuns:
    def test_a_lab_for_each_network_and_a_cell_for_each_way(self, labs, tmp_path):
        labs.act = all_well
        results = MulticastResults(str(tmp_path / "out.json"))
        assert all(failure == "" for _, failure in measure_study(study(), results))
        assert [len(cluster.hosts) for cluster in labs.up] == [3, 8, 3, 8]
        assert [_core.has_impairments(cluster) for cluster in labs.up] == [False, False, True, True]
        rows = json.loads((tmp_path / "out.json").read_text())
        assert len(rows) == 4 * (2 + 1 + 2) * len(SIZES)
        own = next(row for row in rows if (row["mpi"], row["loss"], row["receivers"]) == ("udpcast", "1%", 7))
        assert own["algorithm"] == "paced"
        assert (own["mpi_version"], own["impairments"], own["hosts"]) == ("7.7", "loss 1%", 8)
        assert own["bound_seconds"] == pytest.approx(own["message_bytes"] * 8 / RATE)
        labs.up.clear()
        assert list(measure_study(study(), MulticastResults(str(tmp_path / "out.json")))) == []
        assert labs.up == []

    def test_what_is_finished_survives_an_interrupt(self, labs, tmp_path):
        def interrupted(name, sizes, algorithms, on_progress, outcome):
            say(outcome, on_progress, name, sizes[0], algorithms[0])
            say(outcome, on_progress, name, sizes[1], algorithms[0], decided=False)
            raise KeyboardInterrupt

        labs.act = interrupted
        results = MulticastResults(str(tmp_path / "out.json"))
        with contextlib.suppress(KeyboardInterrupt):
            list(measure_study(study(), results))
        (row,) = json.loads((tmp_path / "out.json").read_text())
        assert (row["mpi"], row["message_bytes"], row["algorithm"]) == ("mpich", SIZES[0], "native")

    def test_a_peer_that_fails_does_not_keep_the_others_from_running(self, labs):
        def some_fail(name, sizes, algorithms, on_progress, outcome):
            if name == "pvm":
                raise Failed("no daemon")
            if name == "udpcast":
                say(outcome, on_progress, name, sizes[0], algorithms[0])
                outcome.given_up = sizes[1]
                return
            all_well(name, sizes, algorithms, on_progress, outcome)

        labs.act = some_fail
        results = MulticastResults()
        done = {job.driver.name: why for job, why in measure_study(study(receivers=(2,), losses=("0",)), results)}
        assert done["mpich"] == ""
        assert done["pvm"] == "no daemon"
        assert "udpcast did nothing for 9 s at 1000000 B" in done["udpcast"]
        assert [one.algorithm for one in results.cells] == ["native", "multicast"] * 2 + ["paced"]

    def test_a_peer_that_does_not_always_start_is_started_again(self, labs, monkeypatch):
        tries = []

        def flaky(name, sizes, algorithms, on_progress, outcome):
            tries.append(name)
            if len(tries) < 3:
                raise Failed("Bad address")
            all_well(name, sizes, algorithms, on_progress, outcome)

        labs.act = flaky
        few = study(receivers=(2,), losses=("0",), drivers=[PvmDriver(library("pvm", "3.4.6"))])
        assert [why for _, why in measure_study(few, MulticastResults())] == ["Bad address"]
        tries.clear()
        monkeypatch.setattr(PvmDriver, "attempts", 3)
        assert [why for _, why in measure_study(few, MulticastResults())] == [""]

    def test_slow_peers_are_repeated_as_the_budget_says(self, labs, monkeypatch):
        least = {}

        def start(self, lab, folder, words, setting, preload):
            least[self.name] = words[words.index("--least") + 1]
            return words

        for driver in (MpichDriver, PvmDriver, TransferDriver):
            monkeypatch.setattr(driver, "start", start)
        labs.act = all_well
        list(measure_study(study(receivers=(2,), losses=("0",)), MulticastResults()))
        assert least == {"mpich": "2", "pvm": "1", "udpcast": "2"}


class TestFile:
    def test_what_was_written_is_read_again(self, cells, tmp_path):
        file = tmp_path / "out.json"
        MulticastResults(str(file)).add(cells)
        assert MulticastResults(str(file)).cells == MulticastResults(str(file)).cells
        assert {one.key for one in MulticastResults(str(file)).cells} == {one.key for one in cells}

    @pytest.mark.parametrize("content", ["{", "[1]", '[{"collective": "bcast"}]', "{}x"])
    def test_another_file_is_refused(self, tmp_path, content):
        file = tmp_path / "out.json"
        file.write_text(content)
        with pytest.raises(BadInput, match="is not a file of 'trunkline_papers bench multicast'"):
            MulticastResults(str(file))


class TestWhatIsShown:
    def test_a_table_for_each_network_and_one_for_loss(self, cells):
        text = text_of(multicast_tables(MulticastResultsOf(cells)))
        assert text.count("bound m/B") == 4
        assert "paper-4 at 20 Mbit/s, 7 receivers, 1% loss on every link" in text
        assert re.search(r"udpcast fec +560 ms", text)
        assert re.search(r"mpich multicast +2 +2\.27 +1\.14 \(50%\)", text)

    def test_the_faster_way_of_a_transfer_stands_for_it(self, cells):
        assert [one.algorithm for one in best_ways(cells) if one.mpi == "udpcast"] == ["fec"]
        assert len([one for one in best_ways(cells) if one.mpi == "mpich"]) == 16

    def test_figures_1_to_4_have_a_curve_for_each_size(self, cells):
        figures = paper_figures(cells)
        assert list(figures) == ["figure-1", "figure-2", "figure-3", "figure-4"]
        for name, svg in figures.items():
            ET.fromstring(svg)
            assert "prefers-color-scheme: dark" in svg
            width = float(re.search(r'width="([\d.]+)pt"', svg)[1]) * 96 / 72
            assert width <= 390
            curves = re.findall(r'id="curve-(.*?)"', svg)
            expected = ["mpich multicast"] if name in ("figure-3", "figure-4") else ["pvm", "mpich native"]
            assert curves == [f"{peer}-{size}" for peer in expected for size in SIZES]

    def test_a_figure_without_cells_is_not_drawn(self, cells):
        assert list(paper_figures([one for one in cells if one.mpi == "pvm"])) == ["figure-1", "figure-2"]
        assert loss_figure([one for one in cells if one.loss == "0"]) is None

    def test_loss_has_a_curve_for_each_contestant_and_number_of_receivers(self, cells):
        curves = set(re.findall(r'id="curve-(.*?)"', loss_figure(cells)))
        names = ("mpich native", "mpich multicast", "pvm", "uftp")
        assert curves >= {f"{name}-{count}" for name in names for count in (2, 7)}

    def test_the_page_stands_alone(self, cells):
        cells = MulticastResultsOf(cells)
        page = multicast_page(cells, paper_figures(cells) | {"loss": loss_figure(cells)}, {"lam": "<it> is missing"})
        assert page.count("<svg") == 5
        assert "&lt;it&gt; is missing" in page
        assert not re.search(r"""(src|href)=["']?https?:""", page)
        assert "7 receivers, 1% loss on every link" in page


def MulticastResultsOf(cells):  # noqa: N802
    results = MulticastResults()
    results.add(cells)
    return results.cells


class TestDrivers:
    def test_what_is_not_installed_is_left_out_with_the_way_to_get_it(self, monkeypatch):
        monkeypatch.setattr(drivers_module, "find_peers", dict)
        monkeypatch.setattr(transfer_driver.shutil, "which", lambda _: None)
        monkeypatch.setattr(transfer_driver, "timing_program", lambda mpi: f"/nowhere/{mpi.name}")
        drivers, left_out = choose_multicast_drivers([], ["pvm", "lam", "uftp", "udpcast", "norm"])
        assert drivers == []
        assert set(left_out) == {"pvm", "lam", "uftp", "udpcast", "norm"}
        assert all("make peers" in reason for reason in left_out.values())
        assert "uftp is missing" in left_out["uftp"]
        assert "/nowhere/norm is missing" in left_out["norm"]

    def test_another_name_is_refused(self):
        with pytest.raises(
            BadInput, match="there is no peer 'openmpi'; .* uftp, udpcast, norm; MPI libraries are named"
        ):
            choose_multicast_drivers([], ["openmpi"])


class TestCommand:
    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["--receivers", "0"], "--receivers: '0' is not a whole number above zero"),
            (["--receivers", "2-99"], "paper-4 has 32 hosts, so at most 31 receivers beside the root, not 99"),
            (["--loss", "1"], '--loss 1: "1" has no unit'),
            (["--loss", "0,200%"], "--loss 200%: the share 200% must be from 0% to 100%"),
            (["--peers", "ftp"], "there is no peer 'ftp'"),
            (["--sizes", "0"], "a message of 0 bytes"),
            (["--algorithms", "fast"], "fast"),
            (["--json", "-"], "--json: a run goes on from its file"),
            (["--figures", "/etc/passwd"], "cannot write /etc/passwd/figure-1.svg: /etc/passwd is no folder"),
        ],
    )
    def test_wrong_input_is_told_first(self, papers_refused, words, said):
        assert said in papers_refused("bench", "multicast", "--rate", "20Mbit", *words)

    def test_losses_are_sorted_and_each_once(self):
        found = command._losses("5%,0,0.1%,0%,1.0%,1%", load_cluster("paper-4"))
        assert [loss.text for loss in found] == ["0", "0.1%", "1%", "5%"]
