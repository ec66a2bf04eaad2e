"""Drives from wheels that are told in the root frame: where the reference lies and how the wheels are modelled."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from andante.description.extent import support
from andante.description.robot import Robot
from andante.description.shapes import Plane
from andante.errors import AndanteError, BadInput

from .drives import Drive, DriveWheel
from .wheel_drives import mecanum_angle, skid_factor
from .wheels import FixedWheel, SteeredWheel, SwedishWheel

_PARALLEL = 0.02  # axles that differ less are parallel [rad]
_ONE_AXLE = 0.1  # wheels within this share of their radius stand on one axle


def fixed_drive(
    robot: Robot, parts: list[DriveWheel], castors: Sequence[DriveWheel] = (), slip_factor: float | None = None
) -> Drive:
    """Parallel wheels: on one axle a differential drive, on several a skid-steer one, modelled on their middle axle.

    A skid-steer base acts as if its track were `slip_factor` times as wide; None: estimated from its wheels.
    """
    reference, spread = _axle(parts)
    on_axle, free = _on_axle(parts, reference), _told_from(castors, reference)
    if spread < _ONE_AXLE * parts[0].wheel.radius:
        return _drive(robot, "differential", [*on_axle, *free], reference)
    along = np.array([part.wheel.position[0] for part in _told_from(parts, reference)])
    across = np.array([part.wheel.position[1] for part in on_axle])
    middle = (across.max() + across.min()) / 2
    factor = slip_factor or skid_factor(along, across - middle)
    wide = [_at(part, middle + factor * (y - middle)) for part, y in zip(on_axle, across, strict=True)]
    note = f"axles {spread:.3g} m apart are modelled as one with {factor:.3g} times the track, for the slip in turns"
    return _drive(robot, "skid_steer", [*wide, *free], reference, (note,))


def _at(part: DriveWheel, y: float) -> DriveWheel:
    """A fixed wheel put elsewhere on the axle."""
    return replace(part, wheel=FixedWheel.at(0.0, float(y), part.wheel.heading, part.wheel.radius))


def steered_drive(
    robot: Robot,
    parts: list[DriveWheel],
    kind: str,
    castors: Sequence[DriveWheel] = (),
) -> Drive:
    """Steered wheels with or without a fixed axle."""
    fixed = [part for part in parts if isinstance(part.wheel, FixedWheel)]
    turning = [part for part in parts if isinstance(part.wheel, SteeredWheel)]
    if not turning:
        listed = ", ".join(part.joint for part in parts)
        raise BadInput(f"robot {robot.name!r}: no steering joint stands before any of the wheels {listed}")
    if not fixed:
        return _drive(robot, "steered", [*turning, *castors], (0.0, 0.0, 0.0))
    if not parallel(fixed):
        listed = ", ".join(part.joint for part in fixed)
        raise BadInput(
            f"robot {robot.name!r}: the fixed wheels {listed} contradict each other: their axles are not parallel"
        )
    reference, spread = _axle(fixed)
    one = spread < _ONE_AXLE * fixed[0].wheel.radius
    notes = () if one else (f"fixed axles {spread:.3g} m apart are modelled as one",)
    wheels = [*_on_axle(fixed, reference), *_told_from([*turning, *castors], reference)]
    return _drive(robot, kind, wheels, reference, notes)


def swedish_drive(robot: Robot, parts: list[DriveWheel], kind: str, castors: Sequence[DriveWheel] = ()) -> Drive:
    """Wheels with rollers; where the file has none, at 45 degrees for mecanum and across for omni wheels."""
    yaw = _axle(parts)[0][2] if parallel(parts) else 0.0
    reference = (0.0, 0.0, yaw)
    told = _told_from(parts, reference)
    middle = np.mean([part.wheel.position for part in told], axis=0)
    wheels = []
    for part in told:
        wheel = part.wheel
        if not isinstance(wheel, SwedishWheel):
            x, y = wheel.position
            angle = mecanum_angle(x - middle[0], y - middle[1]) if kind == "mecanum" else 0.0
            wheel = SwedishWheel(wheel.distance, wheel.bearing, wheel.angle, wheel.radius, roller_angle=angle)
        wheels.append(replace(part, wheel=wheel, driven=True))
    drive = _drive(robot, kind, [*wheels, *_told_from(castors, reference)], reference)
    known = drive.base.forward(np.where([part.driven for part in drive.wheels], 0.0, np.nan))
    if not bool(known.determined):
        listed = ", ".join(part.joint for part in wheels)
        raise BadInput(
            f"robot {robot.name!r}: the wheels {listed} cannot move the base in every direction; check their rollers"
        )
    return drive


def _drive(
    robot: Robot,
    kind: str,
    wheels: Sequence[DriveWheel],
    reference: tuple[float, float, float],
    notes: tuple[str, ...] = (),
) -> Drive:
    return Drive(
        kind,
        tuple(wheels),
        reference=reference,
        footprint_radius=footprint(robot, reference, wheels),
        name=robot.name,
        notes=notes,
    )


def parallel(parts: Iterable[DriveWheel]) -> bool:
    """Whether all wheels roll along one direction, forwards or backwards."""
    headings = np.array([part.wheel.heading for part in parts])
    return bool(np.all(np.abs(np.sin(headings - headings[0])) < _PARALLEL))


def _axle(parts: list[DriveWheel]) -> tuple[tuple[float, float, float], float]:
    """Reference on the middle axle of parallel wheels, nearest to the root's origin, x forwards; and their spread [m].

    Forwards is the rolling direction nearest to the root's x axis; of two equally near ones, its y axis.
    """
    doubled = np.array([2 * part.wheel.heading for part in parts])
    yaw = math.atan2(float(np.sin(doubled).sum()), float(np.cos(doubled).sum())) / 2  # within a quarter turn of x
    if yaw < -math.pi / 2 + 1e-3:
        yaw += math.pi
    forwards = np.array([math.cos(yaw), math.sin(yaw)])
    along = np.array([forwards @ part.wheel.position for part in parts])
    x, y = np.round(forwards * float((along.max() + along.min()) / 2), 12) + 0.0  # no dust of the cosine, no -0
    tidy = 0.0 if abs(yaw) < 1e-4 else yaw
    return (float(x), float(y), tidy), float(along.max() - along.min())


def _told_from(parts: Iterable[DriveWheel], reference: tuple[float, float, float]) -> list[DriveWheel]:
    return [replace(part, wheel=part.wheel.moved(*reference)) for part in parts]


def _on_axle(parts: Iterable[DriveWheel], reference: tuple[float, float, float]) -> list[DriveWheel]:
    """Fixed wheels put exactly on the axle of the reference and exactly parallel."""
    out = []
    for part in _told_from(parts, reference):
        heading = 0.0 if math.cos(part.wheel.heading) > 0 else math.pi
        wheel = FixedWheel.at(0.0, float(part.wheel.position[1]), heading, part.wheel.radius)
        out.append(replace(part, wheel=wheel))
    return out


def footprint(robot: Robot, reference: tuple[float, float, float], wheels: Sequence[DriveWheel]) -> float:
    """Radius about the reference of all collision shapes [m]; NaN when the robot has neither shapes nor wheels."""
    turns = np.linspace(-np.pi, np.pi, 180, endpoint=False)
    directions = np.stack([np.cos(turns), np.sin(turns), np.zeros_like(turns)], axis=-1)
    origin = np.array([*reference[:2], 0.0])
    reach = []
    for name, pose in robot.link_poses().items():
        for collision in robot.link(name).collisions:
            if isinstance(collision.geometry, Plane):
                continue
            place = pose @ collision.pose
            try:
                local = directions @ place.rotation  # the same directions seen from the shape
                far = [support(collision.geometry, d) for d in local] + directions @ (place.translation - origin)
            except AndanteError:
                continue
            reach.append(float(np.max(far)))
    return max(reach or [part.wheel.distance + part.wheel.radius for part in wheels], default=math.nan)
