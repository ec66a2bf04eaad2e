"""Rigid motions SE(3): one immutable value `SE3` over (..., 4, 4) matrices with batch axes.

`world_from_foot @ foot_from_toe` composes, `world_from_foot @ points` moves points (..., 3).
"""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from . import so3
from ._types import Array


class SE3:
    """A pose (or a batch of poses): x' = R x + t. Immutable; frames are named `target_from_source`."""

    __slots__ = ("matrix",)
    matrix: Array  # (..., 4, 4), read-only

    def __init__(self, matrix: ArrayLike) -> None:
        m = np.array(matrix, dtype=float)
        if m.shape[-2:] != (4, 4):
            raise ValueError(f"a pose needs a (..., 4, 4) matrix, got shape {m.shape}")
        m.setflags(write=False)
        object.__setattr__(self, "matrix", m)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("SE3 is immutable")

    def __reduce__(self) -> tuple[Any, ...]:
        return (SE3, (np.array(self.matrix),))

    # ---- constructors -------------------------------------------------------------------------
    @staticmethod
    def identity(*batch: int) -> SE3:
        """The pose that moves nothing, repeated over the batch shape."""
        return SE3(np.broadcast_to(np.eye(4), (*batch, 4, 4)))

    @staticmethod
    def from_parts(rotation: ArrayLike, translation: ArrayLike) -> SE3:
        """Pose of a rotation matrix (..., 3, 3) and a translation (..., 3) [m]."""
        R, t = np.asarray(rotation, dtype=float), np.asarray(translation, dtype=float)
        batch = np.broadcast_shapes(R.shape[:-2], t.shape[:-1])
        m = np.zeros((*batch, 4, 4))
        m[..., :3, :3], m[..., :3, 3], m[..., 3, 3] = R, t, 1.0
        return SE3(m)

    @staticmethod
    def from_xyz_rpy(xyz: ArrayLike = (0, 0, 0), rpy: ArrayLike = (0, 0, 0)) -> SE3:
        """Pose of a position [m] and roll, pitch, yaw [rad], as in URDF and SDF."""
        return SE3.from_parts(so3.from_rpy(rpy), xyz)

    @staticmethod
    def from_xyz_quaternion(xyz: ArrayLike, quaternion: ArrayLike) -> SE3:
        """Pose of a position [m] and a quaternion x y z w."""
        return SE3.from_parts(so3.from_quaternion(quaternion), xyz)

    @staticmethod
    def from_vector(pose: ArrayLike) -> SE3:
        """Pose of (..., 7) numbers x y z qx qy qz qw, the form engines and messages use."""
        p = np.asarray(pose, dtype=float)
        return SE3.from_xyz_quaternion(p[..., :3], p[..., 3:])

    @staticmethod
    def exp(twist: ArrayLike) -> SE3:
        """Exponential of a twist (v, w): (..., 6) -> pose, t = V(w) v (Murray, Li, Sastry)."""
        twist = np.asarray(twist, dtype=float)
        v, w = twist[..., :3], twist[..., 3:]
        return SE3.from_parts(so3.exp(w), (_left_jacobian(w) @ v[..., None])[..., 0])

    # ---- parts --------------------------------------------------------------------------------
    @property
    def rotation(self) -> Array:
        """Rotation matrix (..., 3, 3)."""
        return self.matrix[..., :3, :3]

    @property
    def translation(self) -> Array:
        """Position (..., 3) [m]."""
        return self.matrix[..., :3, 3]

    @property
    def rpy(self) -> Array:
        """Roll, pitch, yaw (..., 3) [rad]."""
        return so3.to_rpy(self.rotation)

    @property
    def quaternion(self) -> Array:
        """Quaternion x y z w (..., 4), w >= 0."""
        return so3.to_quaternion(self.rotation)

    @property
    def vector(self) -> Array:
        """x y z qx qy qz qw (..., 7)."""
        return np.concatenate([self.translation, self.quaternion], axis=-1)

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch shape; () for one pose."""
        return self.matrix.shape[:-2]

    def is_identity(self, tolerance: float = 0.0) -> bool:
        """Whether every pose of the batch moves nothing by more than the tolerance."""
        return bool(np.all(np.abs(self.matrix - np.eye(4)) <= tolerance))

    # ---- group --------------------------------------------------------------------------------
    def inverse(self) -> SE3:
        """The pose that undoes this one: (Rᵀ, -Rᵀ t)."""
        Rt = np.swapaxes(self.rotation, -1, -2)
        return SE3.from_parts(Rt, -(Rt @ self.translation[..., None])[..., 0])

    def log(self) -> Array:
        """Twist (v, w) with exp(twist) = pose; (..., 6)."""
        w = so3.log(self.rotation)
        v = np.linalg.solve(_left_jacobian(w), self.translation[..., None])[..., 0]
        return np.concatenate([v, w], axis=-1)

    @overload
    def __matmul__(self, other: SE3) -> SE3: ...
    @overload
    def __matmul__(self, other: ArrayLike) -> Array: ...
    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, SE3):
            return SE3(self.matrix @ other.matrix)
        points = np.asarray(other, dtype=float)
        return (self.rotation @ points[..., None])[..., 0] + self.translation

    def __getitem__(self, key: Any) -> SE3:
        if not self.shape:
            raise IndexError("a single pose cannot be indexed")
        return SE3(self.matrix[key])

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single pose has no length")
        return self.shape[0]

    def __bool__(self) -> bool:
        raise TypeError("a pose is neither true nor false; compare with None or use is_identity()")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SE3) and np.array_equal(self.matrix, other.matrix)

    def __hash__(self) -> int:
        return hash(self.matrix.tobytes())

    def close_to(self, other: SE3, tolerance: float = 1e-9) -> bool:
        """Whether all matrix entries agree within the tolerance."""
        return bool(np.allclose(self.matrix, other.matrix, rtol=0, atol=tolerance))

    def __repr__(self) -> str:
        if self.shape:
            return f"SE3(batch {self.shape})"
        return f"SE3(xyz={self.translation.round(6).tolist()}, rpy={self.rpy.round(6).tolist()})"


def _left_jacobian(w: Array) -> Array:
    """V(w) = I + (1 - cos a)/a² [w] + (a - sin a)/a³ [w]²."""
    angle_squared = np.sum(w * w, axis=-1)
    angle = np.sqrt(angle_squared)
    small = angle < 1e-2
    safe = np.where(small, 1.0, angle)
    b = np.where(small, 0.5 - angle_squared / 24 + angle_squared**2 / 720, (1 - np.cos(safe)) / safe**2)
    c = np.where(small, 1 / 6 - angle_squared / 120 + angle_squared**2 / 5040, (safe - np.sin(safe)) / safe**3)
    skew = so3.hat(w)
    jacobian: Array = np.eye(3) + b[..., None, None] * skew + c[..., None, None] * (skew @ skew)
    return jacobian
