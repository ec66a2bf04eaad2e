"""Trials by name: each a function of a `Setup` that gives measures."""
