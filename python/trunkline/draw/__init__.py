"""Drawings of clusters and plans: as SVG, and in the terminal."""
