"""Edits of plans: pure functions from tree to tree, one kind a module."""
