"""``trunkline lab``: programs on an emulated cluster."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NoReturn, Optional

import typer

from trunkline import _core
from trunkline.cli.app import App
from trunkline.cli.assumptions import rate_words
from trunkline.cli.impair_options import impairable
from trunkline.cli.lab_check import check
from trunkline.cli.lab_slurm import check_slurm_run, slurm_environment
from trunkline.cli.options import ClusterOption, LabRateOption, RanksOnHostOption, mpi_option
from trunkline.cli.output import check_outputs, write_json
from trunkline.cluster import load_cluster
from trunkline.draw.names import hostlist
from trunkline.errors import BadInput
from trunkline.lab.impairments import Impairments, counted_text
from trunkline.lab.message_cost import tell_message_cost
from trunkline.lab.rate import lab_rate
from trunkline.lab.running import change_links, pick_lab
from trunkline.lab.script import Playing, load_script
from trunkline.lab.session import Lab, check_host
from trunkline.launchers import check_program_mpi, mpi_of_program
from trunkline.mpi import preload_of, ready_mpi, require_mpi, settings_of
from trunkline.terminal import console, tell
from trunkline.units import format_rate


def set_links(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="LINK... CHANGE...",
            help="Links: s0-s1 between two nodes, 's0->s1' one direction, h3 all of a node, '*' all; host lists for "
            "several. Changes: rate=1Mbit, or rate=10% of what it started with; latency=20ms, jitter=2ms, loss=1%, "
            "corrupt, garble, duplicate, reorder, reorder_by; down for a link that fails, up for its return.",
        ),
    ],
    lab: Annotated[
        Optional[int], typer.Option(metavar="PID", help="The process that started the lab; default: the only one.")
    ] = None,
    json: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="Write what changed, and when, as JSON; '-': standard output.")
    ] = None,
) -> None:
    """Change links of a lab that runs: all that is named at once, or, where something is wrong, nothing."""
    check_outputs({"--json": json})
    running = pick_lab(lab)
    said = change_links(running, words)
    name = running.cluster.name
    tell(f"{name}: at {said['seconds']:.2f} s {said['text']}")
    if not running.single_frames and _core.parse_link_change(running.cluster, words).impairs:
        tell(
            f"trunkline: warning: hosts of {name} hand over up to two frames in one piece, which are lost and delayed "
            "together; start the lab with --single-frames, or with an impaired link, for each by itself"
        )
    write_json({"cluster": name, "lab": running.owner, **said}, json)


app = App(help="Run programs on an emulated cluster: one Linux machine, no privileges.", no_args_is_help=True)

Host = Annotated[Optional[str], typer.Option(metavar="HOST", help="Where to run it; default: the first host.")]
CountersJson = Annotated[
    Optional[str], typer.Option(metavar="FILE", help="Write what the network counted as JSON; '-' for standard output.")
]
Timeout = Annotated[
    Optional[float], typer.Option(min=0.001, metavar="SECONDS", help="End it after that time (exit status 1).")
]

Script = Annotated[
    Optional[str],
    typer.Option(metavar="FILE", help="Change links while the program runs, at the times that the file says."),
]
SingleFrames = Annotated[
    bool,
    typer.Option("--single-frames", help="Hosts hand over each frame by itself, for links that are impaired later."),
]

app.command(epilog="Example: trunkline lab check --cluster cyclic")(check)
app.command(name="set", epilog="Example: trunkline lab set s0-s1 rate=1Mbit loss=1%")(set_links)


def _open(loaded: _core.Cluster, rate: str, impairments: Impairments, *, single_frames: bool = False) -> Lab:
    """A lab of the cluster, ready to enter. Looking for a rate takes minutes: check all else first."""
    if rate != "auto":
        rate_bps = lab_rate(loaded, rate)
    else:
        with console.status(f"{loaded.name}: looking for the highest true rate"):
            rate_bps = lab_rate(loaded, rate)
    return Lab(loaded, rate_bps, impairments, single_frames=single_frames)


def _tell_rate(lab: Lab, rate: str) -> None:
    """The rates that a program runs at, which nobody has named where the rate is ``auto``."""
    why = ", the highest rate that is true on this machine" if rate == "auto" else ""
    tell(f"{lab.cluster.name}: {rate_words(lab.cluster)}{why}")


def _steps(script: str | None, cluster: _core.Cluster) -> list[_core.LabStep]:
    return [] if script is None else load_script(script, cluster)


def _impairs(steps: list[_core.LabStep]) -> bool:
    return any(change.impairs for step in steps for change in step.changes)


@contextlib.contextmanager
def _changing(lab: Lab, steps: list[_core.LabStep], json: str | None) -> Iterator[None]:
    """While a program runs: its script, and changes by others. Afterwards what they were, and what was counted."""
    lab.reset_stats()
    lab.open()
    with Playing(lab, steps, tell) as playing:
        yield
    stats = lab.stats()
    write_json(stats, json)
    of_script = {made["seconds"] for made in playing.made}
    others = [change for change in stats["changes"] if change["seconds"] not in of_script]
    for change in others:
        tell(f"lab set: at {change['seconds']:.2f} s {change['text']}")
    if (unkept := stats["changes_made"] - len(stats["changes"])) > 0:
        tell(f"network: {unkept} changes more, which it kept no list of")
    if text := counted_text(stats):
        tell(text)


def _measured(lab: Lab, ranks: int) -> dict[str, str]:
    """What messages cost on this lab now, told to people, as ranks are told it; nothing where the caller has set it."""
    if settings_of().get("TRUNKLINE_HOST_COSTS"):
        return {}
    tell_message_cost(lab, ranks)
    return {"TRUNKLINE_HOST_COSTS": lab.host_costs} if lab.host_costs else {}


def _check_program(program: str) -> None:
    """Refuse what is no program before a lab is up."""
    if program.startswith("-") or shutil.which(program) is not None:
        return
    if Path(program).is_file():
        if os.access(program, os.X_OK):  # launchers look in the working folder as well
            return
        raise BadInput(f"cannot run '{program}': it may not be executed; compile a source, make a script chmod +x")
    where = "no such file" if "/" in program else "no such program on PATH"
    raise BadInput(f"cannot run '{program}': {where}; aliases and built-in words need a shell: -- sh -c '...'")


def _pass_on(status: int) -> NoReturn:
    """End as the program did; where a signal ended it, as a shell says it."""
    sys.exit(status if status >= 0 else 128 - status)


@app.command(epilog="Example: trunkline lab run --cluster cyclic --mpi openmpi -n 32 -- ./any_mpi_program")
@impairable
def run(
    cluster: ClusterOption,
    program: Annotated[list[str], typer.Argument(metavar="-- PROGRAM ...", help="The MPI program and its arguments.")],
    impairments: Impairments,
    mpi: Annotated[
        Optional[str],
        mpi_option(
            "The MPI library it was built for: mpich, openmpi, ...; default: the one that it is linked to, or mpich."
        ),
    ] = None,
    ranks: Annotated[
        Optional[int], typer.Option("-n", min=1, metavar="N", help="Number of ranks; default: all hosts full.")
    ] = None,
    ranks_per_host: RanksOnHostOption = 1,
    rate: LabRateOption = "auto",
    native: Annotated[bool, typer.Option("--native", help="Without Trunkline: the MPI library as it comes.")] = False,
    slurm: Annotated[
        bool,
        typer.Option(
            "--slurm", help="Start a real Slurm on the hosts; PROGRAM is sbatch, srun, salloc or a script with them."
        ),
    ] = False,
    trace: Annotated[
        Optional[str], typer.Option(metavar="FOLDER", help="Leave a trace of its collectives there: trunkline trace.")
    ] = None,
    script: Script = None,
    single_frames: SingleFrames = False,
    timeout: Timeout = None,
    json: CountersJson = None,
) -> None:
    """Run an MPI program, one rank a host or more, with Trunkline preloaded. Its exit status is passed on.

    Rank r sits on host r / RANKS_PER_HOST. TRUNKLINE_* settings of the environment reach the ranks, but for
    TRUNKLINE_CLUSTER, which is the lab's own file. TRUNKLINE_HOST_COSTS is what messages cost now, unless it is set.

    With --slurm every host is a node of RANKS_PER_HOST processors, and a plug-in of Slurm preloads Trunkline into what
    jobs run (docs/slurm.md). It needs root, and Slurm's packages.
    """
    if native and trace is not None:
        raise BadInput("--trace is Trunkline's own, which --native leaves out: keep one of them")
    if slurm:
        check_slurm_run(ranks, native)
    wanted = mpi or mpi_of_program(program[0])
    library = require_mpi(wanted) if native else ready_mpi(wanted)
    check_outputs({"--json": json})
    loaded = impairments.of(load_cluster(cluster))
    steps = _steps(script, loaded)
    hosts = loaded.hosts
    _check_program(program[0])
    all_ranks = ranks or len(hosts) * ranks_per_host

    def launch(measured: dict[str, str]) -> tuple[list[str], dict[str, str]]:
        """Through the library's own launcher. The caller's own settings come before what was measured."""
        return library.launch(
            hosts=hosts,
            ranks=all_ranks,
            ranks_per_host=ranks_per_host,
            program=program,
            agent=Lab.agent,
            env={
                **library.settings_of_mpi4py(os.environ),
                **({} if native else {**measured, **settings_of(), "TRUNKLINE_CLUSTER": Lab.cluster_file}),
                **({} if trace is None else {"TRUNKLINE_TRACE": str(Path(trace).absolute())}),
            },
            preload=[] if native else [preload_of(library)],
        )

    def prepared(lab: Lab) -> tuple[list[str], dict[str, str]]:
        measured = {} if native else _measured(lab, all_ranks)
        if not slurm:
            return launch(measured)
        return program, slurm_environment(
            lab, processors=ranks_per_host, mpi=library, native=native, trace=trace, measured=measured
        )

    if not slurm:  # what is wrong with it is told before a lab is up
        check_program_mpi(program[0], library)
        launch({})
    with _open(loaded, rate, impairments, single_frames=single_frames or _impairs(steps)) as lab:
        _tell_rate(lab, rate)
        argv, env = prepared(lab)
        with _changing(lab, steps, json):
            status = lab.run(argv, env=env, timeout=timeout).returncode
    _pass_on(status)


@app.command(name="exec", epilog="Example: trunkline lab exec --cluster cyclic --host h5 -- ip address")
@impairable
def execute(
    cluster: ClusterOption,
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND ...", help="The command and its arguments.")],
    impairments: Impairments,
    host: Host = None,
    rate: LabRateOption = "auto",
    script: Script = None,
    single_frames: SingleFrames = False,
    timeout: Timeout = None,
    json: CountersJson = None,
) -> None:
    """Run one command on one host. Its exit status is passed on."""
    check_outputs({"--json": json})
    loaded = impairments.of(load_cluster(cluster))
    check_host(loaded, host)
    steps = _steps(script, loaded)
    _check_program(command[0])
    with _open(loaded, rate, impairments, single_frames=single_frames or _impairs(steps)) as lab:
        _tell_rate(lab, rate)
        with _changing(lab, steps, json):
            status = lab.run(command, host=host, timeout=timeout, stdin=sys.stdin).returncode
    _pass_on(status)


@app.command(epilog="Example: trunkline lab shell --cluster cyclic --host h5")
@impairable
def shell(
    cluster: ClusterOption,
    impairments: Impairments,
    host: Host = None,
    rate: LabRateOption = "auto",
    single_frames: SingleFrames = False,
    json: CountersJson = None,
) -> None:
    """A shell on one host. The cluster ends with it."""
    check_outputs({"--json": json})
    loaded = impairments.of(load_cluster(cluster))
    check_host(loaded, host)
    with _open(loaded, rate, impairments, single_frames=single_frames) as lab:
        console.print(
            f"{lab.cluster.name} at {format_rate(lab.rate_bps)}: {hostlist(lab.cluster.hosts)}; "
            f"'{lab.agent} HOST COMMAND' runs a command on another host; 'exit' ends the cluster"
        )
        env = {**_measured(lab, len(lab.cluster.hosts)), **settings_of()}
        with _changing(lab, [], json):
            status = lab.run([os.environ.get("SHELL", "/bin/sh")], host=host, env=env, stdin=sys.stdin).returncode
    _pass_on(status)
