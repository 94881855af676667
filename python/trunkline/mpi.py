"""The MPI libraries that there is a preload library for, and how each starts ranks on the hosts of a lab."""

from __future__ import annotations

import difflib
import json
import os
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.paths import IDLE_SHIM, NATIVE, built_for, kept_folders, preload_library

BUILD_IT = "'trunkline library --build --mpicc /path/to/its/mpicc'"
"""What makes a preload library for an MPI library that has none, for messages."""
_FOUND = NATIVE / "lib"
"""``mpis.json`` of the build in it, or one file for each of several packages, such as ``mpis-mpich.json``."""
_MPICHS = ("intelmpi", "mvapich", "mpiabi")
"""Families that are MPICHs at heart; of the standard ABI's libraries, those that there are."""
_PACKAGES = {
    "mpich": "mpich libmpich-dev",
    "openmpi": "openmpi-bin libopenmpi-dev",
}
_SYSTEM_FOLDERS = [
    Path(root, folder)
    for root in ("/lib", "/usr/lib", "/lib64", "/usr/lib64")
    for folder in ("", sysconfig.get_config_var("MULTIARCH") or "")
]
"""Where the loader looks by itself, and so what must not come before a program's own folders."""


@dataclass(frozen=True)
class Mpi:
    """One MPI library of this machine.

    Attributes:
        name: ``mpich`` or ``openmpi`` for the system's, with ``-VERSION`` for others; ``intelmpi``.
        family: ``mpich``, ``openmpi``, ``intelmpi``, ``mvapich`` or ``mpiabi``, which is the standard's ABI, whichever
            library has it.
        version: Of the library.
        mpicc: Its compiler wrapper.
        mpiexec: Its launcher.
        library: File of its C library.
    """

    name: str
    family: str
    version: str
    mpicc: str
    mpiexec: str
    library: str

    @property
    def counts_as(self) -> str:
        """The family that the preload library takes it for, in predictions and tuning files: Intel MPI is an MPICH."""
        return "mpich" if self.family in _MPICHS else self.family

    @property
    def native_library(self) -> _core.NativeLibrary:
        """Whose choice of broadcasts stands for its own in predictions."""
        return _core.NativeLibrary[self.counts_as]

    @property
    def leaves_native(self) -> str:
        """Collectives that do not block and are its own, in words; beside the first ones on a communicator."""
        if self.family == "openmpi":
            return "no others"
        networks = " and on other networks than UCX" if self.version.startswith(("3.", "4.")) else ""
        which = f"those of programs with MPI_THREAD_MULTIPLE{networks}" if self.family == "mpich" else "all others"
        return f"{which} (with MPI_THREAD_MULTIPLE and TRUNKLINE_PROGRESS=thread no others)"

    def check_installed(self) -> None:
        """Whether jobs can be started.

        Raises:
            BadInput: where its launcher is not there any more.
        """
        if not Path(self.mpiexec).exists():
            raise BadInput(
                f"{self.mpiexec} is gone: {self.name} was there when Trunkline was built; {_advice(self.family)}"
            )

    def settings_of_mpi4py(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Variables by which Python's mpi4py finds this library, beside what the environment says.

        Its wheels hold a module for each ABI and, where several libraries are installed, load one that they find first.
        That for MPICH asks for ``libmpi.so.12``, which Debian calls ``libmpich.so.12``: a library of that name that
        stands for it was built then (``runtime/CMakeLists.txt``).
        """
        settings = {"MPI4PY_MPIABI": environment.get("MPI4PY_MPIABI", self.counts_as)}
        if self.family == "mpiabi":
            settings["MPI4PY_MPIABI"] = environment.get("MPI4PY_MPIABI", "mpiabi")
        folder = built_for(self.name) / "lib" / f"{self.name}-abi"
        is_found_without = self.name == self.family != "intelmpi"  # the system's
        if folder.exists():
            is_found_without = False
        else:
            folder = Path(self.library).parent
        if not is_found_without and folder.resolve() not in _SYSTEM_FOLDERS:
            others = environment.get("LD_LIBRARY_PATH", "")
            settings["LD_LIBRARY_PATH"] = ":".join(filter(None, [str(folder), others]))
        return settings

    def launch(
        self,
        *,
        hosts: Sequence[str],
        ranks: int,
        ranks_per_host: int | Sequence[int],
        program: Sequence[str],
        agent: str,
        env: Mapping[str, str] | None = None,
        preload: Sequence[Path] = (),
    ) -> tuple[list[str], dict[str, str]]:
        """The command that starts a job on a lab, and the environment it needs.

        Ranks fill the hosts in order, ``ranks_per_host`` on each; real TCP runs between hosts, on ``eth0``.

        Args:
            hosts: Names of the hosts.
            ranks: Number of ranks.
            ranks_per_host: Ranks on each host; of several numbers one for each host.
            program: The program and its arguments.
            agent: The remote shell of the lab.
            env: Variables for the ranks.
            preload: Libraries to preload into the ranks; the idle shim comes on top.

        Raises:
            BadInput: where the hosts do not hold that many ranks, or the library is not installed any more.
        """
        room = [ranks_per_host] * len(hosts) if isinstance(ranks_per_host, int) else list(ranks_per_host)
        if ranks < 1 or ranks > sum(room):
            raise BadInput(
                f"{ranks} ranks do not fit on {len(hosts)} hosts with {_each(room)}; "
                f"at most {sum(room)} do (--ranks-per-host raises it)"
            )
        self.check_installed()
        before = accumulate(room, initial=0)
        used = {host: count for host, count, seated in zip(hosts, room, before) if ranks > seated}
        settings = {"LD_PRELOAD": ":".join(str(library) for library in (*preload, IDLE_SHIM)), **(env or {})}
        slots = ",".join(f"{host}:{count}" for host, count in used.items())
        if self.family == "openmpi":
            return self._openmpi(slots, ranks, agent, settings, program)
        if self.family == "intelmpi":
            if len(set(used.values())) > 1:
                raise BadInput(f"{self.name} is started here with equally many ranks on each host, not {_each(room)}")
            return self._intelmpi(list(used), room[0], ranks, agent, settings, program)
        return self._mpich(slots, ranks, agent, settings, program)

    def lab_settings(self) -> dict[str, str]:
        """Variables of ranks on a lab, whoever starts them: which ways messages take, and that root may start them."""
        if self.family == "openmpi":
            variables = {f"OMPI_MCA_{name}": value for name, value in self._openmpi_parameters().items()}
            variables["OMPI_MCA_hwloc_base_binding_policy"] = "none"
            return {**variables, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return self._mpich_settings()

    def _mpich_settings(self) -> dict[str, str]:
        if int(self.version.split(".")[0]) >= 5:
            return {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "eth0"}
        # Sockets between ranks of one host too: the idle shim is not woken by memory.
        return {"UCX_NET_DEVICES": "eth0", "UCX_TLS": "tcp,self"}

    def _openmpi_parameters(self) -> dict[str, str]:
        parameters = {
            "pml": "ob1",
            "btl": "tcp,self",
            "btl_tcp_if_include": "eth0",
            "oob_tcp_if_include": "eth0",
            "mpi_yield_when_idle": "0",  # the idle shim waits instead, which costs less
        }
        if self.version.startswith("4.1."):
            parameters["op"] = "^avx"  # Debian's 4.1.4 saturates 8-bit sums there
        return parameters

    def _mpich(
        self, slots: str, ranks: int, agent: str, settings: dict[str, str], program: Sequence[str]
    ) -> tuple[list[str], dict[str, str]]:
        settings |= self._mpich_settings()
        words = [self.mpiexec, "-launcher", "rsh", "-launcher-exec", agent, "-hosts", slots, "-n", str(ranks)]
        return [*words, *told_ranks(self.family, settings), *program], {}

    def _intelmpi(
        self,
        hosts: Sequence[str],
        ranks_per_host: int,
        ranks: int,
        agent: str,
        settings: dict[str, str],
        program: Sequence[str],
    ) -> tuple[list[str], dict[str, str]]:
        prefix = Path(self.mpiexec).parent.parent
        settings |= {
            "I_MPI_FABRICS": "ofi",
            "I_MPI_COLL_INTRANODE": "pt2pt",  # else collectives inside one host go through shared memory
            "I_MPI_PIN": "0",
            "I_MPI_WAIT_MODE": "1",  # its polls are too far apart for the idle shim to know them
            "FI_PROVIDER": "tcp",
            "FI_PROVIDER_PATH": str(prefix / "lib"),
            "FI_TCP_IFACE": "eth0",
        }
        words = [self.mpiexec, "-launcher", "rsh", "-launcher-exec", agent, "-iface", "eth0"]
        words += ["-hosts", ",".join(hosts), "-ppn", str(ranks_per_host), "-n", str(ranks)]
        return [*words, *told_ranks(self.family, settings), *program], {"I_MPI_ROOT": str(prefix)}

    def _openmpi(
        self, slots: str, ranks: int, agent: str, settings: dict[str, str], program: Sequence[str]
    ) -> tuple[list[str], dict[str, str]]:
        parameters = {"plm_rsh_agent": agent, **self._openmpi_parameters()}
        words = [self.mpiexec, "--allow-run-as-root", "--bind-to", "none", "-H", slots, "-n", str(ranks)]
        for name, value in parameters.items():
            words += ["--mca", name, value]
        words += told_ranks(self.family, settings)
        return [*words, *program], {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def _each(counts: Sequence[int]) -> str:
    return f"{counts[0]} each" if len(set(counts)) == 1 else " and ".join(map(str, sorted(set(counts))))


def _advice(family: str) -> str:
    how = f" (apt-get install {_PACKAGES[family]})" if family in _PACKAGES else ""
    return f"install it{how}, then run {BUILD_IT}"


def find_mpis() -> dict[str, Mpi]:
    """The MPI libraries that there is a preload library for, by name: the package's, then those that are kept."""
    files = sorted(_FOUND.glob("mpis*.json"))
    for folder in kept_folders():
        files += sorted(folder.glob("*/lib/mpis.json"))
    found: dict[str, Mpi] = {}
    for file in files:
        for entry in json.loads(file.read_text()):
            found.setdefault(entry["name"], Mpi(**entry))
    return found


def require_mpi(name: str) -> Mpi:
    """The MPI library of that name; a family's name stands for its one library, where there is just one.

    Raises:
        BadInput: where there is none, naming those there are or what to do.
    """
    found = find_mpis()
    if name in found:
        return found[name]
    of_family = [mpi for mpi in found.values() if mpi.family == name]
    if len(of_family) == 1:
        return of_family[0]
    if of_family:
        raise BadInput(f"'{name}' may be any of {', '.join(mpi.name for mpi in of_family)}; name one of them")
    there = f"there is one for: {', '.join(found) or 'none'}"
    meant = _meant(name, [*found, *(mpi.family for mpi in found.values()), *_PACKAGES])
    if meant:
        raise BadInput(f"there is no MPI library '{name}'; the nearest is {meant}; {there}")
    family = name.partition("-")[0]
    raise BadInput(f"there is no preload library for an MPI library '{name}' yet; {there}; {_advice(family)}")


_CALLED = {"ompi": "openmpi", "open-mpi": "openmpi", "impi": "intelmpi", "intel": "intelmpi", "intel-mpi": "intelmpi"}
"""Other names that people have for libraries, beside mistyped ones."""


def _meant(name: str, known: Sequence[str]) -> str:
    """The name that somebody had in mind, with its version where that was given; empty: a library of its own."""
    family, dash, version = name.lower().replace("_", "-").rpartition("-")
    if not version[:1].isdigit():
        family, dash, version = name.lower().replace("_", "-"), "", ""
    families = list(dict.fromkeys(known))
    if family.startswith("mvapich"):  # like mpich, and another one
        return ""
    if family in families:  # the library is known by that name, and this version is not there
        return "" if name.startswith(family) else family + dash + version
    near = [_CALLED[family]] if family in _CALLED else difflib.get_close_matches(family, families, 1, _ALIKE)
    return near[0] + dash + version if near else ""


_ALIKE = 0.75
"""So alike are a name and what was mistyped for it."""


def preload_of(mpi: Mpi) -> Path:
    """File of the preload library built for an MPI library.

    Raises:
        BadInput: where none was built.
    """
    library = preload_library(mpi.name)
    if not library.exists():
        raise BadInput(f"no preload library was built for {mpi.name}; now that it is installed, run {BUILD_IT}")
    return library


def ready_mpi(name: str) -> Mpi:
    """The MPI library of that name, ready to start jobs with Trunkline preloaded: asked before anything takes long.

    Raises:
        BadInput: as :func:`require_mpi` and :func:`preload_of`; where its launcher is gone.
    """
    mpi = require_mpi(name)
    mpi.check_installed()
    preload_of(mpi)
    return mpi


def ready_mpis(names: str) -> list[Mpi]:
    """As :func:`ready_mpi`, for names separated by commas; each once."""
    return [ready_mpi(name) for name in dict.fromkeys(name.strip() for name in names.split(","))]


def running_mpi() -> Mpi:
    """The MPI library whose launcher started this process.

    Raises:
        BadInput: where no launcher did, or one of a library that Trunkline was not built for.
    """
    family = "openmpi" if "OMPI_COMM_WORLD_RANK" in os.environ else "mpich" if "PMI_RANK" in os.environ else None
    if family is None:
        raise BadInput("this is the program of an MPI job: start it with mpiexec, such as 'mpiexec -n 2 trunkline ...'")
    candidates = [mpi for mpi in find_mpis().values() if mpi.family == family]
    ancestors = list(_ancestors())

    def depth(mpi: Mpi) -> int:
        """How many folders of the library's prefix lead to a process above us."""
        prefix = Path(mpi.mpiexec).resolve().parent.parent
        return len(prefix.parts) if any(exe.is_relative_to(prefix) for exe in ancestors) else 0

    best = max(candidates, key=depth, default=None)
    if best is None or depth(best) == 0:
        raise BadInput(
            f"the launcher belongs to no {family} that there is a preload library for: name one with --mpi, or run "
            f"{BUILD_IT}"
        )
    return best


def _ancestors() -> Iterator[Path]:
    pid = os.getppid()
    while pid > 0:
        process = Path("/proc", str(pid))
        try:
            yield (process / "exe").readlink()
            pid = int((process / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return  # another user's process, or the end of our own PID namespace


def settings_of(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The ``TRUNKLINE_*`` variables of an environment, or our own, which the ranks are given too."""
    return {name: value for name, value in environment.items() if name.startswith("TRUNKLINE_")}


def told_ranks(family: str, settings: Mapping[str, str]) -> list[str]:
    """Words for a launcher of that family, by which all ranks get the variables."""
    is_open = family == "openmpi"
    words = (["-x", f"{name}={value}"] if is_open else ["-genv", name, value] for name, value in settings.items())
    return list(chain.from_iterable(words))
