"""The peers there are, by name."""

from collections.abc import Sequence

from trunkline.errors import BadInput
from trunkline.mpi import find_peers
from trunkline.peers.driver import Driver
from trunkline.peers.intelmpi import IntelMpiDriver
from trunkline.peers.lam import LamDriver
from trunkline.peers.mpich import MpichDriver
from trunkline.peers.openmpi import OpenMpiDriver
from trunkline.peers.pvm import PvmDriver

__all__ = ["FAMILIES", "choose_drivers"]

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
        if name not in found:
            if name.partition("-")[0] not in FAMILIES:
                raise BadInput(f"there is no peer '{name}'; there are: {', '.join([*found, *FAMILIES])}")
            left_out[name] = _ADVICE
            continue
        driver = FAMILIES[found[name].family](found[name])
        reason = driver.why_not(collective)
        if reason:
            left_out[name] = reason
        else:
            drivers.append(driver)
    if not drivers:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise BadInput(f"none of the peers can run here: {reasons}")
    return drivers, left_out
