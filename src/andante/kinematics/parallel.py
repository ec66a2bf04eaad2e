"""Parallel robots: a floating base on legs whose feet stay where they are.

Inverse: base pose to joint positions. Forward: joint positions to base pose, by least squares over all feet. Joints
that several legs share (a folding fan, the hip of a humanoid) are one variable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array, so3

from .chain import Chain, Fixed, Moving, Step, build_table, middle_of, renumbered, vector_of
from .ik.kernels import forward
from .ik.options import Result, complain, solve_batch, solver_options
from .paths import chain

FLOATING = ("x", "y", "z", "yaw", "pitch", "roll")


@dataclass(frozen=True)
class BasePose:
    """Where the base is, as determined by the legs."""

    pose: Array  # (4, 4) world_from_base
    converged: bool  # the feet fit together within the tolerance
    error: float  # norm of what is missing over all feet [m, rad]
    iterations: int


@dataclass(frozen=True, eq=False)
class Parallel:
    """Chains from one base to feet; q follows `joint_names`, each shared joint once."""

    chains: tuple[Chain, ...]

    def __post_init__(self) -> None:
        if not self.chains:
            raise BadInput("a parallel robot needs at least one leg")
        bases = sorted({chain.base for chain in self.chains})
        if len(bases) > 1:
            raise BadInput(f"all legs of a parallel robot start at one base, got {', '.join(bases)}")
        for each in self.chains:
            if not each.joint_names:
                raise BadInput(f"{each.name} has no movable joint; choose a foot with joints above it")

    # ---- variables -------------------------------------------------------------------------------
    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """All joints, leg by leg, shared ones where they come first."""
        return tuple(dict.fromkeys(name for each in self.chains for name in each.joint_names))

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """The joints that move more than one leg."""
        counts = [sum(name in each.joint_names for each in self.chains) for name in self.joint_names]
        return tuple(name for name, count in zip(self.joint_names, counts, strict=True) if count > 1)

    @cached_property
    def limits(self) -> tuple[Array, Array]:
        """Lower and upper bounds of q [rad, m], the narrowest of all legs for shared joints."""
        lower, upper = np.full(len(self.joint_names), -np.inf), np.full(len(self.joint_names), np.inf)
        for each, places in zip(self.chains, self._places, strict=True):
            low, high = each.limits
            lower[places], upper[places] = np.maximum(lower[places], low), np.minimum(upper[places], high)
        for name, low, high in zip(self.joint_names, lower, upper, strict=True):
            if low > high:
                raise BadInput(f"the limits of shared joint {name!r} exclude each other: {low} to {high}")
        return lower, upper

    @cached_property
    def middle(self) -> Array:
        """The middle of the limits, 0 for joints without."""
        return middle_of(*self.limits)

    def vector(self, positions: Mapping[str, float]) -> Array:
        """q out of a mapping such as a named pose; joints that it lacks are at the middle of their range."""
        return vector_of(positions, self.joint_names, self.middle)

    @cached_property
    def _places(self) -> list[np.ndarray]:
        """For each leg, where its joints stand in q."""
        index = {name: i for i, name in enumerate(self.joint_names)}
        return [np.array([index[name] for name in each.joint_names]) for each in self.chains]

    @cached_property
    def _tables(self) -> tuple[Array, np.ndarray, Array]:
        """Rows, layout and bounds: as one problem when joints are shared, else leg by leg."""
        joined = bool(self.shared)
        width = len(self.joint_names) if joined else max(map(len, self._places))
        tables, layout = [], np.zeros((len(self.chains), 3 + width), dtype=np.int64)
        lower, upper = self.limits
        bounds = np.zeros((1 if joined else len(self.chains), width, 3))
        row = 0
        for index, (each, places) in enumerate(zip(self.chains, self._places, strict=True)):
            count = len(places)
            numbers = places if joined else np.arange(count)
            tables.append(renumbered(each.table, dict(enumerate(numbers.tolist()))))
            layout[index, : 3 + count] = row, row + len(each.table), count, *numbers
            row += len(each.table)
            # a joint that turns freely in one leg may be bounded by another
            turning = each.kernel_bounds[0, :, 2] * np.isinf(lower[places]) * np.isinf(upper[places])
            bounds[0 if joined else index, numbers] = np.stack([lower[places], upper[places], turning], axis=-1)
        return np.concatenate(tables), layout, bounds

    # ---- forward of the legs ---------------------------------------------------------------------
    def foot_poses(self, q: ArrayLike, base: SE3 | ArrayLike | None = None) -> Array:
        """Poses of all feet, (legs, 4, 4), in the frame of the base pose (the base's own by default)."""
        positions = self._positions(q)
        poses = np.stack(
            [
                forward(each.table, positions[None, places])[0]
                for each, places in zip(self.chains, self._places, strict=True)
            ]
        )
        return poses if base is None else _matrix(base) @ poses

    def _positions(self, q: ArrayLike) -> Array:
        array = np.ascontiguousarray(q, dtype=float)
        if array.shape != (len(self.joint_names),):
            raise BadInput(
                f"{len(self.joint_names)} joint positions are needed ({', '.join(self.joint_names)}), "
                f"got shape {array.shape}"
            )
        return array

    # ---- inverse ---------------------------------------------------------------------------------
    def inverse(
        self,
        base: SE3 | ArrayLike,
        feet: ArrayLike,
        start: ArrayLike | None = None,
        *,
        threads: int = 1,
        **options: Any,
    ) -> Result[Any, Any, Any]:
        """Joint positions with the base at `base` (world_from_base) and the feet where they are.

        base: (4, 4), or (m, 4, 4) for a body motion. feet: (legs, 3) points in the world, or (legs, 4, 4) poses where
        the feet keep their directions too. The result is over all legs together: q (joints,), converged when every
        foot arrives, error the norm over all feet (it is what `tolerance` bounds). Options are those of `Chain.ik`.
        """
        world_from_base = _matrix(base)
        batch = world_from_base.shape[:-2]
        if len(batch) > 1:
            raise BadInput(f"base poses are (4, 4) or (m, 4, 4), got shape {world_from_base.shape}")
        count, legs = int(np.prod(batch)), len(self.chains)
        base_from_world = SE3(world_from_base.reshape(count, 4, 4)).inverse().matrix
        targets = _targets(base_from_world[:, None] @ self._feet(feet), np.ndim(feet) == 3).reshape(-1, 6)
        begin = self.middle if start is None else np.asarray(start, dtype=float)
        if begin.shape not in {(len(self.joint_names),), (count, len(self.joint_names))}:
            self._positions(begin)
        begin = np.broadcast_to(begin, (count, len(self.joint_names)))
        joined = bool(self.shared)
        tolerance = options.pop("tolerance", 1e-6)
        each_leg = tolerance if joined else tolerance / np.sqrt(legs)  # so that all legs together keep the tolerance
        wanted = solver_options(**options, tolerance=each_leg, joined=joined)
        table, layout, bounds = self._tables
        if joined:
            out = solve_batch(table, layout, bounds, targets, begin, wanted, threads)
            q, error, steps, status = out[:, :-3].copy(), out[:, -3].copy(), out[:, -2].astype(np.int64), out[:, -1]
        else:
            spread = np.zeros((count, legs, bounds.shape[1]))
            for index, places in enumerate(self._places):
                spread[:, index, : len(places)] = begin[:, places]
            out = solve_batch(
                table, layout, bounds, targets, spread.reshape(count * legs, -1), wanted, threads
            ).reshape(count, legs, -1)
            q = np.empty((count, len(self.joint_names)))
            for index, places in enumerate(self._places):
                q[:, places] = out[:, index, : len(places)]
            error, steps = np.linalg.norm(out[:, :, -3], axis=1), out[:, :, -2].sum(axis=1).astype(np.int64)
            status = out[:, :, -1].min(axis=1)
        if np.any(status < 0.0):
            raise complain(targets, begin, self.joint_names, self.limits)
        if batch:
            return Result(q, status > 0.0, error, steps)
        return Result(q[0], bool(status[0] > 0.0), float(error[0]), int(steps[0]))

    def _feet(self, feet: ArrayLike) -> Array:
        """(legs, 4, 4) poses of the feet; points get no rotation."""
        array = np.asarray(feet, dtype=float)
        legs = len(self.chains)
        if array.shape not in ((legs, 3), (legs, 4, 4)) or not np.all(np.isfinite(array)):
            raise BadInput(
                f"feet are ({legs}, 3) points or ({legs}, 4, 4) poses of finite numbers, got shape {array.shape}"
            )
        if array.ndim == 3:
            return array
        return SE3.from_parts(np.broadcast_to(np.eye(3), (legs, 3, 3)), array).matrix

    # ---- forward ---------------------------------------------------------------------------------
    def forward(
        self, q: ArrayLike, feet: ArrayLike, start: SE3 | ArrayLike | None = None, tolerance: float = 1e-6
    ) -> BasePose:
        """The base pose at which the feet of joint positions q come nearest to where they are, by least squares.

        feet as in `inverse`. Without `start` (world_from_base) three or more feet begin at the best rigid fit of
        their points. With fewer than three points the rest of the pose stays near the start.
        """
        reached = self.foot_poses(q)
        placed = self._feet(feet)
        if start is not None:
            begin = _matrix(start)
        elif np.ndim(feet) == 3 or len(self.chains) < 3:
            begin = placed[0] @ SE3(reached[0]).inverse().matrix
        else:
            begin = rigid_fit(reached[:, :3, 3], placed[:, :3, 3])
        steps: list[Step] = [Fixed(begin), *FREE_STEPS]
        table = np.concatenate([build_table([*steps, Fixed(pose)], FLOATING) for pose in reached])
        legs, rows = len(reached), len(FLOATING) + 1
        layout = np.array([[i * rows, (i + 1) * rows, 6, *range(6)] for i in range(legs)], dtype=np.int64)
        bounds = np.zeros((1, 6, 3))
        wanted = solver_options(limits=False, restarts=0, tolerance=tolerance, joined=True)
        targets = _targets(placed, np.ndim(feet) == 3)
        out = solve_batch(table, layout, bounds, targets, np.zeros((1, 6)), wanted, 1)[0]
        moved = forward(build_table(steps, FLOATING), np.ascontiguousarray(out[None, :6]))[0]
        return BasePose(moved, bool(out[8] > 0.0), float(out[6]), int(out[7]))


FREE_STEPS: tuple[Moving, ...] = tuple(
    Moving(axis, prismatic, name)
    for name, axis, prismatic in zip(
        FLOATING, (*np.eye(3), *np.eye(3)[::-1]), (True, True, True, False, False, False), strict=True
    )
)


def parallel(
    robot: Robot, feet: Sequence[str], base: str | None = None, held: Mapping[str, float] | None = None
) -> Parallel:
    """The robot as a floating base on its feet; joints that a mimic of several legs follows are one shared variable.

    base: link that floats, the root by default. held: joints that stand still [rad, m].
    """
    if not feet:
        raise BadInput(f"robot {robot.name!r}: name the links of at least one foot")
    still = held or {}
    for name in still:
        robot.joint(name)
    chains = []
    for foot in feet:
        leg = chain(robot, base or robot.root, foot)
        leg = leg.release(*(name for name in leg.held if name not in still))
        chains.append(leg.hold({name: value for name, value in still.items() if name in leg.variables}))
    return Parallel(tuple(chains))


def rigid_fit(points: Array, targets: Array) -> Array:
    """(4, 4) rigid motion that brings points nearest to targets, both (m, 3) (Kabsch 1976)."""
    a, b = points.mean(axis=0), targets.mean(axis=0)
    u, _, vt = np.linalg.svd((points - a).T @ (targets - b))
    R = vt.T @ np.diag([1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T))]) @ u.T
    return SE3.from_parts(R, b - R @ a).matrix


def _targets(poses: Array, whole: bool) -> Array:
    """(..., 6) targets of poses: with angles, or with free angles."""
    made = np.full((*poses.shape[:-2], 6), np.nan)
    made[..., :3] = poses[..., :3, 3]
    if whole:
        made[..., 3:] = so3.to_rpy(poses[..., :3, :3])[..., ::-1]
    return made


def _matrix(pose: SE3 | ArrayLike) -> Array:
    matrix = pose.matrix if isinstance(pose, SE3) else np.asarray(pose, dtype=float)
    if matrix.shape[-2:] != (4, 4) or not np.all(np.isfinite(matrix)):
        raise BadInput(f"a base pose is a (4, 4) matrix of finite numbers, got shape {matrix.shape}")
    return matrix
