"""What becomes of a test that measures while other work runs."""

import subprocess
import sys

import busy_machine
import pytest
from busy_machine import ATTEMPTS, busy_share, compares, measures


def failing(times, kind=measures):
    """A test that fails so many times, and what it was called with."""
    calls = []

    @kind
    def test(word):
        calls.append(word)
        assert len(calls) > times, "too slow"

    return test, calls


def test_what_fails_once_is_tried_again(monkeypatch):
    monkeypatch.setattr(busy_machine, "busy_share", lambda: 0.0)
    test, calls = failing(ATTEMPTS - 1)
    test("a")
    assert calls == ["a"] * ATTEMPTS


def test_what_fails_on_a_quiet_machine_has_failed(monkeypatch):
    shares = iter([0.9, 0.01, 0.9])
    monkeypatch.setattr(busy_machine, "busy_share", lambda: next(shares))
    with pytest.raises(AssertionError, match="too slow"):
        failing(ATTEMPTS)[0]("a")


def test_what_fails_on_a_busy_machine_is_skipped_with_the_reason(monkeypatch):
    monkeypatch.setattr(busy_machine, "busy_share", lambda: 0.9)
    with pytest.raises(pytest.skip.Exception, match="other work used 90%, 90%, 90% of the processors: too slow"):
        failing(ATTEMPTS)[0]("a")


def test_a_command_that_is_refused_fails_on_a_busy_machine_too(monkeypatch):
    monkeypatch.setattr(busy_machine, "busy_share", lambda: 0.9)

    @measures
    def test():
        done = subprocess.run([sys.executable, "-c", "raise SystemExit(2)"], check=False)
        assert done.returncode == 0, "no such command"

    with pytest.raises(AssertionError, match="no such command"):
        test()


def test_a_comparison_that_fails_each_time_has_failed_on_a_busy_machine_too(monkeypatch):
    monkeypatch.setattr(busy_machine, "busy_share", lambda: 0.9)
    test, calls = failing(ATTEMPTS - 1, compares)
    test("a")
    assert calls == ["a"] * ATTEMPTS
    with pytest.raises(AssertionError, match="too slow"):
        failing(ATTEMPTS, compares)[0]("a")


def test_the_share_is_one():
    assert 0.0 <= busy_share(0.1) <= 1.0
