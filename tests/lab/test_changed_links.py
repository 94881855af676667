"""Links that change under programs: what comes through, what is counted, who may do it. Times are bounded on the side
alone that a busy machine does not reach: rates may be lower, and delays longer."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from busy_machine import PATIENCE_S
from datagrams import Receivers, send

from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.lab.running import change_links, pick_lab, running_labs
from trunkline.lab.session import Lab

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "slow-link.yaml"

EARLY_S = 0.001
"""By so much at most the network delivers a frame too early (Engine's lead, two quanta of a tenth of a millisecond)."""
TRANSFER = """
import hashlib, os, socket, subprocess, sys, time
there = ("import socket, hashlib; s = socket.create_server(('', 6000)); print('up', flush=True);"
         " c, _ = s.accept(); print(hashlib.sha256(b''.join(iter(lambda: c.recv(65536), b''))).hexdigest())")
words = ['/run/trunkline/agent', 'h3', f'exec {sys.executable} -c "{there}"']
other = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
other.stdout.readline()
digest, until, sent = hashlib.sha256(), time.monotonic() + float(sys.argv[1]), 0
with socket.create_connection(('h3', 6000)) as connection:
    while time.monotonic() < until:
        data = os.urandom(20_000)
        digest.update(data)
        connection.sendall(data)
        sent += len(data)
print(sent, other.communicate()[0].strip() == digest.hexdigest())
"""
"""Sends to h3 for so many seconds; says how much, and whether that is what h3 got."""


def script(path, *steps):
    path.write_text("trunkline: lab-script/1\nsteps:\n" + "".join(f"  - {step}\n" for step in steps))
    return str(path)


def test_tcp_loses_no_byte_where_its_link_fails_and_returns(trunkline, tmp_path):
    file = script(
        tmp_path / "script.yaml",
        "{at: 200ms, down: h3}",
        "{at: 900ms, up: h3}",
        "{at: 1s, set: {link: h3-s0, rate: 10%, latency: 3ms, jitter: 1ms}}",
        "{at: 1500ms, set: {link: h3-s0, rate: 100%, latency: 0s, jitter: 0s}}",
        # Once more, where the program took longer than that to start.
        "{at: 3s, down: h3}",
        "{at: 3300ms, up: h3}",
        "{at: 10000s, down: h1}",
    )
    counts = tmp_path / "counts.json"
    words = ["lab", "exec", "paper-1", "--rate", "20Mbit", "--script", file, "--json", str(counts)]
    done = trunkline(*words, "--", sys.executable, "-c", TRANSFER, "4")
    assert done.returncode == 0, done.stderr
    sent, right = done.stdout.split()
    assert (int(sent) > 100_000, right) == (True, "True")
    stats = json.loads(counts.read_text())
    assert stats["down_lost"] > 0
    assert stats["channels"]["s0->h3"]["down_lost"] + stats["channels"]["h3->s0"]["down_lost"] == stats["down_lost"]
    assert [(change["text"]) for change in stats["changes"]] == [
        "h3 down",
        "h3 up",
        "h3-s0 rate=10% latency=3ms jitter=1ms",
        "h3-s0 rate=100% latency=0s jitter=0s",
        "h3 down",
        "h3 up",
    ]
    for change, at_s in zip(stats["changes"], (0.2, 0.9, 1, 1.5, 3, 3.3), strict=True):
        assert change["seconds"] >= at_s - 0.01  # the network's clock began a moment before the program
    assert "script: at " in done.stderr
    assert "script: not reached: at 10000 s h1 down" in done.stderr
    assert f"{stats['down_lost']} lost on links that were down" in done.stderr


def test_an_mpi_program_gets_over_a_failure(trunkline, program, tmp_path):
    steps = [f"{{at: {at}00ms, down: h1}}\n  - {{at: {at + 3}00ms, up: h1}}" for at in range(5, 60, 10)]
    file = script(tmp_path / "script.yaml", *steps)
    words = ["lab", "run", "paper-1", "--mpi", "mpich", "-n", "4", "--rate", "20Mbit", "--script", file]
    done = trunkline(*words, "--", program("broadcasts", "mpich"), "400", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "400 broadcasts, 0 wrong" in done.stdout
    assert "script: at 0." in done.stderr or "script: at 1" in done.stderr


def test_the_example_runs_an_mpi_program_on_four_site(trunkline, program):
    words = ["lab", "run", "four-site", "--mpi", "mpich", "--rate", "20Mbit", "--script", str(EXAMPLE)]
    done = trunkline(*words, "--", program("broadcasts", "mpich"), "20", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "20 broadcasts, 0 wrong" in done.stdout
    assert done.stderr.count("script: ") == 4


def test_a_faulty_script_starts_nothing(trunkline, tmp_path):
    file = script(tmp_path / "script.yaml", "{at: 1s, down: h99}", "{at: 1, up: h0}")
    done = trunkline("lab", "exec", "paper-1", "--rate", "20Mbit", "--script", file, "--", "touch", tmp_path / "ran")
    assert done.returncode == 2
    assert f"{file}:3:20: h99 is no host, switch or link of paper-1" in done.stderr
    assert f'{file}:4:10: at: "1" has no unit' in done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.fixture(scope="module")
def lab():
    with Lab(load_cluster("paper-1"), 100e6, single_frames=True) as up:
        up.open()
        yield up


@pytest.fixture
def here(lab):
    """The lab as others find it; other labs may be running."""
    (found,) = [one for one in running_labs() if one.owner == os.getpid() and one.door.exists()]
    assert found.cluster.name == lab.cluster.name
    return found


def took(lab, code, *words, host="h0"):
    done = lab.run([sys.executable, "-c", code, *words], host=host, capture=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


ECHO = "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.bind(('', 6001)); print('up', flush=True)\n"
ECHO += "while (got := s.recvfrom(2000))[0] != b'end': s.sendto(*got)"
PING = """
import socket, time
port = socket.socket(type=socket.SOCK_DGRAM)
port.settimeout(60)
times = []
for _ in range(10):
    start = time.perf_counter()
    port.sendto(b'x' * 500, ('h2', 6001))
    port.recv(2000)
    times.append(time.perf_counter() - start)
print(min(times))
"""


def test_no_round_trip_is_shorter_than_the_latency_that_was_set(lab, here):
    echo = lab.popen([sys.executable, "-c", ECHO], host="h2", stdout=subprocess.PIPE)
    echo.stdout.readline()
    change_links(here, ["h2-s0", "latency=30ms"])
    assert took(lab, PING) >= 0.060 - EARLY_S
    change_links(here, ["s0->h2", "latency=10ms"])
    assert took(lab, PING) >= 0.040 - EARLY_S
    change_links(here, ["h2", "latency=10us"])
    end = "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'end', ('h2', 6001)); print(0)"
    took(lab, end)
    echo.communicate(timeout=PATIENCE_S)


LAST = """
import socket, sys, time
port = socket.socket(type=socket.SOCK_DGRAM)
port.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
port.bind(('', 5000))
print('up', flush=True)
for _ in range(int(sys.argv[1])):
    port.recv(2000)
print(time.monotonic())
"""


def test_no_byte_is_faster_than_the_rate_that_was_set(lab, here):
    change_links(here, ["h4", "rate=4Mbit"])
    receiver = lab.popen([sys.executable, "-c", LAST, "1000"], host="h4", stdout=subprocess.PIPE)
    receiver.stdout.readline()
    start = time.monotonic()
    send(lab, "h0", "h4", 1000)
    took_s = float(receiver.communicate(timeout=PATIENCE_S)[0]) - start
    # 208 bytes with 28 of UDP and IP, 14 of Ethernet, and 24 that no socket shows. Deliveries may be early by a little.
    assert took_s >= 1000 * (208 + 28 + 14 + 24) * 8 / 4e6 - EARLY_S
    change_links(here, ["h4", "rate=100%"])


def test_counts_are_exact(lab, here):
    receivers = Receivers(lab, ["h5"])
    lab.reset_stats()
    change_links(here, ["s0->h5", "loss=100%"])
    send(lab, "h0", "h5", 40)
    change_links(here, ["s0->h5", "loss=0%"])
    change_links(here, ["h5", "down"])
    send(lab, "h0", "h5", 60)
    change_links(here, ["h5", "up"])
    send(lab, "h0", "h5", 80)
    assert receivers.end()["h5"].numbers == list(range(80))
    stats = lab.stats()
    assert (stats["lost"], stats["down_lost"]) == (40, 60)
    assert [change["text"] for change in stats["changes"]] == [
        "s0->h5 loss=100%",
        "s0->h5 loss=0%",
        "h5 down",
        "h5 up",
    ]
    assert stats["changes_made"] == 4


def test_changes_are_made_together_or_not_at_all(lab):
    lab.reset_stats()
    with pytest.raises(BadInput, match="paper-1: h99 is no host, switch or link of paper-1"):
        lab.change("h6 down ; h99 down")
    receivers = Receivers(lab, ["h6"])
    send(lab, "h0", "h6", 20)
    assert receivers.end()["h6"].distinct == 20
    assert lab.stats()["changes"] == []


def test_the_command_changes_a_lab_from_outside_and_from_a_host(trunkline, tmp_path):
    go, counts = tmp_path / "go", tmp_path / "counts.json"
    body = f"touch {tmp_path}/up; while [ ! -e {go} ]; do sleep 0.05; done; "
    body += f"{sys.executable} -m trunkline lab set h1 loss=2%"
    words = ["lab", "exec", "paper-1", "--rate", "50Mbit", "--json", str(counts), "--", "sh", "-c", body]
    running = subprocess.Popen(
        [sys.executable, "-m", "trunkline", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + PATIENCE_S
    while not (tmp_path / "up").exists() and time.monotonic() < until:
        time.sleep(0.05)
    meant = ["--lab", str(running.pid)]
    said = trunkline("lab", "set", *meant, "h[0-1]->s0", "rate=10%", "--json", "-")
    assert said.returncode == 0, said.stderr
    answer = json.loads(said.stdout)
    assert (answer["cluster"], answer["lab"], answer["text"]) == ("paper-1", running.pid, "h[0-1]->s0 rate=10%")
    assert "paper-1: at " in said.stderr
    wrong = trunkline("lab", "set", *meant, "h0", "delay=3ms")
    assert wrong.returncode == 2
    assert 'paper-1: a link has no "delay"; what changes is rate, latency, loss' in wrong.stderr
    other = trunkline("lab", "set", "--lab", "1", "h0", "down")
    assert other.returncode == 2
    assert f"{running.pid} (paper-1)" in other.stderr
    go.touch()
    _, told = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0, told
    assert "hand over up to two frames in one piece" in told  # what the host's own command said
    assert [change["text"] for change in json.loads(counts.read_text())["changes"]] == [
        "h[0-1]->s0 rate=10%",
        "h1 loss=2%",
    ]
    assert "lab set: at " in told


def test_a_lab_of_a_command_that_measures_takes_no_changes():
    with Lab(load_cluster("paper-1"), 50e6), pytest.raises(BadInput, match="takes no changes"):
        change_links(
            next(one for one in running_labs() if one.owner == os.getpid() and not one.door.exists()), ["h0", "down"]
        )


def test_a_lab_that_is_gone_is_not_found():
    with Lab(load_cluster("4w"), 50e6):
        assert [one.cluster.name for one in running_labs() if one.owner == os.getpid()].count("4w") == 1
    until = time.monotonic() + PATIENCE_S
    while (left := [one for one in running_labs() if one.cluster.name == "4w" and one.owner == os.getpid()]) and (
        time.monotonic() < until
    ):
        time.sleep(0.05)
    assert not left
    with pytest.raises(BadInput, match="process 1 has no lab|no lab of yours"):
        pick_lab(1)
