"""Changes of links of a running lab, as far as no lab is needed: scripts, the socket, and which lab is meant."""

import contextlib
import json
import os
import socket
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput, Failed
from trunkline.lab import door as door_module
from trunkline.lab import running
from trunkline.lab.door import LONGEST_LINE, MOST_CLIENTS, Door, read_request
from trunkline.lab.running import RunningLab, pick_lab
from trunkline.lab.script import Playing, load_script

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "slow-link.yaml"


def test_the_example_fits_its_cluster():
    steps = load_script(str(EXAMPLE), load_cluster("four-site"))
    assert [(step.at_s, step.text) for step in steps] == [
        (1, "home-town rate=10% jitter=1ms"),
        (2, "land-sea down"),
        (3, "land-sea up"),
        (5, "home-town rate=100% jitter=0s"),
    ]
    assert [change.impairs for step in steps for change in step.changes] == [True, False, False, False]


def test_all_that_is_wrong_with_a_script_is_told_with_places(tmp_path):
    file = tmp_path / "script.yaml"
    file.write_text("trunkline: lab-script/1\nsteps:\n  - {at: 5, down: h0}\n  - {at: 6s, up: h99}\n")
    with pytest.raises(BadInput) as refused:
        load_script(str(file), load_cluster("paper-1"))
    lines = str(refused.value).splitlines()
    assert lines[0].startswith("2 faults")
    assert lines[1].startswith(f'{file}:3:10: at: "5" has no unit')
    assert lines[2].startswith(f"{file}:4:18: h99 is no host, switch or link of paper-1 (did you mean h9?)")


def test_a_script_that_is_not_there(tmp_path):
    with pytest.raises(BadInput, match=r"none.yaml: .*No such file"):
        load_script(str(tmp_path / "none.yaml"), load_cluster("paper-1"))


class FakeLab:
    def __init__(self, *, fails=False):
        self.began = time.monotonic()
        self.fails = fails
        self.made = []

    def change(self, text):
        if self.fails:
            raise Failed("the lab is down")
        self.made.append((time.monotonic() - self.began, text))
        return {"seconds": self.made[-1][0], "text": text}


def steps_at(*times):
    lines = "".join(f"  - {{at: {at}, down: h0}}\n" for at in times)
    script = f"trunkline: lab-script/1\nsteps:\n{lines}"
    return _core.parse_lab_script(script, "script", load_cluster("paper-1"))


def test_steps_are_made_in_order_and_never_before_their_time():
    lab, said = FakeLab(), []
    steps = steps_at("0s", "30ms", "30ms", "60ms")
    with Playing(lab, steps, said.append) as playing:
        while len(lab.made) < len(steps):
            time.sleep(0.005)
    assert all(made >= step.at_s for (made, _), step in zip(lab.made, steps, strict=True))
    assert [made["text"] for made in playing.made] == ["h0 down"] * 4
    assert [line.startswith("script: at 0.") for line in said] == [True] * 4


def test_what_the_program_does_not_reach_is_said_and_not_waited_for():
    lab, said = FakeLab(), []
    began = time.monotonic()
    with Playing(lab, steps_at("0s", "500s"), said.append) as playing:
        while not lab.made:
            time.sleep(0.005)
    assert time.monotonic() - began < 400
    assert len(playing.unreached) == 1
    assert said[-1] == "script: not reached: at 500 s h0 down"


def test_a_lab_that_dies_ends_its_script():
    said = []
    with Playing(FakeLab(fails=True), steps_at("0s", "1s"), said.append):
        while not said:
            time.sleep(0.005)
    assert said[0] == "script: the lab is down"
    assert said[1:] == ["script: not reached: at 0 s h0 down", "script: not reached: at 1 s h0 down"]


@given(st.one_of(st.binary(max_size=300), st.binary(max_size=50).map(lambda rest: b"set " + rest)))
def test_a_request_is_one_line_of_words_or_is_refused(line):
    try:
        command = read_request(line)
    except ValueError:
        return
    assert command.encode() == line
    assert command.startswith("set ")
    assert command.isprintable()


def test_a_request_has_a_bound():
    with pytest.raises(ValueError, match="at most"):
        read_request(b"set " + b"a" * LONGEST_LINE)


@contextmanager
def served(path):
    """A door with a network behind it that says what it was asked; what it was asked."""
    asked = []

    def ask(line):
        asked.append(line)
        return json.dumps({"ok": line}).encode() + b"\n"

    door, over = Door(path, ask), threading.Event()

    def serve():
        import select

        while not over.is_set():
            for one in select.select(door.sockets, [], [], 0.02)[0]:
                door.serve(one)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield asked
    finally:
        over.set()
        thread.join()
        for one in door.sockets:
            one.close()


def connected(path):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(60)
    client.connect(str(path))
    return client


def asked_with(path, *pieces):
    with connected(path) as client:
        with contextlib.suppress(BrokenPipeError):  # refused before it was heard
            for piece in pieces:
                client.sendall(piece)
        answer = b""
        while not answer.endswith(b"\n"):
            answer += client.recv(4096)
    return json.loads(answer)


def test_the_socket_takes_whole_lines_in_any_pieces_and_refuses_others(tmp_path):
    with served(tmp_path / "control") as asked:
        assert asked_with(tmp_path / "control", b"set h0", b" down", b"\n") == {"ok": "set h0 down"}
        assert asked_with(tmp_path / "control", b"set h0 down\nreset\n") == {"ok": "set h0 down"}
        for line in (b"reset\n", b"rate 5\n", b"\xff\xfe\n", b"\n"):
            assert "error" in asked_with(tmp_path / "control", line)
    assert asked == ["set h0 down"] * 2
    assert (tmp_path / "control").stat().st_mode & 0o777 == 0o600


def test_who_says_nothing_holds_nobody_up_and_too_many_are_refused(tmp_path):
    with served(tmp_path / "control"):
        silent = [connected(tmp_path / "control") for _ in range(MOST_CLIENTS - 1)]
        assert asked_with(tmp_path / "control", b"set a up\n") == {"ok": "set a up"}
        silent.append(connected(tmp_path / "control"))
        with connected(tmp_path / "control") as one_more:
            assert "too many" in json.loads(one_more.recv(4096))["error"]
        for client in silent:
            client.close()
        until = time.monotonic() + 60
        while "error" in (answer := asked_with(tmp_path / "control", b"set a up\n")) and time.monotonic() < until:
            time.sleep(0.01)
        assert answer == {"ok": "set a up"}


def test_a_line_without_end_is_refused(tmp_path):
    with served(tmp_path / "control") as asked, connected(tmp_path / "control") as client:
        try:
            client.sendall(b"set " + b"a" * 2 * LONGEST_LINE)
            assert "at most" in json.loads(client.recv(4096))["error"]
        except (BrokenPipeError, ConnectionResetError):  # it was closed before all was sent
            pass
        assert asked == []


def test_another_user_is_refused(tmp_path, monkeypatch):
    with served(tmp_path / "control") as asked:
        monkeypatch.setattr(door_module.os, "geteuid", lambda: os.getuid() + 1)
        with connected(tmp_path / "control") as client:
            assert "only the owner" in json.loads(client.recv(4096))["error"]
        assert asked == []


def test_a_refusal_that_comes_before_the_change_is_told(tmp_path, monkeypatch):
    """Where too many ask at once, the lab has closed the socket by then."""
    home = RunningLab(3, tmp_path, load_cluster("paper-1"))
    home.door.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.door))
        listener.listen()

        class Late(socket.socket):
            def sendall(self, data):
                client, _ = listener.accept()
                super(Late, client).sendall(b'{"error": "too many ask at once"}\n')  # accept makes one of these
                client.close()
                super().sendall(data)

        monkeypatch.setattr(running.socket, "socket", Late)
        with pytest.raises(BadInput, match="too many ask at once"):
            running.change_links(home, ["h0", "down"])


def labs(*owners):
    return [RunningLab(owner, Path("/nowhere"), load_cluster("paper-1")) for owner in owners]


@pytest.mark.parametrize(
    ("running_now", "owner", "message"),
    [
        ((), None, "no lab of yours is running"),
        ((), 7, "no lab of yours is running"),
        ((3, 5), None, r"several labs are running: 3 \(paper-1\), 5 \(paper-1\); name one: --lab 3"),
        ((3, 5), 7, r"process 7 has no lab; labs are of these: 3 \(paper-1\), 5 \(paper-1\)"),
    ],
)
def test_which_lab_is_meant_is_asked(monkeypatch, running_now, owner, message):
    monkeypatch.setattr(running, "running_labs", lambda: labs(*running_now))
    with pytest.raises(BadInput, match=message):
        pick_lab(owner)


def test_the_only_lab_is_meant_and_a_named_one(monkeypatch):
    monkeypatch.setattr(running, "running_labs", lambda: labs(3))
    assert pick_lab(None).owner == 3
    monkeypatch.setattr(running, "running_labs", lambda: labs(3, 5))
    assert pick_lab(5).owner == 5


def test_a_lab_that_takes_no_changes_says_so():
    with pytest.raises(BadInput, match=r"the lab of 3 \(paper-1\) takes no changes"):
        running.change_links(labs(3)[0], ["h0", "down"])


def test_what_is_no_change_never_reaches_a_lab():
    with pytest.raises(BadInput, match="paper-1: no link joins h0 and h1"):
        running.change_links(labs(3)[0], ["h0-h1", "down"])
