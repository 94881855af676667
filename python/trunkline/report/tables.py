"""Tables for the terminal."""

from rich.box import SIMPLE_HEAD
from rich.table import Table

__all__ = ["titled_table"]


def titled_table(title: str) -> Table:
    """An empty table under a bold title; ``title`` may hold Rich markup."""
    return Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
