"""Biped."""
