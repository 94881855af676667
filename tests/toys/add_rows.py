#!/usr/bin/env python3
"""Writes one of the sources that list what there is, with a row for each toy: all that anybody adds outside its folder.

Usage: add_rows.py SOURCE LIST OUTPUT. LIST is the file's path inside the project.
"""

import sys
from pathlib import Path

ROWS = {
    "core/collective/collective.cpp": [
        (
            "};\nstatic_assert(collective_table",
            """    CollectiveFacts{.collective = static_cast<Collective>(14),
                    .name = "announce",
                    .mpi_name = "MPI_Announce",
                    .has_root = true,
                    .before = Holding::all_at_root,
                    .direction = Direction::down},
""",
        )
    ],
    "core/kinds/kinds.cpp": [
        ('#include "kinds/trees/row.hpp"', '#include "kinds/toy/row.hpp"\n'),
        ("};\n\n}  // namespace", "    &toy_kind,\n"),
    ],
    "core/algorithms/registry.cpp": [
        ('#include "kinds/trees/row.hpp"', '#include "kinds/toy/row.hpp"\n#include "kinds/toy/shout.hpp"\n'),
        (
            "};\n\n/// Where it is not",
            """    Row{{.name = "shout",
         .description = "everybody hears the root",
         .cost = "T(m)",
         .needs_cluster = true,
         .kind = &toy_kind},
        [](const Ground& on) { return plan_of(Shout{.ranks = on.ranks(), .root = on.root}); }},
""",
        ),
    ],
    "core/choose/candidates.cpp": [
        ("};\n\nstatic_assert", '    Candidate{"shout", Role::tree, &usual, For::all, For::all},\n')
    ],
    "runtime/execute/local_part.cpp": [
        (
            '#include "execute/trees/trees_part.hpp"',
            '#include "execute/toy/shout_part.hpp"\n#include "kinds/toy/row.hpp"\n',
        ),
        ("};\n\n}  // namespace", "    Row{&toy_kind, shout_part},\n"),
    ],
    "bench/message.c": [("};\nenum { KNOWN", '    {"announce", ALL_AT_ROOT, ALL, 0, 0},\n')],
    "bench/mpi_calls.c": [
        (
            "static int* counts;",
            "int MPI_Announce(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm all);\n",
        ),
        (
            '  } else if (is(m, "reduce")) {\n    CALL(Reduce,',
            '  } else if (is(m, "announce")) {\n    MPI_Announce(m->to, bytes, MPI_BYTE, m->root, all);\n',
        ),
    ],
}
"""By file: before which text, and what."""


def main() -> None:
    """Write one file."""
    source, name, output = sys.argv[1:]
    text = (Path(source) / name).read_text()
    for before, row in ROWS[name]:
        if text.count(before) != 1:
            sys.exit(f"{name}: {before!r} stands there {text.count(before)} times; tests/toys/add_rows.py expects one")
        text = text.replace(before, row + before)
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    Path(output).write_text(text)


if __name__ == "__main__":
    main()
