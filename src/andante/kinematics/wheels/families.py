"""Usual drives, from a few figures or from wheels in the root frame; other wheel lists go straight into `Drive`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from andante._moved import renamed
from andante.description.robot import Robot
from andante.description.shapes import Plane
from andante.description.solids import support
from andante.errors import AndanteError, BadInput

from .drive import Drive, DriveWheel
from .wheel import FixedWheel, SteeredWheel, SwedishWheel

MECANUM = math.pi / 4


@renamed(max_linear="max_speed", max_angular="max_turn")
def differential(
    track: float,
    radius: float,
    joints: tuple[str, str] = ("left", "right"),
    *,
    max_wheel_speed: float = math.inf,
    max_speed: float = math.inf,
    max_turn: float = math.inf,
) -> Drive:
    """Two driven wheels on one axle, `track` apart: vx = r (right + left) / 2, w = r (right - left) / track [m]."""
    _positive(track=track)
    wheels = tuple(
        DriveWheel(FixedWheel.at(0.0, side * track / 2, 0.0, radius), joint, max_speed=max_wheel_speed)
        for side, joint in zip((1, -1), joints, strict=True)
    )
    return Drive("differential", wheels, max_speed, max_turn, footprint_radius=math.hypot(track / 2, radius))


def skid_steer(
    track: float,
    radius: float,
    left: Sequence[str] = ("front_left", "rear_left"),
    right: Sequence[str] = ("front_right", "rear_right"),
    *,
    wheelbase: float = 0.0,
    slip_factor: float | None = None,
    max_wheel_speed: float = math.inf,
) -> Drive:
    """Wheels or tracks of each side turn together; they are modeled on one axle, `slip_factor` times as far apart.

    Without a factor (measure it: turn on the spot and compare) it is estimated from the wheelbase by `skid_factor`.
    """
    if slip_factor is None:
        slip_factor = skid_factor([wheelbase / 2], [track / 2])
    _positive(track=track, slip_factor=slip_factor)
    wheels = tuple(
        DriveWheel(FixedWheel.at(0.0, side * slip_factor * track / 2, 0.0, radius), joint, max_speed=max_wheel_speed)
        for side, joints in ((1, left), (-1, right))
        for joint in joints
    )
    return Drive("skid_steer", wheels, footprint_radius=math.hypot(track / 2, radius))


def skid_factor(along: ArrayLike, across: ArrayLike) -> float:
    """1 + sum(along²) / sum(across²) over the wheels: how much wider a skid-steer base acts than it is.

    Turning on the spot at w, wheels with rim speed s slip by s - w y along and w x across; friction against the slip,
    equal on all wheels, leaves no yaw moment at w = s sum|y| / sum(x² + y²).
    """
    return 1.0 + float(np.sum(np.square(along)) / np.sum(np.square(across)))


def ackermann(
    wheelbase: float,
    track: float,
    radius: float,
    max_steering: float = math.pi / 3,
    *,
    rear: tuple[str, str] = ("rear_left", "rear_right"),
    front: tuple[str, str] = ("front_left", "front_right"),
    steering: tuple[str, str] = ("steer_left", "steer_right"),
    max_wheel_speed: float = math.inf,
) -> Drive:
    """Car: driven rear axle at the reference, free front wheels that steer to one center, each up to `max_steering`.

    tan(left) = wheelbase / (R - track / 2), tan(right) = wheelbase / (R + track / 2) for a left turn of radius R.
    """
    _positive(wheelbase=wheelbase, track=track, max_steering=max_steering)
    sides = (track / 2, -track / 2)
    wheels = [
        DriveWheel(FixedWheel.at(0.0, y, 0.0, radius), joint, max_speed=max_wheel_speed)
        for y, joint in zip(sides, rear, strict=True)
    ]
    for y, joint, steer in zip(sides, front, steering, strict=True):
        wheel = SteeredWheel.at(wheelbase, y, 0.0, radius, lower=-max_steering, upper=max_steering)
        wheels.append(DriveWheel(wheel, joint, steer, driven=False, max_speed=max_wheel_speed))
    return Drive("ackermann", tuple(wheels), footprint_radius=math.hypot(wheelbase + radius, track / 2))


def tricycle(
    wheelbase: float,
    track: float,
    radius: float,
    max_steering: float = math.pi / 2,
    *,
    rear: tuple[str, str] = ("rear_left", "rear_right"),
    front: str = "front",
    steering: str = "steer",
    max_wheel_speed: float = math.inf,
) -> Drive:
    """One driven and steered front wheel, two free rear wheels on the axle of the reference."""
    _positive(wheelbase=wheelbase, track=track, max_steering=max_steering)
    wheel = SteeredWheel.at(wheelbase, 0.0, 0.0, radius, lower=-max_steering, upper=max_steering)
    wheels = [DriveWheel(wheel, front, steering, max_speed=max_wheel_speed)]
    for y, joint in zip((track / 2, -track / 2), rear, strict=True):
        wheels.append(DriveWheel(FixedWheel.at(0.0, y, 0.0, radius), joint, driven=False, max_speed=max_wheel_speed))
    return Drive("tricycle", tuple(wheels), footprint_radius=math.hypot(wheelbase + radius, track / 2))


def mecanum(
    wheelbase: float,
    track: float,
    radius: float,
    joints: tuple[str, str, str, str] = ("front_left", "front_right", "rear_left", "rear_right"),
    *,
    max_wheel_speed: float = math.inf,
) -> Drive:
    """Four wheels with rollers at 45 degrees that form an X seen from above.

    r phi' = vx -+ vy -+ (wheelbase + track) / 2 w, minus signs for the front left wheel.
    """
    _positive(wheelbase=wheelbase, track=track)
    places = [(x * wheelbase / 2, y * track / 2) for x in (1, -1) for y in (1, -1)]
    wheels = tuple(
        DriveWheel(
            SwedishWheel.at(x, y, 0.0, radius, roller_angle=mecanum_angle(x, y)), joint, max_speed=max_wheel_speed
        )
        for (x, y), joint in zip(places, joints, strict=True)
    )
    return Drive("mecanum", wheels, footprint_radius=math.hypot(wheelbase / 2 + radius, track / 2))


def mecanum_angle(x: float, y: float) -> float:
    """Roller angle of a mecanum wheel at (x, y) from the middle of the base, rollers forming an X from above [rad]."""
    return -MECANUM if x * y > 0 else MECANUM


def omni(
    distance: float,
    radius: float,
    joints: Sequence[str] = ("wheel_1", "wheel_2", "wheel_3"),
    first: float = math.pi / 3,
    *,
    max_wheel_speed: float = math.inf,
) -> Drive:
    """Omni wheels evenly around the base, axles through its middle; `first` is the bearing of the first wheel [rad]."""
    _positive(distance=distance)
    if len(joints) < 3:
        raise BadInput(f"an omni drive needs 3 or more wheels, got {len(joints)}")
    wheels = tuple(
        DriveWheel(
            SwedishWheel(distance, first + 2 * math.pi * i / len(joints), 0.0, radius), joint, max_speed=max_wheel_speed
        )
        for i, joint in enumerate(joints)
    )
    return Drive("omni", wheels, footprint_radius=math.hypot(distance, radius))


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise BadInput(f"{name} must be > 0, got {value}")


_PARALLEL = 0.02  # axles that differ less are parallel [rad]
_ONE_AXLE = 0.1  # wheels within this fraction of their radius stand on one axle


def fixed_drive(
    robot: Robot, parts: list[DriveWheel], casters: Sequence[DriveWheel] = (), slip_factor: float | None = None
) -> Drive:
    """Parallel wheels: on one axle a differential drive, on several a skid-steer one, modeled on their middle axle.

    A skid-steer base acts as if its track were `slip_factor` times as wide; None: estimated from its wheels.
    """
    reference, spread = _axle(parts)
    on_axle, free = _on_axle(parts, reference), _seen_from(casters, reference)
    if spread < _ONE_AXLE * parts[0].wheel.radius:
        return _drive(robot, "differential", [*on_axle, *free], reference)
    along = np.array([part.wheel.position[0] for part in _seen_from(parts, reference)])
    across = np.array([part.wheel.position[1] for part in on_axle])
    middle = (across.max() + across.min()) / 2
    factor = slip_factor or skid_factor(along, across - middle)
    wide = [_at(part, middle + factor * (y - middle)) for part, y in zip(on_axle, across, strict=True)]
    note = f"axles {spread:.3g} m apart are modeled as one with {factor:.3g} times the track, for the slip in turns"
    return _drive(robot, "skid_steer", [*wide, *free], reference, (note,))


def _at(part: DriveWheel, y: float) -> DriveWheel:
    """A fixed wheel put elsewhere on the axle."""
    return replace(part, wheel=FixedWheel.at(0.0, float(y), part.wheel.heading, part.wheel.radius))


def steered_drive(robot: Robot, parts: list[DriveWheel], kind: str, casters: Sequence[DriveWheel] = ()) -> Drive:
    """Steered wheels with or without a fixed axle."""
    fixed = [part for part in parts if isinstance(part.wheel, FixedWheel)]
    turning = [part for part in parts if isinstance(part.wheel, SteeredWheel)]
    if not turning:
        listed = ", ".join(part.joint for part in parts)
        raise BadInput(f"robot {robot.name!r}: no steering joint stands before any of the wheels {listed}")
    if not fixed:
        return _drive(robot, "steered", [*turning, *casters], (0.0, 0.0, 0.0))
    if not parallel(fixed):
        listed = ", ".join(part.joint for part in fixed)
        raise BadInput(
            f"robot {robot.name!r}: the fixed wheels {listed} contradict each other: their axles are not parallel"
        )
    reference, spread = _axle(fixed)
    one = spread < _ONE_AXLE * fixed[0].wheel.radius
    notes = () if one else (f"fixed axles {spread:.3g} m apart are modeled as one",)
    wheels = [*_on_axle(fixed, reference), *_seen_from([*turning, *casters], reference)]
    return _drive(robot, kind, wheels, reference, notes)


def swedish_drive(robot: Robot, parts: list[DriveWheel], kind: str, casters: Sequence[DriveWheel] = ()) -> Drive:
    """Wheels with rollers; where the file has none, at 45 degrees for mecanum and across for omni wheels."""
    reference = (0.0, 0.0, _axle(parts)[0][2] if parallel(parts) else 0.0)
    told = _seen_from(parts, reference)
    middle = np.mean([part.wheel.position for part in told], axis=0)
    wheels = []
    for part in told:
        wheel = part.wheel
        if not isinstance(wheel, SwedishWheel):
            x, y = wheel.position
            angle = mecanum_angle(x - middle[0], y - middle[1]) if kind == "mecanum" else 0.0
            wheel = SwedishWheel(wheel.distance, wheel.bearing, wheel.angle, wheel.radius, roller_angle=angle)
        wheels.append(replace(part, wheel=wheel, driven=True))
    drive = _drive(robot, kind, [*wheels, *_seen_from(casters, reference)], reference)
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
    """Whether all wheels roll along one direction, forward or backward."""
    headings = np.array([part.wheel.heading for part in parts])
    return bool(np.all(np.abs(np.sin(headings - headings[0])) < _PARALLEL))


def _axle(parts: list[DriveWheel]) -> tuple[tuple[float, float, float], float]:
    """Reference on the middle axle of parallel wheels, nearest to the root's origin, x forward; and their spread [m].

    Forward is the rolling direction nearest to the root's x axis; of two equally near ones, its y axis.
    """
    doubled = np.array([2 * part.wheel.heading for part in parts])
    yaw = math.atan2(float(np.sin(doubled).sum()), float(np.cos(doubled).sum())) / 2  # within a quarter turn of x
    if yaw < -math.pi / 2 + 1e-3:
        yaw += math.pi
    forward = np.array([math.cos(yaw), math.sin(yaw)])
    along = np.array([forward @ part.wheel.position for part in parts])
    x, y = np.round(forward * float((along.max() + along.min()) / 2), 12) + 0.0  # no dust of the cosine, no -0
    tidy = 0.0 if abs(yaw) < 1e-4 else yaw
    return (float(x), float(y), tidy), float(along.max() - along.min())


def _seen_from(parts: Iterable[DriveWheel], reference: tuple[float, float, float]) -> list[DriveWheel]:
    return [replace(part, wheel=part.wheel.moved(*reference)) for part in parts]


def _on_axle(parts: Iterable[DriveWheel], reference: tuple[float, float, float]) -> list[DriveWheel]:
    """Fixed wheels put exactly on the axle of the reference and exactly parallel."""
    out = []
    for part in _seen_from(parts, reference):
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
