"""Wheeled bases: wheels, their constraints, drives from figures or from a robot file."""
