"""Pages and pictures can be read on light and dark screens, and by those who see two kinds of colour."""

import math
import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import cell
from test_report import svgs

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.draw.cluster import draw_cluster
from trunkline.draw.colours import ACCENT, CONTENDED, DARK, HOST, INK, LINK, NATIVE, PAGE, PAPER, SERIES, SOFT
from trunkline.draw.plan import draw_plan
from trunkline.kinds import kind_of
from trunkline.predict import Predicted
from trunkline.report.chart import prediction_curves, ratio_bars, time_curves
from trunkline.report.line_styles import line_styles
from trunkline.report.page import bench_page, demo_page

CURVES = (NATIVE, ACCENT, *SERIES)
# G. M. Machado and others, A Physiologically-based Model for Simulation of Color Vision Deficiency, 2009: severity 1.
MISSING = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


def cells():
    return [
        cell(size=size, algorithm=name, seconds=seconds, ran="two-tree")
        for size in (8192, 65536)
        for name, seconds in (("native", 3.0), ("linear", 0.6), ("auto", 0.5))
    ]


def plan_picture():
    cluster = load_cluster("cyclic")
    placement = _core.block_placement(cluster, 1)
    return draw_plan(cluster, placement, _core.lay_trees("bcast", "unaware-binary", cluster, placement, 0)[0])


def rounds_picture(name, ranks_per_host):
    cluster = load_cluster("cyclic")
    placement = _core.block_placement(cluster, ranks_per_host)
    plan = _core.lay("bcast", name, cluster, placement, 0)
    return kind_of(plan).draw(cluster, placement, plan, "x")


PICTURES = {
    "cluster": lambda: draw_cluster(load_cluster("paper-3")),
    "plan": plan_picture,
    "rounds": lambda: rounds_picture("scatter-doubling", 2),
    "bars": lambda: ratio_bars(cells()),
    "times": lambda: time_curves(cells()),
    "predicted": lambda: prediction_curves([Predicted("bcast", "linear", s, 0, s * 1e-6, True) for s in (8192, 65536)]),
}


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_every_colour_of_a_picture_has_one_for_dark_screens(picture):
    svg = picture()
    head, style, rest = re.split(r"<style>@media \(prefers-color-scheme: dark\)(.*?)</style>", svg)
    assert head.startswith("<svg")
    shown = set(re.findall(r'(fill|stroke)="(#\w+)"', rest))
    assert len(shown) > 4
    assert shown == {rule[:2] for rule in re.findall(r"\[(fill|stroke)='(#\w+)'\]{\1:(#\w+)}", style)}
    assert ("fill", PAPER) in shown
    assert not re.search(r'style="[^"]*#\w{6}[^0-9a-f]', rest)  # which no style sheet could change


def test_pages_follow_the_screen():
    for page in (demo_page(cells(), [load_cluster("cyclic")]), bench_page(cells())):
        assert "color-scheme: light dark" in page
        light, dark = re.findall(r":root {([^}]*--[^}]*)}", page)
        variables = re.findall(r"--(\w+): (#\w+)", light)
        assert [name for name, _ in variables] == re.findall(r"--(\w+):", dark)
        without = page.replace(light, "").replace(dark, "")
        for svg in svgs(page):
            without = without.replace(svg, "")
        assert not re.search(r"(color|background)[^;}]*#[0-9a-f]{3}", without)
        assert set(re.findall(r"var\(--(\w+)\)", without)) <= dict(variables).keys()


def linear_light(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def contrast(a, b):
    """As the Web Content Accessibility Guidelines count it."""
    dim, bright = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in map(linear_light, (a, b)))
    return (bright + 0.05) / (dim + 0.05)


def lab(colour, missing):
    """CIE L*a*b* of what is seen without one kind of cone."""
    seen = [sum(w * part for w, part in zip(row, linear_light(colour), strict=True)) for row in MISSING[missing]]
    r, g, b = (min(1.0, max(0.0, part)) for part in seen)
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
    )
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("colours", [CURVES, [DARK[colour] for colour in CURVES]], ids=["light", "dark"])
def test_curves_can_be_told_apart(colours, missing):
    for a, b in combinations(colours, 2):
        assert math.dist(lab(a, missing), lab(b, missing)) > 8, (a, b)


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("colours", [(HOST, LINK, CONTENDED), [DARK[c] for c in (HOST, LINK, CONTENDED)]])
def test_contention_can_be_told_from_none(colours, missing):
    for a, b in combinations(colours, 2):
        assert math.dist(lab(a, missing), lab(b, missing)) > 20, (a, b)


def test_words_and_curves_stand_out():
    for seen in (lambda colour: colour, DARK.get):
        assert all(contrast(seen(curve), seen(PAPER)) >= 3 for curve in CURVES)
        assert all(contrast(seen(words), seen(on)) >= 4.5 for words in (INK, SOFT, ACCENT) for on in (PAGE, PAPER))
        assert all(contrast(seen(PAPER), seen(cell)) >= 4.5 for cell in (HOST, LINK, CONTENDED, SOFT))


EVERY = [a.name for a in _core.algorithms() if a.collective == "bcast"]


def drawn_curves(svg):
    """Colour, dashes and marker of each curve, as they are in the picture."""
    curves = {}
    for name, group in re.findall(r'<g id="curve-([^"]*)">(.*?)</g>\s*</g>', svg, flags=re.DOTALL):
        dashes = re.search(r"stroke-dasharray: ([^;\"]*)", group)
        line, marker = re.search(r'stroke="(#\w+)"', group), re.search(r'<path id="\w+" d="([^"]*)"', group)
        curves[name] = (line[1], dashes and dashes[1], marker[1])
    return curves


def test_every_predicted_curve_looks_different():
    names = [*EVERY, *(f"linear:{size}" for size in (1024, 2048, 4096))]
    assert len(names) > 30
    rows = [
        Predicted("bcast", name, s, 0, s * 1e-6 * n, False) for n, name in enumerate(names, 1) for s in (8192, 65536)
    ]
    curves = drawn_curves(prediction_curves(rows))
    assert curves.keys() == set(names)
    assert len(set(curves.values())) == len(names)


def test_few_curves_differ_by_colour_alone():
    for names in (["native", "auto", "linear", "two-tree"], ["circulant", "scatter-ring", "3-nomial", "linear"]):
        styles = line_styles(names).values()
        assert len({style.colour for style in styles}) == len(names)
        assert {style.dashes for style in styles} == {"-"}


@given(st.lists(st.sampled_from([*EVERY, "auto", *(f"{name}:{n}" for name in EVERY for n in (8, 16))]), unique=True))
def test_styles_never_repeat(names):
    styles = line_styles(names)
    assert list(styles) == names
    assert len(set(styles.values())) == len(names)


def test_the_legend_has_the_order_of_the_curves_ends():
    rows = [
        Predicted("bcast", name, s, 0, s * t, False)
        for name, t in (("linear", 1), ("flat", 3), ("binary", 2))
        for s in (8, 9)
    ]
    words = re.findall(r">(linear|flat|binary)<", prediction_curves(rows))
    assert words == ["flat", "binary", "linear"]
