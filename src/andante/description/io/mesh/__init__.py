"""Mesh files: reading with limits, checks, writing."""
