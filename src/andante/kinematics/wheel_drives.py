"""Usual drives from a few numbers; other wheel lists go straight into `Drive`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput

from .drives import Drive, DriveWheel
from .wheels import FixedWheel, SteeredWheel, SwedishWheel

MECANUM = math.pi / 4


def differential(
    track: float,
    radius: float,
    joints: tuple[str, str] = ("left", "right"),
    *,
    max_wheel_speed: float = math.inf,
    max_linear: float = math.inf,
    max_angular: float = math.inf,
) -> Drive:
    """Two driven wheels on one axle, `track` apart: vx = r (right + left) / 2, w = r (right - left) / track [m]."""
    _positive(track=track)
    wheels = tuple(
        DriveWheel(FixedWheel.at(0.0, side * track / 2, 0.0, radius), joint, max_speed=max_wheel_speed)
        for side, joint in zip((1, -1), joints, strict=True)
    )
    return Drive("differential", wheels, max_linear, max_angular, footprint_radius=math.hypot(track / 2, radius))


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
    """Wheels or tracks of each side turn together; they are modelled on one axle, `slip_factor` times as far apart.

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
    """Car: driven rear axle at the reference, free front wheels that steer to one centre, each up to `max_steering`.

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
