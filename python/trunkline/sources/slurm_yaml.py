"""Slurm's ``topology.yaml`` (25.05 and later): a list of named topologies, of which trees are networks of switches.

The YAML is read with the place of everything, for messages.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from trunkline.errors import BadInput
from trunkline.files import LARGEST_TEXT, read_text
from trunkline.sources.faults import Faults, Place, did_you_mean, list_fault
from trunkline.sources.slurm_tree import SwitchLine


class Marked:
    """A node of a YAML document."""

    def __init__(self, node: yaml.Node, file: str) -> None:
        self._node = node
        self._file = file
        self.at = Place(file, node.start_mark.line + 1, node.start_mark.column + 1)

    @property
    def text(self) -> str | None:
        """As it is written; None where it is no scalar, or an empty one."""
        return self._node.value or None if isinstance(self._node, yaml.ScalarNode) else None

    @property
    def items(self) -> list[Marked] | None:
        """Of a list; None where it is none."""
        if not isinstance(self._node, yaml.SequenceNode):
            return None
        return [Marked(item, self._file) for item in self._node.value]

    def fields(self, known: tuple[str, ...], what: str, faults: Faults) -> dict[str, Marked] | None:
        """Of a mapping; unknown keys and keys given twice are faults. None where it is no mapping."""
        if not isinstance(self._node, yaml.MappingNode):
            faults.add(self.at, f"{what} must be a mapping of {', '.join(known)}")
            return None
        found: dict[str, Marked] = {}
        for key, value in self._pairs():
            word = key.text or ""
            if word not in known:
                faults.add(
                    key.at, f'unknown key "{word}"{did_you_mean(word, known)}; known here are {", ".join(known)}'
                )
            elif word in found:
                faults.add(key.at, f"{word} is given twice; keep one")
            else:
                found[word] = value
        return found

    def _pairs(self) -> Iterator[tuple[Marked, Marked]]:
        for key, value in self._node.value:
            yield Marked(key, self._file), Marked(value, self._file)


def parse_marked(text: str, file: str, faults: Faults) -> Marked | None:
    """The one document of a text; None with a fault where it is no YAML, or empty."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file)
        faults.add(at, f"not YAML: {error.problem or error.context}")
        return None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        faults.add(Place(file, line, error.position - text.rfind("\n", 0, error.position)), f"not YAML: {error.reason}")
        return None
    except RecursionError:
        faults.add(Place(file), "not a topology: lists and mappings nested without end")
        return None
    if node is None:
        faults.add(Place(file), "the file is empty")
        return None
    return Marked(node, file)


LARGEST_YAML = 4 << 20
"""Bytes; of a hundred thousand nodes it has a tenth. The reader that knows places takes half a minute for as much."""

_KINDS = ("tree", "block", "flat", "ring", "torus3d")
_KEYS = ("topology", "cluster_default", *_KINDS)


def is_topology_yaml(file: str) -> bool:
    """Whether a file of Slurm's is ``topology.yaml``, by its name."""
    return file.endswith((".yaml", ".yml"))


def topology_text(file: str) -> str:
    """The text of ``topology.yaml`` or ``topology.conf``.

    Raises:
        BadInput: where it cannot be read, or is too long.
    """
    return read_text(file, LARGEST_YAML if is_topology_yaml(file) else LARGEST_TEXT)


def read_topology_yaml(text: str, file: str, wanted: str | None, faults: Faults) -> tuple[str | None, list[SwitchLine]]:
    """Name and switches of one topology: the one ``wanted``, else the cluster's default, else the only tree.

    Raises:
        BadInput: where ``wanted`` is not there, or none is and several could be meant.
    """
    root = parse_marked(text, file, faults)
    if root is None:
        return None, []
    items = root.items
    if items is None:
        faults.add(root.at, "topology.yaml is a list of topologies: - topology: NAME, with tree: below it")
        return None, []
    topologies = []
    for item in items:
        fields = item.fields(_KEYS, "a topology", faults)
        if fields is not None and ("topology" not in fields or fields["topology"].text is None):
            faults.add(item.at, "topology is missing; give the topology its name, such as topology: main")
        topologies.append(fields or {})
    if faults:
        return None, []
    chosen = _choose(topologies, file, wanted)
    if chosen is None:
        faults.add(Place(file), "there is no topology in it")
        return None, []
    name = chosen["topology"].text
    others = [kind for kind in _KINDS[1:] if kind in chosen]
    if "tree" not in chosen:
        kind = others[0] if others else "no"
        faults.add(
            chosen["topology"].at,
            f"topology {name} is not a tree: a {kind} topology says nothing of switches; name a tree with --topology",
        )
        return name, []
    for other in others:
        faults.add(chosen[other].at, f"topology {name} has both tree and {other}; a topology is of one kind")
    return name, _switches(chosen["tree"], faults)


def _choose(topologies: list[dict[str, Marked]], file: str, wanted: str | None) -> dict[str, Marked] | None:
    names = [topology["topology"].text or "" for topology in topologies]
    if wanted is not None:
        if wanted not in names:
            raise BadInput(f"{file} has no topology {wanted}{did_you_mean(wanted, names)}; it has {', '.join(names)}")
        return topologies[names.index(wanted)]
    for topology in topologies:
        default = topology.get("cluster_default")
        if default is not None and (default.text or "").lower() == "true":
            return topology
    trees = [topology for topology in topologies if "tree" in topology]
    if len(trees) > 1:
        raise BadInput(
            f"{file} has several trees and no cluster_default; name one with --topology: "
            + ", ".join(topology["topology"].text or "" for topology in trees)
        )
    return trees[0] if trees else next(iter(topologies), None)


def _switches(tree: Marked, faults: Faults) -> list[SwitchLine]:
    fields = tree.fields(("switches",), "tree", faults)
    if fields is None:
        return []
    items = fields["switches"].items if "switches" in fields else None
    if items is None:
        faults.add(tree.at, "switches is missing; give a list of - switch: NAME, with nodes or children")
        return []
    lines = []
    for item in items:
        entry = item.fields(("switch", "children", "nodes"), "a switch", faults)
        if entry is None:
            continue
        name = entry.get("switch")
        if name is None or name.text is None:
            faults.add(name.at if name else item.at, "switch is missing; give the switch its name, such as switch: s0")
            continue
        wrong = list_fault(name.text)
        if wrong is not None:
            faults.add(name.at, wrong)
            continue
        nodes = _hostlist(entry, "nodes", faults)
        lines.append(SwitchLine(name.text, name.at, nodes, _hostlist(entry, "children", faults)))
    return lines


def _hostlist(entry: dict[str, Marked], key: str, faults: Faults) -> tuple[str, Place] | None:
    value = entry.get(key)
    if value is None:
        return None
    if value.text is None:
        faults.add(value.at, f"{key} must be a host list, such as {key}: node[01-16]")
        return None
    return value.text, value.at
