"""`Chain`: the joints between two links, with forward and inverse kinematics and Jacobians; its kernel tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput, UnknownName
from andante.geometry import Array, so3

from .ik.kernels import PRISMATIC, REVOLUTE, ROW, SHIFT, TILT, TIP, TURN, analytic_map, forward, geometric
from .ik.options import DEFAULTS, FLOAT, ONE, Options, Result, as_targets, complain, solve_batch, solver_options
from .ik.solver import solve_one


@dataclass(frozen=True)
class Fixed:
    """A step of a chain that does not move."""

    matrix: Array  # (4, 4)


@dataclass(frozen=True)
class Moving:
    """A step that turns about or slides along an axis by multiplier * variable + offset."""

    axis: Array  # (3,) unit vector
    prismatic: bool
    variable: str
    multiplier: float = 1.0
    offset: float = 0.0


Step = Fixed | Moving


def motion(axis: Array, prismatic: bool, value: float) -> Array:
    """(4, 4) matrix of one joint at a position [rad or m]."""
    matrix = np.eye(4)
    if prismatic:
        matrix[:3, 3] = axis * value
    else:
        matrix[:3, :3] = so3.exp(axis * value)
    return matrix


def build_table(steps: Iterable[Step], variables: Sequence[str]) -> Array:
    """Rows (joints + 1, 21) of a chain; each joint's frame is turned until its axis is z."""
    index = {name: i for i, name in enumerate(variables)}
    table: list[Array] = []
    gathered = np.eye(4)
    for step in steps:
        if isinstance(step, Fixed):
            gathered = gathered @ step.matrix
            continue
        align = np.eye(4)
        align[:3, :3] = so3.between([0.0, 0.0, 1.0], step.axis)
        if step.offset:
            gathered = gathered @ motion(step.axis, step.prismatic, step.offset)
        kind = PRISMATIC if step.prismatic else REVOLUTE
        table.append(_row(gathered @ align, kind, index[step.variable], step.multiplier))
        gathered = align.T.copy()
    table.append(_row(gathered, TIP, 0, 0.0))
    return _split(np.array(table))


def _row(matrix: Array, kind: float, variable: int, multiplier: float) -> Array:
    row = np.zeros(ROW)
    row[:9], row[9:12] = matrix[:3, :3].ravel(), matrix[:3, 3]
    row[12:15] = kind, variable, multiplier
    return row


def _split(table: Array) -> Array:
    """The table with every rotation but the first as R = Rz(a) Rx(b) Rz(c), which takes fewer products to apply.

    Turns about z go into the joints beside them: c into the joint that follows, a into the one before, so that
    column `TURN` of a joint is c of its own row plus a of the next; a also turns the translation of its row.
    """
    for before, row in pairwise(table):
        R = row[:9].reshape(3, 3)
        sine = np.hypot(R[0, 2], R[1, 2])
        a = np.arctan2(R[0, 2], -R[1, 2]) if sine > 0.0 else 0.0
        turned = so3.exp([0.0, 0.0, -a])
        c = np.arctan2(-(turned @ R)[0, 1], (turned @ R)[0, 0])  # fits a, also where the axes are nearly parallel
        before[TURN] += a
        row[TURN] = c
        row[TILT], row[TILT + 1] = R[2, 2], sine
        row[SHIFT : SHIFT + 3] = turned @ row[9:12]
    return table


def renumbered(table: Array, numbers: Mapping[int, int]) -> Array:
    """The table with other variable numbers."""
    copy = table.copy()
    for row in copy[:-1]:
        row[13] = numbers[int(row[13])]
    return copy


def middle_of(lower: Array, upper: Array) -> Array:
    """The middle of limits (n,), 0 (or the limit next to it) where they are not both finite; read-only."""
    both = np.isfinite(lower) & np.isfinite(upper)
    half = 0.5 * (np.where(both, lower, 0.0) + np.where(both, upper, 0.0))
    made = np.where(both, half, np.clip(0.0, lower, upper))
    made.setflags(write=False)
    return made


def vector_of(positions: Mapping[str, float], names: Sequence[str], middle: Array) -> Array:
    """Positions (n,) by name; those that the mapping lacks from `middle`."""
    return np.array([positions.get(name, middle[i]) for i, name in enumerate(names)], dtype=float)


@dataclass(frozen=True, eq=False)
class Chain:
    """Steps from a base to a tip; positions q follow `joint_names`.

    Joints in `held` stand at the given position and are no part of q: mimic joints whose source is elsewhere on the
    robot follow a held source.
    """

    base: str
    tip: str
    steps: tuple[Step, ...]
    bounds: Mapping[str, tuple[float, float]]  # of every variable [rad, m]
    held: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = self.variables
        for name, value in self.held.items():
            UnknownName.check("joint", name, known, self.name)
            if not np.isfinite(value):
                raise BadInput(f"{self.name}: joint {name!r} is held at {value}; give a finite position")

    # ---- what it is made of ---------------------------------------------------------------------
    @property
    def name(self) -> str:
        """How messages call the chain."""
        return f"chain {self.base!r} to {self.tip!r}"

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """All joints that move the chain, held ones too, from base to tip."""
        return tuple(dict.fromkeys(step.variable for step in self.steps if isinstance(step, Moving)))

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """The joints of q from base to tip."""
        return tuple(name for name in self.variables if name not in self.held)

    @cached_property
    def limits(self) -> tuple[Array, Array]:
        """Lower and upper bounds of q [rad, m]; infinite where there are none."""
        pairs = np.array([self.bounds[name] for name in self.joint_names], dtype=float).reshape(-1, 2)
        pairs.setflags(write=False)
        return pairs[:, 0], pairs[:, 1]

    def hold(self, values: Mapping[str, float]) -> Chain:
        """The chain with these joints standing still at the given positions [rad, m]."""
        return Chain(self.base, self.tip, self.steps, self.bounds, {**self.held, **values})

    def release(self, *names: str) -> Chain:
        """The chain with these held joints as variables."""
        UnknownName.check("held joint", names, self.held, self.name)
        kept = {name: value for name, value in self.held.items() if name not in names}
        return Chain(self.base, self.tip, self.steps, self.bounds, kept)

    def vector(self, positions: Mapping[str, float]) -> Array:
        """q out of a mapping such as a named pose; joints that it lacks are at the middle of their range."""
        return vector_of(positions, self.joint_names, self.middle)

    @cached_property
    def middle(self) -> Array:
        """The middle of the limits, 0 for joints without: where a solve starts when no start is given."""
        return middle_of(*self.limits)

    # ---- what the kernels read ------------------------------------------------------------------
    @cached_property
    def table(self) -> Array:
        """Rows of the kernels, held joints folded in."""
        steps: list[Step] = []
        for step in self.steps:
            if isinstance(step, Moving) and step.variable in self.held:
                value = step.multiplier * self.held[step.variable] + step.offset
                steps.append(Fixed(motion(step.axis, step.prismatic, value)))
            else:
                steps.append(step)
        return build_table(steps, self.joint_names)

    @cached_property
    def layout(self) -> np.ndarray:
        """(1, 3 + n): rows and variables of the one chain."""
        n = len(self.joint_names)
        return np.array([[0, len(self.table), n, *range(n)]], dtype=np.int64)

    @cached_property
    def kernel_bounds(self) -> Array:
        """(1, n, 3): lower, upper, and 1 where a whole turn changes nothing."""
        turning = dict.fromkeys(self.joint_names, True)
        for step in self.steps:
            if isinstance(step, Moving) and (step.prismatic or not float(step.multiplier).is_integer()):
                turning[step.variable] = False
        lower, upper = self.limits
        free = np.isinf(lower) & np.isinf(upper) & np.array([turning[name] for name in self.joint_names], dtype=bool)
        return np.stack([lower, upper, free.astype(float)], axis=-1)[None]

    @cached_property
    def _kernel(self) -> tuple[Array, np.ndarray, Array, Array, int]:
        """All that a solve reads, and the number of joints."""
        return self.table, self.layout, self.kernel_bounds, self.middle, len(self.joint_names)

    # ---- forward --------------------------------------------------------------------------------
    def fk(self, q: ArrayLike) -> Array:
        """Pose of the tip in the base frame, (..., n) -> (..., 4, 4) [m]."""
        flat, batch = self._flat(q)
        return forward(self.table, flat).reshape(*batch, 4, 4)

    def coordinates(self, q: ArrayLike) -> Array:
        """x y z yaw pitch roll of the tip in the base frame, (..., n) -> (..., 6): the form of targets [m, rad]."""
        pose = self.fk(q)
        return np.concatenate([pose[..., :3, 3], so3.to_rpy(pose[..., :3, :3])[..., ::-1]], axis=-1)

    def jacobian(self, q: ArrayLike, axes: str = "base") -> Array:
        """Geometric Jacobian (..., 6, n): velocity of the tip over joint velocities, linear rows first.

        In the axes of the base, or of the tip with axes="tool" [m/rad, rad/rad].
        """
        UnknownName.check("axes", axes, ("base", "tool"))
        flat, batch = self._flat(q)
        return geometric(self.table, flat, axes == "tool").reshape(*batch, 6, len(self.joint_names))

    def analytic_jacobian(self, q: ArrayLike, angles: str = "rpy") -> Array:
        """d(x, y, z, angles)/dq, (..., 6, n); angles are roll, pitch, yaw ("rpy") or Euler angles ("zyz")."""
        jacobian = self.jacobian(q)
        rates = analytic_map(self.fk(q)[..., :3, :3], angles)
        return np.concatenate([jacobian[..., :3, :], rates @ jacobian[..., 3:, :]], axis=-2)

    def _flat(self, q: ArrayLike) -> tuple[Array, tuple[int, ...]]:
        array = np.ascontiguousarray(q, dtype=float)
        n = len(self.joint_names)
        if array.shape[-1:] != (n,):
            raise BadInput(
                f"{self.name} takes {n} joint positions ({', '.join(self.joint_names)}), got shape {array.shape}"
            )
        batch = array.shape[:-1]
        return array.reshape(-1, n) if n else array.reshape(int(np.prod(batch)), 0), batch

    # ---- inverse --------------------------------------------------------------------------------
    def ik(
        self, target: ArrayLike, start: ArrayLike | None = None, *, threads: int = 1, **options: Unpack[Options]
    ) -> Result[Any, Any, Any]:
        """Joint positions that bring the tip to x y z yaw pitch roll in the base frame; NaN = free coordinate.

        Minimizes w_p |position gap|² + w_a |angle gap|² over the coordinates that count. A target out of reach ends at
        the optimum with converged = False. One target gives a `Solution`; (m, 6) targets give `Solutions`, arrays over
        m with the same numbers as m single calls.

        start: (n,), or (m, n) for a batch [rad, m]; a little outside the limits it is cut, further out it is refused;
        the middle of the limits when left out.
        threads: of a batch. The other keywords are those of `andante.kinematics.ik.options.Options`:
        axes: whose axes a partly free position or angle is meant in, "base" or "tool".
        weights: of position and angle. limits: keep to the joint limits. restarts: attempts from random places
        (by `seed`) when the first does not arrive. tolerance: on the norm of the gap [m, rad].
        max_iterations: steps per attempt. Defaults: "base", (1, 1), True, 300, 1e-6, 200 and seed 0.
        """
        wanted = solver_options(**options) if options else DEFAULTS
        table, layout, bounds, middle, n = self._kernel
        # most calls bring one target as an array that can be read as it is
        if type(target) is np.ndarray and target.shape == ONE and target.dtype is FLOAT and target.flags.carray:
            targets = target
        else:
            targets = as_targets(target)
        if n == 0:
            raise BadInput(f"{self.name} has no movable joint; choose links with joints between them")
        begin = middle if start is None else np.asarray(start, dtype=float)
        if targets.ndim == 1:
            if begin.shape != (n,):
                raise self._bad_start(begin)
            q = begin.copy()
            error, iterations, status = solve_one(table, layout, bounds, targets, wanted, q)
            if status < 0.0:
                raise complain(targets, begin, self.joint_names, self.limits)
            return Result(q, status > 0.0, error, iterations)
        if begin.shape not in ((n,), (len(targets), n)):
            raise self._bad_start(begin)
        begin = np.broadcast_to(begin, (len(targets), n))
        out = solve_batch(self.table, self.layout, self.kernel_bounds, targets, begin, wanted, threads)
        if np.any(out[:, n + 2] < 0.0):
            raise complain(targets, begin, self.joint_names, self.limits)
        return Result(out[:, :n].copy(), out[:, n + 2] > 0.0, out[:, n].copy(), out[:, n + 1].astype(np.int64))

    def _bad_start(self, start: Array) -> BadInput:
        n = len(self.joint_names)
        return BadInput(
            f"{self.name} starts from {n} joint positions ({', '.join(self.joint_names)}), got shape {start.shape}"
        )
