"""Experiments of no robot in particular (*.toml)."""
