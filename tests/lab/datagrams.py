"""Numbered datagrams between hosts of a lab: what arrives of them, how often, in which order, and whether as it was."""

import json
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass

from busy_machine import PATIENCE_S

PORT = 5000

_RECEIVE = f"""
import json, socket, struct, sys, zlib
port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
port.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
port.bind(("", {PORT}))
if sys.argv[1:]:
    group = socket.inet_aton(sys.argv[1]) + socket.inet_aton(socket.gethostbyname(socket.gethostname()))
    port.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
print("up", flush=True)
seen, wrong = [], 0
while (data := port.recv(2000)) != b"end":
    number, checksum = struct.unpack("!II", data[:8])
    if zlib.crc32(data[8:] + data[:4]) == checksum:
        seen.append(number)
    else:
        wrong += 1
counts = open("/proc/net/snmp").read().split("Udp: ")
print(json.dumps([seen, wrong, int(dict(zip(counts[1].split(), counts[2].split()))["InCsumErrors"])]))
"""

_SEND = f"""
import socket, struct, sys, time, zlib
to, count, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
port.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 4)
for number in range(count):
    head, body = struct.pack("!I", number), bytes(200)
    port.sendto(head + struct.pack("!I", zlib.crc32(body + head)) + body, (to, {PORT}))
    if number % 20 == 19:
        time.sleep(pause)
"""

_END = f"import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'end', ('127.0.0.1', {PORT}))"


@dataclass
class Received:
    """What one host got."""

    numbers: list[int]
    wrong: int
    dropped_by_kernel: int

    @property
    def distinct(self):
        return len(set(self.numbers))

    @property
    def twice(self):
        return sum(count > 1 for count in Counter(self.numbers).values())

    @property
    def overtaken(self):
        return sum(after < before for before, after in zip(self.numbers, self.numbers[1:], strict=False))


class Receivers:
    """Programs that take datagrams in, on some hosts of a lab, of a multicast group or of their own address."""

    def __init__(self, lab, hosts, group=None):
        self.lab = lab
        words = [sys.executable, "-c", _RECEIVE, *([group] if group else [])]
        self.programs = {host: lab.popen(words, host=host, stdout=subprocess.PIPE) for host in hosts}
        for program in self.programs.values():
            assert program.stdout.readline() == "up\n"

    def end(self):
        """What each host got, once all has arrived that was sent."""
        time.sleep(0.3)
        received = {}
        for host, program in self.programs.items():
            self.lab.run([sys.executable, "-c", _END], host=host, timeout=PATIENCE_S)
            received[host] = Received(*json.loads(program.communicate(timeout=PATIENCE_S)[0]))
        return received


def send(lab, host, to, count, pause=0.002):
    words = [sys.executable, "-c", _SEND, to, str(count), str(pause)]
    assert lab.run(words, host=host, timeout=PATIENCE_S).returncode == 0
