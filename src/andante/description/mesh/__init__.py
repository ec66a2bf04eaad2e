"""Meshes: files read and written within limits, triangles and hulls, tools that change and make them."""
