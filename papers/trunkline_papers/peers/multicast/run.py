"""Runs a study job by job, and keeps every cell that is finished, however the run ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from trunkline.bench.job import PING_PONG, Outcome, Repetition, timing_words
from trunkline.bench.measure import make_cell
from trunkline.errors import Failed
from trunkline.lab.message_cost import learn_message_cost
from trunkline.lab.session import Lab
from trunkline.temporary import temporary_folder
from trunkline.units import format_bytes
from trunkline_papers.peers.driver import DEFAULT
from trunkline_papers.peers.multicast.cells import MulticastCell, MulticastResults
from trunkline_papers.peers.multicast.study import COLLECTIVE, Job, Study, jobs
from trunkline_papers.peers.transfer_driver import TransferDriver

__all__ = ["finished_cells", "measure_study"]


def measure_study(
    study: Study,
    results: MulticastResults,
    on_progress: Callable[[Job, Repetition | None], None] = lambda _job, _repetition: None,
) -> Iterator[tuple[Job, str]]:
    """Do all that is still to be done, on one lab for each number of receivers and each loss.

    Yields each job when it is over, with why cells of it are missing, or an empty text.
    """
    todo = list(jobs(study, results))
    for (loss, receivers), some in groupby(todo, key=lambda job: (job.loss, job.receivers)):
        network = loss.impairments.of(study.network(receivers))
        with temporary_folder("peers") as folder, Lab(network) as lab:
            folder.chmod(0o755)  # LAM/MPI reads it as another user
            learn_message_cost(lab)
            for job in some:
                on_progress(job, None)
                failure = ""
                try:
                    _measure(study, job, lab, folder, results, on_progress)
                except Failed as error:
                    failure = str(error)
                yield job, failure


def _measure(
    study: Study,
    job: Job,
    lab: Lab,
    folder: Path,
    results: MulticastResults,
    on_progress: Callable[[Job, Repetition | None], None],
) -> None:
    """Run one job.

    Raises:
        Failed: where it has not measured all of its cells.
    """
    driver, names = job.driver, study.algorithms_of(job.driver)
    is_mpi_of_ours = driver.preloads or isinstance(driver, TransferDriver)
    limits = study.limits if is_mpi_of_ours else replace(study.limits, least=1)  # PVM needs minutes for long messages
    outcome = Outcome()
    decided: set[tuple[int, str]] = set()

    def heard(repetition: Repetition) -> None:
        if repetition.decided:
            decided.add((repetition.message_bytes, repetition.algorithm))
        on_progress(job, repetition)

    words = timing_words(COLLECTIVE, lab.cluster, job.sizes, names, limits)
    try:
        driver.run(lab, folder, words, DEFAULT, driver.preloads, heard, into=outcome)
    finally:  # an interrupt among the ways out
        results.add(finished_cells(job, outcome, decided, names, lab, study.limits.width))
    if outcome.given_up is not None:
        raise Failed(
            f"{driver.name} did nothing for {study.limits.patience_s:.0f} s at {format_bytes(outcome.given_up)}; "
            "what is missing of that size, and longer ones, are left out"
        )


def finished_cells(
    job: Job, outcome: Outcome, decided: set[tuple[int, str]], names: Sequence[str], lab: Lab, width: float
) -> list[MulticastCell]:
    """A cell for each size and algorithm that was repeated often enough, beside a T(m)."""
    mpi = job.driver.mpi
    if not mpi.version:
        mpi = replace(mpi, version=outcome.library.rpartition(" ")[2])
    return [
        make_cell(
            MulticastCell,
            lab,
            mpi,
            COLLECTIVE,
            size,
            name,
            outcome.ran[size, name],
            outcome.seconds[size, name],
            outcome.seconds[size, PING_PONG],
            width,
            hosts=job.receivers + 1,
            ranks=job.receivers + 1,
            impairments=job.loss.impairments.text,
            receivers=job.receivers,
            loss=job.loss.text,
            bound_seconds=size * 8 / lab.rate_bps,
            library=outcome.library,
        )
        for size in job.sizes
        for name in names
        if (size, name) in decided and outcome.seconds.get((size, name)) and outcome.seconds.get((size, PING_PONG))
    ]
