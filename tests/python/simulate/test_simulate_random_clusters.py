"""Clusters of a name alone, ``random:`` and ``sites:``: their form, and that a seed says all of them."""

import pytest


@pytest.mark.parametrize("name", ["random:", "random:8", "random:8x9", "random:0x0", "random:8x2:x", "random:8x2:"])
def test_random_clusters_have_a_form(refused, name):
    assert name in refused("cluster", "show", name)


@pytest.mark.parametrize(
    "name",
    [
        "sites:",
        "sites:4",
        "sites:1x4",
        "sites:2x0",
        "sites-dealt:2x2:",
        "sites:2x60000",
        "sites:2x2:delay=",
        "sites:2x2:delay=5",
        "sites:2x2:delay=0ms",
        "sites:2x2:delay=2ms-1ms",
        "sites:2x2:rate=fast",
        "sites:2x2:rate=1Mbit:rate=2Mbit",
        "sites:2x2:host-rate=1Mbit-2Mbit",
        "sites:2x2:far=1ms",
        "sites:2x2:delay=1ms:1",
    ],
)
def test_random_sites_have_a_form(refused, name):
    assert name in refused("cluster", "show", name)


def test_random_sites(trunkline, refused):
    def shown(name):
        return trunkline("cluster", "show", name, "--json", "-").data

    assert shown("sites:4x3") == shown("sites:4x3:1") != shown("sites:4x3:2")
    homes = {
        kind: [host["switch"] for host in sorted(shown(f"{kind}:4x3:2")["hosts"], key=lambda one: int(one["name"][1:]))]
        for kind in ("sites", "sites-dealt")
    }
    assert homes["sites"] == [f"s{site}" for site in range(4) for _ in range(3)]
    assert homes["sites-dealt"] == [f"s{site}" for site in range(4)] * 3
    assert "is no file" in refused("run", "--cluster", "sites:2x2", "--", "true")


def test_random_sites_with_given_links(trunkline):
    def links(name):
        shown = trunkline("cluster", "show", name, "--json", "-").data["links"]
        long = [link for link in shown if all(end.startswith("s") for end in link["between"])]
        return long, [link for link in shown if link not in long]

    usual, _ = links("sites:5x2:3")
    long, own = links("sites:5x2:3:delay=20ms:rate=1Gbit-10Gbit:host-rate=10Gbit")
    assert [link["between"] for link in long] == [link["between"] for link in usual], "the seed says who is joined"
    assert {link["latency_s"] for link in long} == {0.02}
    assert all(1e9 <= link["rate_bps"] <= 1e10 for link in long)
    assert len({link["rate_bps"] for link in long}) == 4
    assert {link["rate_bps"] for link in own} == {1e10}


def test_random_cluster_is_the_same_every_time(trunkline, tmp_path):
    for seed in ("", ":1"):
        name = f"random:40x5{seed}"
        assert trunkline("cluster", "export", name, "--format", "yaml", "-o", tmp_path / f"c{seed}.yaml").status == 0
    assert (tmp_path / "c.yaml").read_text() == (tmp_path / "c:1.yaml").read_text()
    other = trunkline("cluster", "show", "random:40x5:2", "--json", "-").data
    assert other["hosts"] != trunkline("cluster", "show", "random:40x5", "--json", "-").data["hosts"]
    assert "OK, 40 hosts on 5 switches" in trunkline("cluster", "check", "random:40x5").out
