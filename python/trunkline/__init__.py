"""Trunkline: collective operations of MPI programs, laid over the switches they run on."""

from importlib.metadata import version

__version__ = version("trunkline")
