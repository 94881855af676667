"""What tests of the program behind `trunkline copy` share: ranks of one machine count as hosts, with a folder each."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import BUILD, ON_OWN_HOST, Mpi, Outcome

BLOCK = 1 << 14
SETTINGS = {"TRUNKLINE_BCAST": "unaware-linear:3000", "TRUNKLINE_EXPLAIN": "1"}
YEAR_2020_NS = 1_577_836_800_123_456_789


def copy(
    mpi: Mpi,
    folder: Path,
    *files: Path | bytes,
    ranks: int = 3,
    status: int = 0,
    more: Sequence[str | Path] = (),
    **options: object,
) -> tuple[list, Outcome]:
    """To `folder/hN` of each rank; the results, and what was said."""
    results = folder.parent / "results.json"
    results.unlink(missing_ok=True)
    words = ["--to", folder / "{host}", "--block", BLOCK, "--buffers", 3, "--json", results, *more]
    program = BUILD / "copy" / f"trunkline-copy-{mpi.name}"
    if not program.exists():
        pytest.skip("the program was not built: it needs xxhash.h (libxxhash-dev)")
    options = {"settings": SETTINGS, "per_rank": [ON_OWN_HOST], "status": status} | options
    done = mpi.run(ranks, program, *words, "--", *map(os.fsdecode, files), **options)
    return json.loads(results.read_text()), done


def reasons(result: dict) -> dict[str, str]:
    """Why hosts have no copy."""
    return {one["host"]: one["reason"] for one in result["failures"]}


def state(file: Path) -> tuple:
    """All that a copy could change of a file."""
    there = file.lstat()
    content = file.read_bytes() if file.is_file() else None
    return there.st_ino, there.st_mode, there.st_uid, there.st_gid, there.st_nlink, there.st_mtime_ns, content
