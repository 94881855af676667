"""Pages of papers, in the form of all others."""

from trunkline.report.page import templates_with

__all__ = ["TEMPLATES"]

TEMPLATES = templates_with("trunkline_papers")
