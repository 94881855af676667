"""``trunkline trace``: see inside collectives, where their time goes, and which change attacks it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated, Optional

import typer
from rich.console import Console

from trunkline import _core
from trunkline.cli.app import App
from trunkline.cli.options import JsonOption, ReportOption
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cli.trace_top import FolderArgument, JobOption, top
from trunkline.compat import StrEnum, zip_equal
from trunkline.errors import BadInput
from trunkline.terminal import console, output, progress_bar, tell
from trunkline.trace.analysis import Analysis
from trunkline.trace.analysis import analyse as analysed
from trunkline.trace.as_json import advice_as_json, analysis_as_json, compared_as_json
from trunkline.trace.compare import compare
from trunkline.trace.confirm import Confirmation
from trunkline.trace.confirm import confirm as confirm_step
from trunkline.trace.folder import Job, find_job
from trunkline.trace.otf2 import export_otf2
from trunkline.trace.perfetto import export_perfetto
from trunkline.trace.suggest import Advice, advice_for
from trunkline.trace.summary import summary_lines
from trunkline.trace.tables import compared_stages_tables, compared_table, group_tables, groups_table
from trunkline.trace.words import call_text, reason_text, suggestion_text

app = App(help="Look into traces of jobs that ran with TRUNKLINE_TRACE=FOLDER.", no_args_is_help=True)


class Format(StrEnum):
    """Formats of other tools."""

    perfetto = "perfetto"
    otf2 = "otf2"


@app.command(epilog="Example: trunkline trace analyse out --report report.html --against before")
def analyse(
    folder: FolderArgument,
    command: Annotated[
        Optional[list[str]], typer.Argument(metavar="[-- COMMAND ...]", help="With --confirm: starts the job.")
    ] = None,
    job: JobOption = None,
    skip: Annotated[
        Optional[int],
        typer.Option(
            min=0, help="Calls of each kind to leave out at the start; default: 10 of 100 or more, else none."
        ),
    ] = None,
    details: Annotated[
        Optional[int],
        typer.Option(
            min=0,
            help="How many kinds of calls get tables, the longest first; default: 1 with --all.",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All tables, not the three lines and the suggestions alone.")
    ] = False,
    against: Annotated[
        Optional[str], typer.Option(metavar="FOLDER", help="The trace of another run, to compare this one with.")
    ] = None,
    rank: Annotated[
        Optional[int],
        typer.Option(min=0, metavar="RANK", help="Whose stages, orders and way are told; default: the slowest one's."),
    ] = None,
    subtree: Annotated[
        Optional[str],
        typer.Option(metavar="RANK[:LEVELS]", help="Take the nodes below a rank as one node too; default: all levels."),
    ] = None,
    confirm: Annotated[
        bool,
        typer.Option("--confirm", help="Run the job with and without the first suggestion, and tell what it brings."),
    ] = False,
    pairs: Annotated[int, typer.Option(min=1, max=1000, help="With --confirm: jobs of each plan, in turns.")] = 5,
    report: ReportOption = None,
    json: JsonOption = None,
) -> None:
    """Where the time of collectives goes: by part of the tree, by stage, program or network, and what to change.

    --confirm: analyse out --confirm -- trunkline lab run --cluster 8w --mpi mpich --ranks-per-host 8 -- ./program
    """
    check_outputs({"--json": json, "--report": report})
    _check_command(folder, command or [], confirm)
    if against is not None and json is not None and against == folder:
        raise BadInput(f"--against {against}: is the same folder; name that of another run")
    of_job = find_job(folder, job)
    below = _subtree(subtree, of_job)
    if rank is not None:
        _check_rank("--rank", rank, of_job)
    found = analysed(of_job, skip, subtree=below)
    other = analysed(find_job(against), skip, subtree=below) if against is not None else None
    compared = compare(other, found) if other is not None else []
    advice = [advice_for(found, one) for one in found.groups]
    terminal = console if "-" in (json, report) else output()
    wants_all = everything or details is not None or rank is not None or subtree is not None
    details = 1 if details is None else details
    _print(terminal, found, details if wants_all else None, rank)
    if other is not None:
        terminal.print(compared_table(compared))
        for table in compared_stages_tables(compared[: details if wants_all else 0], rank):
            terminal.print(table)
    for one, given in list(zip_equal(found.groups, advice))[: max(1, details)]:
        for step in given.steps:
            tell(suggestion_text(found, step, one.group.collective), terminal)
        if not given.steps:
            tell(f"{call_text(one)}: no suggestion: {given.silent}", terminal)
    confirmed = _confirmed(terminal, found, advice, command or [], pairs) if confirm else None
    if report is not None:
        from trunkline.trace.page import trace_page  # Matplotlib takes a second to load

        write_text(trace_page(found, advice, confirmed.text if confirmed else "", rank, compared), report)
    if json is not None:
        told = analysis_as_json(found)
        for group, given in zip_equal(told["groups"], advice):
            group.update(advice_as_json(given))
        told["compared"] = compared_as_json(compared)
        told["confirmed"] = confirmed.as_json() if confirmed else None
        write_json(told, json)


def _check_rank(option: str, rank: int, job: Job) -> None:
    if rank not in job.hosts:
        raise BadInput(f"{option} {rank}: the trace has no such rank; it has {job.described_ranks}")


def _subtree(text: str | None, job: Job) -> tuple[int, int | None] | None:
    """A rank and its levels."""
    if text is None:
        return None
    rank, colon, levels = text.partition(":")
    if not rank.isdecimal() or (colon and (not levels.isdecimal() or int(levels) == 0)):
        raise BadInput(f"--subtree {text}: give a rank, and behind a colon how many levels, such as 4 or 4:2")
    _check_rank("--subtree", int(rank), job)
    return int(rank), int(levels) if colon else None


def _check_command(folder: str, command: list[str], wanted: bool) -> None:
    if wanted and not command:
        raise BadInput(
            f"--confirm: give the command that starts the job after --, such as 'trunkline trace analyse {folder} "
            "--confirm -- trunkline run --cluster lab.yaml -- mpiexec -n 32 ./program'"
        )
    if command and not wanted:
        raise BadInput(f"'{command[0]}': a command is for --confirm alone")
    if command and shutil.which(command[0]) is None:
        raise BadInput(f"cannot run '{command[0]}': no such program")


def _new_folder(beside: Path) -> Path:
    """Ours alone: what another user has put there under such a name, be it a link, is left alone."""
    number = 1
    while True:
        place = beside / f"confirm-{number}"
        try:
            place.mkdir()
        except FileExistsError:
            number += 1
        except OSError as error:
            raise BadInput(f"cannot make the folder {place}: {error.strerror}") from error
        else:
            return place


def _confirmed(
    terminal: Console, found: Analysis, advice: list[Advice], command: list[str], pairs: int
) -> Confirmation | None:
    """What the first suggestion brings; told, too."""
    first = next(((one, given.steps[0]) for one, given in zip_equal(found.groups, advice) if given.steps), None)
    if first is None:
        terminal.print("nothing to confirm: there is no suggestion")
        return None
    # Beside the traces, where the job's ranks can surely write.
    folder = _new_folder(found.job.folder)
    with progress_bar(2 * pairs, "running the job") as bar:
        result = confirm_step(first[1], first[0], command, pairs, folder, lambda text: bar.show(text, done=1))
    tell(result.text, terminal)
    tell(f"the plan and the traces of these jobs: {folder}", terminal)
    return result


def _print(terminal: Console, found: Analysis, details: int | None, rank: int | None) -> None:
    """The three lines; with a number of details the tables, too."""
    job = found.job
    where = f" on hosts in {job.domain}" if job.domain else ""
    words = f"job {job.name}: {job.ranks} ranks{where}, {job.headers[0].mpi}, {found.records} records"
    tell(words, terminal)
    for note in found.notes:
        tell(f"note: {note}", terminal)
    if not found.groups:
        terminal.print("no call is whole in the traces of all its ranks")
        _tell_what_is_traced(terminal)
        return
    for line in summary_lines(found):
        tell(line, terminal)
    if details is None:
        others = len(found.groups) - 1
        more = f"; {others} more kind{'' if others == 1 else 's'} of calls" if others else ""
        tell(f"all tables: --all{more}", terminal, style="dim")
        _tell_what_is_traced(terminal)
        return
    terminal.print(groups_table(found))
    for one in found.groups[:details]:
        tell(reason_text(one), terminal)
        for table in group_tables(found, one, rank):
            terminal.print(table)
    _tell_what_is_traced(terminal)


def _tell_what_is_traced(terminal: Console) -> None:
    """A program may spend its time in other calls, of which a trace knows nothing."""
    text = "a trace has the calls that Trunkline plans; of those that do not block, what plans ran"
    tell(f"{text}: {_core.planned_words()}", terminal, style="dim")


@app.command(
    epilog="Examples: trunkline trace export out --format perfetto -o out.pftrace, or --format otf2 -o out.otf2"
)
def export(
    folder: FolderArgument,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The file to write; for otf2 a new folder.")
    ],
    format_: Annotated[
        Format,
        typer.Option(
            "--format", help="For https://ui.perfetto.dev or its trace processor; for Vampir, Scalasca, otf2-print."
        ),
    ],
    job: JobOption = None,
) -> None:
    """Write a trace for another tool: a track for each rank, a slice for each call, its messages."""
    if format_ is Format.otf2:
        _export_otf2(folder, output, job)
        return
    check_outputs({"--output": output})
    if output == "-":
        raise BadInput("--output -: the format is no text; name a file")
    found = find_job(folder, job)
    try:
        with Path(output).open("wb") as file:
            count = export_perfetto(found, file)
    except OSError as error:
        raise BadInput(f"cannot write {output}: {error.strerror}") from error
    console.print(f"{output}: {count} packets", highlight=False)


def _export_otf2(folder: str, output: str, job: str | None) -> None:
    if output == "-":
        raise BadInput("--output -: an OTF2 archive is a folder; name a new one")
    place = Path(output)
    if not place.exists():
        check_outputs({"--output": output})
    count = export_otf2(find_job(folder, job), place)
    tell(f"{place / 'traces.otf2'}: {count} events")


app.command(epilog="Example: trunkline trace top out --interval 5")(top)
