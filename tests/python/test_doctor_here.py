"""``trunkline doctor`` outside a job: this machine, and the cluster file beside what others say."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.doctor.drift import place_findings, rate_findings
from trunkline.doctor.finding import is_well, note, ok, verdict, wrong
from trunkline.doctor.here import findings_here, interface_findings, mpi_findings
from trunkline.doctor.stated_switches import lldp_here, slurm_places
from trunkline.doctor.windows import window_findings
from trunkline.errors import BadInput
from trunkline.mpi import find_mpis
from trunkline.pairs.file import MeasuredPair, Pairs
from trunkline.pairs.latencies import headers_s

CYCLIC = load_cluster("cyclic")  # 100 Mbit/s, h0 on s0, h1 on s1, ...
FOUR_SITE = load_cluster("four-site")
PLACES = {f"h{k}": f"rack{k % 4}" for k in range(32)}


def texts(findings, state="wrong"):
    return [one.text for one in findings if one.state == state]


def test_a_file_that_agrees():
    found = list(place_findings(CYCLIC, PLACES, "Slurm", tells_all=True))
    assert is_well(found)
    assert texts(found, "ok") == ["the cluster file has 32 hosts below the switches that Slurm says"]


def test_a_host_that_was_moved():
    found = list(place_findings(CYCLIC, {**PLACES, "h5": "rack2"}, "Slurm", tells_all=True))
    assert texts(found) == ["h5 is below rack2 by Slurm, as h2 is, and the cluster file has it below s1"]
    assert "import it again" in found[0].advice


def test_hosts_that_one_side_alone_has():
    places = {name: switch for name, switch in PLACES.items() if name != "h7"} | {"h99": "rack0"}
    said = texts(place_findings(CYCLIC, places, "Slurm", tells_all=True))
    assert said == [
        "Slurm has hosts that the cluster file has not: h99",
        "the cluster file has hosts that Slurm has not: h7",
    ]
    assert texts(place_findings(CYCLIC, {"h1": "rack1"}, "LLDP", tells_all=False)) == []


def pairs(share, age=timedelta(0)):
    """Of all hosts with h0 and with each other, as the file says, times a share of the rate of h3's link."""
    made = []
    for a in range(8):
        for b in range(a + 1, 8):
            bps = 1e8 * (share if 3 in (a, b) else 1.0)
            made.append(MeasuredPair((a, b), 1e-4, (bps, bps), (1e-6, 1e-6)))
    return Pairs(datetime.now(UTC) - age, "mpich", made)


def test_rates_that_were_measured():
    assert texts(rate_findings(CYCLIC, pairs(0.95), "p.json")) == []
    (said,) = texts(rate_findings(CYCLIC, pairs(0.1), "p.json"))
    assert "h3" in said
    assert "100 Mbit/s stated" in said
    (aged,) = texts(rate_findings(CYCLIC, pairs(0.1, timedelta(days=3, hours=1)), "p.json"))
    assert aged.startswith("p.json, measured 3 days ago: ")


def leaves(spine_rate):
    """Two leaves of four hosts below two spines, one of 10 Gbit/s."""
    return _core.parse_cluster(
        "trunkline: cluster/1\nname: x\npaths: equal-cost\ndefaults: {rate: 40Gbit, latency: 10us}\n"
        'switches: [a, b, "leaf-[0-1]"]\nhosts: [{hosts: "h[0-7]", switches: "leaf-[0-1]", deal: 4}]\nlinks:\n'
        + "".join(
            f"  - {{between: [{spine}, leaf-{leaf}], rate: {rate}}}\n"
            for spine, rate in (("a", "10Gbit"), ("b", spine_rate))
            for leaf in range(2)
        ),
        "x",
    )


def test_rates_of_links_that_equal_cost_paths_make_one():
    def measured(slow_bps, usual_bps=10e9):
        made = []
        for a in range(8):
            for b in range(a + 1, 8):
                bps = 40e9 if (a < 4) == (b < 4) else slow_bps if (a, b) == (0, 4) else usual_bps
                between_s = 0.0 if (a < 4) == (b < 4) else 2 * (10e-6 + headers_s(10e9))
                made.append(MeasuredPair((a, b), 1e-4 + between_s, (bps, bps), (1e-6, 1e-6)))
        return Pairs(datetime.now(UTC), "mpich", made)

    assert texts(rate_findings(leaves("10Gbit"), measured(10e9), "p.json")) == []
    (said,) = texts(rate_findings(leaves("10Gbit"), measured(1e9), "p.json"))
    assert said.startswith(
        "p.json: not alike: a+1 - leaf-0 (2 links) or a+1 - leaf-1 (2 links): some pairs over it have "
    )
    # As measured both spines are alike, which is another network than the file's.
    plain = 10e9 * _core.frame_payload_bytes / _core.frame_wire_bytes
    (found,) = rate_findings(leaves("20Gbit"), measured(plain, plain), "p.json")
    assert found.state == "note"
    assert "rates are not compared" in found.text


def test_a_machine_without_cmake(monkeypatch):
    """Jobs do without it: packages bring preload libraries that are built."""

    def none_to_look_with():
        raise BadInput("this needs CMake 3.25 or newer")

    monkeypatch.setattr("trunkline.doctor.here.search_mpis", none_to_look_with)
    monkeypatch.setattr("trunkline.doctor.here.find_mpis", dict)
    found = list(findings_here(None))
    assert [one.state for one in found if one.topic == "MPI"][:2] == ["note", "wrong"]
    assert "were not looked for: this needs CMake 3.25" in found[1].text


@pytest.mark.parametrize(("speed", "state"), [("100", "ok"), ("1000", "wrong"), ("-1", "ok"), ("", "ok")])
def test_an_interface_beside_the_file(tmp_path, speed, state):
    place = tmp_path / "eth0"
    place.mkdir()
    (place / "operstate").write_text("up\n")
    (place / "speed").write_text(f"{speed}\n")
    found = list(interface_findings(CYCLIC, tmp_path, "h3"))
    assert found[-1].state == state
    if state == "wrong":
        assert found[-1].text == "the fastest interface has 1 Gbit/s, and the cluster file says 100 Mbit/s of h3"
    strange = list(interface_findings(CYCLIC, tmp_path, "elsewhere"))
    assert strange[-1].text == "cluster cyclic has no host elsewhere"


@pytest.mark.parametrize(
    ("received", "state"),
    [("4096 131072 6291456", "ok"), ("4096 131072 262144", "wrong")],
)
def test_windows_beside_the_longest_way(tmp_path, received, state):
    (tmp_path / "tcp_rmem").write_text(received + "\n")
    (tmp_path / "tcp_wmem").write_text("4096\t16384\t4194304\n")
    (found,) = window_findings(FOUR_SITE, tmp_path, "h0")
    assert found.state == state
    # 50 Mbit/s, and 10 + 40 ms away
    assert "from h0 to h31, 50 Mbit/s x 100 ms there and back, " in found.text
    if state == "wrong":
        assert found.text.startswith("tcp_rmem lets one hold some 128 KiB; ")
        assert found.text.endswith(": a stream gets 21% of the rate")
        assert "net.ipv4.tcp_rmem=4096 131072 1250" in found.advice
        assert "start 8 ranks a host or more and set TRUNKLINE_BCAST=8-lane-two-tree:14440" in found.advice


@pytest.mark.parametrize(
    ("most", "words"),
    [
        (800_000, "set TRUNKLINE_BCAST=2-lane-two-tree:14440, which has 2 streams between two hosts"),
        (400_000, "set TRUNKLINE_BCAST=4-lane-two-tree:14440, which has 4 streams between two hosts"),
        (62_500, "has 8 streams between two hosts (40% of the rate)"),
    ],
)
def test_streams_where_buffers_cannot_grow(tmp_path, most, words):
    (tmp_path / "tcp_rmem").write_text(f"4096 131072 {most}\n")
    (found,) = window_findings(FOUR_SITE, tmp_path, "h0")  # 625 000 bytes are under way
    assert found.advice.endswith(words)


@pytest.mark.parametrize(
    ("setting", "value", "holds"),
    [
        ("OMPI_MCA_btl_tcp_rcvbuf", "131072", "128 KiB"),
        ("UCX_TCP_SNDBUF", "64k", "64 KiB"),
        ("UCX_TCP_SNDBUF", "4MB", "208 KiB"),  # no more than the kernel lets a program ask for
        ("UCX_TCP_RCVBUF", "auto", ""),
        ("OMPI_MCA_btl_tcp_sndbuf", "0", ""),
    ],
)
def test_buffers_that_a_library_is_told_to_have(tmp_path, setting, value, holds):
    folder = tmp_path / "ipv4"
    for place, text in (
        (folder / "tcp_rmem", "4096 131072 6291456"),
        (folder / "tcp_wmem", "4096 16384 4194304"),
        (tmp_path / "core" / "wmem_max", "212992"),
    ):
        place.parent.mkdir(exist_ok=True)
        place.write_text(text + "\n")
    (found,) = window_findings(FOUR_SITE, folder, "h0", {setting: value})
    assert found.state == ("wrong" if holds else "ok")
    if holds:
        assert found.text.startswith(f"{setting} lets one hold some {holds}; ")
        assert found.advice == f"leave {setting} out: buffers that are set to a length do not grow"


@pytest.mark.parametrize(
    ("limit", "words"), [("4194304", "100% of the rate"), ("312500", "50% of the rate"), ("130000", "")]
)
def test_settings_that_have_longer_windows_than_buffers_grow_to(tmp_path, limit, words):
    folder, core = tmp_path / "ipv4", tmp_path / "core"
    folder.mkdir()
    core.mkdir()
    (folder / "tcp_rmem").write_text("4096 131072 262144\n")
    for name in ("rmem_max", "wmem_max"):
        (core / name).write_text(limit + "\n")
    (found,) = window_findings(FOUR_SITE, folder, "h0", {})
    assert ("give sockets buffers of a length" in found.advice) == bool(words)
    if words:
        length = min(int(limit), 625250)  # 50 Mbit/s for 100.04 ms
        assert words in found.advice
        assert f"OMPI_MCA_btl_tcp_sndbuf={length} OMPI_MCA_btl_tcp_rcvbuf={length} (Open MPI)" in found.advice
        assert f"UCX_TCP_SNDBUF={length} UCX_TCP_RCVBUF={length} (MPICH 4); or write tcp_window" in found.advice


def test_windows_beside_what_the_file_says(tmp_path):
    (tmp_path / "tcp_rmem").write_text("4096 131072 262144\n")
    (tmp_path / "tcp_wmem").write_text("4096\t16384\t4194304\n")

    def found(window):
        text = _core.write_cluster(FOUR_SITE).replace("latency: 10us}", f"latency: 10us, tcp_window: {window}}}", 1)
        return list(window_findings(_core.parse_cluster(text, "x"), tmp_path, "h0"))

    (capped,) = found("128KiB")
    assert "tcp_window" not in capped.advice
    other, capped = found("3MiB")
    assert other.text == "the cluster file says that h0 has windows of 3 MiB, and here they hold some 128 KiB"
    assert "write tcp_window: 128KiB there" in other.advice
    (unsaid,) = window_findings(FOUR_SITE, tmp_path, "h0")
    assert "write tcp_window: 128KiB beside the hosts in the cluster file" in unsaid.advice


def test_windows_of_another_machine_or_system(tmp_path):
    assert list(window_findings(FOUR_SITE, tmp_path, "elsewhere")) == []
    assert list(window_findings(None, tmp_path, "h0")) == []
    (unsaid,) = window_findings(FOUR_SITE, tmp_path, "h0")
    assert unsaid.text == f"{tmp_path} does not say how far they may grow"


def test_libraries_that_cannot_serve(monkeypatch):
    (said,) = texts(mpi_findings({}))
    assert said == "no MPI library here has a preload library yet"
    name, mpi = next(iter(find_mpis().items()), pytest.skip) if find_mpis() else pytest.skip("no MPI library")
    gone = replace(mpi, mpiexec="/nowhere/mpiexec")
    assert texts(mpi_findings({name: gone})) == ["/nowhere/mpiexec is gone"]
    unbuilt = replace(mpi, name="mpich-0.0")
    assert texts(mpi_findings({"mpich-0.0": unbuilt}))[0].endswith("libtrunkline-mpich-0.0.so is not there")


@pytest.mark.parametrize("name", [name for name in find_mpis() if name in ("mpich", "openmpi")])
def test_two_ranks_load_the_library(name):
    (found,) = [one for one in mpi_findings({name: find_mpis()[name]}) if one.topic == f"MPI {name}"]
    assert found.state in ("ok", "note"), found
    assert f"libtrunkline-{name}.so" in found.text


def test_slurm_tells_places(tmp_path):
    file = tmp_path / "topology.conf"
    file.write_text("SwitchName=a Nodes=h[0-1]\nSwitchName=b Nodes=h2\nSwitchName=c Switches=a,b\n")
    assert slurm_places(str(file)) == {"h0": "a", "h1": "a", "h2": "b"}


def test_an_lldpd_that_does_not_answer(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert lldp_here("h1") is None
    (tmp_path / "lldpcli").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "lldpcli").chmod(0o755)
    assert lldp_here("h1") is None


def test_verdicts():
    assert verdict([ok("a", "b"), note("c", "d")]) == "Trunkline is well here."
    assert verdict([wrong("a", "b", "c")]).startswith("1 thing is wrong here")
    assert not is_well([ok("a", "b"), wrong("a", "b", "c")])


def test_the_page_and_the_file(trunkline, tmp_path, monkeypatch):
    for name in ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID", "TRUNKLINE_CLUSTER", "SLURM_CONF"):
        monkeypatch.delenv(name, raising=False)
    topology = tmp_path / "topology.conf"
    topology.write_text("".join(f"SwitchName=r{k} Nodes=h[{','.join(map(str, range(k, 32, 4)))}]\n" for k in range(4)))
    topology.write_text(topology.read_text() + "SwitchName=top Switches=r[0-3]\n")
    words = ("doctor", "--cluster", "cyclic", "--slurm", topology)
    ran = trunkline(*words, "--json", tmp_path / "doctor.json")
    told = json.loads((tmp_path / "doctor.json").read_text())
    assert {"version", "interfaces", "multicast", "lab", "planned", "cluster", "drift"} <= {
        one["topic"] for one in told["findings"]
    }
    assert [one for one in told["findings"] if one["topic"] == "drift" and one["state"] == "wrong"] == []
    assert ran.status == (1 if any(one["state"] == "wrong" for one in told["findings"]) else 0)
    for one in told["findings"]:
        assert one["text"] in ran.out
    assert told["verdict"] in ran.out
    topology.write_text(topology.read_text().replace("[0,", "["))
    moved = trunkline(*words)
    assert moved.status == 1
    assert "the cluster file has hosts that Slurm's" in moved.out
    assert _core.planned_words() in moved.out
