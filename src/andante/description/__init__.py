"""Robots and worlds as plain immutable data, with readers and writers for the files of the field."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

from .inertia import Inertia
from .joint import Dynamics, Joint, JointType, Limits, Mimic, SafetyController
from .link import Collision, Link, Material, SensorSpec, Surface, Visual
from .load import ROBOTS, WORLDS, RobotPackage, load_robot, load_world, robot_names, world_names
from .robot import Frame, Plugin, Robot, Transmission
from .shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere
from .solver import SolverSettings
from .source import Problem, Severity, Source
from .world import Light, PhysicsSpec, Placement, World

if TYPE_CHECKING:
    from .closure import close_loops
    from .courses import CourseSettings, course, rough_ground

__all__ = [
    "ROBOTS", "WORLDS", "Box", "Capsule", "Collision", "CourseSettings", "Cylinder", "Dynamics", "Ellipsoid", "Frame",
    "Geometry", "Heightmap", "Inertia", "Joint", "JointType", "Light", "Limits", "Link", "Material", "Mesh", "Mimic",
    "PhysicsSpec", "Placement", "Plane", "Plugin", "Problem", "Robot", "RobotPackage", "SafetyController", "SensorSpec",
    "Severity", "SolverSettings", "Source", "Sphere", "Surface", "Transmission", "Visual", "World", "close_loops",
    "course", "load_robot", "load_world", "robot_names", "rough_ground", "world_names",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
