"""Links that differ by direction. Times are bounded on the side alone that a busy machine does not reach."""

import sys

import pytest

from trunkline.cluster import load_cluster
from trunkline.lab.session import Lab

UNLIKE = """\
trunkline: cluster/1
name: unlike
defaults: {rate: 20Mbit, latency: 50us}
switches: [near, far]
hosts:
  - {hosts: a, switch: near}
  - {hosts: b, switch: far}
links:
  - {between: [near, far], latency: 20ms, back: {rate: 4Mbit, latency: 320ms}}
"""
EARLY_S = 0.001
"""By so much at most the network delivers a frame too early (Engine's lead, two quanta of a tenth of a millisecond)."""
BURST = """
import socket, subprocess, sys, time
other, datagrams = sys.argv[1], 20
there = ("import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('', 6000)); print('up',"
         f" flush=True); t = [(s.recv(2000), time.monotonic())[1] for _ in range({datagrams})]; print(t[0], t[-1])")
words = ['/run/trunkline/agent', other, f'exec {sys.executable} -c "{there}"']
receiver = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
receiver.stdout.readline()
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
began = time.monotonic()
for _ in range(datagrams):
    sender.sendto(bytes(1472), (other, 6000))
first, last = map(float, receiver.communicate(timeout=20)[0].split())
print(first - began, last - began)
"""
"""Datagrams of full frames to another host: when the first and the last one are there, seconds from the first send."""


@pytest.mark.parametrize(("source", "target", "bps", "latency_s"), [("a", "b", 20e6, 0.02), ("b", "a", 4e6, 0.32)])
def test_each_direction_has_its_rate_and_latency(tmp_path, source, target, bps, latency_s):
    file = tmp_path / "unlike.yaml"
    file.write_text(UNLIKE)
    with Lab(load_cluster(str(file)), 20e6) as lab:
        done = lab.run([sys.executable, "-c", BURST, target], host=source, capture=True, timeout=60)
    assert done.returncode == 0, done.stderr
    first_s, last_s = map(float, done.stdout.split())
    frame_s = 1538 * 8 / bps
    assert first_s > latency_s + frame_s - EARLY_S
    assert last_s > latency_s + 20 * frame_s - EARLY_S
    if source == "a":
        assert first_s < 0.32  # not as the way back, which no machine here is so busy for
