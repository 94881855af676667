"""Clusters by name or by file."""

import difflib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from trunkline import _core
from trunkline.errors import BadInput, faulty_input
from trunkline.files import is_file, is_folder
from trunkline.paths import CLUSTERS
from trunkline.random_cluster import PREFIX as RANDOM
from trunkline.random_cluster import named_random_cluster
from trunkline.random_sites import SITES_PREFIXES, named_random_sites


def bundled_clusters() -> list[str]:
    """Names of the clusters that come with Trunkline."""
    return sorted(file.stem for file in CLUSTERS.glob("*.yaml"))


def nearest_first(word: str, known: Iterable[str]) -> list[str]:
    """The known words, those most like ``word`` first, the rest in their own order."""
    words = list(known)
    return sorted(words, key=lambda other: -difflib.SequenceMatcher(None, word, other).ratio())


def cluster_file(name_or_path: str) -> Path:
    """The file of a bundled cluster, or the file itself.

    Raises:
        BadInput: where it is neither.
    """
    if not name_or_path:
        raise BadInput("the cluster's name is empty; give a bundled cluster's name or a file")
    if name_or_path.startswith((RANDOM, *SITES_PREFIXES)):
        raise BadInput(f"{name_or_path} is no file: 'trunkline cluster export {name_or_path} --format yaml' writes one")
    path = Path(name_or_path)
    is_word = path.name == name_or_path and path.suffix not in (".yaml", ".yml")
    if is_word and name_or_path in bundled_clusters():
        return CLUSTERS / f"{name_or_path}.yaml"
    if is_word and not is_file(path):
        known = ", ".join(nearest_first(name_or_path, bundled_clusters()))
        if is_folder(path):
            raise BadInput(f"{name_or_path} is a folder; name the cluster file in it; bundled clusters are: {known}")
        raise BadInput(f"there is no bundled cluster '{name_or_path}', and no such file; bundled are: {known}")
    return path


def faulty(error: _core.FaultyFile) -> BadInput:
    """All faults of a file as one message, each on a line of its own; those of another kind of file are that alone."""
    for fault in error.faults:
        other = re.search(r'a \w+ file is wanted, and this file says it is "(\w+)/\d+"', fault.message)
        if other:
            option = _OPTIONS.get(other[1], "")
            return faulty_input([f"{fault.text()}{f'; such a file is given with {option}' if option else ''}"])
    return faulty_input([fault.text() for fault in error.faults])


_OPTIONS = {"cluster": "--cluster", "plan": "--plan", "tuning": "--tuning", "weights": "--weights"}


@contextmanager
def told_as_bad_input() -> Iterator[None]:
    """What the core finds wrong with input inside is BadInput: all faults of a file, or what it does not fit."""
    try:
        yield
    except _core.FaultyFile as error:
        raise faulty(error) from None
    except ValueError as error:
        raise BadInput(str(error)) from None


def fingerprint_text(cluster: _core.Cluster) -> str:
    """The fingerprint of a cluster as files and tables have it: 16 hexadecimal digits."""
    return f"{cluster.fingerprint:016x}"


def equal_cost_words(cluster: _core.Cluster) -> str:
    """What to write into a file whose spanning tree leaves links unused, and what that brings; empty: nothing does."""
    if not cluster.unused_links or cluster.merged or cluster.is_routed:
        return ""
    text = _core.write_cluster(cluster)
    merged = _core.parse_cluster(text.replace("\nname:", "\npaths: equal-cost\nname:", 1), cluster.name)
    if len(merged.unused_links) >= len(cluster.unused_links):
        return ""
    rest = len(merged.unused_links)
    left = f"{rest} of them stay unused then" if rest else "all of them are used then"
    return (
        f"where the switches use all shortest paths (ECMP, SPB, MLAG), write 'paths: equal-cost' into the file: {left}"
    )


def unused_words(cluster: _core.Cluster) -> str:
    """Why no message crosses :attr:`Cluster.unused_links`."""
    return "on no shortest path" if cluster.is_routed else "left unused by the spanning tree"


def wide_links(cluster: _core.Cluster) -> list[_core.Link]:
    """Links that plans use and that are several side by side."""
    return [link for link in cluster.links if link.used and link.width > 1]


def read_cluster(name_or_path: str) -> _core.Cluster:
    """As :func:`load_cluster`.

    Raises:
        BadInput: where there is none.
        FaultyFile: with everything that is wrong with the file.
    """
    if name_or_path.startswith(RANDOM):
        return named_random_cluster(name_or_path)
    if name_or_path.startswith(SITES_PREFIXES):
        return named_random_sites(name_or_path)
    return _core.read_cluster(str(cluster_file(name_or_path)))


def load_cluster(name_or_path: str) -> _core.Cluster:
    """A bundled cluster by its name, one from a file, or a random one.

    Random ones are named ``random:HOSTSxSWITCHES[:SEED]`` and ``sites[-dealt]:SITESxHOSTS[:SEED]``.

    Raises:
        BadInput: where there is none, or with everything that is wrong with the file.
    """
    with told_as_bad_input():
        return read_cluster(name_or_path)
