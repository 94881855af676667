#!/usr/bin/env python3
"""Builds the site into build/site, or what is made of the same sources in share/: manual pages, completions, schemas.

Usage: tools/site/build.py [--share] [--check]. With --share the files in share/ are written anew; with --check it is
only said whether they are what parser and registry say. A warning is an error: a dead link, an anchor that is not
there, a page that no list has.
"""

import argparse
import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from command_pages import FOLDER, command_page, commands
from schemas import schemas

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tools" / "site"
SHARE = ROOT / "share"
COMPLETIONS = {
    "bash": "bash-completion/completions/trunkline",
    "zsh": "zsh/site-functions/_trunkline",
    "fish": "fish/vendor_completions.d/trunkline.fish",
}
"""Where shells look, below ``share``."""


def _sphinx(builder: str, source: Path, target: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "sphinx",
        "--builder",
        builder,
        "--conf-dir",
        str(HERE),
        "--fail-on-warning",
        "--quiet",
    ]
    if subprocess.run([*words, "--doctree-dir", f"{target}.doctrees", source, target], check=False).returncode:
        sys.exit("site: a warning is an error; the lines above say where")


def build_site(target: Path, stage: Path) -> None:
    """All pages as HTML that needs no network, with the schemas of files beside them.

    Args:
        target: The folder of the site, which is made anew.
        stage: A folder for the pages as Sphinx reads them.
    """
    from stage import lay_out

    lay_out(stage)
    shutil.rmtree(target, ignore_errors=True)
    _sphinx("html", stage, target)
    shutil.rmtree(f"{target}.doctrees")
    shutil.copytree(SHARE / "trunkline" / "schemas", target / "schemas")


def make_share(target: Path) -> None:
    """Manual pages of all sub-commands, what completes them in three shells, and schemas for editors.

    Args:
        target: Stands for ``share``.
    """
    with tempfile.TemporaryDirectory() as work:
        stage = Path(work) / "pages"
        for one in commands():
            page = stage / f"{FOLDER}/{one.name}.md"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text("---\norphan: true\n---\n\n" + command_page(one, manual=True))
        (stage / "index.md").write_text("# Trunkline\n")
        _sphinx("man", stage, Path(work) / "man")
        folder = target / "man" / "man1"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for page in (Path(work) / "man").glob("*.1"):
            shutil.copy(page, folder)
    for name, schema in schemas().items():
        file = target / "trunkline" / "schemas" / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(schema, indent=2) + "\n")
    for shell, place in COMPLETIONS.items():
        file = target / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_completion(shell))


def _completion(shell: str) -> str:
    """What the command says that the shell is to source; Zsh takes it as a function, too, and calls that at once."""
    command = Path(sys.executable).with_name("trunkline")
    environment = {**os.environ, "_TRUNKLINE_COMPLETE": f"source_{shell}"}
    said = subprocess.run([command], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    at_once = '\nif [[ $funcstack[1] = _trunkline ]]; then _trunkline_completion "$@"; fi'
    return said + at_once * (shell == "zsh") + "\n"


def differing(first: Path, second: Path) -> list[str]:
    """Names of files that are not the same in both folders."""
    places = {str(file.relative_to(one)) for one in (first, second) for file in one.rglob("*") if file.is_file()}
    return sorted(one for one in places if not _same(first / one, second / one))


def _same(first: Path, second: Path) -> bool:
    return first.exists() and second.exists() and filecmp.cmp(first, second, shallow=False)


def main() -> None:
    """As the module says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", action="store_true", help="manual pages, completions and schemas instead")
    parser.add_argument("--check", action="store_true", help="write nothing, say whether share/ is right")
    parser.add_argument("--target", type=Path, default=ROOT / "build" / "site")
    words = parser.parse_args()
    if words.check:
        with tempfile.TemporaryDirectory() as work:
            made = Path(work) / "share"
            make_share(made)
            wrong = differing(made, SHARE)
        if wrong:
            sys.exit(f"share/ is not what the parser says ({', '.join(wrong[:5])}): run tools/site/build.py --share")
    elif words.share:
        make_share(SHARE)
    else:
        build_site(words.target, words.target.parent / "site-pages")
        print(f"{words.target}/index.html")


if __name__ == "__main__":
    main()
