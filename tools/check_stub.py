#!/usr/bin/env python3
"""Compares the type stub of the bindings with the compiled module, with trunkline installed.

Every name, argument, default and type that nanobind describes must be in both. Usage: tools/check_stub.py [STUB].
mypy's stubtest cannot: a compiled function shows Python no signature.
"""

import ast
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

from trunkline import _core

STUB = Path(__file__).resolve().parents[1] / "python" / "trunkline" / "_core.pyi"
OF_EVERY_CLASS = ("__repr__", "__str__", "__hash__")
NOT_DESCRIBED = {"__version__": "str", "FaultyFile.faults": "list[Fault]"}
"""What the module has, as tests of it show, but nanobind's description leaves out: no functions, no classes."""


def described(body: list[ast.stmt], where: str = "") -> dict[str, str]:
    """What a stub says of each name, spelt in one way: a property that can be set is an attribute."""
    said: dict[str, str] = {}

    def add(name: str, what: str) -> None:
        while name in said:
            name += "'"
        said[name] = what

    for node in body:
        if isinstance(node, ast.ClassDef):
            bases = ", ".join(ast.unparse(base) for base in node.bases)
            add(where + node.name, f"class ({bases})")
            said.update(described(node.body, f"{where}{node.name}."))
        elif isinstance(node, ast.FunctionDef):
            if where and node.name in OF_EVERY_CLASS:
                continue
            marks = [ast.unparse(mark) for mark in node.decorator_list if ast.unparse(mark) != "overload"]
            result = ast.unparse(node.returns) if node.returns else "no type"
            if marks == [f"{node.name}.setter"]:
                said[where + node.name] = said[where + node.name].removeprefix("property () -> ")
                continue
            add(where + node.name, " ".join([*marks, f"({arguments(node.args, bool(where))}) -> {result}"]))
        elif isinstance(node, ast.AnnAssign):
            add(where + ast.unparse(node.target), ast.unparse(node.annotation))
        elif isinstance(node, ast.Assign):
            add(where + ast.unparse(node.targets[0]), "a value")
    return said


def arguments(said: ast.arguments, in_class: bool) -> str:
    """Names, types and which may be left out; ``self`` and how positional ones may be given are no matter."""
    ordinary = said.posonlyargs + said.args
    optional = [False] * (len(ordinary) - len(said.defaults)) + [True] * len(said.defaults)
    each = list(zip(ordinary, optional, strict=True))
    each = each[1:] if in_class else each
    each += [
        (argument, default is not None) for argument, default in zip(said.kwonlyargs, said.kw_defaults, strict=True)
    ]
    words = []
    for argument, may_miss in each:
        kind = ast.unparse(argument.annotation) if argument.annotation else "no type"
        words.append(f"{argument.arg}: {kind}{' = ...' if may_miss else ''}")
    return ", ".join(words)


def main() -> None:
    """Prints every difference; exit status 1 where there is one."""
    stub = Path(sys.argv[1]) if len(sys.argv) > 1 else STUB
    generator = StubGen(_core)
    generator.put(_core)
    module = described(ast.parse(generator.get()).body) | NOT_DESCRIBED
    written = described(ast.parse(stub.read_text()).body)
    wrong = 0
    for name in sorted(module.keys() | written.keys()):
        if module.get(name) != written.get(name):
            wrong += 1
            print(name)
            print(f"  in the module: {module.get(name, 'not there')}")
            print(f"  in the stub:   {written.get(name, 'not there')}")
    if wrong:
        sys.exit(f"check_stub: {stub} and the module differ in {wrong} names; mend the one that is wrong")


if __name__ == "__main__":
    main()
