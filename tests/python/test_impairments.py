"""What commands with a lab take of loss and the like, without a lab."""

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.lab.impairments import COUNTED, Impairments, counted_text

NOTHING = {"frames": 10, **dict.fromkeys(COUNTED, 0)}


def test_options_go_before_the_file_and_those_for_a_place_before_all():
    cluster = _core.impaired(load_cluster("paper-1"), "loss", "1%")
    written = _core.write_cluster(Impairments({"loss": ["h3=5%", "2%"]}).of(cluster))
    assert written.count("loss: 2%") == 2
    assert "hosts: h3\n    switch: s0\n    loss: 5%" in written
    assert "loss: 1%" not in written


def test_a_cluster_keeps_its_fingerprint():
    cluster = load_cluster("paper-4")
    harmed = Impairments({"loss": ["1%"], "duplicate": ["s0-s1=3%"]}).of(cluster)
    assert harmed.fingerprint == cluster.fingerprint
    assert (_core.has_impairments(cluster), _core.has_impairments(harmed)) == (False, True)
    assert _core.write_cluster(_core.unimpaired(harmed)) == _core.write_cluster(cluster)


@pytest.mark.parametrize(
    ("key", "setting", "message"),
    [
        ("loss", "5", '--loss 5: "5" has no unit'),
        ("reorder_by", "h3=2", '--reorder-by h3=2: "2" has no unit'),
        ("loss", "h99=1%", "--loss h99=1%: h99 is no host, switch or link of paper-1 (did you mean h9?)"),
        ("garble", "-1%", "--garble -1%: the share -1% must be from 0% to 100%"),
        ("duplicate", "", '--duplicate : "" is no share'),
    ],
)
def test_refusals_name_the_option(key, setting, message):
    with pytest.raises(BadInput) as refused:
        Impairments({key: [setting]}).of(load_cluster("paper-1"))
    assert str(refused.value).startswith(message)


def test_what_was_done_is_said_and_nothing_else():
    assert counted_text(NOTHING) is None
    assert counted_text({**NOTHING, "lost": 3, "reordered": 1}).endswith("3 lost, 1 reordered")


@pytest.mark.parametrize("size", ["1KiB", "2GiB", "much"])
def test_tcp_buffers_that_are_none(refused, size):
    command = ("lab", "exec", "--cluster", "paper-1", "--host", "h0", "--tcp-buffer", size, "--", "true")
    assert refused(*command).startswith(f"--tcp-buffer {size}: ")


def test_tcp_buffers_are_told():
    assert Impairments(tcp_buffer_bytes=128 << 10).text == "tcp-buffer 128 KiB"
