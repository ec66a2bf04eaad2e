"""The compiled control step of the rolling ball: attitude, wanted velocity, openings of the legs, joint targets.

`figures` are the fields of `BallSettings` in their order; `state` is what `BallRoller` keeps from step to step.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array


@njit(cache=True)
def stroke_openings(
    openings: Array,
    points: Array,
    radii: Array,
    down: Array,
    back: Array,
    floor: float,
    nearest: float,
    full: float,
    depth: float,
) -> Array:
    """Openings (legs,) at which legs reach the floor behind the center, and deeper by what they push.

    `points` (n, p, 3) with spheres of `radii` (p,) are the outside of one leg at its `openings` (n,); `down` and `back`
    (legs, 3) are the directions of the floor and against the wanted way, seen from each leg. The first opening whose
    lowest point reaches beyond `floor`, more than `nearest` behind, begins the push; its depth grows to `depth` at
    `full` behind. A leg that cannot reach so deep opens to where it reaches deepest; one that does not touch is closed.
    """
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


@njit(cache=True)
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


@njit(cache=True)
def in_body(mount: Array, sensed: Array) -> Array:
    """A sensor's vector in body axes, mount @ sensed; NaN counts as 0."""
    out = np.zeros(3)
    for j in range(3):
        if not math.isnan(sensed[j]):
            for i in range(3):
                out[i] += mount[i, j] * sensed[j]
    return out


@njit(cache=True)
def seen_from_legs(vector: Array, azimuth: Array) -> Array:
    """A body vector (3,) seen from the x axis of each leg, (legs, 3)."""
    out = np.empty((len(azimuth), 3))
    for leg in range(len(azimuth)):
        c, s = math.cos(azimuth[leg]), math.sin(azimuth[leg])
        out[leg, 0] = c * vector[0] + s * vector[1]
        out[leg, 1] = c * vector[1] - s * vector[0]
        out[leg, 2] = vector[2]
    return out


@njit(cache=True)
def filter_step(
    rotation: Array, gyro: Array, force: Array, dt: float, fraction: float, gravity: float, tolerance: float
) -> Array:
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
        trust = max(0.0, 1.0 - abs(size - gravity) / tolerance)
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


@njit(cache=True)
def upright(force: Array) -> Array:
    """heading_from_body (3, 3) of a body at rest: up is the measured force, x ahead (z, where x points up)."""
    size = max(math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2), 1e-9)
    up = force / size
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


@njit(cache=True)
def attitude_step(
    rotation: Array,
    spin: Array,
    clock: Array,
    mount: Array,
    gyro: Array,
    acceleration: Array,
    time_constant: float,
    tolerance: float,
    gravity: float,
    dt: float,
) -> Array:
    """heading_from_body after a reading in sensor axes; `spin` and `clock` (has it started, its age) change too.

    The fraction of the accelerometer is dt / min(time constant, age).
    """
    rate, force = in_body(mount, gyro), in_body(mount, acceleration)
    start = rotation
    if clock[0] == 0.0:
        start = upright(force)
        clock[0], clock[1] = 1.0, 0.0
    clock[1] += dt
    out = filter_step(start, rate, force, dt, min(1.0, dt / min(time_constant, clock[1])), gravity, tolerance)
    for i in range(3):
        spin[i] = out[i, 0] * rate[0] + out[i, 1] * rate[1] + out[i, 2] * rate[2]
    return out


(
    DEPTH,
    NEAREST,
    FULL,
    GAIN,
    DEAD,
    OPENING_SPEED,
    SLOWEST,
    FASTEST,
    SLOWEST_ON_TOP,
    RIGHTING,
    RIGHTING_SPEED,
    WEIGHT_RIGHTS,
    ROCKING_LEAN,
    ROCKING_SPEED,
    SETTLED_LEAN,
    SETTLED_SPEED,
    SETTLED_TIME,
    STUCK_SPEED,
    STUCK_TIME,
    RUN_UP,
) = range(20)

# Course [rad], velocity of the center (2) [m/s], how long it has lain still, stuck while righting, and has yet to roll
# back for a run-up [s], mean speed along the wanted way [m/s].
COURSE, VELOCITY, STILL, STUCK, BACK, PACE = 0, 1, 3, 4, 5, 6
STATE = 7


@njit(cache=True)
def lean_of(rotation: Array) -> float:
    """Angle between the body's z axis and the vertical [rad], 0 to pi."""
    return math.acos(min(1.0, max(-1.0, rotation[2, 2])))


@njit(cache=True)
def wanted_velocity(
    figures: Array, lift: float, rotation: Array, course: float, vx: float, vy: float
) -> tuple[float, float]:
    """Velocity of the center at the present attitude [m/s], v² = mean² + lift cos(lean) along the wanted way."""
    c, s = math.cos(course), math.sin(course)
    x, y = c * vx - s * vy, s * vx + c * vy
    size = math.hypot(x, y)
    mean = min(max(size, figures[SLOWEST]), figures[FASTEST])
    square = mean * mean + lift * rotation[2, 2]
    speed = max(figures[SLOWEST_ON_TOP], math.sqrt(max(0.0, square)))
    return speed * x / size, speed * y / size


@njit(cache=True)
def righting_velocity(figures: Array, rotation: Array) -> tuple[float, float]:
    """Velocity that brings the lower side down by the shortest way, slower the nearer it is [m/s].

    The ball turns about body z x up, so it rolls toward minus the horizontal part of the body's z axis.
    """
    zx, zy = rotation[0, 2], rotation[1, 2]
    sine = math.hypot(zx, zy)
    speed = min(figures[RIGHTING] * lean_of(rotation), figures[RIGHTING_SPEED])
    if sine < 1e-3:
        return 0.0, -speed
    return -speed * zx / sine, -speed * zy / sine


@njit(cache=True)
def run_up(figures: Array, state: Array, x: float, y: float, dt: float) -> float:
    """1, or -1 for a while when the ball has got nowhere along the wanted velocity for long."""
    if state[BACK] > 0:
        state[BACK] -= dt
        return -1.0
    along = (state[VELOCITY] * x + state[VELOCITY + 1] * y) / math.hypot(x, y)
    state[PACE] += dt / figures[STUCK_TIME] * (along - state[PACE])
    if state[PACE] < figures[STUCK_SPEED]:
        state[PACE], state[BACK] = figures[SLOWEST], figures[RUN_UP]
    return 1.0


@njit(cache=True)
def needed_for_righting(
    figures: Array, state: Array, rotation: Array, x: float, y: float, dt: float
) -> tuple[float, float]:
    """Change of velocity that the legs have to make while righting; what gravity does alone is left to it."""
    vx, vy = state[VELOCITY], state[VELOCITY + 1]
    ex, ey, size, speed = x - vx, y - vy, math.hypot(x, y), math.hypot(vx, vy)
    if size < 1e-6:
        return ex, ey
    lean = lean_of(rotation)
    if lean < figures[ROCKING_LEAN]:  # open legs would prop it up: brake a fast swing, else let it rock
        return (-vx, -vy) if speed > figures[ROCKING_SPEED] else (0.0, 0.0)
    wx, wy = x / size, y / size
    missing = ex * wx + ey * wy
    falls = missing > 0 and math.sin(lean) > figures[WEIGHT_RIGHTS]
    state[STUCK] = state[STUCK] + dt if falls and speed < figures[SETTLED_SPEED] else 0.0
    if falls and vx * wx + vy * wy > -figures[SETTLED_SPEED] and state[STUCK] < figures[SETTLED_TIME]:
        return ex - missing * wx, ey - missing * wy
    return ex, ey


@njit(cache=True)
def keep_apart(opening: Array, half: float) -> None:
    """No two lower neighbors in their second half, where their tiles would meet: the one that is less open yields."""
    n = len(opening) // 2
    lower = opening[:n].copy()
    for leg in range(n):
        most = max(lower[(leg - 1) % n], lower[(leg + 1) % n])
        if most > half and (lower[leg] < most or (lower[leg] == most and leg % 2 == 1)):
            opening[leg] = min(lower[leg], half)


@njit(cache=True)
def push_openings(
    figures: Array,
    rotation: Array,
    ex: float,
    ey: float,
    radius: float,
    azimuth: Array,
    half: float,
    lower_openings: Array,
    lower_points: Array,
    lower_radii: Array,
    upper_openings: Array,
    upper_points: Array,
    upper_radii: Array,
) -> Array:
    """Openings (12,) that change the velocity of the center by (ex, ey) [m/s], rotation heading_from_body."""
    legs = len(azimuth) // 2
    out = np.zeros(2 * legs)
    size = math.hypot(ex, ey)
    strength = min(1.0, figures[GAIN] * (size - figures[DEAD]))
    if strength <= 0:
        return out
    down = seen_from_legs(-rotation[2], azimuth)
    back = seen_from_legs(-(ex * rotation[0] + ey * rotation[1]) / size, azimuth)
    depth = figures[DEPTH] * strength
    near, full = figures[NEAREST], figures[FULL]
    out[:legs] = stroke_openings(
        lower_openings, lower_points, lower_radii, down[:legs], back[:legs], radius, near, full, depth
    )
    out[legs:] = stroke_openings(
        upper_openings, upper_points, upper_radii, down[legs:], back[legs:], radius, near, full, depth
    )
    keep_apart(out, half)
    return out


@njit(cache=True)
def drive_step(
    figures: Array,
    state: Array,
    opening: Array,
    rotation: Array,
    spin: Array,
    command: Array,
    radius: float,
    lift: float,
    azimuth: Array,
    half: float,
    lower_openings: Array,
    lower_points: Array,
    lower_radii: Array,
    upper_openings: Array,
    upper_points: Array,
    upper_radii: Array,
    ball: Array,
    first: Array,
    second: Array,
    dt: float,
) -> Array:
    """Joint targets (joints,) of the next step: ball + min(1, 2 o) first + max(0, 2 o - 1) second over the openings o.

    Rolling without slip the center moves with r ω x z.
    """
    state[VELOCITY], state[VELOCITY + 1] = radius * spin[1], -radius * spin[0]
    state[COURSE] += command[2] * dt
    if command[0] != 0.0 or command[1] != 0.0:
        x, y = wanted_velocity(figures, lift, rotation, state[COURSE], command[0], command[1])
        way = run_up(figures, state, x, y, dt)
        state[STILL] = 0.0
        ex, ey = way * x - state[VELOCITY], way * y - state[VELOCITY + 1]
    else:
        x, y = righting_velocity(figures, rotation)
        speed = math.hypot(state[VELOCITY], state[VELOCITY + 1])
        calm = lean_of(rotation) < figures[SETTLED_LEAN] and speed < figures[SETTLED_SPEED]
        state[STILL] = state[STILL] + dt if calm else 0.0
        state[BACK], state[PACE] = 0.0, figures[SLOWEST]
        ex, ey = needed_for_righting(figures, state, rotation, x, y, dt)
    goal = push_openings(
        figures,
        rotation,
        ex,
        ey,
        radius,
        azimuth,
        half,
        lower_openings,
        lower_points,
        lower_radii,
        upper_openings,
        upper_points,
        upper_radii,
    )
    step = figures[OPENING_SPEED] * dt
    out = ball.copy()
    for leg in range(len(opening)):
        opening[leg] += max(-step, min(step, goal[leg] - opening[leg]))
        one, two = min(1.0, 2.0 * opening[leg]), max(0.0, 2.0 * opening[leg] - 1.0)
        for joint in range(len(out)):
            out[joint] += one * first[leg, joint] + two * second[leg, joint]
    return out
