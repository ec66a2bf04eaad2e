"""What can be identified of a robot: kinds of parameters, their ranges, and which joints share one.

An optimizer sees a parameter as one number z: value = start exp(z) of those that are factors by nature (stiffness,
damping, inertia), value = scale z of those that may be 0 (friction, play, delay).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from andante.errors import BadInput, UnknownName


@dataclass(frozen=True)
class Kind:
    """A kind of parameter; `width`: by how much z is usually off before a fit."""

    unit: str
    factor: bool  # value = start exp(z), else scale z
    low: float  # of the factor, or of the value
    high: float
    width: float
    step: float  # of z, for derivatives
    about: str
    fine: float = 0.0  # half of an interval of z that is known well enough, whatever the value


EARLIEST = 0.005  # by which a fit lets targets seem to come early, for samples that are stamped late [s]
KINDS: Mapping[str, Kind] = {
    "stiffness": Kind("N m/rad", True, 0.05, 20.0, 0.7, 0.03, "kp of a position servo"),
    "damping": Kind("N m s/rad", True, 0.05, 20.0, 0.7, 0.03, "kd of a position servo"),
    "velocity_gain": Kind("N m s/rad", True, 0.02, 50.0, 0.7, 0.01, "kv of a velocity servo"),
    "friction": Kind("N m", False, 0.0, math.inf, 1.0, 0.15, "dry (Coulomb) friction", 0.1),
    "viscous": Kind("N m s/rad", False, 0.0, math.inf, 1.0, 0.05, "viscous friction", 0.1),
    "delay": Kind("s", False, -EARLIEST, 0.25, 1.0, 0.05, "from target to motor", 0.25),
    "backlash": Kind("rad", False, 0.0, 0.2, 1.0, 0.15, "free play, full width", 0.25),
    "armature": Kind("kg m^2", True, 0.1, 10.0, 0.7, 0.01, "rotor inertia times gear ratio squared"),
    "torque_constant": Kind("N m/A", True, 0.001, 1000.0, 1.0, 0.01, "torque per current at the joint"),
    "mass": Kind("kg", True, 0.7, 1.0 / 0.7, 0.3, 0.01, "mass of a link, its inertia growing alike"),
}
SCALES = {"delay": 0.01, "backlash": 0.005}  # of z: 10 ms, 5 mrad
POSITION_SERVO = ("stiffness", "damping", "friction", "delay", "backlash")
VELOCITY_SERVO = ("velocity_gain", "friction", "delay")


@dataclass(frozen=True)
class Parameter:
    """One number to identify, of a joint, of several that share it, or of a link."""

    kind: str
    of: tuple[str, ...]  # joints, or one link
    start: float  # what the robot's file says, or a usual value
    scale: float  # of z where the kind is no factor
    bounds: tuple[float, float]  # of z

    @property
    def name(self) -> str:
        """Kind and owner in a word, such as "stiffness of LKneePitch"."""
        return f"{self.kind} of {self.label}"

    @property
    def label(self) -> str:
        """Whose it is."""
        return self.of[0] if len(self.of) == 1 else f"{self.of[0]} and {len(self.of) - 1} more"

    @property
    def usual(self) -> float:
        """z of the start."""
        return 0.0 if KINDS[self.kind].factor else self.start / self.scale

    def value(self, z: float) -> float:
        """The number itself."""
        return self.start * math.exp(z) if KINDS[self.kind].factor else self.scale * z


def make_parameter(
    kind: str, of: Sequence[str], start: float, scale: float, factors: tuple[float, float] | None = None
) -> Parameter:
    """A parameter with the bounds of its kind; `factors`: other bounds of the factor on its start."""
    known = KINDS[kind]
    low, high = factors or (known.low, known.high)
    bounds = (math.log(low), math.log(high)) if known.factor else (low / scale, high / scale)
    return Parameter(kind, tuple(of), start, scale, bounds)


def chosen_kinds(asked: Sequence[str]) -> tuple[str, ...]:
    """The kinds that are asked for, each checked; none: the usual ones of every joint."""
    for name in asked:
        UnknownName.check("parameter", name, KINDS)
    return tuple(dict.fromkeys(asked))


def shared(joints: Sequence[str], patterns: Sequence[str]) -> list[tuple[str, ...]]:
    """Joints in groups: those that fit one pattern share their parameters, the others stand alone."""
    groups: dict[str, list[str]] = {}
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in joints):
            raise BadInput(f"share: pattern {pattern!r} fits none of the joints to fit: {', '.join(joints)}")
    for name in joints:
        key = next((f"*{p}" for p in patterns if fnmatchcase(name, p)), name)
        groups.setdefault(key, []).append(name)
    return [tuple(group) for group in groups.values()]
