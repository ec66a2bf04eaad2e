"""Meshes: their triangles and hulls, tools that change them, and those that are made by code."""
