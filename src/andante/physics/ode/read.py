"""Many bodies read at once: ODE writes into arrays of panda3d that numpy looks into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from panda3d import core, ode

from andante.compiling import njit
from andante.geometry import Array


def shared(count: int, width: int) -> tuple[Any, np.ndarray]:
    """An array of panda3d and what numpy sees of it, (count, width) float32."""
    kind = core.PTA_LVecBase3f if width == 3 else core.PTA_LVecBase4f
    array = kind.emptyArray(count or 1)
    return array, np.frombuffer(array, dtype=np.float32).reshape(-1, width)[:count]


class PoseReader:
    """Positions and quaternions of bodies."""

    def __init__(self, bodies: Sequence[ode.OdeBody]) -> None:
        self._position, self.position = shared(len(bodies), 3)
        self._quaternion, self.quaternion = shared(len(bodies), 4)  # w x y z
        self._get = [(i, body.getPosition, body.getQuaternion) for i, body in enumerate(bodies)]

    def read(self) -> None:
        """Bring `position` (n, 3) and `quaternion` (n, 4), w first, up to date."""
        position, quaternion = self._position, self._quaternion
        for i, get_position, get_quaternion in self._get:
            position[i] = get_position()
            quaternion[i] = get_quaternion()


class StateReader(PoseReader):
    """Positions, quaternions and velocities of bodies."""

    def __init__(self, bodies: Sequence[ode.OdeBody]) -> None:
        super().__init__(bodies)
        self._linear, self.linear = shared(len(bodies), 3)
        self._angular, self.angular = shared(len(bodies), 3)
        self._get_speed = [(i, body.getLinearVel, body.getAngularVel) for i, body in enumerate(bodies)]

    def read(self) -> None:
        """Bring the poses, `linear` and `angular` (n, 3) up to date."""
        super().read()
        linear, angular = self._linear, self._angular
        for i, get_linear, get_angular in self._get_speed:
            linear[i] = get_linear()
            angular[i] = get_angular()

    def origins(self, com: Array, poses: Array, speeds: Array) -> None:
        """Fill poses (n, 7) and velocities (n, 6) of the body origins; `com` (n, 3) are the centers of mass there."""
        self.read()
        _origins(self.position, self.quaternion, self.linear, self.angular, com, poses, speeds)


@njit()
def _origins(
    position: np.ndarray, quaternion: np.ndarray, linear: np.ndarray, angular: np.ndarray, com: Array, poses: Array,
    speeds: Array,
) -> None:  # fmt: skip
    """p - R c and v - w x R c of every body."""
    for i in range(len(position)):
        w, x, y, z = quaternion[i, 0], quaternion[i, 1], quaternion[i, 2], quaternion[i, 3]
        c0, c1, c2 = com[i, 0], com[i, 1], com[i, 2]
        t0, t1, t2 = 2.0 * (y * c2 - z * c1), 2.0 * (z * c0 - x * c2), 2.0 * (x * c1 - y * c0)
        r0 = c0 + w * t0 + y * t2 - z * t1
        r1 = c1 + w * t1 + z * t0 - x * t2
        r2 = c2 + w * t2 + x * t1 - y * t0
        poses[i, 0], poses[i, 1], poses[i, 2] = position[i, 0] - r0, position[i, 1] - r1, position[i, 2] - r2
        poses[i, 3], poses[i, 4], poses[i, 5], poses[i, 6] = x, y, z, w
        a0, a1, a2 = angular[i, 0], angular[i, 1], angular[i, 2]
        speeds[i, 0] = linear[i, 0] - (a1 * r2 - a2 * r1)
        speeds[i, 1] = linear[i, 1] - (a2 * r0 - a0 * r2)
        speeds[i, 2] = linear[i, 2] - (a0 * r1 - a1 * r0)
        speeds[i, 3], speeds[i, 4], speeds[i, 5] = a0, a1, a2
