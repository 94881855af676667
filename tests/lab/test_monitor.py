"""A link of a lab slows tenfold: the monitor sees it, and a job that follows its file takes other plans."""

import json
import sys

import pytest
from busy_machine import PATIENCE_S
from test_measure_pairs import RATE, THREE_SITES

from trunkline import _core
from trunkline.lab.running import change_links, running_labs
from trunkline.lab.session import Lab
from trunkline.mpi import preload_of, ready_mpi

pytestmark = pytest.mark.usefixtures("nothing_left")
FREE = {"TRUNKLINE_HOST_COSTS": "free", "TRUNKLINE_MULTICAST": "0"}
"""What messages cost on a busy machine must not decide here."""


class Beside:
    """A lab with a cluster file that a job follows, and a monitor of that."""

    def __init__(self, lab, mpi, folder):
        self.lab, self.mpi, self.folder = lab, ready_mpi(mpi), folder
        self.file = folder / "now.yaml"
        self.file.write_text(_core.write_cluster(lab.cluster))

    def launch(self, program, **words):
        hosts = self.lab.cluster.hosts
        return self.mpi.launch(
            hosts=hosts, ranks=len(hosts), ranks_per_host=1, program=program, agent=Lab.agent, **words
        )

    def follow(self, program):
        """Goes on until all its communicators run something else."""
        settings = FREE | {"TRUNKLINE_CLUSTER": str(self.file), "TRUNKLINE_FOLLOW": "1", "TRUNKLINE_EXPLAIN": "1"}
        words = [str(program), str(self.file), "take"]
        argv, env = self.launch(words, env=settings, preload=[preload_of(self.mpi)])
        with (self.folder / "said").open("w") as said:
            return self.lab.popen(argv, env=env, stderr=said)

    def monitor(self):
        argv, env = self.launch([])
        words = ["monitor", str(self.file), "--once", "--most-pairs", "8", "--calls", "bcast:20000", "--json", "-"]
        words = [sys.executable, "-m", "trunkline", *words, "--", *argv]
        done = self.lab.run(words, env=env | FREE, capture=True, timeout=PATIENCE_S)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


LEAVES = """\
trunkline: cluster/1
name: leaves
defaults: {rate: 20Mbit, latency: 10us}
paths: equal-cost
switches: ["spine-[0-1]", "s[0-2]"]
hosts:
  - {hosts: "h[0-5]", switches: "s[0-2]", deal: 2}
links:
"""
LEAVES += "".join(f"  - between: [spine-{spine}, s{leaf}]\n" for spine in range(2) for leaf in range(3))


@pytest.mark.parametrize(("network", "slows"), [(THREE_SITES, "s0-s1"), (LEAVES, "spine-0+1-s1")])
def test_a_job_goes_over_to_other_plans_where_a_link_slows(program, tmp_path, network, slows):
    with Lab(_core.parse_cluster(network, "network.yaml"), RATE) as lab:
        lab.open()
        beside = Beside(lab, "mpich", tmp_path)
        assert beside.monitor()["measurements"] == 1
        job = beside.follow(program("follow", "mpich"))
        (here,) = [one for one in running_labs() if one.cluster.name == lab.cluster.name and one.door.exists()]
        change_links(here, [slows, "rate=10%"])
        rounds = []
        while not (rounds and rounds[-1]["wrote"]) and len(rounds) < 5:
            rounds.append(beside.monitor())
        assert rounds[-1]["wrote"], json.dumps(rounds)
        (slow,) = [pair for pair in rounds[-1]["pairs"] if pair["hosts"] == ["h0", "h2"]]
        # A tenth, and what a shaper lets through at first: the more, the longer a busy machine keeps senders waiting.
        assert slow["bandwidth_bps"][0] < RATE / 2
        assert job.wait(timeout=PATIENCE_S) == 0, (tmp_path / "said").read_text()
    assert "on, plans are for the network as" in (tmp_path / "said").read_text()
