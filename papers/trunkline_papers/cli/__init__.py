"""The ``trunkline_papers`` command: what repeats papers, in the forms of ``trunkline``."""

from __future__ import annotations

from trunkline.cli import run_command
from trunkline.cli.app import App, tell_version
from trunkline_papers.cli import bench, simulate
from trunkline_papers.cli.figures import figures
from trunkline_papers.cli.program import program
from trunkline_papers.cli.verdicts import verdicts

__all__ = ["app", "main"]

app = App(
    name="trunkline_papers",
    help="What papers say, repeated: on the lab, and simulated. Found in a checkout of Trunkline alone.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)
app.add_typer(bench.app, name="bench")
app.add_typer(simulate.app, name="simulate")
app.command(epilog="Example: trunkline_papers figures --without-lab")(figures)
app.command(epilog="Example: trunkline lab run --cluster paper-1 -n 8 -- $(trunkline_papers program matmul) --check")(
    program
)
app.command(epilog="Example: trunkline_papers verdicts --folder out/papers --json verdicts.json")(verdicts)
tell_version(app, "trunkline_papers")


def main() -> None:
    """Entry point: exit status 0, 1 (it ran, the answer is no) or 2 (usage or bad input)."""
    run_command(app, "trunkline_papers")
