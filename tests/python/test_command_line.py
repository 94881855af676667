"""One command line: the same thing has the same name and form in every sub-command, and in the documents."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from trunkline import cli
from trunkline.cli.app import OLD_NAMES

ROOT = Path(__file__).resolve().parents[2]

FORMS = {
    "--cluster": {"CLUSTER", "CLUSTER,..."},
    "--mpi": {"NAME", "NAME,..."},
    "--algorithms": {"NAME[:SEGMENT]", "NAME[:SEGMENT],..."},
    "--collective": {"NAME", "NAME,..."},
    "--sizes": {"SIZE", "SIZE,..."},
    "--rate": {"RATE", "RATE,..."},
    "--ranks-per-host": {"N", "N,..."},
    "--hosts": {"N", "N,...", "HOSTLIST"},
    "--root": {"HOST|RANK", None},
    "--host-costs": {"COSTS"},
    "--json": {"FILE"},
    "--svg": {"FILE"},
    "--report": {"FILE"},
    "--output": {"FILE"},
    "--measured": {"FILE"},
    "--tuning": {"FILE"},
    "--plan": {"FILE", "PLAN"},
}
"""What an option is called and what stands behind it, wherever there is one for that thing."""

OTHER_NAMES = re.compile(
    "--(mpis?-library|library|algo|algorithm|shape|rivals|size|bytes|message-size|rates|ppn|ranks-on-host"
    "|html|page|out|measurement)$"
)
"""Names that those things must not have."""


def leaves(command, words=()):
    for name, one in getattr(command, "commands", {}).items():
        yield from leaves(one, (*words, name))
    if not getattr(command, "commands", {}):
        yield words, command


@pytest.fixture(scope="module")
def commands():
    if not cli.app.registered_commands:
        cli._register()
    return dict(leaves(typer.main.get_command(cli.app)))


def test_one_sub_command_does_not_wait_for_the_imports_of_others():
    """In an interpreter of its own: this one has imported all."""
    script = (
        "import sys; from trunkline.cli import main\n"
        "try: main()\n"
        "finally: print([one for one in ('trunkline.cli.bench', 'trunkline.cli.plan', 'numpy') if one in sys.modules])"
    )
    words = [sys.executable, "-c", script]
    alone = subprocess.run([*words, "library", "--help"], capture_output=True, text=True, check=True).stdout
    assert "--remove" in alone
    assert alone.endswith("[]\n")
    everything = subprocess.run([*words, "--help"], capture_output=True, text=True, check=True).stdout
    assert "'trunkline.cli.bench', 'trunkline.cli.plan'" in everything
    assert [one.name for one in cli._SUB_COMMANDS if f"│ {one.name} " not in everything] == []


def test_every_sub_command_has_one_form_for_one_thing(commands):
    assert len(commands) > 50
    wrong = [
        (" ".join(words), name, one.metavar)
        for words, command in commands.items()
        for one in command.params
        for name in one.opts
        if OTHER_NAMES.match(name) or one.metavar not in FORMS.get(name, {one.metavar})
    ]
    assert wrong == []


def test_what_needs_a_cluster_takes_it_by_name(commands):
    words = {
        " ".join(words): [one.name for one in command.params if one.param_type_name == "argument"]
        for words, command in commands.items()
    }
    assert [name for name, arguments in words.items() if "cluster" in arguments] == []


def test_old_names_lead_to_options_that_are_there(commands):
    there = {name for command in commands.values() for one in command.params for name in one.opts}
    assert set(OLD_NAMES.values()) <= there
    assert not set(OLD_NAMES) & there


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("plan cyclic --shape two-tree --json -", "plan --cluster cyclic --algorithms two-tree --json -"),
        ("plan lay --algorithm=binary cyclic --json -", "plan lay --cluster cyclic --algorithms binary --json -"),
        (
            "plan two-site --algorithm wave --bytes 100000 --json -",
            "plan --cluster two-site --algorithms wave --sizes 100000 --json -",
        ),
        ("cluster show cyclic --json -", "cluster show --cluster cyclic --json -"),
        ("predict --sizes 8KiB paper-1 --json -", "predict --cluster paper-1 --sizes 8KiB --json -"),
        (
            "explain paper-1 --size 8KiB --algorithm linear:4KiB --json -",
            "explain --cluster paper-1 --sizes 8KiB --algorithms linear:4KiB --json -",
        ),
    ],
)
def test_old_forms_are_still_taken(trunkline, old, new):
    taken, now = trunkline(*old.split()), trunkline(*new.split())
    assert (taken.status, now.status) == (0, 0), (taken, now)
    assert taken.data == now.data


def test_words_of_a_sub_command_are_no_cluster(refused):
    assert "an MPI library 'no-such-mpi'" in refused("copy", "no-such-file", "--to", "x", "--mpi", "no-such-mpi")


def test_old_forms_are_not_in_help(trunkline):
    said = trunkline("plan", "lay", "--help").out
    assert "--algorithms" in said
    assert "--shape" not in said


def test_the_cluster_comes_from_the_environment_too(trunkline, monkeypatch):
    monkeypatch.setenv("TRUNKLINE_CLUSTER", "paper-1")
    assert trunkline("plan", "--json", "-").data["cluster"] == "paper-1"
    assert trunkline("plan", "paper-4", "--json", "-").data["cluster"] == "paper-4"


def test_messages_name_what_was_typed(refused):
    assert "--bytes 8KiB: plans of linear" in refused("plan", "cyclic", "--bytes", "8KiB")
    assert "--sizes 8KiB: plans of linear" in refused("plan", "cyclic", "--sizes", "8KiB")


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("run --cluster cyclic mpiexec -n 2 ./p", "run --cluster cyclic -- mpiexec -n 2 ./p"),
        ("run mpiexec -n 2 ./p", "run --cluster CLUSTER -- mpiexec -n 2 ./p"),
        ("lab run cyclic --mpi mpich ./p -z 3", "lab run --cluster cyclic --mpi mpich -- ./p -z 3"),
        ("lab exec --cluster cyclic ip -4 address", "lab exec --cluster cyclic -- ip -4 address"),
    ],
)
def test_a_command_without_dashes_is_told_of_them(refused, words, advice):
    said = refused(*words.split())
    assert "write -- before the command" in said
    assert said.endswith(f"trunkline {advice}")


def test_help_starts_with_what_people_do(trunkline):
    said = " ".join(trunkline("--help").out.split())
    first, _, rest = said.partition("Options")
    assert rest
    assert re.findall(r" trunkline (\w+) ", first) == ["demo", "cluster", "doctor", "run", "run", "doctor"]


def shell_lines(text):
    """Commands in blocks of shell, lines with a backslash put together, and those in running text."""
    for block in re.findall(r"^ *```(?:sh|bash|console)?\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        yield from re.sub(r"\\\n", " ", block).splitlines()
    yield from re.findall(r"`([^`\n]*\btrunkline [^`\n]+)`", text)


def commands_in(line):
    """The words behind each ``trunkline`` of a line, without what follows a pipe or ``--``."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return
    while "trunkline" in words:
        words = words[words.index("trunkline") + 1 :]
        end = next((k for k, word in enumerate(words) if word in ("--", "|", "&&", ";", "&", ">")), len(words))
        yield words[:end]


def faults_of(words, commands):
    """Options that a command does not have, and a cluster that stands in it without its option."""
    if words[:1] == ["plan"] and words[1:] and words[1] not in ("lay", "show", "compose", "edit", "set"):
        words = ["plan", "lay", *words[1:]]
    if words[:2] == ["plan", "edit"]:
        words = ["plan", "edit", *words[3:]]
    path = max((path for path in commands if list(path) == words[: len(path)]), key=len, default=None)
    if path is None:
        return []
    params = commands[path].params
    own = {name for one in params for name in (*one.opts, *one.secondary_opts)} | {"--help", "-h"}
    named = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    wrong = [name for name in named if name not in own]
    has_own = path == ("copy",) or any(one.param_type_name == "argument" and one.nargs == 1 for one in params)
    first = next(iter(words[len(path) :]), "")
    if path[0] != "cluster" and "--cluster" in own and not has_own and re.match(r"[\w$]", first):
        wrong.append(f"{first} without --cluster")
    return wrong


PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(ROOT.glob("docs/**/*.md")),
    *ROOT.glob("examples/**/*.md"),
]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_commands_of_the_documents_are_in_the_new_form(page, commands):
    wrong = [
        (line.strip(), faults)
        for line in shell_lines(page.read_text())
        for words in commands_in(line)
        if (faults := faults_of(words, commands))
    ]
    assert wrong == []


def test_old_commands_in_documents_are_found(commands):
    page = (
        "```sh\ntrunkline plan cyclic --shape linear\n"
        "A=b trunkline lab run cyclic --mpi mpich -- trunkline measure --out x\n"
        "trunkline simulate gains --cluster cyclic \\\n  --rates 1Gbit # why\n"
        "trunkline plan edit p.yaml add-level --pla x\n```\n"
        "`trunkline predict cyclic --mpi mpich`, `trunkline cluster show cyclic`, `trunkline plan show p.yaml`\n"
    )
    found = [fault for line in shell_lines(page) for words in commands_in(line) for fault in faults_of(words, commands)]
    assert found == [
        *("--shape", "cyclic without --cluster", "cyclic without --cluster", "--out", "--rates", "--pla"),
        "cyclic without --cluster",
    ]
