"""Two tiers: what each change waits for, and all."""

from pathlib import Path

import pytest
import tiers

TESTS = Path(__file__).parent


def pytest_addoption(parser):
    parser.addoption("--tier", choices=["change", "all"], default="all", help="what each change waits for, or all")


def _place(item):
    """File, test and row, which is as without the MPI library where a fixture makes one of it."""
    row = item.name
    for given in item.callspec.params.values() if hasattr(item, "callspec") else ():
        if hasattr(given, "launcher"):
            row = row.replace(f"[{given.name}-", "[").replace(f"-{given.name}]", "]").replace(f"[{given.name}]", "")
    return item.path.relative_to(TESTS).as_posix(), item.name.partition("[")[0], row


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Before rows are chosen among those that are left."""
    if config.option.tier == "change":
        kept = [
            item
            for item in items
            if not item.get_closest_marker("measures") and tiers.is_for_each_change(*_place(item))
        ]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """A skip proves nothing: what each change is to run, and cannot, has failed."""
    report = yield
    if item.config.option.tier == "change" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(part in reason for part in tiers.MAY_BE_SKIPPED):
            report.outcome = "failed"
            report.longrepr = f"{reason}\nEach change is to run this: make setup brings what is missing."
    return report
