"""Whole-robot inverse kinematics: all legs of a robot in one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from .chain import Chain
from .ik.kernels import compiled, place
from .ik.options import Result, Solutions, complain, solver_options
from .ik.solver import solve


@dataclass(frozen=True, eq=False)
class Legs:
    """Chains that share no joint; q is theirs one after the other, as in `joint_names`.

    With `bases`, the poses of the chains' own bases in a frame that is common to all, targets and tips are in that
    frame; without, each in the frame of its own base.
    """

    chains: tuple[Chain, ...]
    bases: Array | None = None  # (legs, 4, 4)

    def __post_init__(self) -> None:
        if self.bases is not None and np.shape(self.bases) != (len(self.chains), 4, 4):
            raise BadInput(f"{len(self.chains)} legs need bases of shape ({len(self.chains)}, 4, 4)")
        if not self.chains:
            raise BadInput("a robot without legs: give at least one chain")
        seen: dict[str, Chain] = {}
        for chain in self.chains:
            if not chain.joint_names:
                raise BadInput(f"{chain.name} has no movable joint; choose links with joints between them")
            for name in chain.joint_names:
                if name in seen:
                    raise BadInput(
                        f"joint {name!r} is in {seen[name].name} and in {chain.name}; hold it in one of them, "
                        f"or use Parallel, which solves shared joints as one variable"
                    )
                seen[name] = chain

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """The joints of all legs, leg by leg."""
        return tuple(name for chain in self.chains for name in chain.joint_names)

    @cached_property
    def table(self) -> Array:
        """Kernel rows of all chains."""
        made = np.concatenate([chain.table for chain in self.chains])
        if self.bases is not None:
            for first, base in zip(self.layout[:, 0], self.bases, strict=True):
                rotation, origin = made[first, :9].reshape(3, 3).copy(), made[first, 9:12].copy()
                made[first, :9] = (base[:3, :3] @ rotation).ravel()
                made[first, 9:12] = base[:3, :3] @ origin + base[:3, 3]
        return made

    @cached_property
    def layout(self) -> np.ndarray:
        """(legs, 3 + widest): rows and variables of each chain."""
        made = np.zeros((len(self.chains), 3 + self._widest), dtype=np.int64)
        row = 0
        for index, chain in enumerate(self.chains):
            count = len(chain.joint_names)
            made[index, :3] = row, row + len(chain.table), count
            made[index, 3 : 3 + count] = np.arange(count)
            row += len(chain.table)
        return made

    @cached_property
    def kernel_bounds(self) -> Array:
        """(legs, widest, 3): limits of each leg."""
        made = np.zeros((len(self.chains), self._widest, 3))
        for index, chain in enumerate(self.chains):
            made[index, : len(chain.joint_names)] = chain.kernel_bounds[0]
        return made

    @property
    def limits(self) -> tuple[Array, Array]:
        """Lower and upper bounds of q [rad, m]."""
        lower, upper = zip(*(chain.limits for chain in self.chains), strict=True)
        return np.concatenate(lower), np.concatenate(upper)

    @cached_property
    def middle(self) -> Array:
        """The middle of the limits of all joints."""
        return np.concatenate([chain.middle for chain in self.chains])

    @cached_property
    def _widest(self) -> int:
        return max(len(chain.joint_names) for chain in self.chains)

    @cached_property
    def _cells(self) -> np.ndarray:
        """Where each joint stands in the flattened (legs, widest + 3) rows of the kernel."""
        width = self._widest + 3
        counts = [len(chain.joint_names) for chain in self.chains]
        return np.concatenate([index * width + np.arange(count) for index, count in enumerate(counts)])

    def fk(self, q: ArrayLike) -> Array:
        """Poses (legs, 4, 4) of all tips at joint positions (joints,)."""
        positions = np.ascontiguousarray(q, dtype=float)
        if positions.shape != (len(self.joint_names),):
            raise BadInput(f"{len(self.joint_names)} joint positions are needed, got shape {positions.shape}")
        out = np.empty((len(self.chains), 4, 4))
        _tips(self.table, self.layout, positions, out)
        return out

    def ik(self, targets: ArrayLike, start: ArrayLike | None = None, **options: Any) -> Solutions:
        """Each leg's tip to its target x y z yaw pitch roll (NaN = free), (legs, 6), in one call.

        q is (joints,); converged, error and iterations are arrays over the legs. `start` (joints,) and the options are
        those of `Chain.ik`.
        """
        wanted = solver_options(**options)
        goals = np.array(targets, dtype=float, order="C")
        if goals.shape != (len(self.chains), 6):
            raise BadInput(f"{len(self.chains)} legs need targets of shape ({len(self.chains)}, 6), got {goals.shape}")
        begin = self.middle if start is None else np.asarray(start, dtype=float)
        if begin.shape != (len(self.joint_names),):
            raise BadInput(
                f"the start needs {len(self.joint_names)} joint positions ({', '.join(self.joint_names)}), "
                f"got shape {begin.shape}"
            )
        out = np.zeros((len(self.chains), self._widest + 3))
        out.ravel()[self._cells] = begin
        solve(self.table, self.layout, self.kernel_bounds, goals, wanted, out)
        status = out[:, -1]
        if min(status.tolist()) < 0.0:  # of a few legs quicker than numpy's
            raise complain(goals, begin, self.joint_names, self.limits)
        return Result(out.ravel()[self._cells], status > 0.0, out[:, -3], out[:, -2].astype(np.int64))


@compiled
def _tips(table: Array, layout: np.ndarray, q: Array, out: Array) -> None:
    """Poses of the tips of chains whose joint positions follow each other in q."""
    legs = layout.shape[0]
    axes, poses = np.empty((1, table.shape[0], 6)), np.empty((1, 12))
    begin = 0
    for leg in range(legs):
        place(table, layout[leg, 0], layout[leg, 1], q[begin : begin + layout[leg, 2]], axes, poses, 0)
        begin += layout[leg, 2]
        for i in range(3):
            for j in range(3):
                out[leg, i, j] = poses[0, 3 * i + j]
            out[leg, i, 3] = poses[0, 9 + i]
            out[leg, 3, i] = 0.0
        out[leg, 3, 3] = 1.0


@lru_cache(maxsize=64)
def _legs(chains: tuple[Chain, ...]) -> Legs:
    return Legs(chains)


def solve_legs(
    chains: Sequence[Chain], targets: ArrayLike, start: ArrayLike | None = None, **options: Any
) -> Solutions:
    """`Legs(chains).ik(targets, start)`; the tables of the same chains are kept from call to call."""
    return _legs(tuple(chains)).ik(targets, start, **options)
