"""The pages of the site, laid out for Sphinx: those of docs/ with their links, those that are made, files they show."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from command_pages import FOLDER, command_page, commands, commands_index

__all__ = ["lay_out", "moved"]

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
AT_TOP = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md"}
"""Pages beside docs/, and their names in the site."""
INDEXES = ("index.md", "results/README.md", "reference/commands.md")
"""Pages whose tables of links are the navigation."""
MADE = {f"docs/{FOLDER}.md": f"{FOLDER}.md"}
"""Pages that a page of docs/ may link to, though they are made here alone."""
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".c": "c", ".h": "c", ".py": "python", ".yaml": "yaml", ".f90": "fortran"}

_LINK = re.compile(r"(\]\(|\bsrc=\")([^()\s\"#]+)((?:#[^()\s\"]*)?[)\"])")
_CODE = re.compile(r"(^ *```.*?^ *```|`[^`\n]*`)", re.DOTALL | re.MULTILINE)


def _place(target: str, shown: set[str]) -> str:
    """Where the site has a file of the tree.

    Args:
        target: Its path from the root of the tree.
        shown: Gets the files that are shown as a page of their own.

    Raises:
        SystemExit: it is not there.
    """
    if target in MADE:
        return MADE[target]
    if target in AT_TOP:
        return AT_TOP[target]
    if target == "README.md":
        return "index.md"
    if target.startswith("docs/"):
        return target.removeprefix("docs/")
    if target.endswith(".svg"):
        return target
    if (ROOT / target).is_dir():
        target += "/README.md"
    if not (ROOT / target).is_file():
        raise SystemExit(f"site: a page links to {target}, which is not there")
    shown.add(target)
    return target if target.endswith(".md") else f"tree/{target}.md"


def moved(text: str, source: str, place: str, shown: set[str]) -> str:
    """A page with its links as they are in the site.

    Args:
        text: The page.
        source: Its path from the root of the tree.
        place: Its path in the site.
        shown: Gets the files that need a page of their own.
    """

    def link(found: re.Match[str]) -> str:
        before, target, after = found.groups()
        if re.match(r"[a-z]+:", target):
            return found[0]
        path = os.path.normpath(PurePosixPath(source).parent / target)
        return before + os.path.relpath(_place(path, shown), PurePosixPath(place).parent) + after

    pieces = _CODE.split(text)
    return "".join(piece if number % 2 else _LINK.sub(link, piece) for number, piece in enumerate(pieces))


def _entry(link: tuple[str, str]) -> str:
    """Of a list: a page by the words of its link, or by its own title where those are its name."""
    words, page = link
    return page if words.endswith(".md") else f"{words} <{page}>"


def _navigation(text: str) -> str:
    """An index with the lists for Sphinx that its tables of links say, each under its heading."""
    parts = re.split(r"^## +(.+)$", text, flags=re.MULTILINE)
    lists = []
    for caption, body in zip(["", *parts[1::2]], parts[::2], strict=True):
        links = re.findall(r"^\| \[([^]]+)\]\(([^)#]+)\.md\)", body, re.MULTILINE)
        if links:
            head = f":caption: {caption}\n" if caption else ""
            lists.append("```{toctree}\n:hidden:\n" + head + "\n" + "\n".join(map(_entry, links)) + "\n```\n")
    return text + "\n" + "\n".join(lists)


def lay_out(stage: Path) -> None:
    """Write all pages, with what they show.

    Args:
        stage: A folder, which is emptied first.

    Raises:
        SystemExit: a page links to a file that is not there.
    """
    shutil.rmtree(stage, ignore_errors=True)
    shown: set[str] = set()
    found = list(commands())

    def write(place: str, text: str) -> None:
        file = stage / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_navigation(text) if place in INDEXES else text)

    for page in sorted(DOCS.glob("**/*.md")):
        source = str(page.relative_to(ROOT))
        place = source.removeprefix("docs/")
        write(place, moved(page.read_text(), source, place, shown))
    for source, place in AT_TOP.items():
        if (ROOT / source).exists():
            write(place, moved((ROOT / source).read_text(), source, place, shown))
    for one in found:
        write(f"{FOLDER}/{one.name}.md", command_page(one))
    write(f"{FOLDER}.md", commands_index(found))
    shutil.copytree(DOCS / "pictures", stage / "pictures")
    _show_files(stage, write, shown)


def _show_files(stage: Path, write: Callable[[str, str], None], shown: set[str]) -> None:
    """Pages of the files of the tree that pages link to, which may link to others."""
    done: set[str] = set()
    while waiting := sorted(shown - done):
        for source in waiting:
            done.add(source)
            text = (ROOT / source).read_text()
            place = _place(source, shown)
            if source.endswith(".md"):
                write(place, "---\norphan: true\n---\n\n" + moved(text, source, place, shown))
                for picture in (ROOT / source).parent.glob("*.svg"):
                    shutil.copy(picture, stage / Path(source).parent)
            else:
                language = LANGUAGES.get(Path(source).suffix, "text")
                write(place, f"---\norphan: true\n---\n\n# {source}\n\n`````{{code-block}} {language}\n{text}\n`````\n")
