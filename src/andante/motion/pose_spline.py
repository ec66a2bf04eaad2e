"""A smooth path through waypoints x y z yaw pitch roll [m, rad] of which any number may be free (NaN).

A coordinate that is NaN at every waypoint stays free all along. One that is NaN at some waypoints is not held there:
the path passes through those that give it, and it is free before the first and after the last of them.
Positions follow cubic NURBS. Orientations follow an SO(3) spline when every waypoint gives all three angles or none
gives any; otherwise each angle that is given follows a cubic of its own, unwrapped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, so3

from .nurbs import Nurbs
from .rotation_spline import RotationSpline

COORDINATES = ("x", "y", "z", "yaw", "pitch", "roll")
METRES_PER_RADIAN = 0.2  # how far a turn counts when waypoints are spaced [m/rad]
LEAST_STEP = 0.2  # no two waypoints lie nearer than this share of the mean step


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
        return np.clip(at, 0.0, 1.0)


def pose_parameters(points: Array) -> Array:
    """Parameters in [0, 1]: steps as the square root of the way (centripetal), turns counted by METRES_PER_RADIAN."""
    scaled = points * np.array([1, 1, 1, METRES_PER_RADIAN, METRES_PER_RADIAN, METRES_PER_RADIAN])
    difference = np.diff(scaled, axis=0)
    wrap = np.pi * METRES_PER_RADIAN
    difference[:, 3:] = (difference[:, 3:] + wrap) % (2 * wrap) - wrap
    steps = np.sqrt(np.sqrt(np.nansum(difference**2, axis=1)))
    if steps.sum() == 0:
        steps = np.ones(len(steps))
    steps = np.maximum(steps, LEAST_STEP * steps.mean())
    out = np.concatenate([[0.0], np.cumsum(steps) / steps.sum()])
    out[-1] = 1.0
    return out
