#!/usr/bin/env python3
"""The command over a core that knows the toys: one more row in its table of kinds. Usage: as of trunkline.

With "serve" as its one word it runs many of them, each in a child, so that it imports what they need once. Each line of
standard input is a JSON list: a file for what the command prints, one for its errors, and its words. The answer is a
line with its exit status.
"""

import importlib.machinery
import importlib.util
import json
import os
import signal
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
from imported import import_all  # noqa: E402
from toy import Toy  # noqa: E402

from trunkline.cli import main  # noqa: E402
from trunkline.kinds import KINDS  # noqa: E402

KINDS["toy"] = Toy()


def serve() -> None:
    """Until there is no more input."""
    import_all()
    for line in sys.stdin:
        printed, errors, *words = json.loads(line)
        child = os.fork()
        if child == 0:
            signal.alarm(120)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for file, descriptor in ((printed, 1), (errors, 2)):
                os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
            sys.argv = ["trunkline", *words]
            main()
            return
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if sys.argv[1:] == ["serve"]:
    serve()
else:
    main()
