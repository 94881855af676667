"""The matrix under AddressSanitizer and UndefinedBehaviorSanitizer; CTest runs this in the preset `sanitize`."""

import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, Mpi, address_sanitizer_options
from test_matrix import GROUPS, LINE


def sanitizer_settings(mpi: Mpi) -> dict[str, str]:
    cache = (BUILD / "CMakeCache.txt").read_text()
    if "TRUNKLINE_SANITIZE:STRING=address" not in cache:
        pytest.skip(f"{BUILD} is not built with sanitizers")
    # The sanitizer's runtime must come before any other library, so before a preloaded one too.
    found = subprocess.run(["g++", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    return {
        "TRUNKLINE_TEST_PRELOAD": str(Path(found.stdout.strip()).resolve()),
        "LSAN_OPTIONS": f"suppressions={Path(__file__).with_name('leaks.supp')}:print_suppressions=0",
        "ASAN_OPTIONS": address_sanitizer_options(mpi.name),
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


ALL = ["linear:100", "two-tree:100", "circulant:100", "scatter-ring:100", "auto"]


@pytest.mark.parametrize(
    ("groups", "choices"), [(GROUPS, ALL), (["reductions", "operations"], ALL[:2])], ids=["everything", "reductions"]
)
def test_under_sanitizers(mpi: Mpi, groups: list[str], choices: list[str], monkeypatch: pytest.MonkeyPatch):
    for name, value in sanitizer_settings(mpi).items():
        monkeypatch.setenv(name, value)
    mpi.suite(3, groups, choices, settings=LINE)
