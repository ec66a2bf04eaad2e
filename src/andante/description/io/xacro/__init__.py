"""Xacro files, expanded without running anything in them."""
