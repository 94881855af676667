"""One form for one thing: how sub-commands read the forms that had another name once, and say what is missing."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from trunkline import __version__
from trunkline.compat import annotations_of
from trunkline.errors import BadInput

OLD_NAMES = {
    "--algorithm": "--algorithms",
    "--shape": "--algorithms",
    "--rivals": "--algorithms",
    "--rates": "--rate",
    "--size": "--sizes",
    "--bytes": "--sizes",
    "--html": "--report",
}
"""Names of options that are still taken, where the sub-command has the new one."""

_TYPED = "trunkline.typed"
"""In a context: old names by the new ones that they were read as, so that messages say what was typed."""


_OF_LAUNCHERS = {
    *("-n", "-np", "--np", "-N", "-ppn", "-perhost", "-c", "-H", "-host", "--host", "-hosts", "-f", "-hostfile"),
    *("--hostfile", "-machinefile", "--machinefile", "-x", "-genv", "-env", "-ntasks", "--ntasks", "--nodes", "-p"),
    *("--ntasks-per-node", "--map-by", "-map-by", "--bind-to", "-bind-to", "--oversubscribe", "--mca", "-mca", "-w"),
}
"""Options of mpiexec and srun that say where ranks start."""


class Command(TyperCommand):
    """A sub-command that takes old forms as well: other names of options, and the cluster as its first word."""

    other_names: Mapping[str, str] = {}
    """More old names, which mean something else in other sub-commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 (its type is private to Typer)
        """As click's, of the new forms."""
        if ctx.resilient_parsing:  # a shell completes a line that is not whole yet
            return super().parse_args(ctx, args)
        words = self._new_names(ctx, args)
        self._check_values(args)
        if "cluster" in {param.name for param in self.params}:
            words = self._with_cluster(ctx, words)
        return super().parse_args(ctx, words)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """As click's; messages say what was typed."""
        try:
            return super().invoke(ctx)
        except BadInput as error:
            text = str(error)
            for new, typed in ctx.meta.get(_TYPED, {}).items():
                text = text.replace(f"{new}:", f"{typed}:").replace(f"{new} ", f"{typed} ")
            raise BadInput(text) from error

    def _new_names(self, ctx: Any, args: Sequence[str]) -> list[str]:  # noqa: ANN401
        own = {name for param in self.params for name in param.opts}
        old = {**OLD_NAMES, **self.other_names}
        words = list(args)
        for place in self._options(args):
            name, equals, value = args[place].partition("=")
            if name not in own and old.get(name) in own:
                words[place] = f"{old[name]}{equals}{value}"
                ctx.meta.setdefault(_TYPED, {})[old[name]] = name
        return words

    def _check_values(self, args: Sequence[str]) -> None:
        """An empty value is one of a shell's variable that is not set: what was meant is not the default.

        Raises:
            BadInput: naming the option.
        """
        for place in self._options(args):
            name, equals, value = args[place].partition("=")
            is_next = self._takes_next(args[place]) and args[place + 1 : place + 2] == [""]
            if name.startswith("--") and (is_next or (equals and not value)):
                raise BadInput(f"{name}: its value is empty; give one, or leave {name} out")

    def _with_cluster(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """The cluster behind its option, where it was given as the first word."""
        arguments = [param for param in self.params if param.param_type_name == "argument"]
        command = next((one for one in arguments if one.nargs == -1 and "--" in (one.metavar or "")), None)
        options = set(self._options(args))
        end = args.index("--") if "--" in args else len(args)
        values = {place + 1 for place in options if self._takes_next(args[place])}
        plain = [place for place in range(end) if place not in options | values]
        has_own = any(one is not command for one in arguments)
        is_named = any(args[place].partition("=")[0] == "--cluster" for place in options)
        # What 'trunkline run' starts never had a cluster before it, so its first word may well be mpiexec.
        is_job = ctx.command_path.split()[-2:] == [ctx.find_root().info_name.split()[-1], "run"]
        if is_job:
            self._check_launcher(ctx, args, min(plain, default=end), options)
        if not has_own and not is_named and plain and (end < len(args) or not is_job):
            first = plain.pop(0)
            words = [*args[:first], "--cluster", args[first], *args[first + 1 :]]
            plain, options = [place + 1 for place in plain], {place + (place > first) for place in options}
        else:
            words = args
        if command is not None and end == len(args) and plain:
            self._check_dashes(ctx, words, plain[0], options)
        return words

    def _check_launcher(self, ctx: Any, args: list[str], first: int, options: set[int]) -> None:  # noqa: ANN401
        """A launcher's options without the launcher: how many ranks there are is no matter of ours.

        Args:
            ctx: Typer's.
            args: All words.
            first: The first that is no option; a number that one of these takes may be taken for it.
            options: Places of options.

        Raises:
            BadInput: naming the first of them.
        """
        own = self._own_names()
        for place in sorted(one for one in options if one < first):
            name = args[place].partition("=")[0]
            if name in own or not (name in _OF_LAUNCHERS or re.fullmatch(r"-(n|np|N)\d+", name)):
                continue
            own_words = args[:place] if "--cluster" in args[:place] else [*args[:place], "--cluster", "CLUSTER"]
            job = [word for word in args[place:] if word != "--"]
            raise BadInput(
                f"'{name}' is an option of mpiexec or srun, which does not stand before it: write the launcher as you "
                f"do without Trunkline, behind --, as in {ctx.command_path} {shlex.join([*own_words, '--'])} "
                f"mpiexec {shlex.join(job)}"
            )

    def _own_names(self) -> set[str]:
        return {name for one in self.params for name in (*one.opts, *one.secondary_opts)} | {"--help", "-h"}

    def _check_dashes(self, ctx: Any, words: list[str], first: int, options: set[int]) -> None:  # noqa: ANN401
        """Without ``--`` the options of a job's launcher would be read as ours.

        Args:
            ctx: Typer's.
            words: All of them.
            first: Where the command begins that is to be started.
            options: Places of options.

        Raises:
            BadInput: naming the first that is none of ours.
        """
        own = self._own_names()
        for place in sorted(options):
            name = words[place].partition("=")[0]
            own_words = words[:first] if "--cluster" in words[:first] else [*words[:first], "--cluster", "CLUSTER"]
            if place > first and name not in own and not (name[1] != "-" and name[:2] in own):
                raise BadInput(
                    f"'{name}' is no option of '{ctx.command_path}': write -- before the command that it starts, as in "
                    f"{ctx.command_path} {shlex.join([*own_words, '--', *words[first:]])}"
                )

    def _options(self, args: Sequence[str]) -> Iterator[int]:
        """Places of options before ``--``, not of their values."""
        place = 0
        while place < len(args) and args[place] != "--":
            if args[place].startswith("-") and len(args[place]) > 1:
                yield place
                place += self._takes_next(args[place])
            place += 1

    def _takes_next(self, word: str) -> bool:
        """Whether the word behind an option is its value."""
        if "=" in word and word.startswith("--"):
            return False
        old = {**OLD_NAMES, **self.other_names}
        for param in self.params:
            if word in param.opts or old.get(word) in param.opts:
                return not getattr(param, "is_flag", False)
        return False


class _Group(TyperGroup):
    """A group that says which sub-commands it has, where it is given another."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        word = args[0]
        if not ctx.resilient_parsing and not word.startswith("-") and self.get_command(ctx, word) is None:
            known = self.list_commands(ctx)
            alike = difflib.get_close_matches(word, known, 1)
            nearest = f"the nearest is {alike[0]}; " if alike else ""
            raise BadInput(f"'{ctx.command_path}' has no sub-command '{word}'; {nearest}there are: {', '.join(known)}")
        return super().resolve_command(ctx, args)


class App(typer.Typer):
    """A group of sub-commands, all of which take the old forms."""

    def __init__(self, *, cls: type[TyperGroup] = _Group, **rest: Any) -> None:  # noqa: ANN401
        super().__init__(cls=cls, **rest)

    def command(
        self,
        name: str | None = None,
        *,
        cls: type[TyperCommand] | None = None,
        **rest: Any,  # noqa: ANN401
    ) -> Callable[..., Any]:
        """As Typer's."""
        register = super().command(name, cls=cls or Command, **rest)
        return lambda function: register(_with_types(function))

    def callback(self, **rest: Any) -> Callable[..., Any]:  # noqa: ANN401
        """As Typer's."""
        register = super().callback(**rest)
        return lambda function: register(_with_types(function))


def tell_version(app: App, name: str) -> None:
    """Give a command ``--version``, which prints its name and Trunkline's version."""

    def show(value: bool) -> None:
        if value:
            print(f"{name} {__version__}")
            raise typer.Exit

    @app.callback()
    def _root(
        _version: bool = typer.Option(
            False, "--version", help="Print the version and exit.", callback=show, is_eager=True
        ),
    ) -> None:
        pass


def _with_types(function: Callable[..., Any]) -> Callable[..., Any]:
    """With its annotations read: under Python 3.9 Typer reads those that are texts, and loses what options say."""
    function.__annotations__ = annotations_of(function)
    return function
