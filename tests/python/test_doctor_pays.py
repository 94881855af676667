"""``trunkline doctor --pays``: does it help on a network, by prediction, with how sure that is."""

from xml.etree import ElementTree

import pytest

from trunkline import _core
from trunkline.accuracy import accuracy_over, library_words, own_words
from trunkline.cluster import load_cluster
from trunkline.doctor.pays import Gain, pays, verdict
from trunkline.doctor.pays_picture import cell_words, pays_panels, pays_picture

LEAF_SPINE = load_cluster("leaf-spine")
SIZES = (1 << 10, 1 << 20)


@pytest.fixture(scope="module")
def found():
    return pays(LEAF_SPINE, ["bcast", "allreduce"], [1e9, 25e9], [1, 32], SIZES, _core.NativeLibrary.mpich)


def cell(gain=2.0, segment=1448, ranks=1, library=_core.NativeLibrary.mpich, rate=1e9):
    seen = _core.accuracy_of(library, ranks, rate)
    ran = "two-tree" if segment else "native"
    return Gain("bcast", rate, ranks, 65536, ran, segment, 1.0, gain, None, "why", seen)


def test_every_cell_is_there(found):
    keys = [(one.collective, one.rate_bps, one.ranks_per_host, one.message_bytes) for one in found]
    assert len(set(keys)) == len(keys) == 2 * 2 * 2 * 2
    assert {one.rate_bps for one in found} == {1e9, 25e9}


def test_what_it_says_is_what_explain_says(found, trunkline):
    words = ("--cluster", "leaf-spine", "--rate", "25Gbit", "--ranks-per-host", "32", "--no-multicast", "--json", "-")
    rows = trunkline("explain", *words, "--mpi", "mpich", "--sizes", "1KiB,1MiB").data
    own = [one for one in found if (one.collective, one.rate_bps, one.ranks_per_host) == ("bcast", 25e9, 32)]
    assert [row["algorithm"] for row in rows] == [one.algorithm for one in own]
    assert [row["segment_bytes"] for row in rows] == [one.segment_bytes for one in own]


def test_how_sure_it_is():
    seen = _core.accuracy_of(_core.NativeLibrary.mpich, 1, 1e9)
    wanted = (2 * seen.library_least / (1 + seen.ours), 2 * seen.library_most / (1 - seen.ours))
    assert cell(2.0).between == pytest.approx(wanted)
    assert [cell(2.0).sure, cell(1.3).sure, cell(1.0, segment=0).sure] == ["yes", "likely", "same"]
    assert cell(2.0, library=_core.NativeLibrary.openmpi).sure == "likely", "its own calls are less sure"
    assert [cell_words(one) for one in (cell(2.04), cell(1.3), cell(130.2), cell(1.0, segment=0))] == [
        *("2.0", "~1.30", "130", "=")
    ]


def test_what_was_simulated_is_between():
    """Broadcasts of 1 MiB on 24 hosts of 16 ranks, docs/results/model.md: the gain was 5.9, and 10 is predicted."""
    openmpi = _core.NativeLibrary.openmpi
    (one,) = pays(LEAF_SPINE, ["bcast"], [1e10], [16], [1 << 20], openmpi)
    simulated_native_s, simulated_s = 9.09e-3, 1.54e-3
    low, high = one.between
    assert low <= simulated_native_s / simulated_s <= high


def test_all_commands_say_the_same_of_how_sure_predictions_are(trunkline):
    job = ("--cluster", "leaf-spine", "--mpi", "openmpi", "--sizes", "64KiB", "--ranks-per-host", "4")
    explained = " ".join(trunkline("explain", *job).out.split())
    predicted = " ".join(trunkline("predict", *job, "--algorithms", "binary").out.split())
    pays_words = " ".join(trunkline("doctor", "--pays", *job).out.split())
    found = accuracy_over(LEAF_SPINE, _core.NativeLibrary.openmpi, 4)
    for words in (own_words(found), library_words(found, "openmpi"), _core.source_of_accuracy):
        for said in (explained, predicted, pays_words):
            assert words in said


def test_the_verdict():
    assert verdict([cell(1.0, segment=0)]).startswith("Trunkline would not help there")
    assert verdict([cell(1.3)]).startswith("Trunkline may help there, up to 1.3 times (MPI_Bcast)")
    said = verdict([cell(2.0), cell(1.3), cell(1.0, segment=0)])
    assert "faster in 1 of 3 cells" in said
    assert "likely faster in 1 more; the library's own in 1" in said


def test_pictures_fit_on_a_phone_and_hold_every_cell(found):
    picture = pays_picture(found, ["leaf-spine", "about"])
    root = ElementTree.fromstring(picture)
    assert float(root.get("width")) == 390
    assert "prefers-color-scheme: dark" in picture
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    for one in found:
        assert cell_words(one) in texts
    assert texts.count("x32") == 4
    assert len(pays_panels(found, "leaf-spine")) == 2


def test_many_columns_go_below_each_other():
    many = pays(LEAF_SPINE, ["bcast"], [1e9, 1e10, 2.5e10, 1e11], [1, 8, 32], SIZES, _core.NativeLibrary.openmpi)
    root = ElementTree.fromstring(pays_picture(many, ["x"]))
    cells = [one for one in root.iter("{http://www.w3.org/2000/svg}rect") if one.get("rx") == "3"]
    assert max(float(one.get("x")) + float(one.get("width")) for one in cells) <= 390
    assert min(float(one.get("width")) for one in cells) > 40


def test_the_command(trunkline, tmp_path):
    words = ("doctor", "--pays", "--cluster", "leaf-spine", "--rate", "25Gbit", "--ranks-per-host", "32")
    ran = trunkline(*words, "--svg", tmp_path / "pays.svg", "--report", tmp_path / "pays.html")
    assert ran.status == 0, ran
    assert ran.out.splitlines()[-1].startswith("Trunkline helps there: ")
    assert "nothing was measured" in ran.out
    page = (tmp_path / "pays.html").read_text()
    assert page.count("<svg") == 4
    assert "How it was predicted" in page
    assert "MPI_Alltoall" in page
    rows = trunkline(*words, "--json", "-").data
    assert {row["collective"] for row in rows} == {"bcast", "reduce", "allreduce", "allgather"}
    assert all(row["gain_low"] <= row["gain"] <= row["gain_high"] for row in rows)
    assert "--rate 25 Gbit/s is that of hosts' links (the slowest), others keep their proportions: hosts " in ran.error
    assert (
        "Library: MPICH 4 and 5 by their own rules, so far as known: binomial among hosts (1 KiB to 8 KiB), " in ran.out
    )


def test_a_rate_is_that_of_hosts_where_trunks_are_faster(trunkline, tmp_path):
    file = tmp_path / "fast-trunk.yaml"
    file.write_text(
        "trunkline: cluster/1\nname: fast-trunk\nswitches: [s0, s1]\ndefaults: {rate: 10Gbit, latency: 10us}\n"
        'hosts:\n  - {hosts: "h[0-7]", switches: "s[0-1]", deal: 4}\nlinks:\n'
        "  - {between: [s0, s1], rate: 40Gbit}\n"
    )
    words = ("doctor", "--pays", "--collective", "bcast", "--json", "-", "--cluster", file)
    ran = trunkline(*words, "--rate", "25Gbit")
    assert {row["rate_bps"] for row in ran.data} == {25e9}
    assert "others keep their proportions: hosts 25 Gbit/s, trunks 100 Gbit/s" in ran.error
    own = [{**row, "reason": ""} for row in trunkline(*words).data]
    assert [{**row, "reason": ""} for row in trunkline(*words, "--rate", "10Gbit").data] == own


def test_a_version_of_the_library_is_taken(trunkline):
    words = ("doctor", "--pays", "--cluster", "leaf-spine", "--collective", "bcast", "--sizes", "8KiB")
    ran = trunkline(*words, "--mpi", "openmpi-5.0.11")
    assert "openmpi-5.0.11" in ran.out.splitlines()[0]
    assert "Library: Open MPI 4.1 and 5.0 by their own rules, so far as known: " in ran.out
    assert trunkline(*words, "--mpi", "openmpi-5.0.11", "--json", "-").data[0]["native_algorithm"] == "binomial"
    for version, costs in (("4.0.2", "mpich"), ("5.0.2", "mpich-5")):
        said = trunkline(*words, "--mpi", f"mpich-{version}").out.splitlines()[0]
        assert f"mpich-{version}; " in said
        assert f"messages cost hosts what was measured under {costs}: " in said


def test_no_line_leaves_the_picture(found):
    about = ["leaf-spine: 24 hosts on 5 switches, openmpi", "hosts 10 Gbit/s, trunks 20 Gbit/s; " * 3]
    root = ElementTree.fromstring(pays_picture(found, about))
    lines = [one for one in root.iter("{http://www.w3.org/2000/svg}text") if float(one.get("x")) < 20]
    assert max(float(one.get("x")) + 0.58 * float(one.get("font-size")) * len(one.text) for one in lines) <= 390
    assert "Predicted" in lines[0].text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--pays",), "the cluster is not known: give --cluster"),
        (("--pays", "--cluster", "leaf-spine", "--mpi", "lam"), "--mpi lam: what a library runs by itself is known of"),
        (("--pays", "--cluster", "leaf-spine", "--collective", "barrier"), "--collective barrier: it has no sizes"),
        (("--pays", "--cluster", "leaf-spine", "--slurm", "x"), "--slurm is for a doctor outside a job and without"),
        (("--cluster", "leaf-spine", "--ranks-per-host", "2"), "--ranks-per-host is for --pays"),
        (("--pays", "--cluster", "leaf-spine", "--ranks-per-host", "0"), "--ranks-per-host: '0' is not a whole number"),
    ],
)
def test_wrong_words(refused, words, message, monkeypatch):
    monkeypatch.delenv("TRUNKLINE_CLUSTER", raising=False)
    assert refused("doctor", *words).startswith(message)
