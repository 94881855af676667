#!/usr/bin/env python3
"""Writes core/choose/accuracy_table.hpp from bench/evidence/cells.json; with --check only says whether it is the same.

The core compiles it. Predictions do not depend on it, so one build with the old table is enough to write the new one.
"""

import sys
from collections.abc import Iterator
from itertools import product
from math import floor, inf
from pathlib import Path

from trunkline.evidence.cells import kept_file, read_cells
from trunkline.evidence.spread import MOST, RATES_BPS, Compared, compared, most_rate_bps, spread_of

TABLE = Path(__file__).resolve().parents[1] / "core" / "choose" / "accuracy_table.hpp"
LIBRARIES = ("mpich", "openmpi")
HEAD = """// SPDX-License-Identifier: Apache-2.0
// Written by tools/accuracy_table.py from bench/evidence/cells.json.
#pragma once

#include <array>
#include <limits>

#include "choose/accuracy.hpp"

namespace trunkline {
"""


def table(rows: list[Compared]) -> str:
    """The text of the header."""
    own = list(_own([row for row in rows if not row.cell.library]))
    libraries = list(_libraries([row for row in rows if row.cell.library]))
    lines = [HEAD]
    lines += [f"inline constexpr std::array<OwnAccuracy, {len(own)}> own_accuracy{{{{", *own, "}};", ""]
    lines += [f"inline constexpr std::array<LibraryAccuracy, {len(libraries)}> library_accuracy{{{{", *libraries, "}};"]
    return "\n".join([*lines, "", "}  // namespace trunkline", ""])


def _own(rows: list[Compared]) -> Iterator[str]:
    for shared, most_bps in product((False, True), RATES_BPS):
        some = [row for row in rows if _shared(row) == shared and most_rate_bps(row.cell) == most_bps]
        rate = "std::numeric_limits<double>::infinity()" if most_bps == inf else f"{most_bps:g}"
        off = spread_of("", "", some).most
        yield f"    {{.shared_hosts = {_word(shared)}, .most_bps = {rate}, .cells = {len(some)}, .off = {off:.2f}}},"


def _libraries(rows: list[Compared]) -> Iterator[str]:
    for library, shared in product(LIBRARIES, (False, True)):
        ratios = sorted(row.ratio for row in rows if _shared(row) == shared and row.cell.library == library)
        beyond = floor((1 - MOST) / 2 * len(ratios))  # as many at either end
        parts = (f".library = NativeLibrary::{library}", f".shared_hosts = {_word(shared)}", f".cells = {len(ratios)}")
        ends = (f".least = {ratios[beyond]:.2f}", f".most = {ratios[-1 - beyond]:.2f}")
        yield f"    {{{', '.join((*parts, *ends))}}},"


def _shared(row: Compared) -> bool:
    return row.cell.ranks_per_host > 1


def _word(value: bool) -> str:
    return "true" if value else "false"


if __name__ == "__main__":
    found = table(compared(read_cells(kept_file())))
    if "--check" not in sys.argv[1:]:
        TABLE.write_text(found)
    elif not TABLE.exists() or TABLE.read_text() != found:
        sys.exit("core/choose/accuracy_table.hpp is not what the evidence says: run tools/accuracy_table.py")
