"""Controllers (local planners): the protocol `Controller` with `MotionState` and `Decision`, and what they share."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.navigation.costmap import Costmap, clearance_at
from andante.navigation.path import Path
from andante.navigation.vehicle import Vehicle

from .pace import pace_along

NOBODY = np.zeros((0, 5))
MOVER_MARGIN, MOVER_SPREAD = 0.04, 0.06  # kept from moving things at least [m], and more for every second ahead [m/s]
MOVER_SOFT, MOVER_WEIGHT = 0.6, 8.0  # nearer than this to them costs more and more [m], so much at a touch [1/s]
MOVER_TIGHT = 6.0  # ... and within what is kept, up to so much more at a touch
MOVER_STANDS = 0.4  # part of that which a robot that stands is charged: who passes it looks where he goes
MOVER_TURN = 0.25  # turning beside them costs more: it neither gets away nor stands, and looks away [s²/rad²]
STANDS, TURNS = 0.03, 0.09  # slower than this a robot stands [m/s, rad/s]
STOOD = 0.5  # one that has stood for so long is walked into, and not to blame [s]


@dataclass(frozen=True)
class MotionState:
    """Where the robot is and how it moves, as estimated."""

    pose: Array  # (3,) x, y, yaw of the reference point in the world [m, m, rad]
    velocity: Array = field(default_factory=lambda: np.zeros(3))  # (3,) vx, vy, w in the robot's axes [m/s, rad/s]
    time: float = 0.0  # [s]
    movers: Array = field(default_factory=lambda: NOBODY)  # (m, 5) x, y, vx, vy, radius of moving things in the world
    stood: float = 0.0  # for so long it has stood [s]

    def __post_init__(self) -> None:
        pose, velocity = np.asarray(self.pose, dtype=float), np.asarray(self.velocity, dtype=float)
        for what, value in (("pose x, y, yaw", pose), ("velocity vx, vy, w", velocity)):
            if value.shape != (3,) or not np.isfinite(value).all():
                raise BadInput(f"the robot's {what} must be three finite numbers, got {value.tolist()}")
        movers = np.asarray(self.movers, dtype=float).reshape(-1, 5)
        object.__setattr__(self, "pose", pose)
        object.__setattr__(self, "velocity", velocity)
        object.__setattr__(self, "movers", movers[np.isfinite(movers).all(axis=1)])


@dataclass(frozen=True)
class Decision:
    """The velocity to drive with now; `feasible` is False when there is no safe motion but to stop."""

    velocity: Array  # (3,) vx, vy, w [m/s, m/s, rad/s]
    reason: str = ""  # why it is slow or stopped; empty in normal driving
    feasible: bool = True


class Controller(Protocol):
    """Follows a path around what is in the way, one decision at a time."""

    def plan(self, state: MotionState, path: Path, costmap: Costmap) -> Decision:
        """The velocity to drive with now. The path is driven in one direction and ends at the goal or at a cusp."""

    def reset(self) -> None:
        """Forget everything about the path before."""


def stopped(reason: str) -> Decision:
    """Stand still because there is no safe motion."""
    return Decision(np.zeros(3), reason, feasible=False)


def turn_to_path(state: MotionState, path: Path, vehicle: Vehicle, angle: float = 0.8, end: float = 0.08) -> float:
    """Turn rate [rad/s] on the spot toward a path that starts off by more than `angle`, or to its last heading.

    0: drive on; also for cars, which cannot, and omni drives, which turn as they go.
    """
    if vehicle.drive != "differential":
        return 0.0
    begin = path.nearest(state.pose)
    part = path.after(begin)
    if part.length < end and float(np.hypot(*(path.goal - state.pose)[:2])) < end:
        error = float(se2.wrap(path.goal[2] - state.pose[2]))
        return float(np.clip(2.0 * error, -vehicle.max_turn, vehicle.max_turn)) if abs(error) > 0.02 else 0.0
    gaps = np.linalg.norm(part.poses[:, :2] - state.pose[:2], axis=1)
    beyond = np.flatnonzero(gaps >= 0.3)
    x, y, _ = se2.between(state.pose, part.poses[int(beyond[0]) if len(beyond) else -1])
    way = int(path.directions[-1])
    bearing = math.atan2(way * y, way * x)
    if math.hypot(x, y) < end or abs(bearing) < angle:
        return 0.0
    return math.copysign(min(vehicle.max_turn, 1.5 * abs(bearing)), bearing)


@dataclass(frozen=True)
class Margins:
    """Clearance that controllers keep around the footprint."""

    padding: float = 0.015  # touched counts as collision [m]
    soft: float = 0.25  # nearer than this costs more and more [m]

    def __post_init__(self) -> None:
        if not (0 <= self.padding < math.inf and 0 < self.soft < math.inf):
            raise BadInput(f"margins need padding >= 0 and soft > 0, got {self.padding} and {self.soft} m")


class Surroundings:
    """Path, footprint and limits in the frame of a costmap, as the rollout kernel reads them."""

    def __init__(self, vehicle: Vehicle, margins: Margins) -> None:
        self.vehicle = vehicle
        self.margins = margins
        self._discs: dict[float, Array] = {}

    def discs(self, resolution: float) -> Array:
        """Discs (k, 3) of the padded footprint for maps of a resolution [m]."""
        if resolution not in self._discs:
            self._discs[resolution] = self.vehicle.discs(max(0.01, 0.3 * resolution), self.margins.padding)
        return self._discs[resolution]

    @property
    def enough(self) -> float:
        """A reference point with this much room needs no closer look [m]."""
        return self.vehicle.circumscribed + self.margins.padding + self.margins.soft

    def limits(self, speed: float, way: int) -> Array:
        """(9,) least and greatest vx, greatest vy, w, accelerations, turning radius, direction of the path, v w."""
        v = self.vehicle
        side = min(speed, v.max_speed) if v.drive == "omni" else 0.0
        forwards, back = min(speed, v.max_speed), min(speed, v.max_reverse)
        return np.array(
            [
                -back, forwards, side, v.max_turn, v.max_acceleration, v.max_turn_acceleration, v.turning_radius, way,
                v.max_lateral_acceleration,
            ],
            dtype=float,
        )  # fmt: skip

    def path_ahead(self, state: MotionState, path: Path, costmap: Costmap, reach: float, step: float) -> Array:
        """Poses (p, 4) x, y, yaw, distance along, in the frame of the map, from beside the robot to `reach` ahead."""
        begin = path.nearest(state.pose)
        part = path.after(begin)
        if part.length > reach:
            end = int(np.searchsorted(part.along, reach)) + 1
            part = Path(part.poses[:end], part.directions[:end])
        part = part.resampled(step)
        return np.column_stack([costmap.to_frame(part.poses), part.along])

    def paced(self, limits: Array, ahead: Array, costmap: Costmap) -> Array:
        """The same limits with speeds at which the path ahead (p, 4) may be driven in the room that it has."""
        v, paced = self.vehicle, limits.copy()
        top = float(limits[1] if limits[7] > 0 else -limits[0])
        most = pace_along(
            ahead, costmap.distance, costmap.resolution, self.discs(costmap.resolution), self.enough, top, v.stray,
            v.max_acceleration,
        )  # fmt: skip
        paced[0], paced[1], paced[2] = max(limits[0], -most), min(limits[1], most), min(limits[2], most)
        return paced

    def movers(self, state: MotionState, costmap: Costmap) -> Array:
        """Moving things (m, 5) in the frame of the map."""
        m = state.movers
        if not len(m):
            return NOBODY
        yaw = -costmap.origin[2]
        c, s = math.cos(yaw), math.sin(yaw)
        spun = m[:, 2:4] @ np.array([[c, s], [-s, c]])
        return np.ascontiguousarray(np.column_stack([costmap.to_frame(m[:, :2]), spun, m[:, 4]]))

    def time_to_touch(self, command: Array, state: MotionState, costmap: Costmap, seconds: float) -> float | None:
        """When holding a command first touches something within `seconds` [s]; None: it does not."""
        dt = 0.05
        steps = max(1, math.ceil(seconds / dt))
        controls = np.repeat(np.asarray(command, dtype=np.float32)[None, None], steps, axis=1)
        crash = np.empty(1, dtype=np.int64)
        here = costmap.to_frame(state.pose)
        score_rollouts(
            controls, np.zeros(1), here, state.velocity, dt, self.limits(math.inf, 1), np.array([[*here, 0.0]]),
            self.movers(state, costmap), state.stood, costmap.distance, costmap.resolution,
            self.discs(costmap.resolution), self.enough, self.margins.soft, np.zeros(COUNT), np.empty(1), crash,
        )  # fmt: skip
        return None if crash[0] == steps else float(crash[0] + 1) * dt


def slowed(vehicle: Vehicle, speed: float) -> Vehicle:
    """The vehicle with a greatest speed of at most `speed` both ways [m/s]."""
    return replace(vehicle, max_speed=min(speed, vehicle.max_speed), max_reverse=min(speed, vehicle.max_reverse))


class VehicleController:
    """A controller for a vehicle, with settings of its own: `Settings` names their dataclass, `plan` is left to do.

    Args:
        vehicle: that it drives.
        settings: None: the defaults.
        seed: of its noise, where it has any.
    """

    Settings: ClassVar[type[Any]]  # a dataclass with `margins`, and `max_speed` unless `limited` does without

    def __init__(self, vehicle: Vehicle, settings: Any = None, seed: int = 0) -> None:
        self.vehicle, self.settings, self._seed = vehicle, settings or self.Settings(), seed
        self._around = Surroundings(vehicle, self.settings.margins)
        self.reset()

    @classmethod
    def limited(cls, vehicle: Vehicle, speed: float, seed: int = 0) -> Self:
        """One that drives at most so fast [m/s]."""
        return cls(vehicle, cls.Settings(max_speed=speed), seed)

    def reset(self) -> None:
        """Forget the path before; nothing is remembered from one decision to the next."""

    def plan(self, state: MotionState, path: Path, costmap: Costmap) -> Decision:
        """The velocity to drive with now."""
        raise NotImplementedError


FOLLOW, ALIGN, HEAD, CLEAR, REVERSE, TURN, YAW, CRASH, COUNT = 0, 1, 2, 3, 4, 5, 6, 7, 8  # places in `weights`


@njit()
def _wrap(angle: float) -> float:
    return (angle + math.pi) % (2 * math.pi) - math.pi


@njit()
def _half_turn(angle: float) -> tuple[float, float]:
    """Cosine and sine of half of a step's turn [rad]; of small ones by their series, off by less than 1e-11."""
    if abs(angle) > 0.2:
        return math.cos(angle), math.sin(angle)
    q = angle * angle
    return 1.0 - q * (0.5 - q * (1.0 / 24.0 - q * (1.0 / 720.0 - q / 40320.0))), angle * (
        1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0 - q / 5040.0))
    )


@njit()
def kept_from(time: float) -> float:
    """What is kept from moving things after `time` seconds [m]: more the later, nobody walks quite as predicted."""
    return MOVER_MARGIN + MOVER_SPREAD * min(time, 1.5)


@njit()
def mover_gap(x: float, y: float, c: float, s: float, time: float, movers: Array, discs: Array, enough: float) -> float:
    """Least distance [m] between the footprint at a pose and moving discs (m, 5) after `time` seconds."""
    least = 1e9
    for m in range(len(movers)):
        mx, my = movers[m, 0] + time * movers[m, 2], movers[m, 1] + time * movers[m, 3]
        wide = movers[m, 4]
        gap = math.sqrt((x - mx) ** 2 + (y - my) ** 2) - wide
        if gap >= enough + MOVER_SOFT + kept_from(time):
            continue
        for k in range(len(discs)):
            px, py = x + c * discs[k, 0] - s * discs[k, 1], y + s * discs[k, 0] + c * discs[k, 1]
            gap = math.sqrt((px - mx) ** 2 + (py - my) ** 2) - wide - discs[k, 2]
            least = min(least, gap)
    return least


@njit()
def score_rollouts(
    controls: np.ndarray, pursuit: Array, pose: Array, velocity: Array, dt: float, limits: Array, path: Array,
    movers: Array, stood_before: float, distance: np.ndarray, resolution: float, discs: Array, enough: float,
    soft: float, weights: Array, costs: Array, crashes: np.ndarray,
) -> float:  # fmt: skip
    """Score command sequences (k, t, 3) float32; they are changed to what the limits let through.

    pursuit (k,): above 0 the sequence is replaced by one that pursues the path with this speed [m/s];
    robots that can turn on the spot first when it leads off by more than 1 rad (odd k) or 0.35 rad (even k). Below 0 it
    is pursued closely, for places with no room to cut: by what lies 0.12 m ahead instead of 0.3 m, and from 0.1 rad.
    limits (9,) as `Surroundings.limits` gives them, path (p, 4) x, y, yaw, distance along; for `stood_before` [s] the
    robot has stood. Out: costs (k,), crashes (k,) the step of the first touch (t: none). Returns the clearance at the
    start [m]: a robot that begins too near to something may move as long as it comes no nearer.

    cost = ∫ follow · rest + align · offset² + head · (1 - cos) + clear · (1 - gap / soft)² (0.3 top + v) + reverse · v⁻
    + turn · w² dt,
    + follow · rest at the end (1 s), + yaw · (1 - cos) near the end of the path, + crash · (2 - fraction driven).
    """
    samples, steps = controls.shape[0], controls.shape[1]
    last = len(path) - 1
    spacing = path[1, 3] - path[0, 3] if last > 0 else 1.0
    total = path[last, 3]
    low, high, side, turn = limits[0], limits[1], limits[2], limits[3]
    dv, dw, radius, way, lateral = limits[4] * dt, limits[5] * dt, limits[6], limits[7], limits[8]
    c0, s0 = math.cos(pose[2]), math.sin(pose[2])
    first = min(
        clearance_at(pose[0], pose[1], c0, s0, distance, resolution, discs, enough, -1e9),
        mover_gap(pose[0], pose[1], c0, s0, 0.0, movers, discs, enough),
    )
    floor = min(0.0, first - 0.25 * resolution)
    tangents = np.empty((last + 1, 2))
    for i in range(last + 1):
        tangents[i, 0], tangents[i, 1] = math.cos(path[i, 2]), math.sin(path[i, 2])
    for k in range(samples):
        x, y, yaw = pose[0], pose[1], pose[2]
        c, s = c0, s0
        vx, vy, w = velocity[0], velocity[1], velocity[2]
        at = 0
        cost = 0.0
        stood = stood_before
        crash = steps
        rest = total
        for t in range(steps):
            if pursuit[k] != 0.0:
                closely = pursuit[k] < 0.0
                reach = max(0.12 if closely else 0.3, 0.5 * abs(vx))
                j = min(last, at + int(reach / spacing) + 1)
                dx, dy = path[j, 0] - x, path[j, 1] - y
                ahead, aside = c * dx + s * dy, c * dy - s * dx
                gap = math.sqrt(ahead * ahead + aside * aside)
                speed = min(abs(pursuit[k]), math.sqrt(2.0 * limits[4] * max(rest, 0.0)))
                if side > 0.0:
                    scale = speed / max(gap, 1e-6)
                    ux, uy, uw = ahead * scale, aside * scale, 2.0 * _wrap(path[j, 2] - yaw)
                else:
                    bearing = math.atan2(way * aside, way * ahead)
                    uy = 0.0
                    off_by = 0.1 if closely else 1.0 if k % 2 else 0.35
                    if radius == 0.0 and abs(bearing) > off_by and gap > 0.05:
                        ux, uw = 0.0, math.copysign(min(turn, 1.5 * abs(bearing)), bearing)
                    elif gap < 0.05 and radius == 0.0:
                        ux, uw = 0.0, 2.0 * _wrap(path[last, 2] - yaw)
                    else:
                        ux = way * speed * max(0.3, math.cos(bearing))
                        uw = 2.0 * ux * aside / max(gap * gap, 0.01)
            else:
                ux, uy, uw = float(controls[k, t, 0]), float(controls[k, t, 1]), float(controls[k, t, 2])
            vx = min(max(min(max(ux, low), high), vx - dv), vx + dv)
            w = min(max(min(max(uw, -turn), turn), w - dw), w + dw)
            if side > 0.0:
                vy = min(max(min(max(uy, -side), side), vy - dv), vy + dv)
            else:
                vy = 0.0
            most = lateral / max(abs(vx), 1e-3)
            if radius > 0.0:
                most = min(most, abs(vx) / radius)
            w = min(max(w, -most), most)
            controls[k, t, 0], controls[k, t, 1], controls[k, t, 2] = vx, vy, w
            ch, sh = _half_turn(0.5 * w * dt)
            cm, sm = c * ch - s * sh, s * ch + c * sh
            x += (cm * vx - sm * vy) * dt
            y += (sm * vx + cm * vy) * dt
            yaw += w * dt
            c, s = cm * ch - sm * sh, sm * ch + cm * sh
            gap = clearance_at(x, y, c, s, distance, resolution, discs, enough, floor)
            moved = math.sqrt(vx * vx + vy * vy)
            stood = stood + dt if moved < STANDS and abs(w) < TURNS else 0.0
            if len(movers):
                touch = mover_gap(x, y, c, s, (t + 1) * dt, movers, discs, enough)
                kept = kept_from((t + 1) * dt)
                near_mover = touch - kept
                if touch < floor and stood >= STOOD:  # nothing better can be done than to stand
                    cost += dt * weights[CRASH] * 0.2
                else:
                    gap = min(gap, touch)
                    if near_mover < MOVER_SOFT:
                        close = 1.0 - max(near_mover, 0.0) / MOVER_SOFT
                        close *= close
                        if near_mover < 0.0:
                            close += MOVER_TIGHT * min(1.0, -near_mover / kept)
                        drives = MOVER_STANDS if stood > 0.0 else 1.0
                        cost += dt * MOVER_WEIGHT * drives * close * (1.0 + MOVER_TURN * w * w)
            if gap < floor:
                crash = t
                break
            speed = math.sqrt(vx * vx + vy * vy)
            if gap < soft:
                near = 1.0 - max(gap, 0.0) / soft
                cost += dt * weights[CLEAR] * near * near * (0.3 * high + speed)
            dx, dy = path[at, 0] - x, path[at, 1] - y
            off = dx * dx + dy * dy
            j = at
            while j < last and j < at + 12:
                j += 1
                dx, dy = path[j, 0] - x, path[j, 1] - y
                new = dx * dx + dy * dy
                if new < off:
                    off, at = new, j
            dx, dy = x - path[at, 0], y - path[at, 1]
            along = tangents[at, 0] * dx + tangents[at, 1] * dy
            along = along if way > 0 or side > 0 else -along
            along = min(max(along, -spacing), spacing) if at < last else 0.0
            rest = total - path[at, 3] - along
            cost += dt * (weights[FOLLOW] * (rest + (math.sqrt(off) if at == last else 0.0)) + weights[ALIGN] * off)
            if weights[HEAD] > 0.0:
                cost += dt * weights[HEAD] * (1.0 - c * tangents[at, 0] - s * tangents[at, 1])
            cost += dt * (weights[REVERSE] * max(0.0, -way * vx) + weights[TURN] * w * w)
        dx, dy = path[at, 0] - x, path[at, 1] - y
        end = math.sqrt(dx * dx + dy * dy)
        cost += weights[FOLLOW] * (rest + end)
        if at >= last - int(0.3 / spacing):
            cost += weights[YAW] * (1.0 - math.cos(path[last, 2] - yaw))
        if crash < steps:
            left = 1.0 - crash / steps
            cost += weights[CRASH] * (1.0 + left) + weights[FOLLOW] * rest * left * steps * dt
        costs[k] = cost
        crashes[k] = crash
    return first


@njit()
def spread_noise(knots: np.ndarray, spread: Array, every: int, nominal: np.ndarray, out: np.ndarray) -> None:
    """Command sequences out (k, t, 3) = nominal (t, 3) + spread (3,) · noise, linear between knots (k, m, 3)."""
    samples, steps, axes = out.shape
    for k in range(samples):
        for t in range(steps):
            i = t // every
            fraction = (t - i * every) / every
            for a in range(axes):
                noise = (1.0 - fraction) * knots[k, i, a] + fraction * knots[k, i + 1, a]
                out[k, t, a] = nominal[t, a] + spread[a] * noise
