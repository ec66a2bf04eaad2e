"""`find_drive`: the drive of any robot, from its drive plugin, else from its wheels as they stand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from andante.description.check.recognise import drive_plugin
from andante.description.joint import JointType
from andante.description.robot import Robot
from andante.errors import BadInput

from ._drive_families import fixed_drive, footprint, parallel, steered_drive, swedish_drive
from ._drive_plugins import PluginValues
from ._drive_wheels import WheelFinder
from .drives import Drive
from .wheels import CastorWheel, FixedWheel, SteeredWheel, SwedishWheel

_CORNERS = ("frontleftjoint", "frontrightjoint", "backleftjoint", "backrightjoint", "rearleftjoint", "rearrightjoint")


def find_drive(robot: Robot) -> Drive:
    """The drive that a robot's `<gazebo>` plugin describes, else the one that its wheels make.

    Places, axes and radii come from joints and collision shapes; the plugin says which joints, which kind and which
    limits. Where both disagree `notes` say so.
    """
    for plugin in robot.plugins:
        if key := drive_plugin(plugin):
            return _by_plugin(robot, key, PluginValues(plugin, robot))
    return _by_geometry(robot)


# ---- by plugin -------------------------------------------------------------------------------------
def _by_plugin(robot: Robot, key: str, values: PluginValues) -> Drive:
    radius = values.number("wheelradius") or _half(values.number("wheeldiameter", "actuatedwheeldiameter"))
    return replace(
        _family(WheelFinder(robot, radius, values.where), key, values),
        max_linear=values.number("maxlinearvelocity", "maxspeed", "maxvelocity") or math.inf,
        max_angular=values.number("maxangularvelocity", "maxyawrate") or math.inf,
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
        return steered_drive(robot, parts, "ackermann", found.castors())
    if key == "tricycle":
        front = found.part(values.need(1, "wheelactuatedjoint")[0], driver=True)
        encoders = values.joints("encoderwheelleftjoint", "encoderwheelrightjoint")
        rear = encoders or [w.joint for w in found.wheels.values() if w.joint != front.joint and not w.steering]
        free = [replace(found.part(joint), driven=False) for joint in rear]
        return steered_drive(robot, [front, *free], "tricycle", found.castors(front.joint))
    if key == "mecanum":
        parts = [found.part(joint) for joint in values.need(4, *_CORNERS)]
        return swedish_drive(robot, parts, "mecanum", found.castors())
    parts = [found.part(wheel.joint) for wheel in found.wheels.values() if not wheel.castor]
    if len(parts) < 3:  # the plugin moves the body itself
        return Drive("planar", (), footprint_radius=footprint(robot, (0.0, 0.0, 0.0), ()), name=robot.name)
    return swedish_drive(robot, parts, "mecanum" if parallel(parts) else "omni", found.castors())


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
    drive = fixed_drive(found.robot, parts, found.castors(), 1.0)
    sides = {part.joint: float(part.wheel.position[1]) for part in drive.wheels}
    lefts, rights = [sides[name] for name in left], [sides[name] for name in right]
    gap = float(np.mean(lefts) - np.mean(rights))
    if min(abs(a - b) for a in lefts for b in rights) < 1e-6:
        raise BadInput(f"{values.where}: left and right wheels stand in one line, so the base cannot turn")
    told = values.number("wheelseparation")
    if drive.kind == "skid_steer":  # its plugins tell the separation that fits the slip
        drive = fixed_drive(found.robot, parts, found.castors(), None if told is None else told / abs(gap))
    notes = list(drive.notes)
    if gap < 0:
        notes.append("the plugin calls the left wheels right; their places count")
    if drive.kind == "differential" and told is not None and abs(told - abs(gap)) > 0.01 * abs(gap):
        notes.append(
            f"the plugin says wheel separation {told:.4g} m, the wheels stand {abs(gap):.4g} m apart; that counts"
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
    castors = [part for part in parts if isinstance(part.wheel, CastorWheel)]
    swedish = [part for part in parts if isinstance(part.wheel, SwedishWheel)]
    steered = [part for part in parts if isinstance(part.wheel, SteeredWheel)]
    fixed = [part for part in parts if isinstance(part.wheel, FixedWheel)]
    names = ", ".join(part.joint for part in parts)
    if swedish:
        if fixed or steered:
            raise BadInput(f"robot {robot.name!r}: wheels with and without rollers contradict each other: {names}")
        slanted = any(abs(part.wheel.roller_angle) > 0.1 for part in swedish if isinstance(part.wheel, SwedishWheel))
        return swedish_drive(robot, swedish, "mecanum" if slanted else "omni", castors)
    if steered:
        if fixed:  # the fixed axle drives
            steered = [replace(part, driven=False) for part in steered]
        kind = "steered" if not fixed else "ackermann" if len(steered) > 1 else "tricycle"
        return steered_drive(robot, [*fixed, *steered], kind, castors)
    if len(fixed) >= 3 and not parallel(fixed):
        return swedish_drive(robot, fixed, "omni", castors)
    if len(fixed) < 2 or not parallel(fixed):
        raise BadInput(
            f"robot {robot.name!r}: the wheels ({names}) make no drive: it takes two parallel ones, a steered one, "
            "or three or more omni wheels"
        )
    return fixed_drive(robot, fixed, castors)
