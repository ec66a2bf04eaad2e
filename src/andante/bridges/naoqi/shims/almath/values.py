"""Values of almath: positions, poses, rotations, transforms.

Matrices are numpy arrays inside; R = Rz(wz) Ry(wy) Rx(wx). Written on the geometry of Andante.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from andante.geometry import so3

NEAR = 1e-4


class _Numbers:
    """Named numbers that can be added, scaled, compared and listed."""

    names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *given: Any) -> None:
        values: Sequence[Any] = given
        if len(given) == 1 and isinstance(given[0], _Numbers):
            values = given[0].toVector()
        elif len(given) == 1 and isinstance(given[0], list | tuple | np.ndarray):
            values = list(given[0])
        elif len(given) == 1:
            values = list(given) * len(self.names)
        if len(values) not in (0, len(self.names)):
            raise RuntimeError(f"ALMath: {type(self).__name__} has {len(self.names)} numbers, got {len(values)}")
        for k, name in enumerate(self.names):
            setattr(self, name, float(values[k]) if values else 0.0)

    def toVector(self) -> list[float]:
        """Its numbers."""
        return [getattr(self, name) for name in self.names]

    def __iter__(self) -> Iterator[float]:
        return iter(self.toVector())

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, k: int) -> float:
        return self.toVector()[k]

    def __add__(self, other: _Numbers) -> Any:
        return type(self)([a + b for a, b in zip(self, other, strict=True)])

    def __sub__(self, other: _Numbers) -> Any:
        return type(self)([a - b for a, b in zip(self, other, strict=True)])

    def __neg__(self) -> Any:
        return type(self)([-a for a in self])

    def __pos__(self) -> Any:
        return type(self)(self.toVector())

    def __mul__(self, other: Any) -> Any:
        return type(self)([a * float(other) for a in self])

    def __rmul__(self, other: float) -> Any:
        return type(self)([a * float(other) for a in self])

    def __truediv__(self, other: float) -> Any:
        return type(self)([a / float(other) for a in self])

    __div__ = __truediv__

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.toVector() == other.toVector()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={v:g}' for n, v in zip(self.names, self, strict=True))})"

    def isNear(self, other: _Numbers, epsilon: float = NEAR) -> bool:
        """Whether all numbers are that near."""
        return all(abs(a - b) <= epsilon for a, b in zip(self, other, strict=True))

    def norm(self) -> float:
        """The root of the sum of squares."""
        return math.sqrt(sum(a * a for a in self))

    def distance(self, other: _Numbers) -> float:
        """Between two of a kind."""
        return float((self - other).norm())

    def normalize(self) -> Any:
        """The same direction with length 1."""
        return self / (self.norm() or 1.0)


class Position2D(_Numbers):
    """x, y [m]."""

    names = ("x", "y")
    x: float
    y: float


class Position3D(_Numbers):
    """x, y, z [m]."""

    names = ("x", "y", "z")
    x: float
    y: float
    z: float

    def dotProduct(self, other: Position3D) -> float:
        """Scalar product."""
        return float(np.dot(self.toVector(), other.toVector()))

    def crossProduct(self, other: Position3D) -> Position3D:
        """Vector product."""
        return Position3D(np.cross(self.toVector(), other.toVector()).tolist())


class Position6D(_Numbers):
    """x, y, z [m], wx, wy, wz [rad]."""

    names = ("x", "y", "z", "wx", "wy", "wz")
    x: float
    y: float
    z: float
    wx: float
    wy: float
    wz: float


class Velocity3D(_Numbers):
    """xd, yd, zd [m/s]."""

    names = ("xd", "yd", "zd")


class Velocity6D(_Numbers):
    """xd, yd, zd [m/s], wxd, wyd, wzd [rad/s]."""

    names = ("xd", "yd", "zd", "wxd", "wyd", "wzd")


class Rotation3D(_Numbers):
    """wx, wy, wz [rad]."""

    names = ("wx", "wy", "wz")
    wx: float
    wy: float
    wz: float


class Quaternion(_Numbers):
    """w, x, y, z."""

    names = ("w", "x", "y", "z")
    w: float
    x: float
    y: float
    z: float


class Pose2D(_Numbers):
    """x, y [m], theta [rad]; poses are composed by *."""

    names = ("x", "y", "theta")
    x: float
    y: float
    theta: float

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Pose2D):
            c, s = math.cos(self.theta), math.sin(self.theta)
            return Pose2D(
                self.x + c * other.x - s * other.y, self.y + s * other.x + c * other.y, self.theta + other.theta
            )
        if isinstance(other, Position2D):
            c, s = math.cos(self.theta), math.sin(self.theta)
            return Position2D(self.x + c * other.x - s * other.y, self.y + s * other.x + c * other.y)
        return super().__mul__(other)

    def inverse(self) -> Pose2D:
        """The way back."""
        c, s = math.cos(self.theta), math.sin(self.theta)
        return Pose2D(-c * self.x - s * self.y, s * self.x - c * self.y, -self.theta)

    def diff(self, other: Pose2D) -> Pose2D:
        """The other pose as seen from this one."""
        out: Pose2D = self.inverse() * other
        return out

    def getAngle(self) -> float:
        """Direction of x, y [rad]."""
        return math.atan2(self.y, self.x)

    def norm(self) -> float:
        """Length of x, y."""
        return math.hypot(self.x, self.y)


class _Matrix:
    """A square matrix with numbers r1_c1 ..."""

    size = 3
    last = 3  # rows with names

    def __init__(self, given: Any = None, *more: Any) -> None:
        self._m = np.eye(self.size)
        if isinstance(given, _Matrix):
            self._m = given._m.copy()
        elif given is not None:
            values = [given, *more] if more else list(given)
            count = len(values)
            if count == self.size * self.size:
                self._m = np.array(values, dtype=float).reshape(self.size, self.size)
            elif count == self.last * self.size:
                self._m[: self.last] = np.array(values, dtype=float).reshape(self.last, self.size)
            elif count == 3 and self.size == 4:
                self._m[:3, 3] = values
            else:
                raise RuntimeError(f"ALMath: {type(self).__name__} has {self.size**2} numbers, got {count}")

    def __getattr__(self, name: str) -> float:
        if len(name) == 5 and name[0] == "r" and name[2:4] == "_c":
            return float(self._m[int(name[1]) - 1, int(name[4]) - 1])
        raise AttributeError(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if len(name) == 5 and name[0] == "r" and name[2:4] == "_c":
            self._m[int(name[1]) - 1, int(name[4]) - 1] = float(value)
        else:
            object.__setattr__(self, name, value)

    @classmethod
    def _of(cls, matrix: Any) -> Any:
        made = cls()
        made._m = np.array(matrix, dtype=float)
        return made

    def toVector(self) -> list[float]:
        """Its numbers row by row."""
        return [float(v) for v in self._m.ravel()]

    def inverse(self) -> Any:
        """The inverse."""
        return self._of(np.linalg.inv(self._m))

    def isNear(self, other: _Matrix, epsilon: float = NEAR) -> bool:
        """Whether all numbers are that near."""
        return bool((np.abs(self._m - other._m) <= epsilon).all())

    def determinant(self) -> float:
        """Of the rotation."""
        return float(np.linalg.det(self._m[:3, :3]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Matrix) and bool((self._m == other._m).all())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}\n{self._m}"


class Rotation(_Matrix):
    """A rotation (3, 3)."""

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Position3D):
            return Position3D((self._m @ np.array(other.toVector())).tolist())
        return Rotation._of(self._m @ other._m)

    def transpose(self) -> Rotation:
        """The inverse of a rotation."""
        out: Rotation = Rotation._of(self._m.T)
        return out


class Transform(_Matrix):
    """A pose (4, 4): 16 or 12 numbers row by row, a place, or nothing."""

    size = 4

    def __init__(self, *given: Any) -> None:
        if len(given) == 2 and isinstance(given[0], Rotation):
            super().__init__()
            self._m[:3, :3], self._m[:3, 3] = given[0]._m, given[1].toVector()
        elif len(given) == 1 and isinstance(given[0], str):
            super().__init__()
        else:
            super().__init__(*given)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Position3D):
            return Position3D((self._m @ np.array([*other.toVector(), 1.0]))[:3].tolist())
        return Transform._of(self._m @ other._m)

    def __imul__(self, other: Any) -> Any:
        self._m = self._m @ other._m
        return self

    def norm(self) -> float:
        """Length of the place."""
        return float(np.linalg.norm(self._m[:3, 3]))

    def distance(self, other: Transform) -> float:
        """Between places."""
        return float(np.linalg.norm(self._m[:3, 3] - other._m[:3, 3]))

    def diff(self, other: Transform) -> Transform:
        """The other pose as seen from this one."""
        out: Transform = self.inverse() * other
        return out

    @staticmethod
    def fromRotX(angle: float) -> Transform:
        """Turned about x."""
        return made((0.0, 0.0, 0.0), turned(angle, 0.0, 0.0))

    @staticmethod
    def fromRotY(angle: float) -> Transform:
        """Turned about y."""
        return made((0.0, 0.0, 0.0), turned(0.0, angle, 0.0))

    @staticmethod
    def fromRotZ(angle: float) -> Transform:
        """Turned about z."""
        return made((0.0, 0.0, 0.0), turned(0.0, 0.0, angle))

    @staticmethod
    def fromPosition(*values: float) -> Transform:
        """A place, or a place and angles."""
        x, y, z, wx, wy, wz = [*values, 0.0, 0.0, 0.0][:6]
        return made((x, y, z), turned(wx, wy, wz))

    @staticmethod
    def from3DRotation(wx: float, wy: float, wz: float) -> Transform:
        """Turned by three angles."""
        return made((0.0, 0.0, 0.0), turned(wx, wy, wz))


def turned(wx: float, wy: float, wz: float) -> Any:
    """Rz(wz) Ry(wy) Rx(wx)."""
    return np.asarray(so3.from_rpy((wx, wy, wz)), dtype=float)


def made(place: Iterable[float], turn: Any) -> Transform:
    """A transform of a place and a rotation."""
    out = Transform()
    out._m[:3, :3], out._m[:3, 3] = turn, list(place)
    return out
