"""Collectives by multicast: the protocols in a time of their own, and with real sockets.

The first two run thousands of calls in one process: datagrams get lost, come twice, late and in another order; ranks
are late, deaf, mute, or give up. TRUNKLINE_TEST_MULTICAST: how many; 2000 by default. The MPI libraries share them:
the protocols are the same under each, so each has other calls, by a seed of its own.
"""

import os
from pathlib import Path

import pytest
from conftest import ON_OWN_HOST, ONE_VERSION, WITH_NETWORK, Mpi, share
from explained import JSON, explained

GROUPS = ["datatypes", "large counts", "communicators", "errors", "isolation", "threads", "sizes"]
LINE = {"TRUNKLINE_CLUSTER": "cyclic"}
SITES = {"TRUNKLINE_CLUSTER": str(Path(__file__).with_name("sites.yaml"))}
CALLS = int(os.environ.get("TRUNKLINE_TEST_MULTICAST", "2000"))


def test_the_protocol_survives_any_weather(any_mpi: Mpi):
    any_mpi.run(1, any_mpi.program("runtime-multicast"), *share(CALLS, any_mpi), preload=None)


def test_results_and_shares_survive_any_weather(any_mpi: Mpi):
    any_mpi.run(1, any_mpi.program("runtime-collected"), *share(CALLS, any_mpi), preload=None)


@pytest.mark.parametrize("ranks", [2, 5])
def test_everything_mpi_allows(any_mpi: Mpi, ranks: int):
    any_mpi.suite(ranks, GROUPS, ["multicast"], settings=LINE)


@pytest.mark.parametrize("ranks", [2, 7])
def test_reductions_and_shares(any_mpi: Mpi, ranks: int):
    any_mpi.suite(ranks, ["reductions", "operations", "shares"], ["multicast", "multicast:100"], settings=LINE)


def test_operations_that_throw(any_mpi: Mpi):
    any_mpi.suite(3, ["throwing operations"], ["multicast"], settings=LINE)


@pytest.mark.parametrize("threads", [1, 3])
def test_all_collectives_mixed(any_mpi: Mpi, threads: int):
    """Short ones and long ones, one after another and on several communicators at once."""
    program = any_mpi.program("runtime-mixed")
    done = any_mpi.run(
        4, program, "200", "11", str(threads), "multicast", "native", settings=LINE, per_rank=[ON_OWN_HOST]
    )
    accelerated = {line.split()[0]: int(line.split()[1]) for line in done.out.splitlines()}
    for collective in ("bcast", "allreduce", "barrier", "allgather", "allgatherv"):
        assert accelerated[collective] > 0, done.out
    assert not done.lines("trunkline: warning"), done.err


WAYS = {"1": "over IPv4", "ipv6": "over IPv6", "broadcast": "by broadcasts over IPv4"}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_to_all_hosts(any_mpi: Mpi, way: str):
    settings = LINE | {"TRUNKLINE_MULTICAST": way, "TRUNKLINE_EXPLAIN": "1"}
    words = [any_mpi.program("runtime-mixed"), "60", "12", "1", "multicast", "native"]
    done = any_mpi.run(4, *words, settings=settings, per_rank=[ON_OWN_HOST], around=[WITH_NETWORK])
    accelerated = {line.split()[0]: int(line.split()[1]) for line in done.out.splitlines()}
    for collective in ("bcast", "allreduce", "barrier", "allgather", "allgatherv"):
        assert accelerated[collective] > 0, done.out
    said = [line for line in done.lines("trunkline: MPI_Bcast") if "its group is open " in line]
    assert said, done.err
    assert all(f"its group is open {WAYS[way]}, messages of up to " in line for line in said), said
    assert not done.lines("trunkline: warning"), done.err


@pytest.mark.parametrize("way", ["ipv6", "broadcast"])
def test_a_rank_that_is_deaf_to_any_way(any_mpi: Mpi, way: str):
    program = any_mpi.program("runtime-faults")
    settings = LINE | {"TRUNKLINE_MULTICAST": way}
    around = [WITH_NETWORK]
    done = any_mpi.run(4, program, "deaf-rank@multicast", settings=settings, per_rank=[ON_OWN_HOST], around=around)
    assert done.out.count(": fine") == 4, done.out + done.err
    said = done.lines("trunkline: warning: multicast has stopped to reach rank 3 of a communicator of 4 ranks")
    assert len(said) == 1, done.err


@pytest.mark.parametrize("way", ["ipv6", "broadcast"])
def test_strangers_on_any_way(any_mpi: Mpi, way: str):
    program = any_mpi.program("runtime-faults")
    settings = LINE | {"TRUNKLINE_MULTICAST": way, "TRUNKLINE_EXPLAIN": "1"}
    around = [WITH_NETWORK]
    done = any_mpi.run(
        4, program, "forged-datagrams@multicast", settings=settings, per_rank=[ON_OWN_HOST], around=around
    )
    assert done.out.count(": fine") == 4, done.out + done.err
    assert not done.lines("trunkline: warning"), done.err
    counted = [line for line in done.lines("trunkline: multicast on ") if "datagrams dropped: 0 strange" not in line]
    assert counted, done.err


def test_no_network_for_the_way(any_mpi: Mpi):
    """Calls go by messages then, and rank 0 says why, once."""
    settings = LINE | {"TRUNKLINE_MULTICAST": "ipv6"}
    words = [any_mpi.program("runtime-mixed"), "10", "12", "1", "multicast", "native"]
    around = ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
    done = any_mpi.run(3, *words, settings=settings, per_rank=[ON_OWN_HOST], around=around)
    said = done.lines("trunkline: warning: multicast does not work on a communicator of 3 ranks")
    assert said, done.err
    assert all("the hosts of its ranks share no IPv6 network" in line for line in said), done.err


def test_more_than_a_window(any_mpi: Mpi):
    any_mpi.suite(5, ["window"], ["multicast"], settings=LINE)


def test_a_rank_that_is_deaf_in_the_middle_of_the_job(any_mpi: Mpi):
    """Later calls know: they do not wait until it asks, as those do that find it out."""
    program = any_mpi.program("runtime-faults")
    done = any_mpi.run(4, program, "deaf-rank@multicast", settings=LINE, per_rank=[ON_OWN_HOST])
    assert done.out.count(": fine") == 4, done.out + done.err
    said = done.lines("trunkline: warning: multicast has stopped to reach rank 3 of a communicator of 4 ranks")
    assert len(said) == 1, done.err


def test_auto_takes_other_plans_once_a_rank_is_deaf(any_mpi: Mpi):
    program = any_mpi.program("runtime-faults")
    settings = LINE | JSON
    done = any_mpi.run(4, program, "deaf-rank-later@auto", settings=settings, per_rank=[ON_OWN_HOST])
    assert done.out.count(": fine") == 4, done.out + done.err
    [warning] = done.warnings()
    assert "multicast has stopped to reach rank 3 of a communicator of 4 ranks" in warning
    calls = explained(done.err, collective="bcast")
    given_up = [call for call in calls if call.get("multicast", "").startswith("no group: it was given up")]
    assert given_up, done.err
    assert all(call["algorithm"] != "multicast" for call in given_up), given_up


def goes_on(mpi: Mpi, case: str) -> None:
    """A job of its own, since a rank that is deaf once hears no later group; it tells of nothing."""
    words = [mpi.program("runtime-faults"), f"{case}@multicast"]
    done = mpi.run(4, *words, settings=LINE, per_rank=[ON_OWN_HOST])
    assert done.out.count(": fine") == 4, done.out + done.err
    assert not done.lines("trunkline: warning"), done.err


@pytest.mark.parametrize("case", ["absent-root", "absent-root-over-tcp", "absent-at-the-end"])
def test_a_root_that_has_left(any_mpi: Mpi, case: str):
    """Who did not hear a short message gets it without any help of its root."""
    goes_on(any_mpi, case)


@pytest.mark.parametrize(
    "case", ["freed-by-the-root", "freed-in-any-order", "freed-again-and-again", "freed-while-started"]
)
def test_communicators_that_are_freed(any_mpi: Mpi, case: str):
    """MPI_Comm_free waits for nobody, and what it leaves behind does not pile up."""
    goes_on(any_mpi, case)


def test_more_communicators_than_sockets(any_mpi: Mpi):
    """Groups take no more than a share of a process's descriptors; those without say so, once."""
    program = any_mpi.program("runtime-faults")
    done = any_mpi.run(3, program, "many-groups@multicast", settings=LINE, per_rank=[ON_OWN_HOST])
    assert done.out.count(": fine") == 3, done.out + done.err
    assert len(done.lines("trunkline: warning: multicast does not work")) == 1, done.err


def test_forged_datagrams(any_mpi: Mpi):
    """Noise, and real datagrams again, changed, cut and lengthened, by somebody without the key."""
    goes_on(any_mpi, "forged-datagrams")


def test_an_error_in_the_middle(any_mpi: Mpi):
    """Two ranks that disagree about the message: what a rank hears is another call, and it says so."""
    any_mpi.suite(2, ["truncation"], ["multicast"], settings=LINE)


def test_everything_mpi_allows_in_groups(any_mpi: Mpi):
    """Of two sites with several hosts; communicators of fewer ranks have sites of one host or two."""
    any_mpi.suite(7, GROUPS, ["by-sites-multicast"], settings=SITES)


def test_reductions_in_groups(any_mpi: Mpi):
    """Of two sites, whose first ranks exchange what has come up to them."""
    any_mpi.suite(7, ["reductions", "operations"], ["by-sites-multicast", "by-sites-multicast:100"], settings=SITES)


def test_shares_in_groups(any_mpi: Mpi):
    """Of two sites: each one's go to the other as a message, and there as datagrams."""
    any_mpi.suite(7, ["shares"], ["by-sites-multicast", "by-sites-multicast:100"], settings=SITES)


def test_all_collectives_mixed_in_groups(any_mpi: Mpi):
    """On communicators of random ranks of three sites."""
    words = [any_mpi.program("runtime-mixed"), "60", "13", "1", "by-sites-multicast", "native"]
    done = any_mpi.run(8, *words, settings=SITES, per_rank=[ON_OWN_HOST])
    accelerated = {line.split()[0]: int(line.split()[1]) for line in done.out.splitlines()}
    for collective in ("bcast", "allreduce", "barrier", "allgather", "allgatherv"):
        assert accelerated[collective] > 0, done.out
    assert not done.lines("trunkline: warning"), done.err


def test_groups_of_several_sites(any_mpi: Mpi):
    """Roots and communicators change from call to call; a site of one host has messages."""
    settings = SITES | JSON | {"TRUNKLINE_BCAST": "by-sites-multicast"}
    done = any_mpi.run(8, any_mpi.program("runtime-broadcasts"), "120", "5", settings=settings, per_rank=[ON_OWN_HOST])
    assert "120 broadcasts, 0 wrong" in done.out, done.out + done.err
    said = {call.get("multicast", "") for call in explained(done.err, algorithm="by-sites-multicast")}
    assert any(one.startswith("the group of its site is open over IPv4, messages of up to ") for one in said), done.err
    assert not done.warnings(), done.err


@ONE_VERSION
@pytest.mark.parametrize("case", ["late-rank", "stopped-rank", "far-ahead", "absent-root", "freed-again-and-again"])
def test_groups_survive_what_groups_of_one_site_do(any_mpi: Mpi, case: str):
    done = any_mpi.run(
        7, any_mpi.program("runtime-faults"), f"{case}@by-sites-multicast", settings=SITES, per_rank=[ON_OWN_HOST]
    )
    assert done.out.count(": fine") == 7, done.out + done.err


def test_a_rank_that_is_deaf_in_one_site(any_mpi: Mpi):
    """Its own site finds that out, and goes on by messages; the other one does not notice."""
    settings = SITES | {"TRUNKLINE_EXPLAIN": "1"}
    words = [any_mpi.program("runtime-faults"), "deaf-rank@by-sites-multicast"]
    done = any_mpi.run(7, *words, settings=settings, per_rank=[ON_OWN_HOST])
    assert done.out.count(": fine") == 7, done.out + done.err
    said = done.lines("trunkline: warning: multicast has stopped to reach rank ")
    assert len(said) == 1, done.err
    assert "rank 3 of the 4 ranks of the site of rank 0, in a communicator of 7" in said[0]
