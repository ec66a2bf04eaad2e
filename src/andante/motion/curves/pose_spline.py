"""Smooth curves through orientations (`RotationSpline`) and through partly free poses (`PoseSpline`).

Between two orientations R(t) = R_i exp([phi_i(t)]), phi_i a cubic with phi_i(0) = 0 and phi_i(h) = log(R_i' R_{i+1}).
The angular velocities at the waypoints are solved so that angular velocity and angular acceleration are continuous.
Each segment takes the short way: below half a turn.

Waypoints of a pose spline are x y z yaw pitch roll [m, rad]. A coordinate that is NaN at every waypoint stays free all
along. One that is NaN at some waypoints is not held there: the path passes through those that give it, and it is free
before the first and after the last of them. Positions follow cubic NURBS. Orientations follow an SO(3) spline when
every waypoint gives all three angles or none gives any; otherwise each angle that is given follows a cubic of its own,
unwrapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput, UnknownName
from andante.geometry import Array, so3

from .curve import parameters_inside
from .nurbs import Nurbs

SWEEPS = 60
SETTLED = 1e-11  # relative change of the velocities at which the sweeps end
SERIES_BELOW = 0.5  # angles below which coefficients come from their series [rad]
FRAMES = ("body", "world")


class RotationSpline:
    """R(t) through orientations (n, 3, 3) at growing times (n,) [s].

    ends: "rest" (angular velocity 0 at both ends), "natural" (angular acceleration 0), or a pair of angular velocities
    in body axes [rad/s].
    """

    def __init__(
        self, times: ArrayLike, rotations: ArrayLike, ends: str | tuple[ArrayLike, ArrayLike] = "rest"
    ) -> None:
        self.times = np.array(times, dtype=float)
        self.rotations = np.array(rotations, dtype=float)
        count = len(self.times) if self.times.ndim == 1 else 0
        if count < 2 or not np.isfinite(self.times).all() or not (np.diff(self.times) > 0).all():
            raise BadInput("a rotation spline needs two or more times that grow")
        if self.rotations.shape != (count, 3, 3) or not np.isfinite(self.rotations).all():
            raise BadInput(f"{count} times need rotations of shape ({count}, 3, 3), got {self.rotations.shape}")
        self._h = np.diff(self.times)
        self._turn = so3.log(np.swapaxes(self.rotations[:-1], -1, -2) @ self.rotations[1:])
        self.rates = self._solve(ends)  # angular velocity at the waypoints, body axes [rad/s]
        end_slope = _solve3(right_jacobian(self._turn), self.rates[1:])
        h = self._h[:, None]
        self._quadratic = (3 * self._turn - (2 * self.rates[:-1] + end_slope) * h) / h**2
        self._cubic = ((self.rates[:-1] + end_slope) * h - 2 * self._turn) / h**3
        for array in (self.times, self.rotations, self.rates):
            array.setflags(write=False)

    @property
    def domain(self) -> tuple[float, float]:
        """First and last time [s]."""
        return float(self.times[0]), float(self.times[-1])

    def rotation(self, t: ArrayLike) -> Array:
        """Orientation (..., 3, 3) at a time."""
        k, phi, _, _ = self._local(t)
        turned: Array = self.rotations[k] @ so3.exp(phi)
        return turned

    def angular_velocity(self, t: ArrayLike, frame: str = "body") -> Array:
        """Angular velocity (..., 3) [rad/s], w = J(phi) phi', in body or world axes."""
        _, phi, rate, _ = self._local(t)
        return self._told((right_jacobian(phi) @ rate[..., None])[..., 0], t, frame)

    def angular_acceleration(self, t: ArrayLike, frame: str = "body") -> Array:
        """Angular acceleration (..., 3) [rad/s²], J(phi) phi'' + dJ/dt phi', in body or world axes."""
        _, phi, rate, second = self._local(t)
        body = (right_jacobian(phi) @ second[..., None])[..., 0] + _drift(phi, rate)
        return self._told(body, t, frame)

    def _told(self, vector: Array, t: ArrayLike, frame: str) -> Array:
        if frame not in FRAMES:
            raise UnknownName.among("frame", frame, FRAMES)
        return vector if frame == "body" else (self.rotation(t) @ vector[..., None])[..., 0]

    def _local(self, t: ArrayLike) -> tuple[np.ndarray, Array, Array, Array]:
        at = parameters_inside(t, self.domain)
        k = np.clip(np.searchsorted(self.times, at, side="right") - 1, 0, len(self._h) - 1)
        x = (at - self.times[k])[..., None]
        a, b, c = self.rates[k], self._quadratic[k], self._cubic[k]
        return k, x * (a + x * (b + x * c)), a + x * (2 * b + 3 * x * c), 2 * b + 6 * x * c

    def _solve(self, ends: str | tuple[ArrayLike, ArrayLike]) -> Array:
        """Angular velocities w_k for which the acceleration is continuous.

        2/h J_{k-1} w_{k-1} + 4 (1/h_{k-1} + 1/h_k) w_k + 2/h_k J_k^-1 w_{k+1} = 6 turn/h² (both sides) - drift_{k-1},
        where the drift is quadratic in w_k: solved by sweeps over a block-tridiagonal system.
        """
        h, turn = self._h, self._turn
        J = right_jacobian(turn)
        J_inverse = np.linalg.inv(J)
        count = len(h) + 1
        clamped = None if isinstance(ends, str) else np.array([ends[0], ends[1]], dtype=float)
        if isinstance(ends, str):
            if ends not in ("rest", "natural"):
                raise UnknownName.among("end condition", ends, ("rest", "natural", "a pair of angular velocities"))
            clamped = np.zeros((2, 3)) if ends == "rest" else None
        elif clamped is None or clamped.shape != (2, 3) or not np.isfinite(clamped).all():
            raise BadInput("the angular velocities at the ends need three finite numbers each")
        diagonal = np.zeros((count, 3, 3))
        lower, upper = 2 / h[:, None, None] * J, 2 / h[:, None, None] * J_inverse
        diagonal[1:] += 4 / h[:, None, None] * np.eye(3)
        diagonal[:-1] += 4 / h[:, None, None] * np.eye(3)
        lower_rows, upper_rows = lower.copy(), upper.copy()
        if clamped is not None:
            diagonal[0] = diagonal[-1] = np.eye(3)
            upper_rows[0], lower_rows[-1] = 0.0, 0.0
        steady = np.zeros((count, 3))
        steady[:-1] += 6 * turn / h[:, None] ** 2
        steady[1:] += 6 * turn / h[:, None] ** 2
        banded = _block_tridiagonal(lower_rows, diagonal, upper_rows)

        from scipy.linalg import solve_banded  # takes a while

        def swept(rates: Array) -> Array:
            right = steady.copy()
            right[1:] -= _drift(turn, (J_inverse @ rates[1:, :, None])[..., 0])
            if clamped is not None:
                right[0], right[-1] = clamped
            solved: Array = solve_banded((5, 5), banded, right.ravel()).reshape(count, 3)
            return solved

        rates: Array = swept(np.zeros((count, 3)))
        for _ in range(SWEEPS):
            following = swept(rates)
            change, rates = np.abs(following - rates).max(), following
            if change <= SETTLED * max(1.0, np.abs(rates).max()):
                return rates
            if not np.isfinite(change) or change > 1e12:
                break
        from scipy.optimize import root

        found = root(lambda x: (swept(x.reshape(count, 3)) - x.reshape(count, 3)).ravel(), swept(np.zeros((count, 3))))
        rates = found.x.reshape(count, 3)
        if np.abs(swept(rates) - rates).max() > 1e-8 * max(1.0, np.abs(rates).max()):
            raise BadInput("no smooth turn through these orientations was found; add orientations between distant ones")
        return rates


def right_jacobian(phi: ArrayLike) -> Array:
    """J(phi) = I - b [phi] + c [phi]², with angular velocity J phi' in body axes; (..., 3) -> (..., 3, 3)."""
    phi = np.asarray(phi, dtype=float)
    b, c, _, _ = _coefficients(phi)
    skew = so3.hat(phi)
    return np.eye(3) - b[..., None, None] * skew + c[..., None, None] * (skew @ skew)


def _drift(phi: Array, rate: Array) -> Array:
    """(dJ/dt) phi' = -b' phi x phi' + c' phi x (phi x phi') + c phi' x (phi x phi')."""
    _, c, b_slope, c_slope = _coefficients(phi)
    along = np.sum(phi * rate, axis=-1)
    cross = np.cross(phi, rate)
    drift: Array = (
        -(b_slope * along)[..., None] * cross
        + (c_slope * along)[..., None] * np.cross(phi, cross)
        + c[..., None] * np.cross(rate, cross)
    )
    return drift


def _coefficients(phi: Array) -> tuple[Array, Array, Array, Array]:
    """b = (1 - cos a)/a², c = (a - sin a)/a³ and (db/da)/a, (dc/da)/a, by series for small angles a."""
    square = np.sum(phi * phi, axis=-1)
    angle = np.sqrt(square)
    small = angle < SERIES_BELOW
    a = np.where(small, 1.0, angle)
    sine, rest = np.sin(a), 2 * np.sin(a / 2) ** 2
    closed = (rest / a**2, (a - sine) / a**3, (a * sine - 2 * rest) / a**4, (a * rest - 3 * (a - sine)) / a**5)
    x = np.where(small, square, 0.0)
    series = (
        sum((-x) ** k / factorial(2 * k + 2) for k in range(8)),
        sum((-x) ** k / factorial(2 * k + 3) for k in range(8)),
        -sum(2 * (k + 1) * (-x) ** k / factorial(2 * k + 4) for k in range(8)),
        -sum(2 * (k + 1) * (-x) ** k / factorial(2 * k + 5) for k in range(8)),
    )
    b, c, b_slope, c_slope = (np.where(small, s, e) for s, e in zip(series, closed, strict=True))
    return b, c, b_slope, c_slope


def _solve3(matrix: Array, vector: Array) -> Array:
    return np.linalg.solve(matrix, vector[..., None])[..., 0].astype(float)


def _block_tridiagonal(lower: Array, diagonal: Array, upper: Array) -> Array:
    """Banded storage (11, 3 n) of 3 x 3 blocks: lower (n-1), diagonal (n), upper (n-1)."""
    count = len(diagonal)
    banded = np.zeros((11, 3 * count))
    blocks = [(k, k, diagonal[k]) for k in range(count)]
    blocks += [(k + 1, k, lower[k]) for k in range(count - 1)]
    blocks += [(k, k + 1, upper[k]) for k in range(count - 1)]
    for row, column, block in blocks:
        for i in range(3):
            for j in range(3):
                banded[5 + 3 * row + i - 3 * column - j, 3 * column + j] = block[i, j]
    return banded


COORDINATES = ("x", "y", "z", "yaw", "pitch", "roll")
METERS_PER_RADIAN = 0.2  # how far a turn counts when waypoints are spaced [m/rad]
LEAST_STEP = 0.2  # no two waypoints lie nearer than this fraction of the mean step


@dataclass(frozen=True, eq=False)
class _Track:
    """Some columns over the part of the parameter where they are given."""

    columns: tuple[int, ...]
    curve: Nurbs

    def values(self, s: Array) -> Array:
        low, high = self.curve.domain
        inside = (s >= low - 1e-12) & (s <= high + 1e-12)
        values = self.curve.evaluate(np.clip(s, low, high))
        return np.where(inside[..., None], values, np.nan)


class PoseSpline:
    """Path p(s), s in [0, 1], through waypoints (n, 6)."""

    def __init__(self, waypoints: ArrayLike, parameters: ArrayLike | None = None) -> None:
        points = np.array(waypoints, dtype=float)
        if points.ndim != 2 or points.shape[1] != 6 or len(points) < 2:
            raise BadInput(f"a pose path needs two or more waypoints of x y z yaw pitch roll, got shape {points.shape}")
        if np.isinf(points).any():
            raise BadInput("waypoints must be finite numbers or NaN for a free coordinate")
        given = ~np.isnan(points)
        if not given.any():
            raise BadInput("every coordinate of every waypoint is free (NaN); give at least one")
        self.waypoints = points
        self.parameters = pose_parameters(points) if parameters is None else np.array(parameters, dtype=float)
        if self.parameters.shape != (len(points),) or not (np.diff(self.parameters) > 0).all():
            raise BadInput(f"{len(points)} waypoints need as many parameters that grow")
        if self.parameters[0] != 0 or self.parameters[-1] != 1:
            raise BadInput("the parameters of a pose path begin at 0 and end at 1")
        self._turn: RotationSpline | None = None
        columns = list(range(6))
        if given[:, 3:].all():
            self._turn = RotationSpline(self.parameters, so3.from_rpy(points[:, [5, 4, 3]]), "natural")
            columns = [0, 1, 2]
        self._tracks = self._make_tracks(columns, given)

    def _make_tracks(self, columns: list[int], given: np.ndarray) -> list[_Track]:
        alike: dict[bytes, list[int]] = {}
        for column in columns:
            if given[:, column].sum() == 1:  # one waypoint alone holds it at that instant and nowhere else
                raise BadInput(
                    f"{COORDINATES[column]} is given at one waypoint only; give it at two or more, or leave it free"
                )
            if given[:, column].any():
                alike.setdefault(given[:, column].tobytes(), []).append(column)
        tracks = []
        for group in alike.values():
            rows = given[:, group[0]]
            values = self.waypoints[rows][:, group]
            angles = [i for i, column in enumerate(group) if column >= 3]
            values[:, angles] = np.unwrap(values[:, angles], axis=0)
            degree = min(3, len(values) - 1)
            tracks.append(_Track(tuple(group), Nurbs.through(values, degree, self.parameters[rows])))
        return tracks

    def pose(self, s: ArrayLike) -> Array:
        """x y z yaw pitch roll (..., 6) at s, NaN where free."""
        at = self._inside(s)
        out = np.full((*at.shape, 6), np.nan)
        for track in self._tracks:
            out[..., list(track.columns)] = track.values(at)
        if self._turn is not None:
            out[..., 3:] = so3.to_rpy(self._turn.rotation(at))[..., ::-1]
        return out

    def rotation(self, s: ArrayLike) -> Array | None:
        """Orientation (..., 3, 3) at s; None unless all three angles are given."""
        return None if self._turn is None else self._turn.rotation(self._inside(s))

    def angular_velocity(self, s: ArrayLike) -> Array | None:
        """Turn per unit of s in body axes (..., 3) [rad]; None unless all three angles are given."""
        return None if self._turn is None else self._turn.angular_velocity(self._inside(s))

    def _inside(self, s: ArrayLike) -> Array:
        at = np.asarray(s, dtype=float)
        if not np.all((at >= -1e-9) & (at <= 1 + 1e-9)):
            raise BadInput("the parameter of a pose path lies between 0 and 1")
        inside: Array = np.clip(at, 0.0, 1.0)
        return inside


def pose_parameters(points: Array) -> Array:
    """Parameters in [0, 1]: steps as the square root of the way (centripetal), turns counted by METERS_PER_RADIAN."""
    scaled = points * np.array([1, 1, 1, METERS_PER_RADIAN, METERS_PER_RADIAN, METERS_PER_RADIAN])
    difference = np.diff(scaled, axis=0)
    wrap = np.pi * METERS_PER_RADIAN
    difference[:, 3:] = (difference[:, 3:] + wrap) % (2 * wrap) - wrap
    steps = np.sqrt(np.sqrt(np.nansum(difference**2, axis=1)))
    if steps.sum() == 0:
        steps = np.ones(len(steps))
    steps = np.maximum(steps, LEAST_STEP * steps.mean())
    out = np.concatenate([[0.0], np.cumsum(steps) / steps.sum()])
    out[-1] = 1.0
    return out
