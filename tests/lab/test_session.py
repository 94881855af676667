"""One lab's life: what its hosts are, and how it ends."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from busy_machine import PATIENCE_S

from trunkline.cluster import load_cluster
from trunkline.errors import BadInput, Failed
from trunkline.lab.session import Lab

RATE = 100e6


@pytest.fixture(scope="module")
def lab():
    with Lab(load_cluster("cyclic"), RATE) as up:
        yield up


def said(lab, *argv, host=None):
    done = lab.run(argv, host=host, capture=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def python(lab, code, *, host):
    return said(lab, sys.executable, "-c", textwrap.dedent(code), host=host)


def test_hosts_have_their_names_and_addresses(lab):
    assert said(lab, "hostname", host="h5") == "h5"
    assert said(lab, "hostname") == "h0"
    assert said(lab, "getent", "hosts", "h31").split() == ["198.18.0.32", "h31"]
    assert "198.18.0.6/15" in said(lab, "ip", "-4", "address", "show", "eth0", host="h5")


def test_a_program_that_takes_too_long_leaves_the_lab_up(lab):
    script = "sleep 1000 & sleep 1000"
    with pytest.raises(Failed, match="'sh' has not ended within 0.5 s and was ended"):
        lab.run(["sh", "-c", script], host="h3", capture=True, timeout=0.5)
    assert said(lab, "hostname", host="h3") == "h3"
    assert "sleep 1000" not in said(lab, "sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '", host="h3").replace(
        script, ""
    )


def test_nothing_starts_on_a_lab_that_is_down():
    with Lab(load_cluster("paper-1"), RATE) as down:
        pass
    with pytest.raises(Failed, match="the lab is not up"):
        down.popen(["true"])


def test_hosts_share_neither_memory_nor_boot_id_nor_network(lab):
    said(lab, "touch", "/dev/shm/mine", host="h1")
    assert said(lab, "ls", "/dev/shm", host="h1") == "mine"
    assert said(lab, "ls", "/dev/shm", host="h2") == ""
    assert len({said(lab, "cat", "/proc/sys/kernel/random/boot_id", host=h) for h in ("h1", "h2", "h3")}) == 3
    assert said(lab, "sh", "-c", "ls /sys/class/net; ip -o link | wc -l", host="h1").endswith("2")


def test_bytes_cross_the_network_unchanged_and_are_counted(lab):
    lab.reset_stats()
    listener = lab.popen(
        [
            sys.executable,
            "-c",
            "import socket,hashlib,sys; s=socket.create_server(('',5000)); print('up', flush=True);"
            "c,_=s.accept(); d=b''.join(iter(lambda: c.recv(65536), b''));"
            "print(len(d), hashlib.sha256(d).hexdigest())",
        ],
        host="h30",
        stdout=subprocess.PIPE,
    )
    assert listener.stdout.readline() == "up\n"
    sent = python(
        lab,
        """
        import hashlib, os, socket
        data = os.urandom(300_000)
        with socket.create_connection(("h30", 5000)) as connection:
            connection.sendall(data)
        print(len(data), hashlib.sha256(data).hexdigest())
        """,
        host="h1",
    )
    assert listener.communicate(timeout=PATIENCE_S)[0].strip() == sent
    stats = lab.stats()
    assert stats["frames"] >= 300_000 / (2 * 1448)
    assert stats["dropped"] == 0


def test_exit_statuses_are_passed_on(lab):
    assert lab.run(["sh", "-c", "exit 7"]).returncode == 7
    assert lab.run(["sh", "-c", "kill -9 $$"]).returncode in (137, -9)
    assert lab.run(["no-such-program"], capture=True).returncode == 127


def test_variables_are_left_out(lab, monkeypatch):
    monkeypatch.setenv("SOME_A", "1")
    monkeypatch.setenv("OTHER", "1")
    words = ["sh", "-c", 'echo "${SOME_A-none} ${SOME_B-none} ${OTHER-none}"']
    process = lab.popen(words, env={"SOME_B": "2"}, without=("SOME_",), stdout=subprocess.PIPE)
    assert process.communicate()[0] == "none 2 1\n"


def test_arguments_and_folder_arrive_as_they_are(lab):
    words = ["a b", "$HOME", "it's", "*", ""]
    assert python(lab, f"import sys, os; print({words!r} == {words!r}, os.getcwd())", host="h3").endswith(os.getcwd())
    assert said(lab, sys.executable, "-c", "import sys; print(sys.argv[1:])", *words) == str(words)


def test_no_such_host(lab):
    with pytest.raises(BadInput, match=r"no host 'h99'.*h\[0-31\]"):
        lab.run(["true"], host="h99")


@pytest.mark.usefixtures("nothing_left")
def test_ends_with_its_block():
    with Lab(load_cluster("paper-1"), RATE) as lab:
        lab.popen(["sleep", "1000"])
        assert lab.run(["true"]).returncode == 0


@pytest.mark.usefixtures("nothing_left")
def test_ends_on_errors_in_its_block():
    with pytest.raises(ZeroDivisionError), Lab(load_cluster("paper-1"), RATE):
        _ = 1 / 0


@pytest.mark.usefixtures("nothing_left")
def test_time_limit():
    with Lab(load_cluster("paper-1"), RATE) as lab, pytest.raises(Failed, match="within 0.5 s"):
        lab.run(["sh", "-c", "sleep 1000 & sleep 1000"], timeout=0.5)


def owner(body):
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"from trunkline.lab.session import Lab\nfrom trunkline.cluster import load_cluster\n"
            f"with Lab(load_cluster('paper-1'), 1e8) as lab:\n    {body}",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_dies_with_its_owner(number):
    process = owner("lab.popen(['sleep', '1000']); print('up', flush=True); lab.run(['sleep', '1000'])")
    assert process.stdout.readline() == "up\n"
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0
    time.sleep(0.5)


@pytest.mark.usefixtures("nothing_left")
def test_death_of_the_network_is_noticed():
    with Lab(load_cluster("paper-1"), RATE) as lab:
        lab.run(["sh", "-c", "true"])
        fabric = [p for p in os.listdir("/proc") if p.isdigit() and _is_fabric_of(p, lab)]
        assert len(fabric) == 1
        os.kill(int(fabric[0]), signal.SIGKILL)
        time.sleep(0.3)
        with pytest.raises(Failed, match="network between the hosts has died"):
            lab.stats()


def _is_fabric_of(pid, lab):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as words, open(f"/proc/{pid}/stat") as stat:
            return b"trunkline-fabric" in words.read() and int(stat.read().rsplit(")")[-1].split()[1]) == lab._first
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_bring_up_is_quick_enough_to_be_used_for_one_command(trunkline):
    done = trunkline("lab", "exec", "cyclic", "--rate", "100Mbit", "--host", "h7", "--", "hostname")
    assert (done.returncode, done.stdout) == (0, "h7\n")
