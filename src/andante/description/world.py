"""`World`: gravity, light and the things that stand in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from andante.geometry import SE3
from andante.gravity import GRAVITY

from .link import IDENTITY
from .robot import Robot
from .shapes import RGBA, Vec3
from .solver import SolverSettings
from .source import Problem, Source
from .trajectory import Trajectory


@dataclass(frozen=True)
class Placement:
    """A robot or object put into a world. `fixed` welds its root link where it stands."""

    name: str
    robot: Robot
    pose: SE3 = IDENTITY  # world_from_root
    fixed: bool = False  # SDF <static>, or a robot bolted down
    motion: Trajectory | None = None  # of a fixed one that a script moves, whatever it meets: <actor>


@dataclass(frozen=True)
class Light:
    """A light of the picture; engines ignore it."""

    name: str
    kind: str = "directional"  # directional, point, spot
    pose: SE3 = IDENTITY
    direction: Vec3 = (0.0, 0.0, -1.0)
    diffuse: RGBA = (0.8, 0.8, 0.8, 1.0)
    specular: RGBA = (0.2, 0.2, 0.2, 1.0)
    cast_shadows: bool = True


PhysicsSpec = SolverSettings  # as 0.1.0 called it
UNSTATED = SolverSettings()


@dataclass(frozen=True)
class World:
    """A scene without the robots of the user."""

    name: str
    models: tuple[Placement, ...] = ()
    gravity: Vec3 = (0.0, 0.0, -GRAVITY)  # [m/s^2]
    lights: tuple[Light, ...] = ()
    physics: SolverSettings = UNSTATED  # what the file asks for
    ambient: RGBA = (0.4, 0.4, 0.4, 1.0)
    background: RGBA = (0.7, 0.8, 0.9, 1.0)
    source: Source = field(default=Source(), compare=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False)
