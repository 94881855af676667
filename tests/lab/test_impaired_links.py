"""Loss, damage, copies and overtaking on links of a lab, as sockets see them."""

import json
import math
import os
import sys

import pytest
from datagrams import Receivers, send

from trunkline.cluster import load_cluster
from trunkline.lab.impairments import Impairments
from trunkline.lab.session import Lab

SENT = 4000
SHARE = 0.05


@pytest.fixture(scope="module")
def seen():
    """What hosts got whose links harm frames, each in another way, and what the network counted."""
    ways = {"loss": "h1", "corrupt": "h2", "garble": "h3", "duplicate": "h4", "reorder": "h5"}
    impairments = Impairments({way: [f"{host}={SHARE:.0%}"] for way, host in ways.items()}, seed=3)
    with Lab(impairments.of(load_cluster("paper-1")), 100e6, impairments) as lab:
        receivers = Receivers(lab, [f"h{i}" for i in range(1, 7)], group="239.1.2.3")
        lab.reset_stats()
        send(lab, "h0", "239.1.2.3", SENT)
        received = receivers.end()
        yield received, lab.stats()


def counted(stats, host, what):
    return stats["channels"][f"s0->{host}"][what]


def assert_explained(stats, host, what, here):
    """The network counted what the program saw, and at most the hosts' few IGMP reports besides."""
    assert 0 <= counted(stats, host, what) - here <= stats["frames"] - SENT


def assert_binomial(hits):
    mean = SENT * SHARE
    assert abs(hits - mean) < 5 * math.sqrt(mean * (1 - SHARE))


def test_a_lossy_link_loses_its_share(seen):
    received, stats = seen
    lost = SENT - received["h1"].distinct
    assert_binomial(lost)
    assert_explained(stats, "h1", "lost", lost)


def test_a_flipped_bit_is_found_by_the_receivers_kernel(seen):
    received, stats = seen
    assert_binomial(counted(stats, "h2", "corrupted"))
    assert_explained(stats, "h2", "corrupted", SENT - received["h2"].distinct)
    assert received["h2"].wrong == 0
    assert 0 < received["h2"].dropped_by_kernel <= counted(stats, "h2", "corrupted")


def test_garbled_bytes_reach_the_program(seen):
    received, stats = seen
    assert_binomial(received["h3"].wrong)
    assert_explained(stats, "h3", "garbled", received["h3"].wrong)
    assert received["h3"].dropped_by_kernel == 0
    assert received["h3"].distinct == SENT - received["h3"].wrong


def test_copies_arrive_and_are_counted(seen):
    received, stats = seen
    assert_binomial(received["h4"].twice)
    assert_explained(stats, "h4", "duplicated", received["h4"].twice)
    assert received["h4"].distinct == SENT


def test_frames_that_are_held_back_are_overtaken(seen):
    received, stats = seen
    assert_binomial(counted(stats, "h5", "reordered"))
    assert received["h5"].distinct == SENT
    assert 0 < received["h5"].overtaken <= counted(stats, "h5", "reordered")


def test_other_links_harm_nothing(seen):
    received, stats = seen
    assert received["h6"].numbers == list(range(SENT))
    assert "lost" not in stats["channels"]["s0->h6"]


def test_tcp_gets_through_all_of_it_and_the_command_says_what_was_done(trunkline, tmp_path):
    program = (
        "import hashlib, socket, subprocess, sys, os\n"
        "there = \"import socket, hashlib; s = socket.create_server(('', 6000)); print('up', flush=True);"
        " c, _ = s.accept(); print(hashlib.sha256(b''.join(iter(lambda: c.recv(65536), b''))).hexdigest())\"\n"
        "words = ['/run/trunkline/agent', 'h3', f'exec {sys.executable} -c {there!r}']\n"
        "other = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)\n"
        "other.stdout.readline()\n"
        "data = os.urandom(300_000)\n"
        "with socket.create_connection(('h3', 6000)) as connection: connection.sendall(data)\n"
        "print(other.communicate()[0].strip() == hashlib.sha256(data).hexdigest())\n"
    )
    counts = tmp_path / "counts.json"
    words = ["lab", "exec", "paper-1", "--rate", "100Mbit", "--loss", "1%", "--corrupt", "h3=1%", "--duplicate", "2%"]
    words += ["--reorder", "1%", "--reorder-by", "1ms", "--seed", "5", "--json", str(counts)]
    done = trunkline(*words, "--", sys.executable, "-c", program)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    stats = json.loads(counts.read_text())
    assert min(stats[what] for what in ("lost", "corrupted", "duplicated", "reordered")) > 0
    assert f"{stats['lost']} lost, {stats['corrupted']} corrupted, {stats['duplicated']} duplicated" in done.stderr


def test_an_mpi_program_gets_through_loss_and_copies(trunkline, program):
    words = [
        "lab",
        "run",
        "paper-1",
        "--mpi",
        "mpich",
        "-n",
        "4",
        "--rate",
        "50Mbit",
        "--loss",
        "1%",
        "--duplicate",
        "2%",
    ]
    done = trunkline(*words, "--reorder", "2%", "--", program("calls", "mpich"))
    assert done.returncode == 0, done.stderr
    assert "duplicated" in done.stderr


@pytest.mark.parametrize("mpi", ["mpich", "openmpi", "mpich-5.0.2", "openmpi-5.0.11"])
def test_multicasts_get_through_loss_and_copies(trunkline, program, mpi):
    """Random sizes, roots and communicators. TRUNKLINE_TEST_BROADCASTS: how many; 120 by default."""
    calls = os.environ.get("TRUNKLINE_TEST_BROADCASTS", "120")
    words = ["lab", "run", "paper-4", "--mpi", mpi, "-n", "8", "--rate", "50Mbit"]
    harm = ["--loss", "2%", "--duplicate", "2%", "--reorder", "2%"]
    settings = {**os.environ, "TRUNKLINE_BCAST": "multicast"}
    done = trunkline(*words, *harm, "--", program("broadcasts", mpi), calls, "1", env=settings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{calls} broadcasts, 0 wrong" in done.stdout
