"""SDF, the format of Gazebo: reader and writer."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .reader import read_sdf_robot, read_sdf_world

__all__ = ["read_sdf_robot", "read_sdf_world"]

__getattr__ = lazy_names(__name__)  # many robots need neither
