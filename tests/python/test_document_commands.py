"""Commands in the documents: each is taken by the parser, and those that need neither a job nor the lab are run.

`tests/lab/test_tutorial.py` runs those of the tutorial.
"""

import re
import shlex
import shutil
from pathlib import Path

import pytest
import typer

from trunkline import cli

ROOT = Path(__file__).resolve().parents[2]

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(ROOT.glob("docs/**/*.md")),
    *ROOT.glob("examples/**/*.md"),
]
ENDS = {"|", "&&", ";", "&", ">", "<"}
OUTSIDE = {
    *("mpicc", "mpicc.mpich", "mpiexec.mpich", "mpiexec.openmpi", "srun", "scontrol"),
    *("apt-get", "eb", "spack", "cc", "export", "echo", "exit", "["),
    *("python", "python3", "pip", "cmake", "tar", "cd", "./configure", "sort", "ssh", "for", "do", "done"),
}
"""Programs of others that the documents call; a new one is looked at before it is added here."""


def blocks(text):
    """Fenced blocks of a page, with their languages."""
    fence = None
    for line in text.splitlines():
        mark = re.match(r"^ *(`{3,})(\S*)", line)
        if mark and fence is None:
            fence, language, lines = mark[1], mark[2], []
        elif fence and line.strip() == fence:
            yield language, "\n".join(lines)
            fence = None
        elif fence:
            lines.append(line)


def shell_commands(text):
    """Words of each command in blocks of shell: settings before it are left out, what it starts is a command, too."""
    for language, block in blocks(text):
        if language not in ("sh", "bash", "console"):
            continue
        for line in re.sub(r"\\\n", " ", block).splitlines():
            words = []
            for word in [*shlex.split(line, comments=True), ";"]:
                if word not in ENDS and not word.endswith(";"):
                    words.append(word)
                    continue
                while words and re.match(r"[A-Z_]+=", words[0]):
                    words.pop(0)
                if words:
                    yield words
                words = []


def started(words):
    """What a command starts behind ``--``: the first of our own in it."""
    behind = words[words.index("--") + 1 :] if "--" in words else []
    return behind[behind.index("trunkline") :] if "trunkline" in behind else []


def taken(words):
    """Path of the sub-command that the parser finds.

    Raises:
        typer's errors of usage, and BadInput: it does not take these words.
    """
    if not cli.app.registered_commands:
        cli._register()
    command = typer.main.get_command(cli.app)
    context, path, rest = None, (), list(words)
    while True:
        context = command.make_context(path[-1] if path else "trunkline", rest, parent=context)
        if not hasattr(command, "commands"):
            return path
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        path = (*path, name)


def fault_of(words):
    """What is wrong with a command of a document; empty where nothing is."""
    program = words[0].rpartition("/")[2] if words[0].startswith("/") else words[0]
    if program == "trunkline":
        try:
            taken(words[1:])
        except Exception as error:
            return getattr(error, "message", "") or repr(error)
        return fault_of(started(words)) if started(words) else ""
    if program == "make":
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)) | {"install"}
        wanted = {word for word in words[1:] if "=" not in word}
        return "" if wanted <= targets else f"make has no target {words[1:]}"
    if program == "trunkline_papers":  # which may not be there: papers/tests takes these
        return ""
    if program.startswith(("tools/", "papers/tools/")):
        file = ROOT / program
        return "" if file.exists() and file.stat().st_mode & 0o100 else f"{program} is no program of the tree"
    if program.startswith("build/"):  # not built on every machine
        name = program.rpartition("/")[2].removeprefix("trunkline-bench-")
        is_target = any(
            name in file.read_text() for room in ("tests", "papers") for file in ROOT.glob(f"{room}/**/CMakeLists.txt")
        )
        return "" if is_target else f"no target is called {name}"
    takes_output = re.match(r"\w+=\$\(", words[0])  # of another command
    return "" if takes_output or program in OUTSIDE else f"who brings {program}?"


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_the_parser_takes_every_command_of_the_documents(page, monkeypatch):
    monkeypatch.delenv("TRUNKLINE_CLUSTER", raising=False)
    monkeypatch.chdir(ROOT)
    wrong = [(shlex.join(words), fault) for words in shell_commands(page.read_text()) if (fault := fault_of(words))]
    assert wrong == []


def test_wrong_commands_are_found():
    page = (
        "```sh\ntrunkline plan lai --cluster x --root 0\nA=b trunkline lab run --cluster x -- trunkline measur -o x\n"
        "trunkline explain\nmake tset\ntools/gone.py\nfrobnicate x\ntrunkline plan lay --cluster x --sizes\n"
        "trunkline algorithms | sort\n```\n```text\ntrunkline gone\n```\n"
    )
    found = [bool(fault_of(words)) for words in shell_commands(page)]
    assert found == [True, True, True, True, True, True, True, False, False]


RUN = {
    *(("cluster", name) for name in ("check", "show", "list", "export")),
    *(("plan", name) for name in ("lay", "show", "set", "compose")),
    *(("cluster", "import", name) for name in ("slurm", "lldp", "simgrid")),
    *(("explain",), ("predict",), ("generate",), ("algorithms",), ("doctor",)),
}
"""Sub-commands that need neither a job nor the lab."""
NEEDS = {"--measured", "--tuning", "--core"}
"""Options whose files come of a job, or that belong to one network."""
DATA = ROOT / "tests" / "python" / "sources" / "data"


def is_run(words):
    """Whether a command needs nothing but files: the doctor alone looks at this machine, with --pays at a network."""
    path = taken(words[1:])
    of_a_machine = any(word.startswith("/") for word in words[1:])
    is_piped = path[:2] == ("cluster", "import") and "-" in words
    return (
        path in RUN
        and not (of_a_machine or is_piped)
        and not NEEDS & set(words)
        and (path != ("doctor",) or "--pays" in words)
    )


@pytest.fixture
def workplace(tmp_path, trunkline):
    """A folder with the files that the documents speak of."""
    lab = (ROOT / "docs" / "first-cluster-file.md").read_text().partition("```yaml\n")[2].partition("```")[0]
    lab = lab.replace("node[01-04]", "node[01-16]").replace("node[05-08]", "node[17-32]")
    for name in ("lab", "my-cluster", "cluster"):
        (tmp_path / f"{name}.yaml").write_text(lab)
    weights = (
        (ROOT / "docs" / "wide-area.md").read_text().partition("```yaml\ntrunkline: weights")[2].partition("```")[0]
    )
    (tmp_path / "weights.yaml").write_text(f"trunkline: weights{weights}")
    for name, algorithm in (("plan", "linear"), ("quad", "4-ary"), ("binary", "binary")):
        words = ["plan", "--cluster", "lab.yaml", "--collective", "allreduce", "--algorithms", algorithm]
        done = trunkline(*words, "-o", f"{name}.yaml", cwd=tmp_path)
        assert done.status == 0, done.error
    assert (
        trunkline("plan", "set", "quad.yaml@0B-64B", "binary.yaml@64B-", "-o", "plans.yaml", cwd=tmp_path).status == 0
    )
    assert (
        trunkline("cluster", "export", "lab.yaml", "--format", "simgrid", "-o", "platform.xml", cwd=tmp_path).status
        == 0
    )
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for file in DATA.glob("topology*"):
        shutil.copy(file, tmp_path)
    return tmp_path


USER_PAGES = [page for page in PAGES if "results" not in page.parts and page.name != "tutorial.md"]


def test_commands_that_need_files_alone_run(workplace, trunkline, monkeypatch):
    monkeypatch.delenv("TRUNKLINE_CLUSTER", raising=False)
    done = {}
    for page in USER_PAGES:
        for words in shell_commands(page.read_text()):
            line = shlex.join(words)
            if words[0] != "trunkline" or line in done or not is_run(words):
                continue
            ran = trunkline(*words[1:], cwd=workplace)
            assert ran.status == 0, f"{page.name}: {line}\n{ran.error}"
            done[line] = ran
    assert len(done) >= 15
