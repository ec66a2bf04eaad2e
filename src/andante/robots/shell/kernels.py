"""The compiled control step of the rolling ball: attitude, wanted velocity, openings of the legs, joint targets.

`settings` are `BallSettings`, `strokes` what the legs can do; `state` is what `BallRoller` keeps from step to step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.compiling import njit
from andante.geometry import Array
from andante.gravity import GRAVITY

LEGS = 6  # lower ones, and as many upper ones
HALF = 0.5  # opening at which the second piece of a stroke begins


class BallSettings(NamedTuple):
    """How the ball is driven. Speeds are of its center."""

    depth: float = 0.06  # how far below the floor a pushing leg aims at full strength [m]
    nearest: float = 0.01  # horizontal distance behind the center at which a leg begins to push [m]
    full: float = 0.04  # and at which it pushes fully [m]
    gain: float = 8.0  # strength of the push per velocity error [1/(m/s)]
    dead: float = 0.05  # velocity error that needs no push [m/s]
    opening_speed: float = 5.0  # of the legs' openings [1/s]
    slowest: float = 0.75  # mean speed below which it cannot pass over its heavy side [m/s]
    fastest: float = 1.2  # [m/s]
    slowest_on_top: float = 0.35  # least wanted speed with the heavy side up [m/s]
    righting: float = 0.8  # speed per angle of lean at which it brings its lower side down [(m/s)/rad]
    righting_speed: float = 0.3  # and its bound [m/s]
    weight_rights: float = 0.35  # sine of the lean from which its weight does that alone
    rocking_lean: float = math.radians(40)  # nearer to upright it rocks by itself,
    rocking_speed: float = 0.2  # braked only when faster [m/s]
    settled_lean: float = math.radians(25)  # the ball is settled when it leans less,
    settled_speed: float = 0.06  # rolls more slowly [m/s]
    settled_time: float = 0.3  # and has done so for this long [s]
    stuck_speed: float = 0.12  # mean speed along the way, over `stuck_time` [s], below which it takes a run-up [m/s]
    stuck_time: float = 1.2
    run_up: float = 0.7  # how long it rolls backward then [s]


class Stroke(NamedTuple):
    """Where the outer points of one leg are while it opens, in the body frame of the leg that points along x."""

    openings: Array  # (n,) from 0 to 1
    points: Array  # (n, p, 3) [m]
    radius: Array  # (p,) of the sphere round each point [m]


class Strokes(NamedTuple):
    """The two kinds of stroke of the Shell, and where they sit among its joints."""

    ball: Array  # joint positions of the closed ball (joints,)
    lower: Stroke
    upper: Stroke
    first: Array  # (12, joints) what the first half of the opening adds; six lower legs, then six upper
    second: Array  # (12, joints) and the second half
    azimuth: Array  # (12,) of the middle of each leg's gore in the body frame [rad]
    radius: float  # of the ball [m]
    lift: float  # what the squared speed gains from lying on its side to its heavy side down [m^2/s^2]


@njit()
def stroke_openings(
    stroke: Stroke, down: Array, back: Array, floor: float, nearest: float, full: float, depth: float
) -> Array:
    """Openings (legs,) at which legs reach the floor behind the center, and deeper by what they push.

    `down` and `back` (legs, 3) are the directions of the floor and against the wanted way, seen from each leg. The
    first opening whose lowest point reaches beyond `floor`, more than `nearest` behind, begins the push; its depth
    grows to `depth` at `full` behind. A leg that cannot reach so deep opens to where it reaches deepest; one that does
    not touch is closed.
    """
    openings, points, radii = stroke.openings, stroke.points, stroke.radius
    legs, n, p = down.shape[0], points.shape[0], points.shape[1]
    out = np.zeros(legs)
    reach = np.zeros(n)
    for leg in range(legs):
        goal = -1.0
        for i in range(n):
            best, at = -1e9, 0
            for k in range(p):
                along = (
                    points[i, k, 0] * down[leg, 0]
                    + points[i, k, 1] * down[leg, 1]
                    + points[i, k, 2] * down[leg, 2]
                    + radii[k]
                )
                if along > best:
                    best, at = along, k
            reach[i] = best
            if goal < 0 and best > floor:
                behind = 0.0
                for axis in range(3):
                    behind += (points[i, at, axis] + radii[at] * down[leg, axis]) * back[leg, axis]
                if behind > nearest:
                    goal = floor + depth * min(1.0, (behind - nearest) / (full - nearest))
        if goal < 0:
            continue
        deepest = 0
        found = False
        for i in range(n):
            if reach[i] >= goal:
                if i == 0:
                    out[leg] = openings[0]
                else:
                    fraction = (goal - reach[i - 1]) / (reach[i] - reach[i - 1])
                    out[leg] = openings[i - 1] + fraction * (openings[i] - openings[i - 1])
                found = True
                break
            if reach[i] > reach[deepest]:
                deepest = i
        if not found:
            out[leg] = openings[deepest]
    return out


@njit()
def turned(rotation: Array, x: float, y: float, z: float) -> Array:
    """exp([w]x) R for a rotation vector w = (x, y, z) in outer axes [rad] (Rodrigues)."""
    angle = math.sqrt(x * x + y * y + z * z)
    if angle < 1e-9:
        return rotation.copy()
    x, y, z = x / angle, y / angle, z / angle
    c, s = math.cos(angle), math.sin(angle)
    v = 1.0 - c
    turn = np.array(
        [
            [c + v * x * x, v * x * y - s * z, v * x * z + s * y],
            [v * x * y + s * z, c + v * y * y, v * y * z - s * x],
            [v * x * z - s * y, v * y * z + s * x, c + v * z * z],
        ]
    )
    out = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                out[i, j] += turn[i, k] * rotation[k, j]
    return out


@njit()
def in_body(mount: Array, sensed: Array) -> Array:
    """A sensor's vector in body axes, mount @ sensed; NaN counts as 0."""
    out = np.zeros(3)
    for j in range(3):
        if not math.isnan(sensed[j]):
            for i in range(3):
                out[i] += mount[i, j] * sensed[j]
    return out


@njit()
def seen_from_legs(vector: Array, azimuth: Array) -> Array:
    """A body vector (3,) seen from the x axis of each leg, (legs, 3)."""
    out = np.empty((len(azimuth), 3))
    for leg in range(len(azimuth)):
        c, s = math.cos(azimuth[leg]), math.sin(azimuth[leg])
        out[leg, 0] = c * vector[0] + s * vector[1]
        out[leg, 1] = c * vector[1] - s * vector[0]
        out[leg, 2] = vector[2]
    return out


@njit()
def filter_step(rotation: Array, gyro: Array, force: Array, dt: float, fraction: float, tolerance: float) -> Array:
    """heading_from_body after one step: turned by the gyro, then leant by `fraction` toward the measured vertical.

    The result is brought back to a rotation by one step of Newton for the polar factor, R (3 I - RᵀR) / 2.
    """
    w = np.zeros(3)
    for i in range(3):
        for j in range(3):
            w[i] += rotation[i, j] * gyro[j]
    out = turned(rotation, w[0] * dt, w[1] * dt, w[2] * dt)
    size = math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)
    if size > 1e-6:
        trust = max(0.0, 1.0 - abs(size - GRAVITY) / tolerance)
        fx = (out[0, 0] * force[0] + out[0, 1] * force[1] + out[0, 2] * force[2]) / size
        fy = (out[1, 0] * force[0] + out[1, 1] * force[1] + out[1, 2] * force[2]) / size
        out = turned(out, fraction * trust * fy, -fraction * trust * fx, 0.0)
    polar = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            polar[i, j] = 1.5 * out[i, j]
            for k in range(3):
                dot = out[0, k] * out[0, j] + out[1, k] * out[1, j] + out[2, k] * out[2, j]
                polar[i, j] -= 0.5 * out[i, k] * dot
    return polar


@njit()
def upright(force: Array) -> Array:
    """heading_from_body (3, 3) of a body at rest: up is the measured force, x ahead (z, where x points up)."""
    up = force / max(math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2), 1e-9)
    ahead = np.zeros(3)
    ahead[0 if abs(up[0]) < 0.9 else 2] = 1.0
    dot = ahead[0] * up[0] + ahead[1] * up[1] + ahead[2] * up[2]
    x = ahead - dot * up
    x = x / math.sqrt(x[0] ** 2 + x[1] ** 2 + x[2] ** 2)
    out = np.empty((3, 3))
    out[0], out[2] = x, up
    out[1, 0] = up[1] * x[2] - up[2] * x[1]
    out[1, 1] = up[2] * x[0] - up[0] * x[2]
    out[1, 2] = up[0] * x[1] - up[1] * x[0]
    return out


@njit()
def attitude_step(
    rotation: Array, spin: Array, clock: Array, mount: Array, gyro: Array, acceleration: Array, time_constant: float,
    tolerance: float, dt: float,
) -> Array:  # fmt: skip
    """heading_from_body after a reading in sensor axes; `spin` and `clock` (has it started, its age) change too.

    The fraction of the accelerometer is dt / min(time constant, age).
    """
    rate, force = in_body(mount, gyro), in_body(mount, acceleration)
    start = rotation
    if clock[0] == 0.0:
        start = upright(force)
        clock[0], clock[1] = 1.0, 0.0
    clock[1] += dt
    out = filter_step(start, rate, force, dt, min(1.0, dt / min(time_constant, clock[1])), tolerance)
    for i in range(3):
        spin[i] = out[i, 0] * rate[0] + out[i, 1] * rate[1] + out[i, 2] * rate[2]
    return out


# Course [rad], velocity of the center (2) [m/s], how long it has lain still, stuck while righting, and has yet to roll
# back for a run-up [s], mean speed along the wanted way [m/s].
COURSE, VELOCITY, STILL, STUCK, BACK, PACE = 0, 1, 3, 4, 5, 6
STATE = 7


@njit()
def lean_of(rotation: Array) -> float:
    """Angle between the body's z axis and the vertical [rad], 0 to pi."""
    return math.acos(min(1.0, max(-1.0, rotation[2, 2])))


@njit()
def wanted_velocity(
    settings: BallSettings, lift: float, rotation: Array, course: float, vx: float, vy: float
) -> tuple[float, float]:
    """Velocity of the center at the present attitude [m/s], v² = mean² + lift cos(lean) along the wanted way."""
    c, s = math.cos(course), math.sin(course)
    x, y = c * vx - s * vy, s * vx + c * vy
    size = math.hypot(x, y)
    mean = min(max(size, settings.slowest), settings.fastest)
    square = mean * mean + lift * rotation[2, 2]
    speed = max(settings.slowest_on_top, math.sqrt(max(0.0, square)))
    return speed * x / size, speed * y / size


@njit()
def righting_velocity(settings: BallSettings, rotation: Array) -> tuple[float, float]:
    """Velocity that brings the lower side down by the shortest way, slower the nearer it is [m/s].

    The ball turns about body z x up, so it rolls toward minus the horizontal part of the body's z axis.
    """
    zx, zy = rotation[0, 2], rotation[1, 2]
    sine = math.hypot(zx, zy)
    speed = min(settings.righting * lean_of(rotation), settings.righting_speed)
    if sine < 1e-3:
        return 0.0, -speed
    return -speed * zx / sine, -speed * zy / sine


@njit()
def run_up(settings: BallSettings, state: Array, x: float, y: float, dt: float) -> float:
    """1, or -1 for a while when the ball has got nowhere along the wanted velocity for long."""
    if state[BACK] > 0:
        state[BACK] -= dt
        return -1.0
    along = (state[VELOCITY] * x + state[VELOCITY + 1] * y) / math.hypot(x, y)
    state[PACE] += dt / settings.stuck_time * (along - state[PACE])
    if state[PACE] < settings.stuck_speed:
        state[PACE], state[BACK] = settings.slowest, settings.run_up
    return 1.0


@njit()
def needed_for_righting(
    settings: BallSettings, state: Array, rotation: Array, x: float, y: float, dt: float
) -> tuple[float, float]:
    """Change of velocity that the legs have to make while righting; what gravity does alone is left to it."""
    vx, vy = state[VELOCITY], state[VELOCITY + 1]
    ex, ey, size, speed = x - vx, y - vy, math.hypot(x, y), math.hypot(vx, vy)
    if size < 1e-6:
        return ex, ey
    lean = lean_of(rotation)
    if lean < settings.rocking_lean:  # open legs would prop it up: brake a fast swing, else let it rock
        return (-vx, -vy) if speed > settings.rocking_speed else (0.0, 0.0)
    wx, wy = x / size, y / size
    missing = ex * wx + ey * wy
    falls = missing > 0 and math.sin(lean) > settings.weight_rights
    state[STUCK] = state[STUCK] + dt if falls and speed < settings.settled_speed else 0.0
    if falls and vx * wx + vy * wy > -settings.settled_speed and state[STUCK] < settings.settled_time:
        return ex - missing * wx, ey - missing * wy
    return ex, ey


@njit()
def keep_apart(opening: Array) -> None:
    """No two lower neighbors in their second half, where their tiles would meet: the one that is less open yields."""
    n = len(opening) // 2
    lower = opening[:n].copy()
    for leg in range(n):
        most = max(lower[(leg - 1) % n], lower[(leg + 1) % n])
        if most > HALF and (lower[leg] < most or (lower[leg] == most and leg % 2 == 1)):
            opening[leg] = min(lower[leg], HALF)


@njit()
def push_openings(settings: BallSettings, strokes: Strokes, rotation: Array, ex: float, ey: float) -> Array:
    """Openings (12,) that change the velocity of the center by (ex, ey) [m/s], rotation heading_from_body."""
    azimuth, radius = strokes.azimuth, strokes.radius
    legs = len(azimuth) // 2
    out = np.zeros(2 * legs)
    size = math.hypot(ex, ey)
    strength = min(1.0, settings.gain * (size - settings.dead))
    if strength <= 0:
        return out
    down = seen_from_legs(-rotation[2], azimuth)
    back = seen_from_legs(-(ex * rotation[0] + ey * rotation[1]) / size, azimuth)
    depth = settings.depth * strength
    near, full = settings.nearest, settings.full
    out[:legs] = stroke_openings(strokes.lower, down[:legs], back[:legs], radius, near, full, depth)
    out[legs:] = stroke_openings(strokes.upper, down[legs:], back[legs:], radius, near, full, depth)
    keep_apart(out)
    return out


@njit()
def drive_step(
    settings: BallSettings, strokes: Strokes, state: Array, opening: Array, rotation: Array, spin: Array,
    command: Array, dt: float,
) -> Array:  # fmt: skip
    """Joint targets (joints,) of the next step: ball + min(1, 2 o) first + max(0, 2 o - 1) second over the openings o.

    Rolling without slip the center moves with r ω x z.
    """
    state[VELOCITY], state[VELOCITY + 1] = strokes.radius * spin[1], -strokes.radius * spin[0]
    state[COURSE] += command[2] * dt
    if command[0] != 0.0 or command[1] != 0.0:
        x, y = wanted_velocity(settings, strokes.lift, rotation, state[COURSE], command[0], command[1])
        way = run_up(settings, state, x, y, dt)
        state[STILL] = 0.0
        ex, ey = way * x - state[VELOCITY], way * y - state[VELOCITY + 1]
    else:
        x, y = righting_velocity(settings, rotation)
        speed = math.hypot(state[VELOCITY], state[VELOCITY + 1])
        calm = lean_of(rotation) < settings.settled_lean and speed < settings.settled_speed
        state[STILL] = state[STILL] + dt if calm else 0.0
        state[BACK], state[PACE] = 0.0, settings.slowest
        ex, ey = needed_for_righting(settings, state, rotation, x, y, dt)
    goal = push_openings(settings, strokes, rotation, ex, ey)
    step = settings.opening_speed * dt
    out, first, second = strokes.ball.copy(), strokes.first, strokes.second
    for leg in range(len(opening)):
        opening[leg] += max(-step, min(step, goal[leg] - opening[leg]))
        one, two = min(1.0, 2.0 * opening[leg]), max(0.0, 2.0 * opening[leg] - 1.0)
        for joint in range(len(out)):
            out[joint] += one * first[leg, joint] + two * second[leg, joint]
    return out
