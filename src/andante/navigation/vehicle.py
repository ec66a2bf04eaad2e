"""`Vehicle`: what navigation knows of a robot: its footprint, how it drives and how fast."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from andante.description.robot import Robot
from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.kinematics.wheels.finder import find_drive

from .footprint import convex_outline, covering_discs, edge_distances, robot_outline

DRIVES = ("differential", "ackermann", "omni")
_DEFAULT_SPEED = 1.0  # of a robot whose file names no limit [m/s]
_DEFAULT_TURN = 2.0  # [rad/s]


@dataclass(frozen=True)
class Vehicle:
    """Footprint, drive and limits; poses and twists belong to the reference point of the drive.

    differential: turns on the spot; ackermann: turns no tighter than `turning_radius`; omni: moves any way at once.
    """

    footprint: Array  # (n, 2) convex, counterclockwise, about the reference point [m]
    drive: str = "differential"
    max_speed: float = _DEFAULT_SPEED  # forwards [m/s]
    max_turn: float = _DEFAULT_TURN  # [rad/s]
    max_reverse: float = math.nan  # [m/s]; NaN: half of max_speed
    max_acceleration: float = 1.5  # [m/s²]
    max_turn_acceleration: float = 4.0  # [rad/s²]
    max_lateral_acceleration: float = 3.0  # speed times turn rate: tyres slide and robots lean beyond [m/s²]
    turning_radius: float = 0.0  # of the reference point [m]
    wheelbase: float = 0.0  # between the axles of a car [m]
    name: str = ""
    reference: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of the drive in the robot's root frame [m, m, rad]
    inscribed: float = field(init=False)  # radius of the largest circle inside the footprint [m]
    circumscribed: float = field(init=False)  # radius about the reference point that holds the footprint [m]

    def __post_init__(self) -> None:
        if self.drive not in DRIVES:
            raise UnknownName.among("drive", self.drive, DRIVES)
        outline = convex_outline(self.footprint)
        outline.setflags(write=False)
        object.__setattr__(self, "footprint", outline)
        if math.isnan(self.max_reverse):
            object.__setattr__(self, "max_reverse", self.max_speed / 2)
        limits = ("max_speed", "max_turn", "max_acceleration", "max_turn_acceleration", "max_lateral_acceleration")
        for name in limits:
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise BadInput(f"vehicle {name} must be a finite number > 0, got {value}")
        if not 0 <= self.max_reverse < math.inf:
            raise BadInput(f"vehicle max_reverse must be a number >= 0, got {self.max_reverse}")
        if not 0 <= self.turning_radius < math.inf or not math.isfinite(self.wheelbase):
            raise BadInput(f"vehicle turning_radius must be a number >= 0, got {self.turning_radius}")
        if self.drive == "ackermann" and self.turning_radius == 0:
            raise BadInput("a car (drive 'ackermann') needs a turning_radius > 0")
        object.__setattr__(self, "inscribed", _largest_circle(outline))
        object.__setattr__(self, "circumscribed", float(np.linalg.norm(outline, axis=-1).max()))

    def discs(self, tolerance: float, padding: float = 0.0) -> Array:
        """Discs (k, 3) x, y, radius that cover the footprint grown by `padding`, within `tolerance` beyond it [m]."""
        discs = covering_discs(self.footprint, tolerance)
        discs[:, 2] += padding
        return discs

    def outline_at(self, pose: ArrayLike) -> Array:
        """Corners (n, 2) of the footprint at a pose x, y, yaw in the world [m]."""
        x, y, yaw = np.asarray(pose, dtype=float)
        c, s = math.cos(yaw), math.sin(yaw)
        return self.footprint @ np.array([[c, s], [-s, c]]) + np.array([x, y])


def vehicle_of(
    robot: Robot, *, max_speed: float | None = None, max_turn: float | None = None, **limits: float
) -> Vehicle:
    """The vehicle that a robot file describes: footprint from its collision shapes, drive and limits from its wheels.

    `max_speed` and `max_turn` lower the limits of the file, and stand in where it names none; `limits` are other
    fields of `Vehicle` such as max_acceleration.
    """
    drive = find_drive(robot)
    fastest, quickest = float(drive.limited((1e3, 0.0, 0.0))[0]), float(drive.limited((0.0, 0.0, 1e3))[2])
    speed = _lower(fastest, max_speed, _DEFAULT_SPEED)
    radius = drive.turning_radius
    if not math.isfinite(radius):
        raise BadInput(f"robot {robot.name!r} cannot turn to both sides, so it cannot be navigated")
    kind = "omni" if drive.holonomic or not drive.wheels else "ackermann" if radius > 0 else "differential"
    if kind == "ackermann":
        quickest = min(speed / radius, drive.max_angular)
    steered = [float(part.wheel.position[0]) for part in drive.wheels if part.steering]
    return Vehicle(
        robot_outline(robot, drive.reference),
        kind,
        speed,
        _lower(quickest, max_turn, _DEFAULT_TURN),
        turning_radius=radius if kind == "ackermann" else 0.0,
        wheelbase=max(map(abs, steered), default=0.0) if kind == "ackermann" else 0.0,
        name=robot.name,
        reference=drive.reference,
        **limits,
    )


def _lower(of_file: float, wanted: float | None, default: float) -> float:
    """The lower of a file's limit and a wish; a limit that no motor has counts as none."""
    known = of_file if 0 < of_file < 100 else default if wanted is None else wanted
    return known if wanted is None else min(known, wanted)


def _largest_circle(outline: Array) -> float:
    """Radius of the largest circle inside a convex outline [m], by a search on ever finer grids."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    best = 0.0
    for _ in range(6):
        axes = [np.linspace(a, b, 15) for a, b in zip(low, high, strict=True)]
        points = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
        gaps = edge_distances(outline, points)
        middle, best = points[int(np.argmax(gaps))], max(best, float(gaps.max()))
        reach = (high - low) / 10
        low, high = middle - reach, middle + reach
    return best
