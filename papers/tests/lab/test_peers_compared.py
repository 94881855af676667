import json

import pytest
from busy_machine import measures

from trunkline.bench.job import Limits, follow, timing_words
from trunkline.cluster import load_cluster
from trunkline.lab.session import Lab
from trunkline_papers.peers.driver import DEFAULT
from trunkline_papers.peers.drivers import choose_drivers

pytestmark = pytest.mark.usefixtures("nothing_left")

SMALL = """\
trunkline: cluster/1
name: small
defaults: {rate: 20Mbit, latency: 10us}
switches: [s0, s1]
hosts:
  - {hosts: "h[0,2]", switch: s0}
  - {hosts: "h[1,3]", switch: s1}
links:
  - {between: [s0, s1]}
"""


def test_a_comparison(papers, tmp_path):
    """The race has time for the default alone; what cannot run here is left out and said to be."""
    (tmp_path / "small.yaml").write_text(SMALL)
    file, page = tmp_path / "peers.json", tmp_path / "peers.html"
    words = ["bench", "peers", "--cluster", str(tmp_path / "small.yaml"), "--sizes", "8KiB,32KiB", "--rate", "20Mbit"]
    words += ["--peers", "mpich,lam"]
    words += ["--rounds", "1", "--least", "2", "--most", "2", "--sweep-budget", "0.001", "--json", str(file)]
    done = papers(*words, "--report", str(page))
    assert done.returncode == 0, done.stderr
    cells = json.loads(file.read_text())
    drivers, left_out = choose_drivers(["mpich", "lam"], "bcast")
    assert {cell["mpi"] for cell in cells} == {driver.name for driver in drivers}
    for name in left_out:
        assert f"{name} is left out:" in done.stderr
    own = {cell["algorithm"]: cell for cell in cells if (cell["mpi"], cell["message_bytes"]) == ("mpich", 32 << 10)}
    assert set(own) == {"native", "native-best", "auto"}
    assert own["native-best"]["setting"] == "default"
    assert own["native-best"]["untried"] > 20
    wire_s = 32 * 1024 * 8 / 20e6
    assert own["auto"]["limit_seconds"] > wire_s  # on a busy machine T(m) may be longer than what auto took
    assert own["auto"]["seconds_median"] > wire_s
    assert "Trunkline beside every library" in page.read_text()
    again = papers(*words[:-3], "0", "--json", str(file))
    assert "Everything has been measured already" in again.stderr
    assert json.loads(file.read_text()) == cells


@measures
def test_a_setting_is_what_runs(tmp_path):
    """A wrong variable would be ignored, and the default measured again."""
    (tmp_path / "small.yaml").write_text(SMALL)
    cluster = load_cluster(str(tmp_path / "small.yaml"))
    driver = choose_drivers(["mpich"], "bcast")[0][0]
    line = next(s for s in driver.settings("bcast", cluster, tmp_path) if s.name == "tsp_tree-kary-1:4096")
    with Lab(cluster) as lab:
        words = timing_words("bcast", cluster, [128 << 10], ["native"], Limits(least=2, most=2))
        default, other = (
            min(follow(driver.start(lab, tmp_path, words, each, False), "mpich").seconds[128 << 10, "native"])
            for each in (DEFAULT, line)
        )
    assert other < 0.9 * default
