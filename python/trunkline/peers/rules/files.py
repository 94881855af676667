"""Writes what was learned of a library's own algorithms in its own words, and has the library load it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from trunkline.bench.job import Limits, Repetition
from trunkline.files import replace_file
from trunkline.mpi import Mpi
from trunkline.peers.rules.check import Honoured, check_honoured
from trunkline.peers.rules.job import PeerJob
from trunkline.peers.rules.mpich_json import coordinates, mpich_json, own_table
from trunkline.peers.rules.rule import PeerRule, PeerWinner, openmpi_json, openmpi_text, peer_rules_of
from trunkline.peers.rules.winners import sweep


@dataclass(frozen=True)
class PeerFiles:
    """The files of one library."""

    settings: dict[str, str]
    """The environment under which the library follows them."""
    coordinates: Path
    """Of the ranks, where the library reads such a file."""
    winners: list[PeerWinner]
    honoured: list[Honoured]
    """What was seen at every size that is long enough to tell."""

    @property
    def ignored(self) -> list[Honoured]:
        """Where the library does not do what the file says."""
        return [one for one in self.honoured if not one.as_forced]


def write_peer_rules(folder: Path, job: PeerJob, rules: Sequence[PeerRule], about: str) -> dict[str, str]:
    """Write the rules as the library reads them; returns the environment under which it does.

    Raises:
        Failed: where MPICH's own table cannot be found in its library.
    """
    mpi, ranks = job.mpi, job.ranks
    stem = f"{mpi.family}-{mpi.version}"
    if mpi.family == "openmpi":
        replace_file(folder / f"{stem}.rules", openmpi_text(job.collective, rules, ranks, about))
        replace_file(
            folder / f"{stem}-for-6.json", openmpi_json(job.collective, rules, ranks, job.ranks_per_host) + "\n"
        )
        settings = {
            "coll": "^han",
            "coll_tuned_use_dynamic_rules": "1",
            "coll_tuned_dynamic_rules_filename": str((folder / f"{stem}.rules").resolve()),
        }
        return {f"OMPI_MCA_{name}": value for name, value in settings.items()}
    file = folder / f"{stem}.json"
    replace_file(file, mpich_json(own_table(mpi), job.collective, rules, {len(job.hosts), ranks}))
    return {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(file.resolve())}


def coordinates_file(folder: Path, mpi: Mpi) -> Path:
    """Where MPICH's coordinates are written."""
    return (folder / f"{mpi.family}-{mpi.version}.coordinates").resolve()


def tune_peer(
    folder: Path,
    job: PeerJob,
    sizes: Sequence[int],
    limits: Limits,
    about: str,
    on_progress: Callable[[str, Repetition], None] = lambda _name, _repetition: None,
) -> PeerFiles:
    """Measure the library's own algorithms, write its files to a folder that is there, and check that it honours them.

    Raises:
        TrunklineError: as :func:`trunkline.bench.measure.measure` and :func:`write_peer_rules` do.
    """
    places = coordinates_file(folder, job.mpi)
    if job.mpi.family == "mpich" and int(job.mpi.version.split(".")[0]) >= 5:
        replace_file(places, coordinates(job.lab.cluster, job.placement))
    winners = list(sweep(job, sizes, limits, places, on_progress))
    settings = write_peer_rules(folder, job, peer_rules_of(winners), about)
    return PeerFiles(settings, places, winners, check_honoured(job, winners, settings, places))
