"""Compiled kernel shared by the controllers: drive many command sequences ahead and score them."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array
from andante.navigation.costmap import clearance_at

FOLLOW, ALIGN, HEAD, CLEAR, REVERSE, TURN, YAW, CRASH, COUNT = 0, 1, 2, 3, 4, 5, 6, 7, 8  # places in `weights`


@njit(cache=True)
def _wrap(angle: float) -> float:
    return (angle + math.pi) % (2 * math.pi) - math.pi


@njit(cache=True)
def mover_gap(x: float, y: float, c: float, s: float, time: float, movers: Array, discs: Array, enough: float) -> float:
    """Least distance [m] between the footprint at a pose and moving discs (m, 5) after `time` seconds."""
    least = 1e9
    for m in range(len(movers)):
        mx, my = movers[m, 0] + time * movers[m, 2], movers[m, 1] + time * movers[m, 3]
        gap = math.sqrt((x - mx) ** 2 + (y - my) ** 2) - movers[m, 4]
        if gap >= enough:
            continue
        for k in range(len(discs)):
            px, py = x + c * discs[k, 0] - s * discs[k, 1], y + s * discs[k, 0] + c * discs[k, 1]
            gap = math.sqrt((px - mx) ** 2 + (py - my) ** 2) - movers[m, 4] - discs[k, 2]
            least = min(least, gap)
    return least


@njit(cache=True)
def score_rollouts(
    controls: np.ndarray,
    pursuit: Array,
    pose: Array,
    velocity: Array,
    dt: float,
    limits: Array,
    path: Array,
    movers: Array,
    distance: np.ndarray,
    resolution: float,
    discs: Array,
    enough: float,
    soft: float,
    weights: Array,
    costs: Array,
    crashes: np.ndarray,
) -> float:
    """Score command sequences (k, t, 3) float32; they are changed to what the limits let through.

    pursuit (k,): above 0 the sequence is replaced by one that pursues the path with this speed [m/s];
    robots that can turn on the spot first when it leads off by more than 1 rad (odd k) or 0.35 rad (even k).
    limits (9,) as `Surroundings.limits` gives them, path (p, 4) x, y, yaw, distance along. Out: costs (k,), crashes
    (k,) the step of the first touch (t: none). Returns the clearance at the start [m]: a robot that begins too near to
    something may move as long as it comes no nearer.

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
    for k in range(samples):
        x, y, yaw = pose[0], pose[1], pose[2]
        c, s = c0, s0
        vx, vy, w = velocity[0], velocity[1], velocity[2]
        at = 0
        cost = 0.0
        crash = steps
        rest = total
        for t in range(steps):
            if pursuit[k] > 0.0:
                reach = max(0.3, 0.5 * abs(vx))
                j = min(last, at + int(reach / spacing) + 1)
                dx, dy = path[j, 0] - x, path[j, 1] - y
                ahead, aside = c * dx + s * dy, c * dy - s * dx
                gap = math.sqrt(ahead * ahead + aside * aside)
                speed = min(pursuit[k], math.sqrt(2.0 * limits[4] * max(rest, 0.0)))
                if side > 0.0:
                    scale = speed / max(gap, 1e-6)
                    ux, uy, uw = ahead * scale, aside * scale, 2.0 * _wrap(path[j, 2] - yaw)
                else:
                    bearing = math.atan2(way * aside, way * ahead)
                    uy = 0.0
                    if radius == 0.0 and abs(bearing) > (1.0 if k % 2 else 0.35) and gap > 0.05:
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
            middle = yaw + 0.5 * w * dt
            cm, sm = math.cos(middle), math.sin(middle)
            x += (cm * vx - sm * vy) * dt
            y += (sm * vx + cm * vy) * dt
            yaw += w * dt
            c, s = math.cos(yaw), math.sin(yaw)
            gap = clearance_at(x, y, c, s, distance, resolution, discs, enough, floor)
            if len(movers):
                gap = min(gap, mover_gap(x, y, c, s, (t + 1) * dt, movers, discs, enough))
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
            tangent = path[at, 2] if way > 0 or side > 0 else path[at, 2] + math.pi
            along = dx * math.cos(tangent) + dy * math.sin(tangent)
            along = min(max(along, -spacing), spacing) if at < last else 0.0
            rest = total - path[at, 3] - along
            cost += dt * (weights[FOLLOW] * (rest + (math.sqrt(off) if at == last else 0.0)) + weights[ALIGN] * off)
            if weights[HEAD] > 0.0:
                cost += dt * weights[HEAD] * (1.0 - math.cos(yaw - path[at, 2]))
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


@njit(cache=True)
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
