"""Pages of papers in a browser: what tests/python/test_pages.py and test_browser.py ask of all pages."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import test_browser
import test_pages
from made_trace import eight_ranks
from made_up import library
from made_up_peers import multicast_cells, peer_cell
from test_browser import LIBRARIES
from test_pages import browser, shown  # noqa: F401 (fixtures)

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.statistics import median_with_interval
from trunkline.trace.analysis import analyse
from trunkline.trace.folder import find_job
from trunkline_papers.allreduce.configurations import STUDIES, trees_of
from trunkline_papers.allreduce.gsum import GsumJob
from trunkline_papers.allreduce.page import study_page
from trunkline_papers.allreduce.study import Compared, Studied, Study
from trunkline_papers.peers.comparison import BEST
from trunkline_papers.peers.multicast.charts import loss_figure, paper_figures
from trunkline_papers.peers.multicast.page import multicast_page
from trunkline_papers.peers.page import peers_page

NAMES = ("peers", "multicast", "study")
pytestmark = test_pages.needs_chromium


def peers():
    one = [
        peer_cell(),
        peer_cell(algorithm="auto", over=2.0),
        peer_cell(algorithm=BEST, setting="tsp_tree-kary-1:4096"),
    ]
    cells = [replace(each, mpi=mpi) for mpi in LIBRARIES for each in one]
    return peers_page(cells, [(load_cluster("cyclic"), 2e7)], {}, None, None)


def multicast():
    """The page of ``trunkline_papers bench multicast``."""
    cells = multicast_cells([1000, 10_000, 100_000, 1_000_000, 10_000_000])
    return multicast_page(cells, paper_figures(cells) | {"loss": loss_figure(cells)}, {"lam": "it is missing"})


def study(analysis):
    """The page of ``trunkline_papers bench gsum-study``, as if all configurations had left one trace of eight ranks."""
    cluster = _core.scaled(load_cluster("8w"), 2e7)
    job = GsumJob(SimpleNamespace(cluster=cluster, rate_bps=2e7), library(), [8] * 4, [4], iterations=3)
    trees = trees_of("8w", cluster)
    studied = []
    for number, one in enumerate(STUDIES["8w"]):
        plan = SimpleNamespace(plan=_core.Plan([trees[one.name].as_tree()]))
        compared = tuple(Compared(claim, median_with_interval([1.5, 1.6, 1.7])) for claim in one.claims)
        studied.append(Studied(one, plan, {4: [1e-3 / (1 + number)] * 3}, analysis, compared))
    return study_page(Study(job, studied))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder, job = tmp_path_factory.mktemp("pages"), tmp_path_factory.mktemp("job")
    eight_ranks(job)
    texts = {"study": study(analyse(find_job(str(job)))), "multicast": multicast(), "peers": peers()}
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text)
    return folder


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", test_pages.WIDTHS)
def test_nothing_is_cut_without_a_hint(name, width, pages, shown):  # noqa: F811
    test_pages.test_nothing_is_cut_without_a_hint(name, width, pages, shown)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_everybody_can_read_it(name, scheme, width, pages, shown):  # noqa: F811
    test_pages.test_everybody_can_read_it(name, scheme, width, pages, shown)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_of_pictures_stand_out(name, scheme, pages, shown):  # noqa: F811
    test_pages.test_words_of_pictures_stand_out(name, scheme, pages, shown)


@pytest.mark.parametrize("name", NAMES)
def test_dark_is_dark(name, pages, shown):  # noqa: F811
    test_pages.test_dark_is_dark(name, pages, shown)


def test_a_phone_shows_the_columns_that_matter(tmp_path):
    test_browser.test_a_phone_shows_the_columns_that_matter_and_scrolls_down_only(peers, tmp_path)
