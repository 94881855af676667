#!/usr/bin/env python3
"""The command over a core that knows the toys: one more row in its table of kinds. Usage: as of trunkline."""

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("TRUNKLINE_BUILD", "build/dev")
(CORE,) = (BUILD / "tests" / "toys" / "native").glob("_core*.so")

spec = importlib.util.spec_from_file_location("trunkline._core", CORE)
assert spec is not None
assert spec.loader is not None
core = importlib.util.module_from_spec(spec)
sys.modules["trunkline._core"] = core
spec.loader.exec_module(core)
import trunkline  # noqa: E402

trunkline._core = core

sys.path.insert(0, str(ROOT / "tests" / "python"))
from toy import Toy  # noqa: E402

from trunkline.cli import main  # noqa: E402
from trunkline.kinds import KINDS  # noqa: E402

KINDS["toy"] = Toy()
main()
