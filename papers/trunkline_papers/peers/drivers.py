"""The peers there are, by name."""

from collections.abc import Mapping, Sequence

from trunkline.errors import BadInput
from trunkline.mpi import Mpi
from trunkline_papers.peers.driver import Driver
from trunkline_papers.peers.found import find_peers
from trunkline_papers.peers.intelmpi import IntelMpiDriver
from trunkline_papers.peers.lam import LamDriver
from trunkline_papers.peers.mpich import MpichDriver
from trunkline_papers.peers.openmpi import OpenMpiDriver
from trunkline_papers.peers.pvm import PvmDriver
from trunkline_papers.peers.transfer_driver import TRANSFERS, TransferDriver

__all__ = ["FAMILIES", "choose_drivers", "choose_multicast_drivers"]

FAMILIES: dict[str, type[Driver]] = {
    "mpich": MpichDriver,
    "openmpi": OpenMpiDriver,
    "intelmpi": IntelMpiDriver,
    "lam": LamDriver,
    "pvm": PvmDriver,
}
_ADVICE = "not found when Trunkline was built: 'make setup' installs MPICH and Open MPI, 'make peers' the others"


def choose_drivers(names: Sequence[str], collective: str) -> tuple[list[Driver], dict[str, str]]:
    """The drivers of these peers (none named: of all), and why others are left out, by name.

    Raises:
        BadInput: where a name is no peer's, or none is left.
    """
    found = find_peers()
    wanted = list(names) or [*found, *(family for family in FAMILIES if family not in found)]
    drivers: list[Driver] = []
    left_out: dict[str, str] = {}
    for name in wanted:
        _choose(name, found, collective, drivers, left_out)
    if not drivers:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise BadInput(f"none of the peers can run here: {reasons}")
    return drivers, left_out


def choose_multicast_drivers(mpis: Sequence[str], others: Sequence[str]) -> tuple[list[Driver], dict[str, str]]:
    """The drivers of MPI libraries that are there and of others of the paper's comparison, and why others are left out.

    Raises:
        BadInput: where a name is none of them.
    """
    found = find_peers()
    drivers: list[Driver] = []
    left_out: dict[str, str] = {}
    for name in dict.fromkeys([*mpis, *others]):
        if name in TRANSFERS:
            _take(TransferDriver(name), "bcast", drivers, left_out)
        elif name in mpis or name in ("pvm", "lam"):
            _choose(name, found, "bcast", drivers, left_out)
        else:
            there = ", ".join(["pvm", "lam", *TRANSFERS])
            raise BadInput(
                f"--peers: there is no peer '{name}'; there are: {there}; MPI libraries are named with --mpi"
            )
    return drivers, left_out


def _choose(
    name: str, found: Mapping[str, Mpi], collective: str, drivers: list[Driver], left_out: dict[str, str]
) -> None:
    """Add the driver of that name to the drivers, or the reason to those that are left out.

    Raises:
        BadInput: where it is no peer's.
    """
    if name not in found:
        if name.partition("-")[0] not in FAMILIES:
            raise BadInput(f"there is no peer '{name}'; there are: {', '.join(dict.fromkeys([*found, *FAMILIES]))}")
        left_out[name] = _ADVICE
        return
    _take(FAMILIES[found[name].family](found[name]), collective, drivers, left_out)


def _take(driver: Driver, collective: str, drivers: list[Driver], left_out: dict[str, str]) -> None:
    reason = driver.why_not(collective)
    if reason:
        left_out[driver.name] = reason
    else:
        drivers.append(driver)
