#!/usr/bin/env python3
"""Writes an sdist's recipes for EasyBuild and Spack, with its version and sum. Usage: tools/recipes.py SDIST FOLDER."""

import hashlib
import re
import sys
from pathlib import Path

PACKAGING = Path(__file__).resolve().parents[1] / "packaging"
SPACK = "spack_repo/trunkline"


def write_recipes(sdist: Path, folder: Path) -> list[Path]:
    """All, below the folder, named as their tools want it; ends the program where the file is no sdist of ours.

    Spack's are a repository of its own, which lies as Spack 1 has it: ``spack_repo/NAMESPACE``. Spack's own one does
    not have pyroute2.
    """
    named = re.fullmatch(r"trunkline-(\d+\.\d+\.\d+)\.tar\.gz", sdist.name)
    if named is None:
        sys.exit(f"recipes: {sdist} is no sdist of Trunkline, trunkline-VERSION.tar.gz; 'make dist' makes one")
    values = {"@VERSION@": named[1], "@SHA256@": hashlib.sha256(sdist.read_bytes()).hexdigest()}
    values["@FOLDER@"] = sdist.resolve().parent.as_uri()
    written = []
    for template, place in (
        ("easybuild/trunkline.eb.in", f"easybuild/trunkline-{named[1]}-foss-2025a.eb"),
        ("spack/repo.yaml", f"{SPACK}/repo.yaml"),
        ("spack/trunkline.py.in", f"{SPACK}/packages/trunkline/package.py"),
        ("spack/py_pyroute2.py.in", f"{SPACK}/packages/py_pyroute2/package.py"),
    ):
        text = (PACKAGING / template).read_text()
        for name, value in values.items():
            text = text.replace(name, value)
        file = folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        written.append(file)
    return written


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for one in write_recipes(Path(sys.argv[1]), Path(sys.argv[2])):
        print(one)
