"""Imports the whole command, before children are forked that would import it by themselves, again and again."""

import gc
import importlib
import pkgutil

import typer

import trunkline

__all__ = ["import_all"]


def _with_an_option(number: int = 0) -> None:
    assert number == 3


def import_all():
    """All modules of the command, and what they bring in when they are first used."""
    for module in pkgutil.walk_packages(trunkline.__path__, "trunkline."):
        if not module.name.endswith("__main__") and module.name != "trunkline.torch":  # which needs PyTorch
            importlib.import_module(module.name)
    toy = typer.Typer(add_completion=False)
    toy.command()(_with_an_option)
    toy(["--number", "3"], standalone_mode=False)  # options bring in more, when they are first read
    gc.freeze()  # so that a child looks through none of it, and shares its pages
