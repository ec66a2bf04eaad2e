"""`Vehicle`: what navigation knows of a robot: its footprint, how it drives and how fast."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from andante.description.check.recognize import find_wheels
from andante.description.robot import Robot
from andante.description.shapes import Plane
from andante.description.solids import bounds, support_point
from andante.errors import AndanteError, BadInput, UnknownName
from andante.geometry import Array, se2
from andante.gravity import GRAVITY
from andante.kinematics.wheels.drive import Drive
from andante.kinematics.wheels.finder import find_drive

_DIRECTIONS = 48  # in which round shapes are touched
DRIVES = ("differential", "ackermann", "omni")
_DEFAULT_SPEED = 1.0  # of a vehicle that is made by hand [m/s]
_DEFAULT_TURN = 2.0  # [rad/s]
_GRIP = 0.6  # friction of wheels that may be counted on
_CALM, _FIRM = 0.5, 0.8  # part of what grip, tip-over and motors allow that is used: on the way, and to stop
_LEAST_ROOM, _UNKNOWN_ROOM = 0.02, 0.1  # of a stand, that a center is taken to be inside it at least; of an outline
_TOUCHING, _LONG_STAND = 0.2, 0.2  # shapes this near to the ground, in wheel radii, are a stand if so long, in lengths
_UNFELT_TURN, _UNFELT_LATERAL, _UNFELT_STRAY = 2.0, 1.5, 0.12  # of a base without a gyro [rad/s², m/s², m per m/s]
_MOST_ACCELERATION, _MOST_LATERAL, _MOST_BRAKING = 1.5, 3.0, 3.0  # whatever they allow [m/s²]


@dataclass(frozen=True)
class Vehicle:
    """Footprint, drive and limits; poses and twists belong to the reference point of the drive.

    differential: turns on the spot; ackermann: turns no tighter than `turning_radius`; omni: moves any way at once.
    """

    footprint: Array  # (n, 2) convex, counterclockwise, about the reference point [m]
    drive: str = "differential"
    max_speed: float = _DEFAULT_SPEED  # forward [m/s]
    max_turn: float = _DEFAULT_TURN  # [rad/s]
    max_reverse: float = math.nan  # [m/s]; NaN: half of max_speed
    max_acceleration: float = 1.5  # [m/s²]
    max_turn_acceleration: float = 4.0  # [rad/s²]
    max_lateral_acceleration: float = 3.0  # speed times turn rate: tires slide and robots lean beyond [m/s²]
    max_deceleration: float = math.nan  # when it must stop [m/s²]; NaN: max_acceleration
    latency: float = 0.1  # from a command to the base that has it [s]
    stray: float = 0.08  # how far the base gets aside of the way that it was told, per speed [m per m/s]
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
        if math.isnan(self.max_deceleration):
            object.__setattr__(self, "max_deceleration", self.max_acceleration)
        limits = (
            "max_speed", "max_turn", "max_acceleration", "max_turn_acceleration", "max_lateral_acceleration",
            "max_deceleration",
        )  # fmt: skip
        for name in limits:
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise BadInput(f"vehicle {name} must be a finite number > 0, got {value}")
        for name in ("latency", "stray"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadInput(f"vehicle {name} must be a number >= 0, got {getattr(self, name)}")
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
        discs = _covering(self.footprint.tobytes(), tolerance).copy()
        discs[:, 2] += padding
        return discs

    def outline_at(self, pose: ArrayLike) -> Array:
        """Corners (n, 2) of the footprint at a pose x, y, yaw in the world [m]."""
        x, y, yaw = np.asarray(pose, dtype=float)
        c, s = math.cos(yaw), math.sin(yaw)
        outline: Array = self.footprint @ np.array([[c, s], [-s, c]]) + np.array([x, y])
        return outline


def vehicle_of(
    robot: Robot, *, max_speed: float | None = None, max_turn: float | None = None, **limits: float
) -> Vehicle:
    """The vehicle that a robot file describes: footprint from its collision shapes, drive and limits from its wheels.

    `max_speed` and `max_turn` lower the limits of the file, and stand in where it names none; where nobody names one,
    the robot goes as fast as it can stop within its own length (`calm_limits`). `limits` are other fields of `Vehicle`
    such as max_acceleration.
    """
    drive = find_drive(robot)
    outline = robot_outline(robot, drive.reference, _as_it_stands(robot))
    calm = calm_limits(robot, drive, outline)
    fastest, quickest = float(drive.limited((1e3, 0.0, 0.0))[0]), float(drive.limited((0.0, 0.0, 1e3))[2])
    speed = _lower(fastest, max_speed, calm.speed)
    found = {
        "max_acceleration": calm.acceleration,
        "max_lateral_acceleration": calm.lateral,
        "max_deceleration": max(calm.braking, limits.get("max_acceleration", 0.0)),
    }
    if not feels_turns(robot, drive):
        found |= {"max_turn_acceleration": _UNFELT_TURN, "stray": _UNFELT_STRAY}
        found["max_lateral_acceleration"] = min(calm.lateral, _UNFELT_LATERAL)
    limits = found | limits
    radius = drive.turning_radius
    if not math.isfinite(radius):
        raise BadInput(f"robot {robot.name!r} cannot turn to both sides, so it cannot be navigated")
    kind = "omni" if drive.holonomic or not drive.wheels else "ackermann" if radius > 0 else "differential"
    if kind == "ackermann":
        quickest = min(speed / radius, drive.max_turn)
    steered = [float(part.wheel.position[0]) for part in drive.wheels if part.steering]
    return Vehicle(
        outline,
        kind,
        speed,
        _lower(quickest, max_turn, _DEFAULT_TURN),
        turning_radius=radius if kind == "ackermann" else 0.0,
        wheelbase=max(map(abs, steered), default=0.0) if kind == "ackermann" else 0.0,
        name=robot.name,
        reference=drive.reference,
        **limits,
    )


@dataclass(frozen=True)
class CalmLimits:
    """What a base may do without sliding, tipping over or asking more of its motors than they have."""

    acceleration: float  # along its way [m/s²]
    lateral: float  # across it [m/s²]
    speed: float  # from which it stops within its own length [m/s]
    braking: float  # along its way when it must stop [m/s²]


def feels_turns(robot: Robot, drive: Drive) -> bool:
    """Whether a gyro tells how the base turns, or its steering does.

    Wheels as wide as real ones scrub in a turn, and their grip is spent on that: under physics a base of two wheels
    followed 3 rad/s² of its wheels' 4, and lagged behind at more than 1.5 m/s² across its way. Where nobody feels that
    they slide, the base has to turn gently.
    """
    return drive.holonomic or bool(drive.steering_joints) or any(spec.kind == "imu" for spec in robot.sensors)


def calm_limits(robot: Robot, drive: Drive, outline: Array) -> CalmLimits:
    """Limits from grip, height of the center of mass over its stand, and motors:

    a = c min(mu g, g d / h, sum(tau) / (r m)), v = sqrt(2 a L), with d from the center to the edge of the stand, h its
    height, tau the efforts of the driven wheels, L the length of the robot, and c = 0.5 for calm, 0.8 to stop.
    """
    center, floor = robot.center_of_mass(_as_it_stands(robot)), _floor(robot)
    wheels = [part for part in drive.wheels if part.driven]
    middle = se2.transform(se2.inverse(drive.reference), center[None, :2])[0]
    low, high = outline.min(axis=0), outline.max(axis=0)
    size, least = high - low, np.full(2, _UNKNOWN_ROOM)
    if drive.wheels:  # a shell that hangs over its wheels does not carry
        places = np.array([part.wheel.position for part in drive.wheels])
        low[1], high[1] = max(low[1], places[:, 1].min()), min(high[1], places[:, 1].max())
        touching = _stand(robot, drive, floor)
        if len(touching) and np.ptp(touching[:, 0]) > _LONG_STAND * size[0]:  # else nobody knows what it leans on
            low[0], high[0] = max(low[0], touching[:, 0].min()), min(high[0], touching[:, 0].max())
            least[0] = _LEAST_ROOM
    height = max(float(center[2]) - floor, 1e-3)
    room = np.maximum(np.minimum(middle - low, high - middle), least * (high - low))
    tips = GRAVITY * room / height
    efforts = [robot.joint(part.joint).limits.effort / part.wheel.radius for part in wheels]
    motors = sum(efforts) / robot.mass if wheels and robot.mass > 0 and all(map(math.isfinite, efforts)) else math.inf
    can = min(_GRIP * GRAVITY, float(tips[0]), motors if motors > 0 else math.inf)
    along = _CALM * can
    across = min(_GRIP * GRAVITY, _CALM * float(tips[1]))
    acceleration = max(min(along, _MOST_ACCELERATION), 0.1)
    braking = max(acceleration, min(_FIRM * can, _MOST_BRAKING))
    speed = math.sqrt(2 * acceleration * float(size[0]))
    return CalmLimits(acceleration, max(min(across, _MOST_LATERAL), 0.1), speed, braking)


def _stand(robot: Robot, drive: Drive, floor: float) -> Array:
    """Places (n, 2) from the drive's reference of all shapes that touch the ground: wheels, casters, skids [m]."""
    near = _TOUCHING * min(part.wheel.radius for part in drive.wheels)
    found = []
    for name, pose in robot.link_poses().items():
        for collision in robot.link(name).collisions:
            try:
                low, high = bounds(collision.geometry, pose @ collision.pose)
            except AndanteError:  # a plane, or a mesh that cannot be read
                continue
            if low[2] - floor < near:
                found.append(0.5 * (low + high)[:2])
    return se2.transform(se2.inverse(drive.reference), np.array(found)) if found else np.zeros((0, 2))


def _as_it_stands(robot: Robot) -> dict[str, float]:
    """Joint positions that a robot has while it drives: those of the pose that it stands in, else zeros."""
    known = set(robot.joint_names)
    return {k: v for k, v in robot.pose(robot.standing).items() if k in known} if robot.standing else {}


def _floor(robot: Robot) -> float:
    """Height of the lowest wheel's rim in the root frame [m]; 0 without wheels."""
    return min((float(wheel.center[2]) - wheel.radius for wheel in find_wheels(robot)), default=0.0)


def _lower(of_file: float, wanted: float | None, default: float) -> float:
    """The lower of a file's limit and a requested one; a limit that no motor has counts as none."""
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


def convex_outline(points: ArrayLike) -> Array:
    """Corners (n, 2) of the convex hull of points (m, 2), counterclockwise, without points on straight edges."""
    p = np.asarray(points, dtype=float)
    if p.ndim != 2 or p.shape[1] != 2 or len(p) < 3 or not np.isfinite(p).all():
        raise BadInput(f"a footprint needs three or more finite points x, y, got shape {p.shape}")
    p = np.unique(np.round(p, 9), axis=0)
    half: list[list[Array]] = []
    for row in (p, p[::-1]):  # Andrew's monotone chain, lower and upper
        chain: list[Array] = []
        for q in row:
            while len(chain) >= 2 and _turn(chain[-2], chain[-1], q) <= 1e-12:
                chain.pop()
            chain.append(q)
        half.append(chain[:-1])
    outline = np.array(half[0] + half[1])
    if len(outline) < 3:
        raise BadInput("a footprint needs an area: its points lie in one line")
    return outline


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def rectangle(length: float, width: float, ahead: float = 0.5) -> Array:
    """Corners (4, 2) of a rectangle, with the fraction `ahead` of its length in front of the reference point [m]."""
    if not (length > 0 and width > 0 and math.isfinite(length * width)):
        raise BadInput(f"a rectangular footprint needs a length and a width > 0, got {length} x {width} m")
    front, rear, side = length * ahead, -length * (1 - ahead), width / 2
    return np.array([[rear, -side], [front, -side], [front, side], [rear, side]])


def robot_outline(
    robot: Robot, reference: ArrayLike = (0.0, 0.0, 0.0), positions: Mapping[str, float] | None = None
) -> Array:
    """Outline (n, 2) of all collision shapes of a robot from above, relative to a pose x, y, yaw in its root frame.

    positions: of its joints; None: zeros.
    Shapes whose meshes are missing are left out; a robot without any shape has no outline.
    """
    turns = np.linspace(0.0, 2 * np.pi, _DIRECTIONS, endpoint=False)
    directions = np.stack([np.cos(turns), np.sin(turns), np.zeros_like(turns)], axis=-1)
    points = []
    for name, pose in robot.link_poses(positions).items():
        for collision in robot.link(name).collisions:
            if isinstance(collision.geometry, Plane):
                continue
            place = pose @ collision.pose
            try:
                touched = [support_point(collision.geometry, d) for d in directions @ place.rotation]
            except AndanteError:
                continue
            points.append((np.array(touched) @ place.rotation.T + place.translation)[:, :2])
    if not points:
        raise BadInput(f"robot {robot.name!r} has no collision shapes, so it has no footprint; give one by hand")
    return convex_outline(se2.transform(se2.inverse(reference), np.concatenate(points)))


def edge_distances(outline: Array, points: Array) -> Array:
    """Distance (m,) of points (m, 2) from the edges of a convex outline [m], below 0 outside."""
    start, along = outline, np.roll(outline, -1, axis=0) - outline
    normal = np.stack([-along[:, 1], along[:, 0]], axis=-1) / np.linalg.norm(along, axis=-1, keepdims=True)
    nearest: Array = np.min(np.einsum("mij,ij->mi", points[:, None, :] - start[None], normal), axis=1)
    return nearest


@lru_cache(maxsize=64)
def _covering(outline: bytes, tolerance: float) -> Array:
    """`covering_discs` of a footprint, found once: it takes most of a second for a fine tolerance."""
    discs = covering_discs(np.frombuffer(outline).reshape(-1, 2), tolerance)
    discs.setflags(write=False)
    return discs


def covering_discs(outline: Array, tolerance: float) -> Array:
    """Discs (k, 3) x, y, radius that together cover a convex outline and reach at most `tolerance` beyond it [m].

    A greedy cover: of the discs about points inside, as large as the tolerance lets them be, always the one that
    covers most of what is left. The first disc is the largest one.
    """
    low, high = outline.min(axis=0), outline.max(axis=0)
    step = max(min(tolerance / 2, float((high - low).min()) / 12), float((high - low).max()) / 60)
    axes = [np.linspace(a, b, max(2, math.ceil((b - a) / step) + 1)) for a, b in zip(low, high, strict=True)]
    inside = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    inside = inside[edge_distances(outline, inside) >= -1e-9]
    edges = [
        np.linspace(a, b, max(2, math.ceil(float(np.linalg.norm(b - a)) / step) + 1))
        for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True)
    ]
    samples = np.concatenate([inside, *edges])
    radii = np.maximum(edge_distances(outline, inside), 0.0) + tolerance
    slack = min(step, tolerance) / math.sqrt(2)  # between samples
    x, y = (samples[:, None, k] - inside[None, :, k] for k in (0, 1))
    gaps = np.sqrt(x * x + y * y)
    covers = gaps <= np.maximum(radii - slack, 0.25 * tolerance)[None]
    left = np.ones(len(samples), dtype=bool)
    chosen = [int(np.argmax(radii))]
    left &= ~covers[:, chosen[0]]
    while left.any():
        gain = covers[left].sum(axis=0)
        best = int(np.argmax(gain))
        if gain[best] == 0:
            break
        chosen.append(best)
        left &= ~covers[:, best]
    discs = np.column_stack([inside[chosen], radii[chosen]])
    return np.ascontiguousarray(discs)
