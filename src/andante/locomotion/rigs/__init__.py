"""Rigs."""
