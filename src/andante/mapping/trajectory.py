"""`Trajectory`: planar poses over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2


@dataclass(frozen=True)
class Trajectory:
    """Poses (n, 3) x, y, yaw [m, m, rad] at times (n,) [s], in the order in which they were made."""

    times: Array
    poses: Array

    def __post_init__(self) -> None:
        times, poses = np.array(self.times, dtype=float), np.array(self.poses, dtype=float)
        if times.ndim != 1 or poses.shape != (len(times), 3):
            raise BadInput(f"a trajectory needs n times and (n, 3) poses, got {times.shape} and {poses.shape}")
        if not (np.isfinite(times).all() and np.isfinite(poses).all()):
            raise BadInput("a trajectory holds finite numbers only")
        for name, values in (("times", times), ("poses", poses)):
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    def __len__(self) -> int:
        return len(self.times)

    def sorted(self) -> Trajectory:
        """The same by time; poses of equal times stay in the order in which they were made."""
        order = np.argsort(self.times, kind="stable")
        return Trajectory(self.times[order], self.poses[order])

    def at(self, times: ArrayLike) -> Array:
        """Poses (..., 3) at times within the span, between neighbours along the arc of constant twist; NaN outside.

        Where several poses share a time (loggers stamp what they had buffered at once), times before it lead to the
        first of them and times after it away from the last.
        """
        path = self.sorted()
        t = np.asarray(times, dtype=float)
        if len(path) == 0:
            return np.full((*t.shape, 3), np.nan)
        after = np.clip(np.searchsorted(path.times, t), 1, max(len(path) - 1, 1))
        before = after - 1
        after = np.minimum(after, len(path) - 1)
        span = path.times[after] - path.times[before]
        share = np.where(span > 0, (t - path.times[before]) / np.where(span > 0, span, 1.0), 0.0)
        step = se2.log(se2.between(path.poses[before], path.poses[after]))
        poses = se2.compose(path.poses[before], se2.exp(share[..., None] * step))
        inside = (t >= path.times[0] - 1e-6) & (t <= path.times[-1] + 1e-6)
        return np.where(inside[..., None], poses, np.nan)

    @property
    def length(self) -> float:
        """Length of the path [m]."""
        return float(np.linalg.norm(np.diff(self.poses[:, :2], axis=0), axis=1).sum())
