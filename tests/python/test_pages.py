"""Pages and pictures in a browser: from a phone's width to a wall's, light and dark, and for people who hear them.

Playwright drives Debian's Chromium; axe-core looks for what a reader of screens would miss. Skipped without Chromium.
"""

import re
import shutil
from pathlib import Path

import pytest
import test_browser

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.draw.cluster import draw_cluster
from trunkline.draw.names import hostlist, without_domain

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look at pages with")
WIDTHS = (390, 768, 1280, 2560)
NAMES = ("demo", "bench", "helps", "trace", "told", "learns")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Files of pages that the command writes, by name."""
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent / "trace"))
        from made_trace import eight_ranks
        from test_trace_page import page_of
    job = tmp_path_factory.mktemp("job")
    eight_ranks(job)
    texts = {"trace": page_of(job)}
    texts |= {name: getattr(test_browser, name)() for name in NAMES if name not in texts}
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text)
    return folder


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM)
        yield started
        started.close()


@pytest.fixture
def shown(browser):
    """Opens a file at a width, in light or dark."""
    contexts = []

    def show(file, width, scheme="light"):
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.goto(file.as_uri())
        return page

    yield show
    for one in contexts:
        one.close()


OVERFLOW = """() => [...document.querySelectorAll(".card")].filter(card => {
  const said = getComputedStyle(card.querySelector("figcaption") || card, "::after").content;
  return card.scrollWidth > card.clientWidth && !said.includes("sideways");
}).map(card => card.outerHTML.slice(0, 80))"""


@needs_chromium
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_without_a_hint(name, width, pages, shown):
    page = shown(pages / f"{name}.html", width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OVERFLOW) == []


@needs_chromium
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_everybody_can_read_it(name, scheme, width, pages, shown):
    from axe_playwright_python.sync_playwright import Axe

    page = shown(pages / f"{name}.html", width, scheme)
    found = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:100]) for one in found] == []


CONTRAST = """() => {
  const numbers = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
  const lightness = colour => {
    const [r, g, b] = numbers(colour).map(one => one / 255).map(one => one <= .04045 ? one / 12.92
      : ((one + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const opaque = colour => /^rgb/.test(colour) && (numbers(colour).length < 4 || numbers(colour)[3] === 1);
  const behind = word => {
    const box = word.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    for (const one of document.elementsFromPoint(x, y)) {
      const style = getComputedStyle(one), inside = one.ownerSVGElement && /rect|path|circle|polygon/.test(one.tagName);
      const colour = inside ? style.fill : style.backgroundColor;
      if (opaque(colour) && (!inside || style.fillOpacity === "1") && style.opacity === "1") return colour;
    }
    return null;
  };
  return [...document.querySelectorAll("svg text")].map(word => [word, behind(word)]).filter(([, under]) => under)
    .map(([word, under]) => {
      const [low, high] = [lightness(getComputedStyle(word).fill), lightness(under)].sort((a, b) => a - b);
      return [(high + .05) / (low + .05), word.textContent];
    });
}"""
"""How much each word of a picture stands out from what is under it; axe looks at no pictures."""


@needs_chromium
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_of_pictures_stand_out(name, scheme, pages, shown):
    page = shown(pages / f"{name}.html", 1280, scheme)
    page.set_viewport_size({"width": 1280, "height": page.evaluate("document.documentElement.scrollHeight")})
    found = page.evaluate(CONTRAST)
    assert len(found) > 5
    assert [(round(ratio, 1), word) for ratio, word in found if ratio < 4.5] == []


@needs_chromium
def test_axe_finds_what_is_wrong(tmp_path, shown):
    from axe_playwright_python.sync_playwright import Axe

    (tmp_path / "bad.html").write_text('<!doctype html><html><body><svg role="img"></svg><input></body></html>')
    found = {one["id"] for one in Axe().run(shown(tmp_path / "bad.html", 390)).response["violations"]}
    assert {"svg-img-alt", "label", "document-title", "html-has-lang"} <= found


@needs_chromium
@pytest.mark.parametrize("name", NAMES)
def test_dark_is_dark(name, pages, shown):
    def lightness(scheme):
        colour = shown(pages / f"{name}.html", 1280, scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    assert lightness("dark") < 200 < 600 < lightness("light")


LEAF_SPINE = (
    """trunkline: cluster/1
name: long
defaults: {rate: 25Gbit}
switches: ["spine[1-4].net.example.org", "leaf[01-08].net.example.org"]
paths: equal-cost
hosts:
"""
    + "".join(
        f'  - {{hosts: "node[{125 * leaf + 1:04}-{125 * leaf + 125:04}].cluster.example.org", '
        f"switch: leaf{leaf + 1:02}.net.example.org}}\n"
        for leaf in range(8)
    )
    + "links:\n"
    + "".join(
        f"  - {{between: [leaf{leaf:02}.net.example.org, spine{spine}.net.example.org], rate: 100Gbit}}\n"
        for leaf in range(1, 9)
        for spine in range(1, 5)
    )
)
"""A thousand hosts with names of a domain."""


def places(picture):
    """Middle of each name in a picture, by name."""
    return {
        word: (float(x), float(y))
        for x, y, word in re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]+)<', picture)
    }


def test_switches_of_a_domain_are_a_short_list(trunkline, tmp_path):
    (tmp_path / "long.yaml").write_text(LEAF_SPINE)
    said = trunkline("cluster", "check", tmp_path / "long.yaml").out
    shown = trunkline("cluster", "show", tmp_path / "long.yaml").out
    for text in (said, shown):  # lines are as long as the terminal is wide
        assert "spine1.net.example.org+3 for spine[1-4].net.example.org" in " ".join(text.split())
    assert "no hosts" in shown


def test_spines_stand_above_their_leaves():
    for cluster in (load_cluster("leaf-spine"), _core.parse_cluster(LEAF_SPINE, "long.yaml")):
        found = places(draw_cluster(cluster))
        spine = next(at for word, at in found.items() if word.startswith("spine"))
        leaves = [at for word, at in found.items() if word.startswith("leaf") and word != cluster.name]
        assert len(leaves) == len([name for name in cluster.switches if name.startswith("leaf")])
        assert all(spine[1] < y for _, y in leaves)
        assert len({y for _, y in leaves}) == 1
        assert min(x for x, _ in leaves) < spine[0] < max(x for x, _ in leaves)


def test_a_domain_is_said_once():
    picture = draw_cluster(_core.parse_cluster(LEAF_SPINE, "long.yaml"))
    assert picture.count("cluster.example.org") == 1
    assert "net.example.org" not in picture
    found = places(picture)
    assert {"node0001", "node1000", "leaf08", "spine1+3"} <= set(found)
    assert without_domain(["a.x.y", "b.x.z"]) == ["a.x.y", "b.x.z"]
    assert without_domain(["a.x"]) == ["a.x"]
    assert hostlist(["n1.x.y", "n2.x.y", "m.x.y"]) == "n[1-2].x.y,m.x.y"


@needs_chromium
@pytest.mark.parametrize("drawn", ["cluster", "plan"])
def test_names_of_a_thousand_hosts_do_not_meet(drawn, tmp_path, shown, trunkline):
    (tmp_path / "big.yaml").write_text(LEAF_SPINE)
    words = ["cluster", "show"] if drawn == "cluster" else ["plan", "--algorithms", "linear"]
    done = trunkline(*words, "--cluster", "big.yaml", "--svg", "big.svg", cwd=tmp_path)
    assert done.status == 0, done.error
    met = shown(tmp_path / "big.svg", 2560).evaluate(
        """() => {
          const boxes = [...document.querySelectorAll("text")].map(one => one.getBBox()), met = [];
          boxes.sort((a, b) => a.y - b.y || a.x - b.x);
          for (let i = 1; i < boxes.length; ++i)
            if (boxes[i].y === boxes[i - 1].y && boxes[i].x < boxes[i - 1].x + boxes[i - 1].width) met.push(i);
          return [boxes.length, met.length];
        }"""
    )
    assert met[0] > 1000
    assert met[1] == 0


@needs_chromium
@pytest.mark.parametrize("width", [390, 1280, 2560])
def test_wide_pictures_take_the_room_that_there_is(width, pages, shown):
    page = shown(pages / "trace.html", width)
    room = page.evaluate(
        """() => {
          const card = document.querySelector("figure.card.wide"), picture = card.querySelector("svg");
          picture.setAttribute("width", 1500);
          const box = card.getBoundingClientRect();
          return [box.left, box.right, picture.getBoundingClientRect().width];
        }"""
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert room[0] >= 0
    assert room[1] <= width
    assert room[1] - room[0] > min(1500, 0.9 * width)
    assert room[2] == 1500
