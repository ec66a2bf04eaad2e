"""Links: the rigid parts of a robot, what they weigh, look like and collide with, and the sensors on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from andante.geometry import SE3

from .inertia import Inertia
from .shapes import RGBA, Geometry
from .source import Source

IDENTITY = SE3.identity()


@dataclass(frozen=True)
class Material:
    """Color of a visual, and a picture that lies on it, tinted by the color.

    `texture` is the text of the description file, `path` where the resolver found the picture (None: not found).
    """

    name: str = ""
    rgba: RGBA | None = None
    texture: str = ""
    path: Path | None = field(default=None, compare=False)
    tile: tuple[float, float] | None = None  # sides of one repetition on planes and height maps [m]; None: all of it


@dataclass(frozen=True)
class Visual:
    """What a picture shows of a link."""

    geometry: Geometry
    pose: SE3 = IDENTITY  # link_from_visual
    material: Material = Material()
    name: str = ""


@dataclass(frozen=True)
class Surface:
    """Contact parameters; None means that the file is silent and the engine's default holds."""

    mu: float | None = None  # Coulomb friction coefficient, first direction (mu1)
    mu2: float | None = None  # second direction; engines without anisotropy use `mu`
    torsional: float | None = None  # torsional friction coefficient [-]
    rolling: float | None = None  # rolling friction coefficient [-]
    restitution: float | None = None  # bounce, 0 to 1
    kp: float | None = None  # contact stiffness [N/m]
    kd: float | None = None  # contact damping [N s/m]
    max_velocity: float | None = None  # largest contact correction velocity [m/s]
    min_depth: float | None = None  # depth before a correction is applied [m]
    fdir1: tuple[float, float, float] | None = None  # first friction direction in the collision frame
    collide_bitmask: int | None = None  # SDF collide_bitmask; pairs with no common bit do not collide
    slip1: float | None = None  # slip speed per friction force along fdir1 [m/s/N]
    slip2: float | None = None  # and across it
    solref: tuple[float, float] | None = None  # MuJoCo's time constant [s] and damping ratio, or -stiffness, -damping
    solimp: tuple[float, float, float, float, float] | None = (
        None  # MuJoCo's impedance: d0, d, width [m], middle, power
    )
    margin: float | None = None  # distance at which contacts are found [m]
    gap: float | None = None  # part of the margin in which they do not push [m]


@dataclass(frozen=True)
class Collision:
    """What a link collides with."""

    geometry: Geometry
    pose: SE3 = IDENTITY  # link_from_collision
    surface: Surface = Surface()
    name: str = ""


@dataclass(frozen=True)
class Link:
    """A rigid part. `inertia` is None when the file gives none (a pure frame).

    `invented`: a reader made it to stand between the joints of a body that has several; it has neither mass nor shape.
    """

    name: str
    inertia: Inertia | None = None
    visuals: tuple[Visual, ...] = ()
    collisions: tuple[Collision, ...] = ()
    gravity: bool = True
    self_collide: bool | None = None  # None: as the robot has it
    source: Source = field(default=Source(), compare=False)
    invented: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class SensorSpec:
    """One sensor on a link as a description file states it; the models that produce data live in `andante.sensors`.

    kind: imu, force (one load cell, e.g. an FSR), contact, bumper, touch, button, sonar, lidar, camera, uwb,
    gps, force_torque, infrared, microphone ... anything else is kept under its own name.
    parameters: flat names with units of the source format, e.g. camera: horizontal_fov, width, height, near, far;
    lidar: samples, min_angle, max_angle, range_min, range_max, resolution; noise: noise_stddev, bias_stddev, ...
    """

    name: str
    kind: str
    link: str
    pose: SE3 = IDENTITY  # link_from_sensor
    rate: float = 0.0  # [Hz]; 0: every step
    topic: str = ""
    parameters: Mapping[str, float | str] = field(default_factory=dict)
    source: Source = field(default=Source(), compare=False)
