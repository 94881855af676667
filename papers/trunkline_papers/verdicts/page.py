"""The pages of verdicts: one a paper, and the first one with how many there are of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from trunkline_papers.verdicts.rows import VERDICTS, Paper, Row

__all__ = ["first_page", "page_of"]

_FIRST = """# Verdicts on the papers

Each figure, table and stated number of the papers: the claim, the paper's number, ours, the command, and how the two
compare. "As in the paper" is within 5 % where both are one number, and else the same order or thing; "more" and
"less" go the same way, "differs" does not. Our figures are read from files of `results/kept`, or stand on
the page that a row names. Where nothing was planned, simulated or measured by a command, the row says why.

```sh
make papers                                          # some minutes: figures without the lab, and verdicts at the end
trunkline_papers verdicts --folder out/papers        # verdicts on figures that were made anew
trunkline_papers verdicts --pages                    # these pages again, from kept figures
```

New figures are kept by copies of their JSON, from `out/papers` to `results/kept`. A verdict on one number follows it.

"""
_ABOVE = """[All papers](../verdicts.md), and what the words of verdicts mean. Commands are of `trunkline_papers`.

"""
_LIST = """
`papers/verdicts` has a file for each paper: the list of what it states, and the verdict on each. A test counts them.
"""
_HEAD = "| of | claim | the paper | ours | verdict | how |\n|---|---|---|---|---|---|\n"


def first_page(rows: Mapping[Paper, Sequence[Row]]) -> str:
    """``papers/verdicts.md``."""
    lines = [_FIRST, f"| paper | all | {' | '.join(VERDICTS)} |\n|{'---|' * (2 + len(VERDICTS))}\n"]
    for paper, found in rows.items():
        counts = Counter(row.verdict for row in found)
        cells = [f"[{paper.title}](verdicts/{paper.name}.md)", str(len(found))]
        cells += [str(counts[one]) for one in VERDICTS]
        lines.append(f"| {' | '.join(cells)} |\n")
    lines.append(_LIST)
    return "".join(lines)


def page_of(paper: Paper, rows: Sequence[Row]) -> str:
    """``papers/verdicts/NAME.md``."""
    return f"# {paper.title}\n\n{_ABOVE}{_HEAD}{''.join(map(_line, rows))}"


def _line(row: Row) -> str:
    verdict = f"**{row.verdict}**" + (f": {row.because}" if row.because else "")
    how = f"`{row.how}`" if row.how else ""
    pages = ", ".join(f"[{page.rsplit('/', 1)[-1].removesuffix('.md')}](../{page})" for page in row.pages)
    cells = (row.of, row.claim, row.paper, row.ours, verdict, "; ".join(filter(None, (how, pages))))
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |\n"
