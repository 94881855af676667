"""Rooms of the core and of the preload library include those below them alone, as docs/architecture.md says."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENT = (REPOSITORY / "docs" / "architecture.md").read_text()
INCLUDE = re.compile(r'^ *# *include "([^"]+)"', re.MULTILINE)


def layers_of(part):
    """What the document lists under its heading: the height of each room above the lowest one."""
    lines = DOCUMENT.partition(f"### Layers of the {part}\n")[2].split("```")[1].strip().splitlines()
    return {room: height for height, line in enumerate(reversed(lines)) for room in line.split()}


LAYERS = {"core": layers_of("core"), "runtime": layers_of("runtime")}
FILES = {
    part: sorted(file for file in (REPOSITORY / part).rglob("*") if file.suffix in (".cpp", ".hpp")) for part in LAYERS
}
ALL = [(part, file.relative_to(REPOSITORY / part)) for part in LAYERS for file in FILES[part]]


def room_of(part, file):
    """The innermost room that the list names: a folder, or a file by itself with its header."""
    rooms = LAYERS[part]
    places = [file.with_suffix(""), *file.parents]
    return next((str(place) for place in places if str(place) in rooms), None)


def owner_of(part, name):
    """The part that an included name is of, as the compiler would find it."""
    return next((owner for owner in (part, "core") if (REPOSITORY / owner / name).is_file()), None)


def upward(part, room, text):
    """Includes that go up, or sideways into another room, or to what is no part of either."""
    wrong = []
    for name in INCLUDE.findall(text):
        owner = owner_of(part, name)
        if owner is None:
            if (REPOSITORY / "include" / name).is_file():  # the public interface, which includes nothing
                continue
            wrong.append(name)
            continue
        rooms = LAYERS[part]
        of_core = next((room for room in rooms if f"core/{name}".startswith(f"{room}/")), "core")
        other = room_of(part, Path(name)) if owner == part else of_core
        if other != room and rooms[other] >= rooms[room]:
            wrong.append(name)
    return wrong


@pytest.mark.parametrize(("part", "file"), ALL, ids=[f"{part}/{file}" for part, file in ALL])
def test_includes_go_down(part, file):
    room = room_of(part, file)
    assert room is not None, "docs/architecture.md names no room for it"
    assert upward(part, room, (REPOSITORY / part / file).read_text()) == []


@pytest.mark.parametrize(("part", "file"), ALL, ids=[f"{part}/{file}" for part, file in ALL])
def test_what_a_room_declares_is_defined_there(part, file):
    """A source whose header lies elsewhere would bring its own includes there, past the list."""
    if file.suffix == ".cpp":
        own = [Path(name) for name in INCLUDE.findall((REPOSITORY / part / file).read_text())]
        assert [name for name in own if name.stem == file.stem and name.parent != file.parent] == []


@pytest.mark.parametrize("part", LAYERS)
def test_the_document_names_rooms_that_are_there(part):
    there = {room_of(part, file.relative_to(REPOSITORY / part)) for file in FILES[part]}
    assert there == set(LAYERS[part]) - {"core", "core/text"}


@pytest.mark.parametrize(
    ("part", "room", "line", "goes_up"),
    [
        ("core", "kinds/trees", '#include "algorithms/registry.hpp"', True),
        ("core", "kinds/trees", '#include "kinds/rounds/rounds.hpp"', True),  # sideways
        ("core", "kinds/trees", '#include "runtime/report.hpp"', True),  # not the core's at all
        ("core", "algorithms/trees", '  #  include "algorithms/registry.hpp"', True),
        ("core", "algorithms", '#include "algorithms/trees/flat.hpp"', False),
        ("core", "text", "#include <string>", False),
        ("runtime", "transport", '#include "execute/events.hpp"', True),
        ("runtime", "transport/mpi", '#include "plan/plan.hpp"', True),
        ("runtime", "execute", '#include "plan/plan.hpp"\n#include "transport/transport.hpp"', False),
        ("runtime", "intercept", '#include "trunkline.h"', False),
    ],
)
def test_an_upward_include_is_seen(part, room, line, goes_up):
    assert bool(upward(part, room, line)) == goes_up
