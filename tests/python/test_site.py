"""The site of the documents, manual pages, completion in shells, and schemas for editors: all from one source."""

import importlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import pytest
import yaml
from referencing import Registry

from trunkline import _core
from trunkline.cluster import bundled_clusters

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ROOT = Path(__file__).resolve().parents[2]
SHARE = ROOT / "share"
BUILD = ROOT / "tools" / "site" / "build.py"
TRUNKLINE = Path(sys.executable).with_name("trunkline")


@pytest.fixture(scope="module")
def tool():
    """Modules of the tool that builds the site, by name."""
    sys.path.insert(0, str(BUILD.parent))
    yield importlib.import_module
    sys.path.remove(str(BUILD.parent))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "site"
    subprocess.run([sys.executable, BUILD, "--target", folder], check=True)
    return folder


def test_the_site_has_every_page_and_needs_no_network(site):
    pages = {str(page.relative_to(site)) for page in site.rglob("*.html")}
    ours = {str(page.relative_to(ROOT / "docs").with_suffix(".html")) for page in (ROOT / "docs").rglob("*.md")}
    assert ours - pages == set()
    assert {"contributing.html", "changelog.html", "search.html", "reference/commands/trunkline-plan-lay.html"} <= pages
    loaded = re.compile(r"<(?:script|img|link)\b[^>]*\b(?:src|href)=\"(https?:)?//")
    assert [page for page in sorted(pages) if loaded.search((site / page).read_text())] == []
    assert not any("//fonts." in sheet.read_text() for sheet in site.rglob("*.css"))
    assert "multicast" in (site / "searchindex.js").read_text()
    assert {page.name for page in (site / "schemas").iterdir()} == {
        page.name for page in SHARE.glob("trunkline/schemas/*")
    }


NARROW = """<!doctype html><body><iframe src="{page}" style="border: 0; width: 390px; height: 844px"></iframe>
<script>onload = () => {{
  const page = document.querySelector("iframe").contentDocument;
  const title = page.querySelector("article h1");
  const line = parseFloat(page.defaultView.getComputedStyle(title).lineHeight);
  const cut = [...page.querySelectorAll("article pre")].filter(code => code.scrollWidth > code.clientWidth);
  document.body.textContent = "lines=" + Math.round(title.clientHeight / line) + " cut=" + cut.length;
}}</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look at pages with")
@pytest.mark.parametrize(("name", "lines"), [("troubleshooting", 1), ("install", 2)])
def test_a_phone_breaks_no_word_of_a_title_and_cuts_no_code(site, tmp_path, name, lines):
    frame = site / f"frame-{name}.html"
    frame.write_text(NARROW.format(page=f"{name}.html"))
    words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--dump-dom"]
    words += ["--allow-file-access-from-files", frame.as_uri()]
    shown = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True).stdout
    frame.unlink()
    assert f"lines={lines} cut=0" in shown


def test_pictures_and_links_of_the_site_are_there(site):
    lost = [
        f"{page.relative_to(site)}: {link}"
        for page in site.rglob("*.html")
        for link in re.findall(r"\b(?:href|src)=\"([^\"#?:]+)(?:[?#][^\"]*)?\"", page.read_text())
        if not (page.parent / unquote(link)).exists()
    ]
    assert lost == []


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("[a](gone.md)", "gone"),
        ("[a](other.md#no-such-place)", "no-such-place"),
        ("![a](gone.svg)", "gone.svg"),
        ("## A\n\n#### B", "H2 to H4"),
    ],
)
def test_a_warning_ends_the_build(page, said, tmp_path, tool):
    build = tool("build")
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "index.md").write_text(f"# A\n\n{page}\n\n```{{toctree}}\nother\n```\n")
    (tmp_path / "pages" / "other.md").write_text("# Other\n\n## A place\n")
    code = "import build, sys, pathlib; build._sphinx('html', *map(pathlib.Path, sys.argv[1:]))"
    run = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "pages", tmp_path / "out"],
        cwd=Path(build.__file__).parent,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert said in run.stderr


def test_a_page_without_a_place_in_the_lists_ends_the_build(tmp_path, tool):
    (tmp_path / "pages").mkdir()
    for name in ("index", "lonely"):
        (tmp_path / "pages" / f"{name}.md").write_text(f"# {name}\n")
    with pytest.raises(SystemExit, match="a warning is an error"):
        tool("build")._sphinx("html", tmp_path / "pages", tmp_path / "out")


def test_links_are_moved_with_their_pages(tool):
    moved = tool("stage").moved
    shown = set()
    text = "[a](../CONTRIBUTING.md#tests) [b](../core/plan/plan.hpp) `[c](../gone.md)` [d](results/README.md) [e](https://x)"
    assert moved(text, "docs/faq.md", "faq.md", shown) == (
        "[a](contributing.md#tests) [b](tree/core/plan/plan.hpp.md) `[c](../gone.md)` [d](results/README.md) [e](https://x)"
    )
    assert shown == {"core/plan/plan.hpp"}
    assert moved("[a](docs/lab.md#x)", "CONTRIBUTING.md", "contributing.md", shown) == "[a](lab.md#x)"
    with pytest.raises(SystemExit, match=r"core/gone\.hpp, which is not there"):
        moved("[a](../core/gone.hpp)", "docs/faq.md", "faq.md", shown)


def test_what_is_made_is_what_the_parser_says():
    subprocess.run([sys.executable, BUILD, "--check"], check=True)


def test_every_sub_command_has_a_manual_page_with_its_options(tool):
    found = list(tool("command_pages").commands())
    assert len(found) > 60
    assert {f"{one.name}.1" for one in found} == {page.name for page in (SHARE / "man" / "man1").iterdir()}
    for one in found:
        text = (SHARE / "man" / "man1" / f"{one.name}.1").read_text().replace("\\-", "-")
        assert [option for option, _ in one.options if option not in text] == [], one.name


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man to show manual pages with (Debian: man-db)")
def test_manual_pages_render_without_a_warning():
    for page in sorted((SHARE / "man" / "man1").iterdir()):
        words = ["man", "--warnings", "-E", "UTF-8", "-Tutf8", "-Z", "-l", page]
        shown = subprocess.run(
            words, capture_output=True, check=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        )
        assert shown.stderr == b"", page.name


def completed(shell, script):
    path = f"{TRUNKLINE.parent}:/usr/bin:/bin"
    ran = subprocess.run(
        [shell, *(["-f"] if shell == "zsh" else []), "-c", script],
        env={"PATH": path, "HOME": "/nonexistent", "TERM": "dumb"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Traceback" not in ran.stderr
    return ran.stdout.split()


BASH = """source {file}
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
{function} trunkline
printf '%s\\n' "${{COMPREPLY[@]}}" """


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("trunkline pl", ["plan"]),
        ("trunkline plan sh", ["show"]),
        ("trunkline plan lay --coll", ["--collective"]),
        ("trunkline plan lay --cluster leaf", ["leaf-spine"]),
        ("trunkline predict --algorithms auto,lin", ["auto,linear"]),
        ("trunkline run --cluster cyclic --mp", ["--mpi"]),
        ("trunkline lab run --collective x cyclic ./program -n 2 --nat", ["--native"]),
        ("trunkline plan lay --cluster my-own-fi", []),
    ],
)
def test_bash_completes(words, expected):
    file = SHARE / "bash-completion/completions/trunkline"
    assert completed("bash", BASH.format(file=file, words=words, function="_trunkline_completion")) == expected


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
def test_zsh_takes_its_completion():
    file = SHARE / "zsh/site-functions/_trunkline"
    script = (
        f"autoload -U compinit; compinit -D -u; words=(trunkline plan sh); CURRENT=3; "
        f"_arguments() {{ print -r -- $*; }}; _describe() {{ print -r -- ${{(P)2}} ${{(P)1}} $*; }}; source {file}; "
        f"print -r -- $_comps[trunkline]; _trunkline_completion"
    )
    said = " ".join(completed("zsh", script))
    assert said.startswith("_trunkline_completion")
    assert "show" in said


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish")
def test_fish_completes():
    file = SHARE / "fish/vendor_completions.d/trunkline.fish"
    assert completed("fish", f"source {file}; complete -C 'trunkline plan sh'")[0] == "show"


SCHEMAS = {file.stem: json.loads(file.read_text()) for file in (SHARE / "trunkline" / "schemas").iterdir()}
"""By name of the format, with a dash."""
REGISTRY = Registry().with_contents([(f"{name}.json", schema) for name, schema in SCHEMAS.items()])


def with_text_keys(value):
    """As an editor sees YAML: keys are text."""
    if isinstance(value, dict):
        return {str(key): with_text_keys(one) for key, one in value.items()}
    return [with_text_keys(one) for one in value] if isinstance(value, list) else value


def wrong_by_schema(text):
    data = with_text_keys(yaml.safe_load(text))
    schema = SCHEMAS[data["trunkline"].replace("/", "-")]
    return [
        f"{error.json_path}: {error.message}"
        for error in jsonschema.Draft202012Validator(schema, registry=REGISTRY).iter_errors(data)
    ]


def wrong_by_core(text):
    kind = yaml.safe_load(text)["trunkline"].partition("/")[0]
    read = {"cluster": _core.parse_cluster, "plan": _core.parse_plans, "plans": _core.parse_plans}
    read |= {"tuning": _core.parse_tuning, "weights": _core.parse_weights}
    try:
        read[kind](text, "x.yaml")
    except _core.FaultyFile as faulty:
        return str(faulty)
    return ""


def test_schemas_are_schemas():
    for schema in SCHEMAS.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert set(SCHEMAS) == {"algorithms", "cluster-1", "plan-1", "plans-1", "tuning-1", "weights-1"}


FILES = [
    *ROOT.glob("clusters/*.yaml"),
    *ROOT.glob("examples/**/*.yaml"),
    *(
        file
        for kind in ("cluster", "plan", "tuning", "weights")
        for file in ROOT.glob(f"tests/fuzz/corpus/{kind}/*.yaml")
    ),
]
EXAMPLES = [
    block
    for page in sorted(ROOT.glob("docs/*.md"))
    for block in re.findall(r"^```yaml\n(trunkline: .*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
]


@pytest.mark.parametrize(
    "text",
    [
        file.read_text()
        for file in FILES
        if file.stem != "faulty" and re.match("trunkline: (cluster|plan|tuning|weights)", file.read_text())
    ]
    + [
        block
        for block in EXAMPLES
        if re.match("trunkline: (cluster|plan|tuning|weights)", block) and "..." not in block
    ],
)
def test_schemas_take_what_the_core_takes(text):
    assert wrong_by_core(text) == ""
    assert wrong_by_schema(text) == []


def test_schemas_take_what_the_command_writes(trunkline):
    for name in bundled_clusters():
        assert wrong_by_schema(trunkline("cluster", "export", "--cluster", name, "--format", "yaml").out) == []
    for collective, algorithms in (("bcast", "linear,two-tree,circulant,multicast"), ("allreduce", "ring,multicast")):
        for algorithm in algorithms.split(","):
            words = ["plan", "--cluster", "cyclic", "--collective", collective, "--algorithms", algorithm]
            assert wrong_by_schema(trunkline(*words, "-o", "-").out) == [], algorithm


CLUSTER = (
    "trunkline: cluster/1\nname: x\ndefaults: {rate: 1Gbit}\nswitches: [s]\nhosts: [{hosts: 'h[0-3]', switch: s}]\n"
)
PLAN = "trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 3\nroot: 0\nsends: {0: [1, 2]}\n"
TUNING = (
    "trunkline: tuning/1\nentries:\n  - {collective: bcast, cluster: x, cluster_fingerprint: '0123456789abcdef',\n"
    "     hosts: 2, ranks_per_host: 1, mpi: mpich, mpi_version: '4.0.2', rules: [{from: 0B, algorithm: native}]}\n"
)

WEIGHTS = "trunkline: weights/1\nname: x\nhosts: [a, b]\nweights: [[none, 1ms], [2ms, none]]\ninjection: 1ms\n"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (CLUSTER, "", ""),
        (CLUSTER, "1Gbit", "1000"),
        (CLUSTER, "1Gbit", "1Gb"),
        (CLUSTER, "1Gbit", "0x1Gbit"),
        (CLUSTER, "name: x\n", ""),
        (CLUSTER, "switch: s}", "swich: s}"),
        (CLUSTER, "switch: s}", "switches: s}"),
        (CLUSTER, "hosts: [{hosts: 'h[0-3]', switch: s}]", "hosts: []"),
        (CLUSTER, "switches: [s]", "switches: [s]\npaths: all"),
        (CLUSTER, "switches: [s]", "switches: [s]\nlinks: [{between: [s]}]"),
        (PLAN, "", ""),
        (PLAN, "bcast", "gatherv"),
        (PLAN, "custom", "triangle"),
        (PLAN, "root: 0\n", ""),
        (PLAN, "ranks: 3\n", ""),
        (PLAN, "ranks: 3", "ranks: 0"),
        (PLAN, "sends: {0: [1, 2]}", "sends: {0: [1, 2]}\nline: [0-2]"),
        (PLAN, "ranks: 3", "ranks: 3\nsegment: 8"),
        (TUNING, "", ""),
        (TUNING, "native", "nativ"),
        (TUNING, ", algorithm: native", ""),
        (TUNING, "mpi: mpich", "mpi: lam"),
        (TUNING, "hosts: 2,", ""),
        (WEIGHTS, "", ""),
        (WEIGHTS, "injection: 1ms", "injection: 1"),
        (WEIGHTS, "injection: 1ms", "injections: 1ms"),
        (WEIGHTS, "hosts: [a, b]\n", ""),
        (WEIGHTS, "[none, 1ms]", "none"),
        (WEIGHTS, "1ms]", "1]"),
        (WEIGHTS, "injection: 1ms", "injection: 1ms\nrates: 1Mbit\nbytes: 8B"),
    ],
)
def test_schemas_refuse_what_the_core_refuses(text, old, new):
    assert old in text
    changed = text.replace(old, new, 1) if old else text
    assert bool(wrong_by_core(changed)) is bool(old), changed
    assert bool(wrong_by_schema(changed)) is bool(old), changed
