"""MJCF, the format of MuJoCo: reader and writer."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .reader import read_mjcf_robot, read_mjcf_world

__all__ = ["read_mjcf_robot", "read_mjcf_world"]

__getattr__ = lazy_names(__name__)  # many robots need neither
