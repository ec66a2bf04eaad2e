"""A flat kinematic world for closed-loop tests: discs and segments, a lidar by ray casting, a base with limits."""

import math
from dataclasses import dataclass, field

import numpy as np
from numba import njit

from andante.mapping import Scan
from andante.navigation import Navigator, NavigatorInput, NavigatorOutput, State, Vehicle


@njit  # not cached: the cache would remember the name under which a test loaded this file
def cast(x, y, angles, discs, segments, most):
    """Range (n,) of the first hit of each ray; inf: nothing within `most`."""
    out = np.full(len(angles), np.inf)
    for i in range(len(angles)):
        dx, dy = math.cos(angles[i]), math.sin(angles[i])
        best = most
        for k in range(len(discs)):
            fx, fy = discs[k, 0] - x, discs[k, 1] - y
            along = fx * dx + fy * dy
            if along < 0 or along - discs[k, 2] > best:
                continue
            off = discs[k, 2] ** 2 - (fx * fx + fy * fy - along * along)
            if off >= 0:
                best = min(best, max(along - math.sqrt(off), 0.0))
        for k in range(len(segments)):
            ax, ay = segments[k, 0] - x, segments[k, 1] - y
            ex, ey = segments[k, 2] - segments[k, 0], segments[k, 3] - segments[k, 1]
            cross = dx * ey - dy * ex
            if cross == 0.0:
                continue
            t, u = (ax * ey - ay * ex) / cross, (ax * dy - ay * dx) / cross
            if t >= 0 and 0 <= u <= 1:
                best = min(best, t)
        if best < most:
            out[i] = best
    return out


@dataclass
class World:
    """Things on the floor; `movers` (m, 5) x, y, vx, vy, radius move in straight lines."""

    discs: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    segments: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))
    movers: np.ndarray = field(default_factory=lambda: np.zeros((0, 5)))

    def all_discs(self, time):
        moved = np.column_stack([self.movers[:, :2] + time * self.movers[:, 2:4], self.movers[:, 4]])
        return np.concatenate([np.reshape(self.discs, (-1, 3)), moved])

    def clearance(self, vehicle: Vehicle, pose, time=0.0):
        """Distance [m] between the footprint and the nearest thing, below 0 inside a disc."""
        corners = vehicle.outline_at(pose)
        edges = list(zip(corners, np.roll(corners, -1, axis=0), strict=True))
        least = math.inf
        discs = self.all_discs(time)
        if len(discs):
            near = discs[np.hypot(*(discs[:, :2] - pose[:2]).T) < vehicle.circumscribed + discs[:, 2] + 0.5]
            for x, y, r in near:
                p = np.array([x, y])
                inside = all((b - a)[0] * (p - a)[1] - (b - a)[1] * (p - a)[0] >= 0 for a, b in edges)
                gap = 0.0 if inside else min(_to_edge(p, a, b) for a, b in edges)
                least = min(least, gap - r)
        for x0, y0, x1, y1 in self.segments:
            a, b = np.array([x0, y0]), np.array([x1, y1])
            for c, d in edges:
                if _cross(a, b, c, d):
                    return -1.0
                least = min(least, _to_edge(c, a, b), _to_edge(a, c, d), _to_edge(b, c, d))
        return least


def _to_edge(p, a, b):
    ab = b - a
    t = np.clip((p - a) @ ab / (ab @ ab), 0, 1)
    return float(np.hypot(*(a + t * ab - p)))


def _cross(a, b, c, d):
    def side(p, q, r):
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


@dataclass
class Run:
    """What a closed-loop run came to, by the truth."""

    success: bool
    collided: bool
    time: float
    track: np.ndarray
    events: list
    last: NavigatorOutput
    least_clearance: float


def drive(
    navigator: Navigator,
    world: World,
    start,
    *,
    timeout=60.0,
    dt=0.05,
    beams=360,
    field_of_view=2 * math.pi,
    range_max=10.0,
    noise=0.01,
    seed=0,
    push=None,
    acceleration=None,
    pose_noise=0.0,
):
    """Drive until the navigator has arrived or failed, something is hit, or the time is over.

    The base follows commands within its accelerations; `push` (time, dx, dy, dyaw) moves it by hand once.
    """
    vehicle = navigator.vehicle
    rng = np.random.default_rng(seed)
    pose, velocity = np.array(start, dtype=float), np.zeros(3)
    angles = np.linspace(-field_of_view / 2, field_of_view / 2, beams, endpoint=field_of_view < 6)
    track, events = [pose.copy()], []
    least, output, time = math.inf, None, 0.0
    av = acceleration or vehicle.max_acceleration
    while time < timeout:
        ranges = cast(pose[0], pose[1], pose[2] + angles, world.all_discs(time), world.segments, range_max)
        ranges = ranges + noise * rng.standard_normal(beams)
        scan = Scan(time, ranges, float(angles[0]), float(angles[1] - angles[0]), 0.02, range_max)
        told = pose + pose_noise * rng.standard_normal(3) * [1, 1, 0.5]
        output = navigator.update(NavigatorInput(time, told, velocity.copy(), (scan,)))
        events += [(round(time, 2), event) for event in output.events]
        if output.state in (State.ARRIVED, State.FAILED):
            break
        wanted = np.array(output.velocity)
        limit = np.array([av, av, vehicle.max_turn_acceleration]) * dt
        velocity = velocity + np.clip(wanted - velocity, -limit, limit)
        if vehicle.turning_radius:
            most = abs(velocity[0]) / vehicle.turning_radius
            velocity[2] = np.clip(velocity[2], -most, most)
        if vehicle.drive != "omni":
            velocity[1] = 0.0
        for _ in range(2):  # two half steps
            middle = pose[2] + velocity[2] * dt / 4
            c, s = math.cos(middle), math.sin(middle)
            pose = pose + dt / 2 * np.array(
                [c * velocity[0] - s * velocity[1], s * velocity[0] + c * velocity[1], velocity[2]]
            )
        time += dt
        if push and time >= push[0]:
            pose, push = pose + np.array(push[1:]), None
        track.append(pose.copy())
        gap = world.clearance(vehicle, pose, time)
        least = min(least, gap)
        if gap <= 0:
            return Run(False, True, time, np.array(track), events, output, least)
    arrived = output is not None and output.state is State.ARRIVED
    return Run(arrived, False, time, np.array(track), events, output, least)
