"""Papers have one tier; the tree's own tests, of which these borrow, ask which one runs."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=["all"], default="all", help="all")
