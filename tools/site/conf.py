"""Sphinx's settings for the site and for the manual pages; `tools/site/build.py` calls it."""

import sys
from pathlib import Path

from trunkline import __version__

sys.path.insert(0, str(Path(__file__).parent))
from command_pages import FOLDER, commands

project = "Trunkline"
release = version = __version__
copyright = ""  # noqa: A001 (Sphinx's name)
html_show_copyright = False
root_doc = "index"
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist", "html_image"]
myst_heading_anchors = 6
smartquotes = False  # -- is an option here, not a dash
nitpicky = True
today = " "  # else manual pages would change every day
html_theme = "furo"
html_title = f"Trunkline {__version__}"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["narrow.css"]
templates_path: list[str] = []
man_pages = [(f"{FOLDER}/{one.name}", one.name, one.summary, "", 1) for one in commands()]
suppress_warnings = ["misc.highlighting_failure"]  # fragments of C++ and of plans
