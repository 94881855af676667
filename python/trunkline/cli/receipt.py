"""``trunkline receipt``: what a job's collective calls came to, and what Trunkline was worth on a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from json import dumps
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.console import Console

from trunkline.cli.app import App
from trunkline.cli.options import JsonOption
from trunkline.cli.output import check_outputs, write_json, write_text, write_whole
from trunkline.errors import BadInput
from trunkline.receipt.file import Calls, Receipt, Trials, read_receipt
from trunkline.receipt.picture import receipt_panels
from trunkline.receipt.prometheus import prometheus_text
from trunkline.receipt.words import amount_text, call_name, reason_text, saved_text, size_text, time_text
from trunkline.receipt.worth import Sum, Worth, add_up
from trunkline.terminal import output, tell, titled_table

app = App(no_args_is_help=True, help="Show what jobs say at their end (TRUNKLINE_SUMMARY), and add them up.")

_MOST_TOLD = 10
"""Files that could not be read, one a line; all of them are in the JSON."""

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="A receipt: what TRUNKLINE_SUMMARY=FILE wrote.")]


@app.command(epilog="Example: trunkline receipt show receipt.json")
def show(file: FileArgument, json: JsonOption = None) -> None:
    """Show what ran, what it took, what was saved as the job measured it, and what stayed native and why."""
    check_outputs({"--json": json})
    found = read_receipt(file)
    write_json(found.as_json(), json)
    if json != "-":
        _print(found)


@app.command(epilog="Example: trunkline receipt page receipt.json --output receipt.html")
def page(
    file: FileArgument,
    made: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The page; '-' for standard output.")],
) -> None:
    """Write a receipt as a self-contained HTML page with pictures, for light and dark screens."""
    check_outputs({"--output": made})
    write_text(receipt_page(read_receipt(file)), made)


def _moment(text: str | None) -> datetime | None:
    """Of ``2026-11`` the month's first day."""
    if text is None:
        return None
    for form in ("%Y-%m-%d", "%Y-%m", "%Y-%m-%dT%H:%M:%SZ"):
        try:
            return datetime.strptime(text, form).replace(tzinfo=timezone.utc)
        except ValueError:
            continue
    raise BadInput(f"--since: '{text}' is no date; write one such as 2026-11-01, or a month such as 2026-11")


@app.command(name="sum", epilog="Example: trunkline receipt sum /var/lib/trunkline/receipts --since 2026-11-01")
def sum_(
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="Receipts, in folders of it, too (TRUNKLINE_SUMMARY=FOLDER).")
    ],
    since: Annotated[
        Optional[str],
        typer.Option(metavar="DATE", help="Jobs that began on that day (2026-11-01), or in that month, or later; UTC."),
    ] = None,
    prometheus: Annotated[
        Optional[str],
        typer.Option(
            metavar="FILE",
            help="Write it for Prometheus's textfile collector, to a file that ends with .prom and is replaced as a "
            "whole; '-' for standard output.",
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Add up the receipts of many jobs: what Trunkline was worth on a cluster.

    Files that are no receipts are counted and told, and the others are added up.
    """
    check_outputs({"--prometheus": prometheus, "--json": json})
    if prometheus and since:
        raise BadInput(
            "--prometheus counts all jobs, since Prometheus looks at spans of time itself: leave --since out"
        )
    if prometheus not in (None, "-") and not str(prometheus).endswith(".prom"):
        raise BadInput(f"--prometheus {prometheus}: the textfile collector reads files that end with .prom alone")
    worth = add_up(folder, _moment(since))
    for told in worth.unread[:_MOST_TOLD]:
        tell(f"trunkline: left out: {told}")
    if prometheus == "-":
        print(prometheus_text(worth), end="")
    elif prometheus:
        write_whole(prometheus_text(worth), Path(prometheus))
    write_json(worth.as_json(), json)
    if "-" not in (prometheus, json):
        _print_worth(worth, folder)


def _facts(found: Receipt) -> list[str]:
    """What the receipt says of the job."""
    hosts = f" on {found.hosts} hosts" if found.hosts else ""
    facts = [f"{found.ranks} ranks{hosts}", f"ran for {time_text(found.seconds)}"]
    facts += [f"began {found.began:%Y-%m-%d %H:%M:%S} UTC"] if found.began else []
    named = (("cluster", found.cluster), ("job", found.job), ("", found.mpi), ("Trunkline", found.version))
    return facts + [f"{name} {value}".strip() for name, value in named if value]


def _verdict(found: Receipt) -> str:
    took = f"Collective calls took {time_text(sum(one.seconds for one in found.calls))}"
    if not found.trials:
        return f"{took}. The job did not learn (TRUNKLINE_LEARN=1), so what was saved beside native calls is not known."
    if not found.measured:
        return f"{took}. Too few calls were timed to know what was saved beside native ones."
    saved = saved_text(found.saved_s, found.error_s)
    kinds = f"{len(found.measured)} kind{'' if len(found.measured) == 1 else 's'} of calls"
    unsure = "; that is within the error" if abs(found.saved_s) <= found.error_s else ""
    meetings = f", less {time_text(found.meetings_s)} of meetings" if found.meetings_s else ""
    return f"{took}; {saved} beside native ones, as trials of {kinds} measured it{meetings}{unsure}."


def _unknown(found: Receipt) -> str:
    """Of trials on communicators that lived too short."""
    count = len(found.trials) - len(found.measured)
    return f"Kinds of calls that ended before native ones were timed: {count}." if count else ""


def _trials_row(one: Trials) -> dict[str, str]:
    """Of some that have measured what was saved."""
    lost = [f"{each.algorithm} {time_text(each.call_s)} ({each.timed})" for each in one.lost]
    return {
        "call": call_name(one.collective),
        "size": size_text(one.least_bytes),
        "ranks": str(one.ranks),
        "calls": str(one.calls),
        "first": one.first,
        "runs": one.algorithm,
        "settled": f"{one.settled_after} calls" if one.settled_after else "not",
        "took": time_text(one.call_s or 0.0),
        "native": time_text(one.native_s or 0.0),
        "saved": time_text(one.saved_s),
        "error": f"+- {time_text(one.error_s or 0.0)}",
        "lost": ", ".join(lost),
    }


def _calls_row(one: Calls) -> dict[str, str]:
    return {
        "call": call_name(one.collective, one.form),
        "size": size_text(one.least_bytes),
        "ran": one.algorithm,
        "by": one.chosen_by,
        "calls": str(one.calls),
        "bytes": amount_text(one.bytes),
        "seconds": "" if one.form else time_text(one.seconds),
        "under_way": time_text(one.under_way_s) if one.under_way_s else "",
        "why": reason_text(one),
    }


def _by_time(found: Receipt) -> list[Calls]:
    """Most time first; of what blocks nobody by what was under way."""
    return sorted(found.calls, key=lambda one: (-one.seconds, -one.under_way_s))


def _tell_rows(terminal: Console, title: str, columns: Mapping[str, str], rows: Sequence[Mapping[str, str]]) -> None:
    """A table of rows, each by the names of its fields, under headings; without columns that are empty throughout."""
    shown = {head: name for head, name in columns.items() if any(row[name] for row in rows)}
    words = ("calls of", "ran", "by", "why", "runs", "predicted", "tried, and lost")
    wrapped = ("why", "runs", "predicted", "tried, and lost", "ran")
    table = titled_table(title, *shown, left=words, wrap=wrapped)
    for row in rows:
        table.add_row(*(row[name] for name in shown.values()))
    terminal.print(table)


def _print(found: Receipt) -> None:
    terminal = output(highlight=False)
    head = "; ".join([found.program or found.file, *_facts(found)])
    terminal.print(head, style="bold", markup=False, soft_wrap=True)
    if not found.calls:
        terminal.print("There were no collective calls.")
        return
    calls = [_calls_row(one) for one in _by_time(found)]
    columns = {"calls of": "call", "size": "size", "ran": "ran", "by": "by", "calls": "calls", "bytes": "bytes"}
    _tell_rows(terminal, "What ran", {**columns, "seconds": "seconds", "under way": "under_way"}, calls)
    if found.measured:
        rows = [_trials_row(one) for one in found.measured]
        columns = {"calls of": "call", "size": "size", "ranks": "ranks", "calls": "calls", "runs": "runs"}
        columns |= {"a call": "took", "native": "native", "saved": "saved", "error": "error"}
        _tell_rows(terminal, "What trials found", columns, rows)
        columns = {"calls of": "call", "size": "size", "predicted": "first", "settled after": "settled"}
        _tell_rows(terminal, "What was tried (calls timed)", {**columns, "tried, and lost": "lost"}, rows)
    if unknown := _unknown(found):
        terminal.print(unknown, style="dim", soft_wrap=True)
    if found.native:
        rows = [_calls_row(one) for one in found.native]
        columns = {"calls of": "call", "size": "size", "calls": "calls", "seconds": "seconds", "why": "why"}
        _tell_rows(terminal, "What stayed native", columns, rows)
    terminal.print(_verdict(found), style="bold", soft_wrap=True)


def receipt_page(found: Receipt) -> str:
    """All of a receipt as a page."""
    from trunkline.report.page import render  # Matplotlib takes a second to load

    return render(
        "receipt.html.j2",
        [],
        about=found.program or found.file,
        facts=_facts(found),
        verdict=_verdict(found),
        panels=receipt_panels(found),
        trials=[_trials_row(one) for one in found.measured],
        unknown=_unknown(found),
        calls=[_calls_row(one) for one in _by_time(found)],
        receipt=dumps(found.as_json(), indent=2),
    )


def _sum_table(title: str, head: str, sums: Mapping[str, Sum]) -> Any:  # noqa: ANN401
    columns = ("jobs", "calls", "bytes", "in these calls", "saved", "error", "processor hours", "measured")
    table = titled_table(title, head, *columns, left=(head,))
    for name, one in sums.items():
        known = one.measured_jobs > 0
        table.add_row(
            name,
            str(one.jobs),
            f"{one.calls:,}",
            amount_text(one.bytes),
            time_text(one.seconds),
            time_text(one.saved_s) if known else "",
            f"+- {time_text(one.error_s)}" if known else "",
            f"{one.saved_rank_s / 3600:,.2f}" if known else "",
            str(one.measured_jobs),
        )
    return table


def _print_worth(worth: Worth, folder: str) -> None:
    terminal = output(highlight=False)
    collectives = {call_name(name): worth.by_collective[name] for name in sorted(worth.by_collective)}
    for title, head, sums in (
        ("By month", "month", dict(sorted(worth.by_month.items()))),
        ("By cluster", "cluster", dict(sorted(worth.by_cluster.items()))),
        ("By collective, meetings of ranks not counted", "calls of", collectives),
    ):
        if sums:
            terminal.print(_sum_table(title, head, sums))
    left_out = {
        "files that could not be read as receipts": len(worth.unread),
        "jobs that began before that": worth.older,
        "receipts that do not say when": worth.undated,
    }
    told = [f"{words}: {count}" for words, count in left_out.items() if count]
    if told:
        terminal.print(f"Left out: {'; '.join(told)}.", style="dim", highlight=False, soft_wrap=True)
    terminal.print(_sum_verdict(worth.all, folder), style="bold", markup=False, soft_wrap=True)


def _sum_verdict(one: Sum, folder: str) -> str:
    jobs = f"{one.jobs} job{'' if one.jobs == 1 else 's'}"
    took = f"{folder}: {jobs}, {one.calls:,} collective calls of {amount_text(one.bytes)} in {time_text(one.seconds)}"
    if not one.measured_jobs:
        return f"{took}. None has measured what was saved: jobs do with TRUNKLINE_LEARN=1."
    unsure = "; that is within the error" if abs(one.saved_s) <= one.error_s else ""
    hours = f"{abs(one.saved_rank_s) / 3600:,.2f} hours of processors"
    return (
        f"{took}. {saved_text(one.saved_s, one.error_s).capitalize()} beside native calls, {hours}, as trials of "
        f"{one.measured_jobs} of them measured it{unsure}."
    )
