"""Joints: how a child link moves on its parent, within which limits, and with which losses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from andante.errors import BadInput
from andante.geometry import SE3

from .link import IDENTITY
from .shapes import Vec3
from .source import Source


class JointType(StrEnum):
    """Kinds of joints. The first three have one degree of freedom and can carry a servo."""

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    FIXED = "fixed"
    FLOATING = "floating"
    PLANAR = "planar"
    BALL = "ball"
    SCREW = "screw"  # only as a loop or with a clear refusal; see Joint.screw_pitch


ONE_DOF = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC})


@dataclass(frozen=True)
class Limits:
    """Bounds of a one-degree joint [rad or m, N m or N, rad/s or m/s]; infinite means unbounded."""

    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    velocity: float = math.inf

    def __post_init__(self) -> None:
        if math.isnan(self.lower) or math.isnan(self.upper) or self.lower > self.upper:
            raise BadInput(f"joint limits need lower <= upper, got {self.lower} and {self.upper}")
        if not (self.effort >= 0 and self.velocity >= 0):
            raise BadInput(f"effort and velocity limits must be >= 0, got {self.effort} and {self.velocity}")


@dataclass(frozen=True)
class Dynamics:
    """Passive forces of a joint."""

    damping: float = 0.0  # [N m s/rad or N s/m]
    friction: float = 0.0  # Coulomb (dry) friction [N m or N]
    armature: float = 0.0  # rotor inertia seen at the joint: rotor * gear^2 [kg m^2 or kg]
    stiffness: float = 0.0  # spring towards `reference` [N m/rad or N/m]
    reference: float = 0.0  # rest position of the spring [rad or m]


@dataclass(frozen=True)
class Mimic:
    """q = multiplier * q[joint] + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class SafetyController:
    """URDF soft limits: k_position [1/s], k_velocity [N m s/rad]."""

    k_velocity: float
    k_position: float = 0.0
    soft_lower: float = 0.0
    soft_upper: float = 0.0


@dataclass(frozen=True)
class Joint:
    """A joint between two links.

    world_from_child = world_from_parent @ pose @ motion(q) @ joint_from_child; the axis is a unit vector in the
    joint frame. URDF always has joint_from_child = identity; SDF and MJCF may put the child frame elsewhere.
    """

    name: str
    type: JointType
    parent: str
    child: str
    pose: SE3 = IDENTITY  # parent_from_joint at q = 0
    axis: Vec3 = (1.0, 0.0, 0.0)
    limits: Limits = Limits()
    dynamics: Dynamics = Dynamics()
    mimic: Mimic | None = None
    safety: SafetyController | None = None
    calibration: Mapping[str, float] = field(default_factory=dict)  # rising / falling [rad or m]
    joint_from_child: SE3 = IDENTITY
    screw_pitch: float = 0.0  # screw joints: travel per turn [m/rad]
    initial: float = 0.0  # position at the start of a simulation [rad or m]
    source: Source = field(default=Source(), compare=False)

    def __post_init__(self) -> None:
        norm = math.sqrt(sum(c * c for c in self.axis))
        if not (math.isfinite(norm) and abs(norm - 1.0) < 1e-6):
            raise BadInput(f"joint {self.name!r}: the axis must be a unit vector, got {self.axis}")

    @property
    def one_dof(self) -> bool:
        """Whether the joint has one position: revolute, continuous or prismatic."""
        return self.type in ONE_DOF
