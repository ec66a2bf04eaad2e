"""Compiled parts of sensors that are sampled hundreds of times per second: contacts, inertial data, noise, ranges."""

from __future__ import annotations

import math

import numpy as np

from andante.compiling import njit
from andante.geometry import Array


@njit(nogil=True)
def _matrix(q: Array) -> Array:
    """(3, 3) rotation of a quaternion x y z w."""
    x, y, z, w = q[0], q[1], q[2], q[3]
    s = 2.0 / (x * x + y * y + z * z + w * w)
    out = np.empty((3, 3))
    out[0, 0], out[0, 1], out[0, 2] = 1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)
    out[1, 0], out[1, 1], out[1, 2] = s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)
    out[2, 0], out[2, 1], out[2, 2] = s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)
    return out


@njit(nogil=True)
def disturb(values: Array, bias: Array, drawn: Array, row: int, limits: Array) -> None:
    """Add bias and noise to values (n,) in place, round and cut them; the bias (n,) wanders.

    drawn (rows, 2, n): steps of the bias and white noise; limits (3, n): resolution (0: none), lower, upper.
    """
    for i in range(values.shape[0]):
        bias[i] += drawn[row, 0, i]
        x = values[i] + bias[i] + drawn[row, 1, i]
        step = limits[0, i]
        if step > 0.0:
            x = np.rint(x / step) * step
        values[i] = min(max(x, limits[1, i]), limits[2, i]) if x == x else x


@njit(nogil=True)
def point_motion(pose: Array, velocity: Array, body_from_frame: Array) -> tuple[Array, Array]:
    """World rotation (3, 3) and velocity (3,) [m/s] of a frame (4, 4) on a body with pose (7,) and velocity (6,)."""
    body = _matrix(pose[3:7])
    arm, rotation = np.zeros(3), np.zeros((3, 3))
    for i in range(3):
        for k in range(3):
            arm[i] += body[i, k] * body_from_frame[k, 3]
            for j in range(3):
                rotation[i, j] += body[i, k] * body_from_frame[k, j]
    out = np.empty(3)
    out[0] = velocity[0] + velocity[4] * arm[2] - velocity[5] * arm[1]
    out[1] = velocity[1] + velocity[5] * arm[0] - velocity[3] * arm[2]
    out[2] = velocity[2] + velocity[3] * arm[1] - velocity[4] * arm[0]
    return rotation, out


@njit(nogil=True)
def mean_rate(now: Array, before: Array, seconds: float, present: Array) -> Array:
    """Angular velocity (3,) that turns one rotation (3, 3) into another in a time [rad/s], world axes.

    Where the turn is too large to tell (beyond a sixth of a circle) the present angular velocity (3,) is returned.
    """
    m = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                m[i, j] += now[i, k] * before[j, k]
    if m[0, 0] + m[1, 1] + m[2, 2] < 2.0:
        return present.copy()
    v = np.array([0.5 * (m[2, 1] - m[1, 2]), 0.5 * (m[0, 2] - m[2, 0]), 0.5 * (m[1, 0] - m[0, 1])])
    sine = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    scale = np.arcsin(min(1.0, sine)) / sine if sine > 1e-9 else 1.0
    return v * (scale / seconds)


@njit(nogil=True)
def inertial(
    pose: Array, motion: Array, body_from_frame: Array, gravity: Array, elapsed: float, before: Array
) -> tuple[Array, Array]:
    """Gyro and accelerometer (6,) of a frame (4, 4) on a body with pose (7,) and velocity (6,), and its memory (12,).

    The memory is velocity and rotation of the frame at the sample before, `elapsed` seconds ago; 0: there was none.
    """
    rotation, velocity = point_motion(pose, motion, body_from_frame)
    turning, acceleration = motion[3:6].copy(), -gravity
    if elapsed > 0.0:
        acceleration = acceleration + (velocity - before[:3]) / elapsed
        turning = mean_rate(rotation, before[3:].reshape(3, 3), elapsed, turning)
    out, memory = np.zeros(6), np.empty(12)
    for i in range(3):
        memory[i] = velocity[i]
        for k in range(3):
            memory[3 + 3 * i + k] = rotation[i, k]
            out[i] += rotation[k, i] * turning[k]
            out[3 + i] += rotation[k, i] * acceleration[k]
    return out, memory


@njit(nogil=True)
def quotients(q: Array, before: Array, resolution: float, elapsed: float) -> tuple[Array, Array]:
    """Positions (n,) in steps of a resolution (0: as they are), and their velocities (n,) since such ones before.

    The velocities are 0 where no time [s] has elapsed.
    """
    seen, speed = np.empty(q.shape[0]), np.zeros(q.shape[0])
    for i in range(q.shape[0]):
        seen[i] = np.rint(q[i] / resolution) * resolution if resolution != 0.0 else q[i]
        if elapsed > 0.0:
            speed[i] = (seen[i] - before[i]) / elapsed
    return seen, speed


@njit(nogil=True)
def pressed(
    links: np.ndarray, points: Array, forces: Array, mine: np.ndarray, pose: Array, body_from_frame: Array
) -> tuple[float, float, float]:
    """Sum of the contact forces along a frame's z axis [N], pulls left out, and where they act in it, x y [m].

    links (n,), points and forces (n, 3): contacts; mine (links,): which links feel them; pose (7,) of their body.
    """
    body = _matrix(pose[3:7])
    total, cx, cy = 0.0, 0.0, 0.0
    f, p, r = np.empty(3), np.empty(3), np.empty(3)
    for c in range(links.shape[0]):
        link = links[c]
        if link < 0 or not mine[link]:
            continue
        for i in range(3):
            f[i] = body[0, i] * forces[c, 0] + body[1, i] * forces[c, 1] + body[2, i] * forces[c, 2]
            r[i] = 0.0
            for k in range(3):
                r[i] += body[k, i] * (points[c, k] - pose[k])
            r[i] -= body_from_frame[i, 3]
        normal = 0.0
        for i in range(3):
            normal += body_from_frame[i, 2] * f[i]
        if normal <= 0.0:
            continue
        for j in range(2):
            p[j] = 0.0
            for i in range(3):
                p[j] += body_from_frame[i, j] * r[i]
        total += normal
        cx += normal * p[0]
        cy += normal * p[1]
    if total > 0.0:
        cx /= total
        cy /= total
    return total, cx, cy


@njit(nogil=True)
def cell_fractions(table: Array, cells: Array, count: int, x: float, y: float, out: Array) -> None:
    """Fractions (count,) of a load at x, y that cells (count, 2) carry: they sum to 1, none is negative.

    The even distribution changed as little as possible so that the center of the fractions is the point (least
    squares); where that would pull on a cell, the cell is left out and the rest carry its load. A load outside all
    cells goes to the nearest ones.

    table (2^count, count, 3): pseudo-inverse of the rows (1, x, y) of every set of cells, by its bits.
    """
    mask = (1 << count) - 1
    left = count
    while True:
        mx, my, worst, least = 0.0, 0.0, 0, np.inf
        for i in range(count):
            if mask >> i & 1:
                mx += cells[i, 0] / left
                my += cells[i, 1] / left
        total = 0.0
        for i in range(count):
            if mask >> i & 1:
                w = 1.0 / left + table[mask, i, 1] * (x - mx) + table[mask, i, 2] * (y - my)
                if left == 1:
                    w = 1.0
                if w < least:
                    worst, least = i, w
                out[i] = max(w, 0.0)
                total += out[i]
            else:
                out[i] = 0.0
        if least >= -1e-9:
            break
        mask &= ~(1 << worst)
        left -= 1
    for i in range(count):
        out[i] /= total


@njit(nogil=True)
def feet(
    links: np.ndarray, points: Array, forces: Array, mine: np.ndarray, bodies: np.ndarray, poses: Array, frames: Array,
    tables: Array, cells: Array, counts: np.ndarray, starts: np.ndarray, out: Array,
) -> None:  # fmt: skip
    """Write the cell forces [N] of several feet into `out`, each from its start on.

    Contacts as in `pressed`; mine (feet, links), bodies (feet,) rows of poses (bodies, 7), frames (feet, 4, 4)
    body_from_cells; tables, cells and counts as in `cell_fractions`, one row per foot.
    """
    for f in range(bodies.shape[0]):
        place = out[starts[f] : starts[f] + counts[f]]
        total, x, y = pressed(links, points, forces, mine[f], poses[bodies[f]], frames[f])
        if total <= 0.0:
            place[:] = 0.0
            continue
        cell_fractions(tables[f], cells[f], counts[f], x, y, place)
        for i in range(counts[f]):
            place[i] *= total


@njit(nogil=True)
def switches(
    links: np.ndarray, points: Array, forces: Array, mine: np.ndarray, bodies: np.ndarray, poses: Array, frames: Array,
    radii: Array, thresholds: Array, starts: np.ndarray, out: Array,
) -> None:  # fmt: skip
    """Write pressed (0 or 1) and force [N] of several switches into `out`, each from its start on.

    Contacts and frames as in `feet`. A radius of infinity: every contact of the link counts, with its whole force;
    else those within the radius, as far as they press against the frame's x axis.
    """
    axis, place = np.empty(3), np.empty(3)
    for s in range(bodies.shape[0]):
        total, ready = 0.0, False
        for c in range(links.shape[0]):
            if links[c] < 0 or not mine[s, links[c]]:
                continue
            fx, fy, fz = forces[c, 0], forces[c, 1], forces[c, 2]
            if np.isinf(radii[s]):
                total += np.sqrt(fx * fx + fy * fy + fz * fz)
                continue
            if not ready:
                pose, frame, ready = poses[bodies[s]], frames[s], True
                body = _matrix(pose[3:7])
                for i in range(3):
                    place[i], axis[i] = pose[i], 0.0
                    for k in range(3):
                        place[i] += body[i, k] * frame[k, 3]
                        axis[i] += body[i, k] * frame[k, 0]
            dx, dy, dz = points[c, 0] - place[0], points[c, 1] - place[1], points[c, 2] - place[2]
            if dx * dx + dy * dy + dz * dz <= radii[s] * radii[s]:
                total += max(0.0, -(fx * axis[0] + fy * axis[1] + fz * axis[2]))
        out[starts[s]], out[starts[s] + 1] = (1.0 if total > thresholds[s] else 0.0), total


@njit(nogil=True)
def between(first: Array, second: Array, u: float, out: Array) -> None:
    """Pose (7,) a fraction u of the way from one to another: straight in place, the shorter turn at constant rate."""
    dot = 0.0
    for k in range(3, 7):
        dot += first[k] * second[k]
    sign = 1.0 if dot >= 0.0 else -1.0
    angle = math.acos(min(1.0, abs(dot)))
    a, b = 1.0 - u, u
    if angle > 1e-6:
        a, b = math.sin((1.0 - u) * angle) / math.sin(angle), math.sin(u * angle) / math.sin(angle)
    for k in range(3):
        out[k] = (1.0 - u) * first[k] + u * second[k]
    for k in range(3, 7):
        out[k] = a * first[k] + b * sign * second[k]


@njit(nogil=True)
def moving_rays(
    first: Array, second: Array, fractions: Array, body_from_sensor: Array, local: Array
) -> tuple[Array, Array]:
    """Origins and unit directions (n, 3) in the world of rays `local` (n, 3) of a sensor on a moving body.

    The body goes from pose `first` to `second` (7,); ray i leaves at fractions[i] of the way.
    """
    count = local.shape[0]
    origins, directions, pose = np.empty((count, 3)), np.empty((count, 3)), np.empty(7)
    start, along = np.empty(3), np.empty(3)
    last, body = -1.0, np.eye(3)
    for i in range(count):
        if fractions[i] != last:
            last = fractions[i]
            between(first, second, last, pose)
            body = _matrix(pose[3:7])
            for k in range(3):
                start[k] = pose[k]
                for j in range(3):
                    start[k] += body[k, j] * body_from_sensor[j, 3]
        for j in range(3):
            along[j] = 0.0
            for m in range(3):
                along[j] += body_from_sensor[j, m] * local[i, m]
        for k in range(3):
            origins[i, k], directions[i, k] = start[k], 0.0
            for j in range(3):
                directions[i, k] += body[k, j] * along[j]
    return origins, directions


@njit(nogil=True)
def measured_ranges(
    ranges: Array, normal: Array, chance: Array, constant: float, proportional: float, offset: float,
    resolution: float, lowest: float, highest: float, dropout: float,
) -> Array:  # fmt: skip
    """What a sensor says of true distances (n,) [m], after REP 117.

    r + offset + n sqrt(constant² + (proportional r)²), in steps of the resolution; -inf below `lowest`, +inf above
    `highest`, NaN for the fraction `dropout`. normal (n,) and chance (n,) are random numbers.
    """
    out = np.empty(len(ranges))
    for i in range(len(ranges)):
        r = ranges[i]
        if dropout > 0.0 and chance[i] < dropout:
            out[i] = np.nan
            continue
        if r != math.inf:
            wide = proportional * r
            r = r + offset + normal[i] * math.sqrt(constant * constant + wide * wide)
            if resolution > 0.0:
                r = np.rint(r / resolution) * resolution
        if r > highest:
            r = math.inf
        elif r < lowest:
            r = -math.inf
        out[i] = r
    return out


@njit(nogil=True)
def measured_depths(
    depths: np.ndarray, normal: np.ndarray, chance: np.ndarray, constant: float, quadratic: float, resolution: float,
    lowest: float, highest: float, dropout: float,
) -> None:  # fmt: skip
    """What a depth camera says of true depths z (n,) [m] in place, after REP 117.

    z + n (constant + quadratic z²), in steps of the resolution; -inf below `lowest`, +inf above `highest`, NaN for the
    fraction `dropout`. normal and chance (n,) are random numbers; none where they are not needed.
    """
    for i in range(len(depths)):
        if dropout > 0.0 and chance[i] < dropout:
            depths[i] = np.nan
            continue
        z = depths[i]
        if z == np.inf:
            continue
        if len(normal):
            z += normal[i] * (constant + quadratic * z * z)
        if resolution > 0.0:
            z = np.rint(z / resolution) * resolution
        depths[i] = np.inf if z > highest else (-np.inf if z < lowest else z)


@njit(nogil=True)
def strongest(distances: Array, directions: Array, lowest_cosine: float) -> float:
    """Nearest distance of n rays with two neighbors each (3 n,) whose surface faces the sensor; inf: no echo.

    Rays n + i and 2 n + i lie a little beside ray i; the three ends span the surface there. An echo
    returns when the angle between ray and surface normal has at least this cosine.
    """
    best = math.inf
    a, b = np.empty(3), np.empty(3)
    count = len(distances) // 3
    for i in range(count):
        r0, r1, r2 = distances[i], distances[count + i], distances[2 * count + i]
        if r0 >= best or r1 == math.inf or r2 == math.inf:
            continue
        for k in range(3):
            a[k] = r1 * directions[count + i, k] - r0 * directions[i, k]
            b[k] = r2 * directions[2 * count + i, k] - r0 * directions[i, k]
        nx, ny, nz = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
        size = math.sqrt(nx * nx + ny * ny + nz * nz)
        if size <= 0.0:
            continue
        cosine = abs(nx * directions[i, 0] + ny * directions[i, 1] + nz * directions[i, 2]) / size
        if cosine >= lowest_cosine:
            best = r0
    return best
