"""YAML with the place of everything, for messages."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from trunkline.sources.faults import Faults, Place, did_you_mean


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
