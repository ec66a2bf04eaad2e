"""Where the UWB frame lies on the map: by standing still at a known pose, or by driving."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.mapping.planar import three_numbers

TAG_TO_LASER = 0.13  # the laser of the source sits so far ahead of tag 0 [m]
SAMPLES = 50
STILL = 0.5  # samples that spread further than this mean that the robot moved [m]
LEAST_SPREAD = 0.2  # a drive shorter than this does not determine the yaw [m]


@dataclass(frozen=True)
class Alignment:
    """map_from_uwb and how good it is."""

    map_from_uwb: tuple[float, float, float]  # x, y, yaw [m, m, rad]
    rms: float  # of what is left over [m]
    samples: int


class StandStill:
    """Means of the first samples of tag position and heading while the robot stands at a known pose of its laser."""

    def __init__(
        self, laser_on_map: ArrayLike = (0.0, 0.0, 0.0), samples: int = SAMPLES, tag_to_laser: float = TAG_TO_LASER
    ) -> None:
        """laser_on_map: x, y, yaw of the laser [m, m, rad]; tag_to_laser: the laser is so far ahead of tag 0 [m]."""
        self._laser = three_numbers("the laser's pose", laser_on_map)
        if samples < 1:
            raise BadInput(f"at least one sample is needed, got {samples}")
        self._wanted, self._offset = samples, tag_to_laser
        self._positions: list[Array] = []
        self._turns: list[complex] = []

    @property
    def ready(self) -> bool:
        """Whether enough samples came in."""
        return len(self._positions) >= self._wanted

    @property
    def message(self) -> str:
        """Instruction for the person beside the robot."""
        if self.ready:
            return "map and UWB frame are aligned: the robot may move now"
        return f"keep the robot still: {len(self._positions)} of {self._wanted} samples"

    def add(self, position: ArrayLike, yaw: float) -> str:
        """Take a position of tag 0 (2,) or (3,) and the heading [rad] in the UWB frame; return the message.

        Samples that are not finite, and all after the robot may move, are left out. A robot that moves meanwhile has to
        stand still again.
        """
        at = np.asarray(position, dtype=float)
        if at.shape not in ((2,), (3,)):
            raise BadInput(f"a tag position is x, y or x, y, z, got {position!r}")
        if not self.ready and np.isfinite(at).all() and math.isfinite(yaw):
            middle = np.median(self._positions, axis=0) if len(self._positions) >= 5 else None
            if middle is not None and np.linalg.norm(at[:2] - middle) > 2 * STILL:
                return self.message  # a wild sample
            self._positions.append(at[:2].copy())
            self._turns.append(complex(math.cos(yaw), math.sin(yaw)))
            if self.ready and np.linalg.norm(np.std(self._positions, axis=0)) > STILL:
                self._positions.clear()
                self._turns.clear()
                return "the robot moved: keep it still, starting over"
        return self.message

    def result(self) -> Alignment:
        """map_from_uwb = map_from_laser · laser_from_tag · (uwb_from_tag)^-1 with the means of the samples."""
        if not self.ready:
            raise BadInput(f"not aligned yet: {self.message}")
        at = np.mean(self._positions, axis=0)
        turn = sum(self._turns)
        uwb_from_tag = np.array([at[0], at[1], math.atan2(turn.imag, turn.real)])
        map_from_tag = se2.compose(self._laser, [-self._offset, 0.0, 0.0])
        x, y, yaw = se2.compose(map_from_tag, se2.inverse(uwb_from_tag))
        rms = float(np.sqrt(np.mean(np.sum((np.array(self._positions) - at) ** 2, axis=1))))
        return Alignment((float(x), float(y), float(yaw)), rms, len(self._positions))


def align_by_driving(tag_positions: ArrayLike, poses: ArrayLike, tag_on_robot: ArrayLike = (0.0, 0.0)) -> Alignment:
    """map_from_uwb that lays tag positions (n, 2+) on where the tag was according to poses (n, 3) on the map.

    Least squares of map_from_uwb · u_k - (p_k + R(yaw_k) tag_on_robot): closed form (Umeyama, 1991) with weights of
    Geman and McClure, so that wild positions do not bend it. The drive must cover some ground.
    """
    u, p = np.asarray(tag_positions, dtype=float), np.asarray(poses, dtype=float)
    if u.ndim != 2 or u.shape[1] not in (2, 3) or p.shape != (len(u), 3):
        raise BadInput(f"needs tag positions (n, 2) and poses (n, 3), got {u.shape} and {p.shape}")
    target = se2.transform(p, np.broadcast_to(np.asarray(tag_on_robot, dtype=float)[:2], (len(p), 2)))
    u = u[:, :2]
    good = np.isfinite(u).all(axis=1) & np.isfinite(target).all(axis=1)
    u, target = u[good], target[good]
    if len(u) < 3:
        raise BadInput(f"aligning by driving needs at least 3 positions, got {len(u)}")
    if np.linalg.norm(np.std(target, axis=0)) < LEAST_SPREAD:
        raise BadInput(f"the drive covers less than {LEAST_SPREAD} m, too little to determine the yaw; drive further")
    weights = np.ones(len(u))
    for _ in range(20):
        pose = _lay(u, target, weights)
        gap = np.linalg.norm(se2.transform(pose, u) - target, axis=1)
        scale = max(1.5 * float(np.median(gap)), 0.02)
        weights = (1.0 / (1.0 + (gap / scale) ** 2)) ** 2
    rms = float(np.sqrt(np.sum(weights * gap**2) / weights.sum()))
    return Alignment((float(pose[0]), float(pose[1]), float(pose[2])), rms, len(u))


def _lay(u: Array, target: Array, weights: Array) -> Array:
    """Pose (3,) that lays points u (n, 2) on targets (n, 2) with least weighted squares."""
    w = weights / weights.sum()
    mu, mt = w @ u, w @ target
    a, b = u - mu, target - mt
    yaw = math.atan2(float(w @ (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])), float(w @ (a * b).sum(axis=1)))
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([mt[0] - (c * mu[0] - s * mu[1]), mt[1] - (s * mu[0] + c * mu[1]), yaw])
