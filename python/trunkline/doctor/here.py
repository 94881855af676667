"""This machine without a job: versions, MPI libraries with their preload libraries, interfaces, rights."""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from trunkline import __version__, _core
from trunkline.bench.job import program
from trunkline.doctor.finding import Finding, note, ok, wrong
from trunkline.doctor.windows import TCP, window_findings
from trunkline.errors import BadInput
from trunkline.lab.obstacles import check_obstacles
from trunkline.mpi import BUILD_IT, Mpi, find_mpis, told_ranks
from trunkline.paths import NATIVE, preload_library
from trunkline.search_mpis import SeenMpi, search_mpis
from trunkline.units import format_rate

_PATIENCE_S = 60
_LAUNCHERS = ("mpiexec", "mpirun", "mpiexec.mpich", "mpiexec.openmpi", "mpiexec.hydra")
_NET = Path("/sys/class/net")
_GROUP, _PORT = "239.255.84.76", 0


def findings_here(cluster: _core.Cluster | None) -> Iterator[Finding]:
    """All of them, one after the other; starting two ranks under each MPI library takes some seconds.

    Args:
        cluster: Of which this machine should be a host; None: not known.
    """
    system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    yield ok("version", f"Trunkline {__version__} on {system}; compiled parts in {NATIVE}")
    seen: list[SeenMpi] = []
    try:
        seen = search_mpis()
    except BadInput as error:  # CMake looks for them, and jobs do without it
        yield note("MPI", f"libraries that have no preload library yet were not looked for: {error}")
    yield from mpi_findings(find_mpis(), seen)
    yield from unserved_findings(seen)
    yield from interface_findings(cluster, _NET, socket.gethostname())
    yield from window_findings(cluster, TCP, socket.gethostname())
    yield _multicast()
    yield _lab()
    yield note("planned", _core.planned_words())


def mpi_findings(found: dict[str, Mpi], seen: Sequence[SeenMpi] = ()) -> Iterator[Finding]:
    """Each library that is served, whether its ranks load the preload library, and launchers of others on PATH."""
    if not found:
        advice = "run 'trunkline library --build'"
        if not any(one.can_build for one in seen):
            advice = f"install one with its compiler (apt-get install mpich libmpich-dev), then {advice}"
        yield wrong("MPI", "no MPI library here has a preload library yet", advice)
    for mpi in found.values():
        yield _served(mpi)
    known = {str(Path(mpi.mpiexec).resolve()) for mpi in found.values()}
    others = {str(Path(place).resolve()): place for name in _LAUNCHERS if (place := shutil.which(name)) is not None}
    for file, place in others.items():
        if file not in known:
            advice = f"jobs that it starts run as before; {BUILD_IT} serves another library"
            yield note("MPI", f"{place} is the launcher of no library that there is a preload library for", advice)


def unserved_findings(seen: list[SeenMpi]) -> Iterator[Finding]:
    """Compiler wrappers on PATH and in modules whose libraries have no preload library."""
    for one in seen:
        if one.can_build:
            advice = f"run 'trunkline library --build --mpicc {one.mpicc}'"
            yield note("MPI", f"{one.what}, {one.mpicc} ({one.where}): {one.reason}", advice)


def _served(mpi: Mpi) -> Finding:
    topic = f"MPI {mpi.name}"
    if not Path(mpi.mpiexec).exists():
        return wrong(topic, f"{mpi.mpiexec} is gone", f"install the library again, or run {BUILD_IT} for another one")
    library = preload_library(mpi.name)
    if not library.exists():
        return wrong(topic, f"{library} is not there", f"run {BUILD_IT}, now that the library is installed")
    if not Path(program(mpi)).exists():
        return note(topic, f"{mpi.version}, {library}; no program was built that would try it")
    try:
        loaded = _loaded_in(mpi, library)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        advice = f"start two ranks by hand: {mpi.mpiexec} -n 2 hostname"
        return wrong(topic, f"{mpi.version}: two ranks did not start on this machine: {error}", advice)
    bare = [rank for rank, version in enumerate(loaded) if not version]
    if bare or len(loaded) < 2:
        advice = "have the launcher hand LD_PRELOAD on to all ranks"
        return wrong(topic, f"{mpi.version}: rank {(bare or [1])[0]} of two does not load {library}", advice)
    return ok(topic, f"{mpi.version}, {mpi.mpiexec}; two ranks here load {library}")


def _loaded_in(mpi: Mpi, library: Path) -> list[str]:
    """The preload library's version as each of two ranks on this machine says it."""
    settings = {"LD_PRELOAD": str(library), **mpi.settings_of_mpi4py(os.environ)}
    words = [mpi.mpiexec, "-n", "2"]
    words += told_ranks(mpi.family, settings)
    words += [program(mpi), "--survey", "yes", "--clocks", "own", "--collective", "bcast", "--sizes", "8"]
    words += ["--algorithms", "native", "--least", "1", "--most", "1", "--budget", "0", "--width", "1"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("TRUNKLINE_")}
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    oversubscribed = {
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_PATIENCE_S,
        check=False,
        env={**plain, **as_root, **oversubscribed},
        stdin=subprocess.DEVNULL,
    )
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    seats = {event["rank"]: str(event["preload"]) for event in events if "preload" in event}
    if done.returncode != 0 or not seats:
        said = (done.stderr.strip() or done.stdout.strip() or "nothing said").splitlines()
        raise ValueError(f"status {done.returncode}: {said[-1]}")
    return [seats[rank] for rank in sorted(seats)]


def interface_findings(cluster: _core.Cluster | None, folder: Path, host: str) -> Iterator[Finding]:
    """Interfaces that are up, and the rate of the fastest one beside the cluster file's.

    Args:
        cluster: None: not known.
        folder: ``/sys/class/net``.
        host: This machine's name.
    """
    rates: dict[str, float] = {}
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        if place.name != "lo" and _read(place / "operstate") in ("up", "unknown"):
            speed = _read(place / "speed")
            rates[place.name] = float(speed) * 1e6 if speed.lstrip("-").isdigit() and int(speed) > 0 else 0.0
    named = ", ".join(f"{name} {format_rate(bps) if bps else 'at an unknown rate'}" for name, bps in rates.items())
    yield ok("interfaces", named) if rates else note("interfaces", "none is up but the loopback")
    if cluster is None:
        return
    own = cluster.find_host(host)
    if own is None:
        advice = "add it to the file, or say which host it is with TRUNKLINE_HOST, if ranks shall run here"
        yield note("interfaces", f"cluster {cluster.name} has no host {host}", advice)
        return
    name = cluster.hosts[own]
    stated = next(link.most_bps * link.width for link in cluster.links if name in (link.a, link.b))
    fastest = max(rates.values(), default=0.0)
    if fastest and abs(fastest / stated - 1) > 0.25:
        text = f"the fastest interface has {format_rate(fastest)}, and the cluster file says {format_rate(stated)}"
        yield wrong("interfaces", f"{text} of {name}", "correct the file's rate, or tell MPI which interface to use")


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError:
        return ""  # of interfaces that are down the kernel refuses to say it


def _multicast() -> Finding:
    """Whether a process may join a group and hears what it sends to it; what switches do needs a job to see."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
            heard.settimeout(1.0)
            heard.bind(("", _PORT))
            heard.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
            member = socket.inet_aton(_GROUP) + socket.inet_aton("0.0.0.0")
            heard.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
            heard.sendto(b"trunkline", (_GROUP, heard.getsockname()[1]))
            heard.recvfrom(64)
    except OSError as error:
        advice = "plans go without multicasts; a route for 224.0.0.0/4 and a firewall that lets UDP pass allow them"
        return note("multicast", f"a group cannot be used on this machine: {error}", advice)
    return ok("multicast", "a group can be used on this machine; whether switches pass it, a job's doctor sees")


def _lab() -> Finding:
    try:
        check_obstacles()
    except BadInput as error:
        return note("lab", f"'trunkline lab' cannot run here: {error}", "jobs do not need it")
    return ok("lab", "'trunkline lab' may make its hosts here")
