"""Every figure and table that is made again: the command behind each, the paper that it is of, and where it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trunkline_papers.paths import CHECKOUT
from trunkline_papers.peers.figures import figure, figure_names

__all__ = ["Made", "every_figure", "make_figure"]

_RATE = "20Mbit"
"""That two processors emulate truly for 32 hosts."""
_TREES = {
    "cyclic": (
        _RATE,
        "8KiB,64KiB,1MiB",
        "native,linear,binary,3-ary,binomial,flat,scatter-ring,unaware-linear,unaware-binary",
    ),
    "paper-1": ("30Mbit", "1MiB,4MiB", "native,linear"),
    "paper-4": (_RATE, "1MiB,4MiB", "native,linear"),
    "paper-5": (_RATE, "1MiB", "native,linear,unaware-linear"),
}
"""By bundled cluster: rate, sizes and algorithms of the trees that are measured."""
_CLUSTERS = ("8w", "4w", "now", "blade", "4w+8w")
_WITH_LEVELS_IN_HOSTS = ("8w", "4w")
"""Of these: eight and four ranks a host."""


@dataclass(frozen=True)
class Made:
    """A figure or a table, or several that one command makes.

    Attributes:
        name: As ``--only`` takes it, and of its files.
        paper: Whose it is, in a few words.
        words: Of the command; ``{out}`` stands for the folder.
        on_lab: Whether it is measured there: hours, where others are planned or simulated in minutes.
        module: What runs it.
    """

    name: str
    paper: str
    words: Sequence[str]
    on_lab: bool = False
    module: str = "trunkline_papers"

    def said(self, out: Path) -> Path:
        """File of what the command says; it is there once the command has ended well."""
        return out / f"{self.name}.txt"


def _pipelined() -> list[Made]:
    paper = "pipelined broadcasts"
    own = ["simulate", "broadcasts"]
    readings = ["bench", "heights", "--drawings", "all", "--orders", "all", "--roots", "all"]
    found = [
        Made("heights", paper, ["bench", "heights", "--json", "{out}/heights.json", "--svg", "{out}/heights.svg"]),
        Made("own-hosts", paper, [*own, "--json", "{out}/own-hosts.json", "--svg", "{out}/own-hosts.svg"]),
        Made("heights-readings", paper, [*readings, "--json", "{out}/heights-readings.json"]),
    ]
    for name in figure_names():
        kind = figure(name).kind
        words = ["bench", "peers", "--figure", name]
        if kind == "bench":
            words += ["--rate", _RATE, "--json", f"{{out}}/{name}.json", "--report", f"{{out}}/{name}.html"]
        elif kind == "transfer":
            words += ["--rate", _RATE]
        found.append(Made(name, paper, words, kind in ("bench", "transfer")))
    for rate in ("100Mbit", "1Gbit"):
        trees = ["--algorithms", "linear,binary,3-ary", "--sizes", "8KiB,16KiB,32KiB,64KiB,128KiB,1MiB,2MiB"]
        words = ["predict", "--cluster", "paper-1", "--rate", rate, *trees, "--host-costs", "free"]
        words += ["--json", f"{{out}}/trees-{rate}.json"]
        found.append(Made(f"trees-{rate}", paper, words, module="trunkline"))
    for cluster, (rate, sizes, algorithms) in _TREES.items():
        words = ["bench", "bcast", "--cluster", cluster, "--rate", rate, "--mpi", "mpich,openmpi", "--sizes", sizes]
        words += ["--algorithms", algorithms, "--least", "2", "--json", f"{{out}}/trees-{cluster}.json"]
        found.append(Made(f"trees-{cluster}", paper, words, on_lab=True, module="trunkline"))
    measure = ["lab", "run", "--cluster", "paper-4", "--rate", _RATE, "--mpi", "mpich", "-n", "32", "--"]
    measure += [sys.executable, "-m", "trunkline", "measure", "-o", "{out}/net.yaml"]
    model = [
        "bench",
        "model",
        "--cluster",
        "paper-4",
        "--rate",
        _RATE,
        "--mpi",
        "mpich",
        "--measured",
        "{out}/net.yaml",
    ]
    peers = ["bench", "peers", "--cluster", "cyclic", "--sizes", "8KiB,64KiB,256KiB,1MiB"]
    peers += ["--json", "{out}/peers.json", "--report", "{out}/peers.html"]
    return [
        *found,
        Made("peers", paper, peers, on_lab=True),
        Made("table-2", paper, measure, on_lab=True, module="trunkline"),
        Made("model", paper, [*model, "--json", "{out}/model.json", "--svg", "{out}/model.svg"], on_lab=True),
    ]


def _multicast() -> list[Made]:
    paper = "multicasts over Ethernet"
    picture = ["--svg", "{out}/matmul.svg", "--json", "{out}/matmul.json"]
    compare = [
        "bench",
        "multicast",
        "--rate",
        _RATE,
        "--receivers",
        "2-7",
        "--loss",
        "0",
        "--figures",
        "{out}/multicast",
    ]
    return [
        Made("matmul", paper, ["simulate", "matmul", "--hosts", "2-8", "--rate", "100Mbit,1Gbit", *picture]),
        Made(
            "multicast",
            paper,
            [*compare, "--json", "{out}/multicast.json", "--report", "{out}/multicast.html"],
            on_lab=True,
        ),
    ]


def _allreduce() -> list[Made]:
    paper = "allreduces within and between hosts"
    found = []
    for cluster in _CLUSTERS:
        plans = ["--plans", "initial,tuned,native,steps", "--json", f"{{out}}/gsum-{cluster}.json"]
        found.append(Made(f"gsum-{cluster}", paper, ["simulate", "gsum", "--cluster", cluster, *plans]))
        if cluster in _WITH_LEVELS_IN_HOSTS:
            by_arrival = [*plans[:2], "--by-arrival", "--json", f"{{out}}/gsum-{cluster}-by-arrival.json"]
            words = ["simulate", "gsum", "--cluster", cluster, *by_arrival]
            found.append(Made(f"gsum-{cluster}-by-arrival", paper, words))
        own = ["simulate", "threads", "--cluster", cluster, "--json", f"{{out}}/threads-{cluster}.json"]
        found.append(Made(f"threads-{cluster}", paper, own))
    for cluster in _CLUSTERS:
        where = ["--cluster", cluster, "--mpi", "mpich", "--rate", _RATE]
        files = ["--json", f"{{out}}/study-{cluster}.json", "--report", f"{{out}}/study-{cluster}.html"]
        found.append(Made(f"study-{cluster}", paper, ["bench", "gsum-study", *where, *files], on_lab=True))
    return found


def every_figure() -> list[Made]:
    """All of them, those first that need no lab."""
    picture = ["--json", "{out}/wave-optimality.json", "--svg", "{out}/wave-optimality.svg"]
    paper = "broadcasts in grids"
    figure_4 = Made("grid", paper, ["bench", "grid", "--json", "{out}/grid.json", "--svg", "{out}/grid.svg"])
    waves = Made("wave-optimality", paper, ["bench", "wave-optimality", "--graphs", "1000", *picture])
    found = [*_pipelined(), figure_4, waves, *_multicast(), *_allreduce()]
    return sorted(found, key=lambda one: one.on_lab)


def make_figure(one: Made, out: Path) -> str | None:
    """Run the command of a figure in the checkout; None where it ended well, else its last words.

    What it says is in :meth:`Made.said`; where it failed, beside that, with ``.failed`` behind the name.
    """
    said = one.said(out)
    log = said.with_suffix(".failed")
    words = [word.replace("{out}", str(out)) for word in one.words]
    with log.open("w", encoding="utf-8") as file:
        done = subprocess.run(
            [sys.executable, "-m", one.module, *words],
            cwd=CHECKOUT,
            env={**os.environ, "COLUMNS": "120"},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode == 0:
        log.replace(said)
        return None
    last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
    return "".join(last) or f"it ended with status {done.returncode}"
