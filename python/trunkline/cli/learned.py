"""``trunkline learned``: what jobs have found to be the fastest, and keep for jobs to come."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Optional

import typer

from trunkline import _core
from trunkline.cli.app import App
from trunkline.cli.options import JsonOption
from trunkline.cli.output import write_json, write_whole
from trunkline.errors import BadInput
from trunkline.learned import all_of, folders, forget_all, forget_older, found, merge, named
from trunkline.learned import forget as forget_file
from trunkline.terminal import output, tell, titled_table
from trunkline.units import format_bytes, format_seconds

app = App(no_args_is_help=True, help="See, forget and hand on what jobs that learn have found.")

_PlacesArgument = Annotated[
    Optional[list[Path]],
    typer.Argument(metavar="PLACE...", help="Folders or files; default: where jobs look (TRUNKLINE_LEARNED)."),
]
_NameArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A file, or a part of the name of one that is kept.")
]


@app.command("list", epilog="Example: trunkline learned list --json -")
def list_files(places: _PlacesArgument = None, json: JsonOption = None) -> None:
    """List what is kept: a file for jobs that are alike."""
    where = places or folders()
    kept, wrong = all_of(where)
    for text in wrong:
        tell(text)
    if json:
        write_json([one.as_json() for one in kept], json)
        return
    if not kept:
        tell(f"nothing is kept in {', '.join(map(str, where))}: jobs with TRUNKLINE_LEARN=1 keep what they find")
        return
    heads = ("cluster", "library", "hosts", "ranks", "entries", "last used", "file")
    table = titled_table("What jobs have learned", *heads, left=("cluster", "library", "file"))
    for one in kept:
        jobs = one.learned.jobs
        used = _ago(one.when_s) if one.learned.entries else "never"
        numbers = (str(jobs.hosts), str(jobs.ranks), str(len(one.learned.entries)))
        table.add_row(jobs.cluster, f"{jobs.mpi} {jobs.mpi_version}", *numbers, used, str(one.file))
    output().print(table)


@app.command(epilog="Example: trunkline learned show mpich-4.0.2-0123456789abcdef.yaml --json -")
def show(file: _NameArgument, json: JsonOption = None) -> None:
    """Show what was found for which calls."""
    kept = found(file)
    if json:
        entries = [_entry_json(entry) for entry in kept.learned.entries]
        write_json({**kept.as_json(), "entries": entries}, json)
        return
    jobs = kept.learned.jobs
    title = f"{jobs.cluster}, {jobs.mpi} {jobs.mpi_version}, {jobs.ranks} ranks on {jobs.hosts} hosts"
    heads = (
        "calls",
        "from",
        "ranks",
        "root",
        "runs",
        "a call",
        "native",
        "tried besides",
        "calls since",
        "jobs",
        "last",
    )
    table = titled_table(title, *heads, left=("calls", "runs", "tried besides"), wrap=("tried besides",))
    for entry in kept.learned.entries:
        by_name = {_name(arm): arm for arm in entry.arms}
        runs = _name(entry)
        others = [f"{name} {_time(arm)}" for name, arm in by_name.items() if name not in (runs, "native")]
        table.add_row(
            entry.collective + (", by rank" if entry.by_rank else ""),
            format_bytes(entry.least_bytes),
            str(entry.ranks),
            str(entry.root) if entry.has_root else "",
            runs + (" (due)" if entry.is_due() else ""),
            _time(by_name[runs]),
            _time(by_name["native"]) if "native" in by_name else "",
            ", ".join(others),
            str(entry.calls),
            str(entry.jobs),
            _ago(entry.when_s),
        )
    output().print(table)


@app.command(epilog="Example: trunkline learned forget --older-than 90")
def forget(
    files: Annotated[
        Optional[list[str]],
        typer.Argument(metavar="FILE...", help="Files, or parts of the names of files that are kept."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Everything in the folder that jobs write to.")] = False,
    older_than: Annotated[
        Optional[float],
        typer.Option(min=0, metavar="DAYS", help="Entries that no job has used for so long, of FILE or of all."),
    ] = None,
) -> None:
    """Forget what was found: the next job tries it anew."""
    is_said = bool(files) or older_than is not None
    if every == is_said:
        raise BadInput("say what to forget: FILE..., --all or --older-than DAYS")
    own = folders()[:1]
    if every:
        tell(f"{own[0]}: {forget_all(own[0])} files removed")
        return
    if older_than is None:
        for name in files or []:
            file = named(name)
            forget_file(file)
            tell(f"{file}: removed")
        return
    kept, wrong = all_of([named(name) for name in files] if files else own)
    for text in wrong:
        tell(text)
    number = sum(forget_older(one, older_than) for one in kept)
    tell(f"{number} entries forgotten that no job has used for {older_than:g} days")


@app.command(
    "merge", epilog="Example: trunkline learned merge /home/*/.cache/trunkline/learned --to /etc/trunkline/learned"
)
def merge_files(
    places: Annotated[list[Path], typer.Argument(metavar="PLACE...", help="Files, or folders of them.")],
    folder: Annotated[
        Path,
        typer.Option("--to", metavar="FOLDER", help="Where the merged files go; what is there already counts, too."),
    ],
) -> None:
    """Merge what several users' jobs have found: for jobs that are alike one file, under the name that jobs look for.

    Of entries for the same calls the one counts that was of use last.
    """
    kept, wrong = all_of(places)
    for text in wrong:
        tell(text)
    if not kept:
        raise BadInput("none of these places has a file that jobs have written")
    for one in merge(kept, folder):
        write_whole(_core.write_learned(one.learned), one.file)
        tell(f"{one.file}: {len(one.learned.entries)} entries")


def _name(one: _core.LearnedEntry | _core.LearnedArm) -> str:
    return one.algorithm + (f":{one.segment_bytes}" if one.segment_bytes else "")


def _time(arm: _core.LearnedArm) -> str:
    return format_seconds(arm.median_s)


def _ago(when_s: int) -> str:
    """How long ago, in the largest unit of which there is one."""
    passed = max(time.time() - when_s, 0)
    units = ((86400, "day"), (3600, "hour"), (60, "minute"))
    size, unit = next((one for one in units if passed >= one[0]), (1, "second"))
    number = int(passed // size)
    return f"{number} {unit}{'s' * (number != 1)} ago"


def _entry_json(entry: _core.LearnedEntry) -> dict[str, object]:
    names = (
        "collective",
        "ranks",
        "least_bytes",
        "by_rank",
        "algorithm",
        "segment_bytes",
        "trial_calls",
        "calls",
        "jobs",
    )
    arms = ("algorithm", "segment_bytes", "calls", "median_s", "low_s", "high_s")
    return {
        **{name: getattr(entry, name) for name in names},
        "root": entry.root if entry.has_root else None,
        "placement": f"{entry.placement:016x}",
        "when": _core.utc_text(entry.when_s),
        "is_due": entry.is_due(),
        "arms": [{name: getattr(arm, name) for name in arms} for arm in entry.arms],
    }
