"""XML as a tree of elements that know where they stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from trunkline.sources.faults import Faults, Place


@dataclass
class Element:
    """An element, its attributes and its children, in the order of the file."""

    tag: str
    attributes: dict[str, str]
    at: Place
    children: list[Element] = field(default_factory=list)

    def properties(self) -> dict[str, str]:
        """Its ``<prop id value>`` children."""
        return {
            child.attributes.get("id", ""): child.attributes.get("value", "")
            for child in self.children
            if child.tag == "prop"
        }


_DEEPEST = 100


def parse_xml(text: str, file: str, faults: Faults) -> Element | None:
    """The root element; None with a fault where it is no well-formed XML. No other file is read, no entity expanded."""
    root = Element("", {}, Place(file))
    open_elements = [root]
    parser = expat.ParserCreate()

    def here() -> Place:
        return Place(file, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(open_elements) > _DEEPEST:
            raise _TooMuchError("elements nested without end")
        element = Element(tag, attributes, here())
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def end(_tag: str) -> None:
        open_elements.pop()

    def entity(*_declaration: object) -> None:
        raise _TooMuchError("entity declarations are not allowed in a platform")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        faults.add(Place(file, error.lineno, error.offset + 1), f"not XML: {expat.ErrorString(error.code)}")
        return None
    except _TooMuchError as error:
        faults.add(here(), str(error))
        return None
    return root.children[0]


class _TooMuchError(Exception):
    """Well-formed, but nothing to read on in."""
