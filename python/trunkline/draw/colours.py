"""The colours of pages and pictures, on light screens and on dark ones.

Pictures are written in the light colours, as attributes of their shapes, which every program understands. A style
inside each picture says what takes their place on a dark screen.
"""

import re

from trunkline.compat import zip_equal

INK, SOFT, AXIS, GRID = "#212529", "#5c6770", "#adb5bd", "#e9ecef"
PAGE, PAPER, CARD, BAR, EDGE = "#f8f9fa", "#ffffff", "#f8fafb", "#e3e8ee", "#c9d1d9"
ACCENT = "#0b7285"
HOST, TAKING_PART, IDLE, ROOT = "#4466f0", "#868e96", "#dee2e6", "#e67700"
LINK, CONTENDED = "#0b5c52", "#d93206"
NATIVE = TAKING_PART
SERIES = ("#3f8cff", "#a61e00", "#3b0ba8", "#e04fc0", "#ae8e00", INK)
"""Of curves besides :data:`NATIVE` and :data:`ACCENT`: all can be told apart without red, green or blue cones."""

DARK = {
    INK: "#e9edf0",
    SOFT: "#a7b1bb",
    AXIS: "#5f6b76",
    GRID: "#303841",
    PAGE: "#12161a",
    PAPER: "#1b2026",
    CARD: "#222930",
    BAR: "#3a444e",
    EDGE: "#56626d",
    ACCENT: "#25c4bb",
    HOST: "#7f9bff",
    TAKING_PART: "#747e88",
    IDLE: "#48525c",
    ROOT: "#ff9f43",
    LINK: "#5fe0b8",
    CONTENDED: "#ff5a3c",
    **dict(zip_equal(SERIES, ("#6aa9ff", "#f0602a", "#7b4ff2", "#ff8fdc", "#ecd850", "#e9edf0"))),
}
"""What takes the place of each colour on a dark screen."""

THEME = {"ink": INK, "soft": SOFT, "line": IDLE, "accent": ACCENT, "page": PAGE, "paper": PAPER, "native": NATIVE}
"""The colours of pages, by the names of their variables."""

_USED = re.compile(r'\b(fill|stroke)="(#[0-9a-f]{6})"')


def dark_too(svg: str) -> str:
    """The picture with a style for dark screens.

    Args:
        svg: Text of an ``<svg>`` element whose colours are ``fill`` and ``stroke`` attributes.

    Raises:
        KeyError: where a colour of it has no dark one.
    """
    used = sorted(set(_USED.findall(svg)))
    rules = "".join(f"[{attribute}='{light}']{{{attribute}:{DARK[light]}}}" for attribute, light in used)
    head = svg.index(">", svg.index("<svg")) + 1
    return f"{svg[:head]}<style>@media (prefers-color-scheme: dark){{{rules}}}</style>{svg[head:]}"
