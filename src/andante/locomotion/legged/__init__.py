"""Legged."""
