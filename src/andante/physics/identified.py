"""Identified parameters of a robot put into it: gains, delay and play of servos, losses of joints, masses of links.

`RobotParameters` is the table [robot] of the files that `andante experiment fit` writes and `--params` and `--model`
take; patterns of joint names are welcome in it:

    [robot.servos."L*Pitch"]     # kp kd kv effort velocity delay backlash
    [robot.joints.LKneePitch]    # friction damping armature
    [robot.masses]               # LINK = kg
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from andante.description.inertia import Inertia
from andante.description.joint import Joint
from andante.description.link import Link
from andante.description.robot import Robot
from andante.errors import BadInput, UnknownName

from .actuators import Actuator, ActuatorDrive

SERVO = ("kp", "kd", "kv", "effort", "velocity", "delay", "backlash")
LOSSES = ("friction", "damping", "armature")
SECTIONS = ("servos", "joints", "masses")
FLAT = "robot."  # how entries begin in a table without tables inside, `as_flat`
Tables = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class RobotParameters:
    """What differs from the robot's file; by joint name or pattern, and by link name."""

    servos: Tables = field(default_factory=dict)
    joints: Tables = field(default_factory=dict)
    masses: Mapping[str, float] = field(default_factory=dict)  # [kg]

    def __bool__(self) -> bool:
        return bool(self.servos or self.joints or self.masses)

    @classmethod
    def of(cls, table: Any, where: str = "robot") -> RobotParameters:
        """From a table [robot] of a file, checked; `where` leads its messages."""
        if not isinstance(table, Mapping):
            raise BadInput(f"{where}: [robot] is a table with {', '.join(SECTIONS)}")
        UnknownName.check("table", table, SECTIONS, f"{where} [robot]")
        for name, entries in table.items():
            if not isinstance(entries, Mapping):
                raise BadInput(f"{where}: [robot.{name}] is a table of names and values")
        for name, keys in (("servos", SERVO), ("joints", LOSSES)):
            for joint, values in table.get(name, {}).items():
                if not isinstance(values, Mapping):
                    raise BadInput(f"{where}: [robot.{name}.{joint}] is a table of {', '.join(keys)}")
                UnknownName.check("entry", values, keys, f"{where} [robot.{name}.{joint}]")
                for key, value in values.items():
                    _number(value, f"{where} [robot.{name}.{joint}] {key}")
        for link, value in table.get("masses", {}).items():
            if not _number(value, f"{where} [robot.masses] {link}") > 0:
                raise BadInput(f"{where}: [robot.masses] {link} must be > 0 kg, got {value}")
        return cls(
            {name: dict(values) for name, values in table.get("servos", {}).items()},
            {name: dict(values) for name, values in table.get("joints", {}).items()},
            dict(table.get("masses", {})),
        )

    def as_dict(self) -> dict[str, Any]:
        """As a table [robot], without what is empty."""
        return {name: dict(getattr(self, name)) for name in SECTIONS if getattr(self, name)}

    def as_flat(self) -> dict[str, float]:
        """As numbers by names such as `robot.servos.LKneePitch.kp`."""
        out = {f"{FLAT}masses.{link}": value for link, value in self.masses.items()}
        for section in ("servos", "joints"):
            for joint, values in getattr(self, section).items():
                out |= {f"{FLAT}{section}.{joint}.{key}": value for key, value in values.items()}
        return out

    @classmethod
    def from_flat(cls, numbers: Mapping[str, float]) -> RobotParameters:
        """From numbers as `as_flat` names them; others are left alone."""
        table: dict[str, Any] = {}
        for name, value in numbers.items():
            if not name.startswith(FLAT):
                continue
            section, _, rest = name.removeprefix(FLAT).partition(".")
            if section == "masses":
                table.setdefault(section, {})[rest] = value
            else:
                joint, _, key = rest.rpartition(".")
                table.setdefault(section, {}).setdefault(joint, {})[key] = value
        return cls.of(table, "model")

    def on(self, robot: Robot) -> Robot:
        """The robot with them."""
        if not self:
            return robot
        for pattern in (*self.servos, *self.joints):
            if not any(fnmatchcase(name, pattern) for name in robot.joint_names):
                raise UnknownName.among("joint", pattern, robot.joint_names, f"robot {robot.name!r}")
        UnknownName.check("link", self.masses, [link.name for link in robot.links], f"robot {robot.name!r}")
        kept = {name: values for name, values in robot.servos.items() if name not in self.servos}
        mine = {name: {**robot.servos.get(name, {}), **values} for name, values in self.servos.items()}
        return replace(
            robot,
            servos={**kept, **mine},  # the last that fits a joint counts
            joints=tuple(self._lossy(joint) for joint in robot.joints),
            links=tuple(self._weighed(link) for link in robot.links),
        )

    def _lossy(self, joint: Joint) -> Joint:
        found: dict[str, float] = {}
        for pattern, values in self.joints.items():
            if fnmatchcase(joint.name, pattern):
                found |= values
        return replace(joint, dynamics=replace(joint.dynamics, **found)) if found else joint

    def _weighed(self, link: Link) -> Link:
        if link.name not in self.masses:
            return link
        if link.inertia is None or link.inertia.mass <= 0:
            raise BadInput(f"link {link.name!r} has no mass in its file, so none can be given to it")
        inertia, mass = link.inertia, self.masses[link.name]
        factor = mass / inertia.mass
        return replace(link, inertia=Inertia.from_matrix(mass, inertia.com, factor * inertia.matrix))


def servo_drive(robot: Robot) -> ActuatorDrive | None:
    """The drive that gives servos the delay [s] and backlash [rad or m] of `robot.servos`; None where none has any."""
    found: dict[str, Actuator] = {}
    for name in robot.joint_names:
        delay = play = 0.0
        for pattern, values in robot.servos.items():
            if fnmatchcase(name, pattern):
                delay, play = values.get("delay", delay), values.get("backlash", play)
        if delay > 0 or play > 0:
            found[name] = Actuator(math.inf, math.inf, backlash=play, delay=delay)
    return ActuatorDrive(robot, found) if found else None


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not (math.isfinite(value) and value >= 0):
        raise BadInput(f"{what} must be a number >= 0, got {value!r}")
    return float(value)
