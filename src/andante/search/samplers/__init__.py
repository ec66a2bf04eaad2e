"""Samplers by name, and users' own as file.py:Name."""

from .base import Sampler, Shard, Told
from .factory import SAMPLERS, make_sampler

__all__ = ["SAMPLERS", "Sampler", "Shard", "Told", "make_sampler"]
