"""Wheels."""
