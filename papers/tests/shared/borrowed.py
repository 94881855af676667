"""The fixtures and helpers of the tree's own tests, for those of papers."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

TESTS = Path(__file__).resolve().parents[3] / "tests"


def borrow(room: str, name: str | None = None) -> ModuleType:
    """The ``conftest.py`` of a folder of tests, as a module; what lies beside it can be imported then."""
    sys.path += [
        str(folder) for folder in (TESTS / room, *sorted((TESTS / room).glob("*/"))) if str(folder) not in sys.path
    ]
    spec = importlib.util.spec_from_file_location(name or f"{room}_conftest", TESTS / room / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
