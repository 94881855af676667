"""Runs a comparison: first each library's race, then rounds over all clusters and peers."""

from collections.abc import Callable, Iterator

from trunkline.errors import Failed
from trunkline.lab.message_cost import learn_message_cost
from trunkline.lab.session import Lab
from trunkline.temporary import temporary_folder
from trunkline_papers.peers.comparison import Comparison, Step, steps
from trunkline_papers.peers.race import race
from trunkline_papers.peers.results import Results
from trunkline_papers.peers.rounds import one_round
from trunkline_papers.peers.work import Work

__all__ = ["compare"]


def compare(
    comparison: Comparison,
    results: Results,
    on_step: Callable[[Step, str], None] = lambda _step, _what: None,
) -> Iterator[tuple[Step, str]]:
    """Do all that is still to be done, saving after each job.

    Yields each step when it is over, with why it failed, or an empty text.
    """
    for step in steps(comparison, results):
        failure = ""
        with temporary_folder("peers") as folder, Lab(step.cluster, step.rate_bps) as lab:
            folder.chmod(0o755)  # LAM/MPI reads it as another user
            work = Work(comparison, results, step, lab, folder, on_step)
            try:
                learn_message_cost(lab)
                race(work) if step.round == 0 else one_round(work)
            except Failed as error:
                failure = str(error)
        yield step, failure
