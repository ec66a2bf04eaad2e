"""`find_drive`: the drive of any robot, from its Gazebo drive plugin, else from its wheels as they stand."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from andante.description.check.balance import balance_told
from andante.description.check.recognize import Wheel as FoundWheel
from andante.description.check.recognize import drive_plugin, find_wheels, joint_axis
from andante.description.joint import JointType
from andante.description.robot import Plugin, Robot
from andante.errors import AndanteError, BadInput, UnknownName

from .drive import Drive, DriveWheel
from .families import fixed_drive, footprint, parallel, steered_drive, swedish_drive
from .wheel import CasterWheel, FixedWheel, SteeredWheel, SwedishWheel, Wheel


class WheelFinder:
    """Wheels of a robot as parts of a drive, in the root frame."""

    def __init__(self, robot: Robot, radius: float | None = None, where: str = "") -> None:
        self.robot, self.radius = robot, radius
        self.where = where or f"robot {robot.name!r}"
        self.poses = robot.link_poses()
        self.wheels = {wheel.joint: wheel for wheel in find_wheels(robot)}

    def casters(self, *others: str) -> list[DriveWheel]:
        """Wheels on free forks, except those named."""
        return [self.part(wheel.joint) for wheel in self.wheels.values() if wheel.castor and wheel.joint not in others]

    def part(self, joint: str, limit: float | None = None, *, driver: bool = False) -> DriveWheel:
        """The wheel on a joint; `limit` bounds its steering further [rad]; a `driver` is never a caster."""
        found = self.wheels.get(joint) or self._bare(joint)
        if driver:
            found = replace(found, castor=False)
        top = self.robot.joint(joint).limits.velocity
        return DriveWheel(
            self._wheel(found, limit),
            joint,
            found.steering,
            self._sign(found.steering),
            driven=not found.castor,
            max_speed=top if top > 0 else math.inf,
            rollers=found.rollers,
        )

    def _bare(self, joint: str) -> FoundWheel:
        """A wheel without a round shape: the plugin has to give its radius."""
        if self.radius is None:
            raise BadInput(
                f"{self.where}: joint {joint!r} carries no round collision shape and the plugin gives no radius"
            )
        point, axis = joint_axis(self.robot.joint(joint), self.poses)
        if abs(axis[2]) > 0.7:
            at = str(self.robot.joint(joint).source)
            raise BadInput(
                f"{at + ': ' if at else ''}{self.where}: joint {joint!r} turns about the vertical, so it cannot be a "
                "wheel; give it a level <axis>"
            )
        return FoundWheel(joint, point, axis, self.radius)

    def _sign(self, steering: str) -> float:
        if not steering:
            return 1.0
        return math.copysign(1.0, joint_axis(self.robot.joint(steering), self.poses)[1][2])

    def _wheel(self, found: FoundWheel, limit: float | None) -> Wheel:
        heading = math.atan2(found.axis[1], found.axis[0]) - math.pi / 2
        x, y = float(found.center[0]), float(found.center[1])
        if found.roller_angle is not None:
            return SwedishWheel.at(x, y, heading, found.radius, roller_angle=found.roller_angle)
        if not found.steering or found.pivot is None:
            return FixedWheel.at(x, y, heading, found.radius)
        gap = found.center[:2] - found.pivot[:2]
        ahead, beside = (
            np.array([math.cos(heading), math.sin(heading)]),
            np.array([-math.sin(heading), math.cos(heading)]),
        )
        px, py = float(found.pivot[0]), float(found.pivot[1])
        offsets = {"lead": _tidy(gap @ ahead, found.radius), "scrub": _tidy(gap @ beside, found.radius)}
        if found.castor:
            return CasterWheel.at(px, py, heading, found.radius, **offsets)
        joint = self.robot.joint(found.steering)
        lower, upper = joint.limits.lower, joint.limits.upper
        if joint.type is JointType.CONTINUOUS:
            lower, upper = -math.inf, math.inf
        if self._sign(found.steering) < 0:
            lower, upper = -upper, -lower
        if limit is not None:
            lower, upper = max(lower, -limit), min(upper, limit)
        return SteeredWheel.at(px, py, heading, found.radius, lower=lower, upper=upper, **offsets)


def _tidy(value: float, radius: float) -> float:
    """0 for offsets that only rounding made."""
    return float(value) if abs(value) > 1e-4 * radius else 0.0


@dataclass(frozen=True)
class PluginValues:
    """Values of a plugin by names without case, `_` and `-`: `leftJoint` and `left_joint` are `leftjoint`."""

    plugin: Plugin
    robot: Robot

    @cached_property
    def _values(self) -> dict[str, str]:
        return {key.lower().replace("_", "").replace("-", ""): value for key, value in self.plugin.parameters.items()}

    @property
    def where(self) -> str:
        """Robot and plugin, for messages."""
        return f"robot {self.robot.name!r}, plugin {self.plugin.filename or self.plugin.name!r}"

    def number(self, *keys: str) -> float | None:
        """First positive number under one of the keys; None: not given, or 0 for `no limit`."""
        for key in keys:
            text = self._values.get(key, "").split()
            if not text:
                continue
            try:
                value = float(text[0])
            except ValueError:
                raise BadInput(f"{self.where}: <{key}> must be a number, got {text[0]!r}") from None
            if value > 0:
                return value
        return None

    def joints(self, *keys: str) -> list[str]:
        """Joints under the keys in order, checked against the robot; scopes such as `model::` are dropped."""
        out = []
        for key in keys:
            for word in self._values.get(key, "").split():
                name = word.rsplit("::", 1)[-1]
                UnknownName.check("joint", name, self.robot.joint_names, self.where)
                if name not in out:
                    out.append(name)
        return out

    def need(self, count: int, *keys: str) -> list[str]:
        """`joints`, at least so many."""
        found = self.joints(*keys)
        if len(found) < count:
            given = ", ".join(self.plugin.parameters) or "nothing"
            raise BadInput(f"{self.where}: needs {count} joints under {', '.join(keys)}; it gives {given}")
        return found


_CORNERS = ("frontleftjoint", "frontrightjoint", "backleftjoint", "backrightjoint", "rearleftjoint", "rearrightjoint")


def find_drive(robot: Robot) -> Drive:
    """The drive that a robot's wheels make, with what its `<gazebo>` plugin says of them.

    Places, axes and radii come from joints and collision shapes; the plugin names the joints that are driven, the kind
    where shapes leave it open (rollers that the file does not have) and the limits. A plugin that contradicts the
    wheels is left out where they make a drive by themselves. `notes` report what was decided.
    """
    if falls := balance_told(robot):
        raise BadInput(falls)
    told = [(key, PluginValues(plugin, robot)) for plugin in robot.plugins if (key := drive_plugin(plugin))]
    refused: AndanteError | None = None
    for key, values in told:
        try:
            return _by_plugin(robot, key, values)
        except (BadInput, UnknownName) as error:
            refused = refused or error
    try:
        drive = _by_geometry(robot)
    except BadInput:
        if refused is not None:
            raise refused from None
        raise
    return drive if refused is None else replace(drive, notes=(*drive.notes, f"{refused}; the wheels themselves count"))


# ---- by plugin -------------------------------------------------------------------------------------
def _by_plugin(robot: Robot, key: str, values: PluginValues) -> Drive:
    radius = values.number("wheelradius") or _half(values.number("wheeldiameter", "actuatedwheeldiameter"))
    return replace(
        _family(WheelFinder(robot, radius, values.where), key, values),
        max_speed=values.number("maxlinearvelocity", "maxspeed", "maxvelocity") or math.inf,
        max_turn=values.number("maxangularvelocity", "maxyawrate") or math.inf,
    )


def _family(found: WheelFinder, key: str, values: PluginValues) -> Drive:
    """The drive of a kind of plugin, without its limits."""
    robot = found.robot
    if key in ("diff_drive", "skid_steer"):
        left = values.need(1, "leftjoint", "leftfrontjoint", "leftrearjoint")
        right = values.need(1, "rightjoint", "rightfrontjoint", "rightrearjoint")
        return _rows_of_wheels(found, left, right, values)
    if key == "ackermann":
        listed = values.joints("leftjoint", "rightjoint")
        named = listed or values.need(2, *_CORNERS)
        steer = values.joints("leftsteeringjoint", "rightsteeringjoint")
        parts = [found.part(joint, limit=values.number("maxsteer", "steeringlimit")) for joint in named]
        for name in steer:
            if all(part.steering != name for part in parts):
                raise BadInput(f"{values.where}: no wheel of the plugin hangs on the steering joint {name!r}")
        if not listed:
            parts = [replace(part, driven=not part.steering) for part in parts]
        return steered_drive(robot, parts, "ackermann", found.casters())
    if key == "tricycle":
        front = found.part(values.need(1, "wheelactuatedjoint")[0], driver=True)
        encoders = values.joints("encoderwheelleftjoint", "encoderwheelrightjoint")
        rear = encoders or [w.joint for w in found.wheels.values() if w.joint != front.joint and not w.steering]
        free = [replace(found.part(joint), driven=False) for joint in rear]
        return steered_drive(robot, [front, *free], "tricycle", found.casters(front.joint))
    if key == "mecanum":
        parts = [found.part(joint) for joint in values.need(4, *_CORNERS)]
        return swedish_drive(robot, parts, "mecanum", found.casters())
    parts = [found.part(wheel.joint) for wheel in found.wheels.values() if not wheel.castor]
    if 0 < len(parts) < 3:
        raise BadInput(f"{values.where}: a base on {len(parts)} wheels cannot move sideways")
    if not parts:  # the plugin moves the body itself
        return Drive("planar", (), footprint_radius=footprint(robot, (0.0, 0.0, 0.0), ()), name=robot.name)
    return swedish_drive(robot, parts, "mecanum" if parallel(parts) else "omni", found.casters())


def _half(value: float | None) -> float | None:
    return None if value is None else value / 2


def _rows_of_wheels(found: WheelFinder, left: list[str], right: list[str], values: PluginValues) -> Drive:
    """Differential or skid-steer drive of left and right wheels."""
    both = sorted(set(left) & set(right))
    if both:
        raise BadInput(f"{values.where}: joint {both[0]!r} is both a left and a right wheel")
    parts = [found.part(joint) for joint in (*left, *right)]
    if not parallel(parts):
        raise BadInput(
            f"{values.where}: the axles of {', '.join(left + right)} are not parallel, so the wheels contradict"
        )
    drive = fixed_drive(found.robot, parts, found.casters(), 1.0)
    sides = {part.joint: float(part.wheel.position[1]) for part in drive.wheels}
    lefts, rights = [sides[name] for name in left], [sides[name] for name in right]
    gap = float(np.mean(lefts) - np.mean(rights))
    if min(abs(a - b) for a in lefts for b in rights) < 1e-6:
        raise BadInput(f"{values.where}: left and right wheels stand in one line, so the base cannot turn")
    given = values.number("wheelseparation")
    if drive.kind == "skid_steer":  # its plugins give the separation that fits the slip
        drive = fixed_drive(found.robot, parts, found.casters(), None if given is None else given / abs(gap))
    notes = list(drive.notes)
    if gap < 0:
        notes.append("the plugin calls the left wheels right; their places count")
    if drive.kind == "differential" and given is not None and abs(given - abs(gap)) > 0.01 * abs(gap):
        notes.append(
            f"the plugin gives wheel separation {given:.4g} m, the wheels stand {abs(gap):.4g} m apart; that counts"
        )
    return replace(drive, notes=tuple(notes))


# ---- by geometry -----------------------------------------------------------------------------------
def _by_geometry(robot: Robot) -> Drive:
    found = WheelFinder(robot)
    if not found.wheels:
        listed = ", ".join(j.name for j in robot.movable if j.type is JointType.CONTINUOUS) or "none"
        raise BadInput(
            f"robot {robot.name!r} has no wheels: no drive plugin and no continuous joint with a round collision shape "
            f"about a level axis near the ground; continuous joints: {listed}"
        )
    parts = [found.part(joint) for joint in found.wheels]
    casters = [part for part in parts if isinstance(part.wheel, CasterWheel)]
    swedish = [part for part in parts if isinstance(part.wheel, SwedishWheel)]
    steered = [part for part in parts if isinstance(part.wheel, SteeredWheel)]
    fixed = [part for part in parts if isinstance(part.wheel, FixedWheel)]
    names = ", ".join(part.joint for part in parts)
    if swedish:
        if fixed or steered:
            raise BadInput(f"robot {robot.name!r}: wheels with and without rollers contradict each other: {names}")
        slanted = any(abs(part.wheel.roller_angle) > 0.1 for part in swedish if isinstance(part.wheel, SwedishWheel))
        return swedish_drive(robot, swedish, "mecanum" if slanted else "omni", casters)
    if steered:
        if fixed:  # the fixed axle drives
            steered = [replace(part, driven=False) for part in steered]
        kind = "steered" if not fixed else "ackermann" if len(steered) > 1 else "tricycle"
        return steered_drive(robot, [*fixed, *steered], kind, casters)
    if len(fixed) >= 3 and not parallel(fixed):
        return swedish_drive(robot, fixed, "omni", casters)
    if len(fixed) < 2 or not parallel(fixed):
        raise BadInput(
            f"robot {robot.name!r}: the wheels ({names}) make no drive: it takes two parallel ones, a steered one, "
            "or three or more omni wheels"
        )
    return fixed_drive(robot, fixed, casters)
