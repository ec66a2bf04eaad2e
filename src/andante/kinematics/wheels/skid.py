"""How a base moves whose wheels slide: parallel wheels on several axles, turned by scrubbing.

Coulomb friction of every wheel acts against its slip with its load N, whatever the speed. Slow bases go where these
forces balance, which is where sliding costs least:

    (vx, vy) = argmin sum_i N_i |s_i|,   s_i = (vx - w y_i - r_i phi_i',  vy + w x_i)

for a turn rate w that a gyro knows. With an even load that is the mean speed of the wheels. A center of mass beside
the middle lets the loaded wheels grip and the others slide: a Husky whose mass lies 7 cm aside runs forward by half of
its rim speed while it turns on the spot. Solved by iteratively reweighted least squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from andante.description.check.recognize import find_wheels
from andante.description.inertia import Inertia, combine
from andante.description.robot import Robot
from andante.geometry import Array, se2

from .drive import Drive

SOFT = 1e-3  # slip below which friction grows with it [m/s]
MOST = 12  # iterations; each time begins where the last one ended
BLUR, STRAIGHT = 0.05, 0.02  # of the table: slip below which friction grows; weight of rims near to rolling
ANGLES = np.linspace(-np.pi, np.pi, 49)
CLOSE = 1e-4  # change at which it is solved [m/s]


@dataclass(frozen=True)
class SkidSlip:
    """The wheels of a base as they stand on the ground, about its reference point."""

    joints: tuple[str, ...]
    places: Array  # (n, 2) [m]
    radii: Array  # (n,) with the sign of the direction in which a wheel rolls [m]
    loads: Array  # (n,) parts of the weight

    def velocity(self, spins: Array, turn: float, start: Array) -> Array:
        """(2,) vx, vy of the reference point for speeds (n,) of the wheels [rad/s] and a turn rate [rad/s].

        start: (2,) where it was a moment ago.
        """
        along = turn * self.places[:, 1] + self.radii * spins  # vx at which a wheel does not slip along
        across = -turn * self.places[:, 0]
        vx, vy = float(start[0]), float(start[1])
        for _ in range(MOST):
            weight = self.loads / np.sqrt((vx - along) ** 2 + (vy - across) ** 2 + SOFT**2)
            total = weight.sum()
            new = float(weight @ along / total), float(weight @ across / total)
            done = abs(new[0] - vx) + abs(new[1] - vy) < CLOSE
            vx, vy = new
            if done:
                break
        return np.array([vx, vy])

    def sides(self, vx: float, turn: float) -> tuple[float, float]:
        """Rim speeds of the left and the right wheels [m/s] under which forces and moments balance at vx and a turn.

        Coulomb friction does not know how fast it slides, so only the direction of (vx, arm * turn) counts: they are
        found once for all of them.
        """
        size = float(np.hypot(vx, self.arm * turn))
        if size == 0.0:
            return 0.0, 0.0
        at = np.arctan2(self.arm * turn, vx)
        left, right = (float(np.interp(at, ANGLES, row)) for row in self._table)
        return size * left, size * right

    @cached_property
    def left(self) -> Array:
        """Which of the wheels (n,) stand on the left."""
        return np.asarray(self.places[:, 1] > self.places[:, 1].mean())

    @cached_property
    def arm(self) -> float:
        """How far the wheels stand aside [m]."""
        return float(np.abs(self.places[:, 1]).mean())

    @cached_property
    def _table(self) -> Array:
        """(2, angles) rim speeds of left and right for all directions of (vx, arm * turn)."""
        from scipy.optimize import least_squares

        out = np.zeros((2, len(ANGLES)))
        for k, angle in enumerate(ANGLES):
            vx, turn = float(np.cos(angle)), float(np.sin(angle)) / self.arm

            def unbalanced(values: Array, vx: float = vx, turn: float = turn) -> Array:
                rims = np.where(self.left, values[0], values[1])
                sx, sy = vx - turn * self.places[:, 1] - rims, values[2] + turn * self.places[:, 0]
                pull = self.loads / np.sqrt(sx**2 + sy**2 + BLUR**2)
                fx, fy = pull * sx, pull * sy
                moment = float(np.sum(self.places[:, 0] * fy - self.places[:, 1] * fx)) / self.arm
                small = STRAIGHT * (values[:2] - (vx - turn * self.arm, vx + turn * self.arm))
                return np.array([fx.sum(), fy.sum(), moment, *small])

            begin = np.array([vx - 1.5 * turn * self.arm, vx + 1.5 * turn * self.arm, 0.0])
            out[:, k] = least_squares(unbalanced, begin).x[:2]
        return out


def skid_slip(robot: Robot, drive: Drive) -> SkidSlip | None:
    """The sliding wheels of a skid-steer base; None for all other drives."""
    if drive.kind != "skid_steer":
        return None
    found = {wheel.joint: wheel for wheel in find_wheels(robot)}
    parts = [part for part in drive.wheels if part.driven and part.joint in found]
    if len(parts) < 3:
        return None
    back = se2.inverse(drive.reference)
    places = se2.transform(back, np.array([found[part.joint].center[:2] for part in parts]))
    signs = [1.0 if np.cos(part.wheel.heading) > 0 else -1.0 for part in parts]
    radii = np.array([sign * part.wheel.radius for sign, part in zip(signs, parts, strict=True)])
    whole = whole_inertia(robot)
    center = np.zeros(3) if whole is None else np.asarray(whole.com)
    loads = wheel_loads(places, se2.transform(back, center[None, :2])[0])
    return SkidSlip(tuple(part.joint for part in parts), places, radii, loads)


def whole_inertia(robot: Robot) -> Inertia | None:
    """Mass, center and moments of all links with all joints at 0, root frame; None where nothing weighs."""
    poses = robot.link_poses()
    parts = [link.inertia.transformed(poses[link.name]) for link in robot.links if link.inertia is not None]
    found = combine([part for part in parts if part.mass > 0])
    return found if found is not None and found.mass > 0 else None


def wheel_loads(places: Array, center: Array) -> Array:
    """Parts (n,) of the weight on wheels at places (n, 2): the most even ones that hold a center (2,), none below 0.

    sum N = 1, sum N p = center; of all solutions that of least squares, as of wheels on equal springs.
    """
    loads = np.full(len(places), 1.0 / len(places))
    standing = np.ones(len(places), dtype=bool)
    while standing.sum() >= 2:
        rows = np.vstack([np.ones(standing.sum()), places[standing].T])
        loads = np.zeros(len(places))
        loads[standing] = np.linalg.lstsq(rows, np.array([1.0, *center]), rcond=None)[0]
        if (loads >= 0).all():
            break
        standing &= loads > 0
    loads = np.maximum(loads, 0.0)
    return loads / loads.sum() if loads.sum() > 0 else np.full(len(places), 1.0 / len(places))
