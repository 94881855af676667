"""Trunkline: collective operations of MPI programs, laid over the switches they run on."""

from trunkline._core import __version__ as __version__
