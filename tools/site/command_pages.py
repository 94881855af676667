"""A page of Markdown for each sub-command, from its parser: the site shows it, and the manual page is made of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import typer
from rich.text import Text

from trunkline import __version__, cli

__all__ = ["FOLDER", "Command", "command_page", "commands", "commands_index"]

FOLDER = "reference/commands"
"""Where the pages are in the site."""

EXIT_STATUS = """0
: It did what was asked.

1
: It ran, and the answer is no.

2
: Wrong usage or input; a message says what, where, and what to do.
"""


@dataclass
class Command:
    """A sub-command, or a group of them, as its parser has it."""

    words: tuple[str, ...]
    """As they are typed: ``("trunkline", "plan", "lay")``."""
    usage: str
    text: str
    """What ``--help`` says, in the markup of Rich."""
    epilog: str
    arguments: list[tuple[str, str]] = field(default_factory=list)
    options: list[tuple[str, str]] = field(default_factory=list)
    below: list["Command"] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Of its page and its manual page: ``trunkline-plan-lay``."""
        return "-".join(self.words)

    @property
    def summary(self) -> str:
        """The first sentence of what ``--help`` says."""
        return Text.from_markup(self.text).plain.partition("\n\n")[0].replace("\n", " ").strip().rstrip(".")


def _command(one: Any, words: tuple[str, ...], parent: Any = None) -> Command:  # noqa: ANN401 (private to Typer)
    context = one.make_context(words[-1], [], parent=parent, resilient_parsing=True)
    made = Command(words, one.get_usage(context).partition(" ")[2].replace("\n", " "), one.help or "", one.epilog or "")
    for param in one.get_params(context):
        if param.param_type_name == "argument":
            made.arguments.append((param.metavar or str(param.name).upper(), param.help or ""))
        elif record := param.get_help_record(context):
            made.options.append((record[0].removesuffix(" <bool>"), record[1]))
    below = getattr(one, "commands", {})
    made.below = [_command(each, (*words, name), context) for name, each in below.items()]
    return made


def commands() -> Iterator[Command]:
    """``trunkline`` itself, then every group and sub-command, as a reader meets them."""
    if not cli.app.registered_commands:
        cli._register()
    waiting = [_command(typer.main.get_command(cli.app), ("trunkline",))]
    while waiting:
        one = waiting.pop(0)
        yield one
        waiting[:0] = one.below


def _plain(text: str) -> str:
    """Text of the parser as Markdown: its bold stays, nothing else is markup."""
    pieces = re.split(r"\[bold\](.*?)\[/\]", text)
    escaped = [re.sub(r"([\\`*_<\[\]~$|])", r"\\\1", piece) for piece in pieces]
    return "".join(f"**{piece}**" if place % 2 else piece for place, piece in enumerate(escaped))


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, where indented lines are shell."""
    for paragraph in re.split(r"\n{2,}", text.strip("\n")):
        if paragraph.startswith("  "):
            yield f"```sh\n{paragraph.strip()}\n```"
        else:
            yield _plain(" ".join(paragraph.split()))


def _loose(text: str) -> str:
    """Text whose long lists can be broken into lines."""
    return re.sub(r"\S{50,}", lambda found: found[0].replace(",", ", "), text)


def _definitions(rows: list[tuple[str, str]]) -> str:
    return "\n\n".join(f"`{name}`\n: {_plain(_loose(text)) or name.lower()}" for name, text in rows)


def command_page(one: Command, *, manual: bool = False) -> str:
    """The page of a sub-command.

    Args:
        one: The sub-command.
        manual: For a manual page, where others are named; else there are links to them.

    Returns:
        Markdown in MyST's dialect.
    """

    def link(words: tuple[str, ...]) -> str:
        name = "-".join(words)
        return f"**{name}**(1)" if manual else f"[{' '.join(words)}]({name}.md)"

    parts = [
        f"# {' '.join(one.words)}",
        "## Synopsis",
        f"```text\n{one.usage}\n```",
        "## Description",
        *_paragraphs(one.text),
    ]
    if one.arguments:
        parts += ["## Arguments", _definitions(one.arguments)]
    parts += ["## Options", _definitions(one.options)]
    if one.below:
        rows = "\n".join(f"{link(each.words)}\n: {_plain(each.summary)}.\n" for each in one.below)
        parts += ["## Sub-commands", rows]
    if one.epilog:
        shown = one.epilog.partition(": ")[2]
        parts += ["## Example", f"```sh\n{shown}\n```" if ", or " not in shown else _plain(shown)]
    parts += ["## Exit status", EXIT_STATUS.strip()]
    if above := [one.words[:length] for length in range(1, len(one.words))]:
        parts += ["## See also", ", ".join(map(link, above))]
    return "\n\n".join(parts) + "\n"


def commands_index(found: list[Command]) -> str:
    """The page that lists all of them.

    Args:
        found: What `commands` gives.
    """
    rows = "\n".join(f"| [{' '.join(one.words)}](commands/{one.name}.md) | {_plain(one.summary)} |" for one in found)
    return (
        f"# Commands\n\nMade from the parser of trunkline {__version__}: the site, `trunkline COMMAND --help` and "
        "`man trunkline-COMMAND` say the same. What holds for all of them is in [the command line](../command-line.md)."
        f"\n\n| command | what |\n|---|---|\n{rows}\n"
    )
