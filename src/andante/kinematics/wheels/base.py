"""`WheelBase`: the rows of all wheels of a chassis stacked, and everything that follows from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.errors import BadInput
from andante.geometry import Array

from .wheel import Center, Rows, SphericalWheel, SteeredWheel, SwedishWheel, Wheel, instantaneous_center, steer

_RANK = 1e-7  # singular values below this fraction of the largest count as 0


@dataclass(frozen=True)
class WheelMotion:
    """What the wheels do under a twist (inverse kinematics). N wheels, K of them turn; leading axes as the twist's."""

    speeds: Array  # phi' (..., N) [rad/s]
    angles: Array  # beta of the turning wheels (..., K) [rad]
    rates: Array  # beta' of the turning wheels (..., K): casters follow, steered wheels as commanded [rad/s]
    rollers: Array  # speed of the rollers of Swedish wheels, 0 elsewhere (..., N) [rad/s]
    slip: Array  # sideways speed that the wheel cannot follow (..., N) [m/s]

    @property
    def feasible(self) -> NDArray[np.bool_]:
        """Whether no wheel slides, (...,) of bool (1e-6 m/s)."""
        return np.asarray(np.all(np.abs(self.slip) < 1e-6, axis=-1))


@dataclass(frozen=True)
class ChassisMotion:
    """What the chassis does under wheel speeds (forward kinematics by least squares)."""

    twist: Array  # vx, vy, w (..., 3) [m/s, m/s, rad/s]
    residual: Array  # what each equation misses, rolling rows of all wheels, then sliding rows (..., 2 N) [m/s]
    determined: Array  # whether the equations fix all three numbers, (...,) of bool

    @property
    def slip(self) -> Array:
        """Root of the summed squares of the residual (...,): 0 when all wheels agree [m/s]."""
        return np.asarray(np.sqrt(np.sum(self.residual**2, axis=-1)))


@dataclass(frozen=True)
class Degrees:
    """Degrees of freedom of a kind of base in the sense of Campion, Bastin and D'Andréa-Novel."""

    mobility: int  # of the chassis at once, by wheel speeds alone
    steerability: int  # more of them by turning wheels first

    @property
    def maneuverability(self) -> int:
        """mobility + steerability."""
        return self.mobility + self.steerability


@dataclass(frozen=True)
class WheelBase:
    """Wheels on one rigid chassis.

    Vectors over wheels follow `wheels`; vectors of angles follow `turning`, the indices of steered, caster and
    spherical wheels. Angles are beta; where they are not given the wheels rest.
    """

    wheels: tuple[Wheel, ...]

    def __init__(self, wheels: Iterable[Wheel]) -> None:
        object.__setattr__(self, "wheels", tuple(wheels))
        strangers = [wheel for wheel in self.wheels if not isinstance(wheel, Wheel)]
        if strangers:
            raise BadInput(f"a wheel base takes wheels, got {strangers[0]!r}")

    @cached_property
    def turning(self) -> tuple[int, ...]:
        """Indices of the wheels whose angle changes."""
        return tuple(i for i, wheel in enumerate(self.wheels) if wheel.turns)

    @cached_property
    def binding(self) -> tuple[int, ...]:
        """Indices of the wheels that forbid sideways motion: fixed and steered."""
        return tuple(i for i, wheel in enumerate(self.wheels) if wheel.binds)

    @cached_property
    def rest(self) -> Array:
        """Angles of the turning wheels at rest (K,) [rad]."""
        return np.array([self.wheels[i].angle for i in self.turning])

    @cached_property
    def length(self) -> float:
        """Size of the base [m]: the largest distance of a wheel, by which rad/s and m/s are compared."""
        return max((wheel.distance for wheel in self.wheels), default=0.0) or 1.0

    # ---- matrices --------------------------------------------------------------------------------
    def rolling_matrix(self, angles: ArrayLike | None = None) -> Array:
        """J1 (..., N, 3): J1 twist = J2 phi' (+ scrub beta')."""
        return self._stack(angles)[0]

    @cached_property
    def spin_matrix(self) -> Array:
        """J2 (N, N): r cos(gamma) on the diagonal [m]."""
        return np.diag(np.array([rows.rolling_spin for rows in self._rest_rows]))

    def sliding_matrix(self, angles: ArrayLike | None = None) -> Array:
        """C1 (..., N, 3) of all wheels; only the rows of `binding` wheels equal 0, the others have a free term."""
        return self._stack(angles)[1]

    @cached_property
    def turn_matrix(self) -> Array:
        """C2 (N, K): lead d of each turning wheel in its own row, C1 twist + C2 beta' = 0 for casters [m]."""
        out = np.zeros((len(self.wheels), len(self.turning)))
        for k, i in enumerate(self.turning):
            out[i, k] = self._rest_rows[i].sliding_turn
        return out

    def constraint_matrix(self, angles: ArrayLike | None = None) -> Array:
        """Sliding rows of the binding wheels only (..., B, 3): constraint_matrix @ twist = 0."""
        return self.sliding_matrix(angles)[..., list(self.binding), :]

    @cached_property
    def _rest_rows(self) -> tuple[Rows, ...]:
        return tuple(wheel.rows() for wheel in self.wheels)

    @cached_property
    def _rest_matrices(self) -> tuple[Array, Array]:
        shape = (len(self.wheels), 3)
        rolling = np.array([rows.rolling for rows in self._rest_rows]).reshape(shape)
        return rolling, np.array([rows.sliding for rows in self._rest_rows]).reshape(shape)

    def _stack(self, angles: ArrayLike | None) -> tuple[Array, Array]:
        """J1 and C1 (..., N, 3); only the rows of turning wheels differ from those at rest."""
        beta = self._angles(angles)
        shape = (*beta.shape[:-1], len(self.wheels), 3)
        rolling, sliding = (np.broadcast_to(matrix, shape).copy() for matrix in self._rest_matrices)
        for k, i in enumerate(self.turning):
            rows = self.wheels[i].rows(beta[..., k])
            rolling[..., i, :], sliding[..., i, :] = rows.rolling, rows.sliding
        return rolling, sliding

    def _angles(self, angles: ArrayLike | None) -> Array:
        beta = self.rest if angles is None else np.asarray(angles, dtype=float)
        if beta.shape[-1:] != (len(self.turning),):
            raise BadInput(
                f"this base has {len(self.turning)} turning wheels (indices {list(self.turning)}), "
                f"got angles of shape {beta.shape}"
            )
        return beta

    def _wheel_values(self, values: ArrayLike, what: str) -> Array:
        out = np.asarray(values, dtype=float)
        if out.shape[-1:] != (len(self.wheels),):
            raise BadInput(f"this base has {len(self.wheels)} wheels, got {what} of shape {out.shape}")
        if np.isinf(out).any():
            raise BadInput(f"{what} must be finite or NaN (unknown), got infinity")
        return out

    # ---- inverse and forward ---------------------------------------------------------------------
    def steering_angles(self, twist: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Angles (..., K) under which steered wheels roll along the twist, the turn nearest to `near` (rest) chosen.

        Each wheel has two such angles, half a turn apart; one inside its limits is taken, else the limit. A wheel whose
        pivot stands still keeps its angle, and casters keep theirs. Spherical wheels point along their motion.
        """
        v = _twists(twist)
        now = self._angles(near)
        shape = np.broadcast_shapes(v.shape[:-1], now.shape[:-1])
        out = np.broadcast_to(now, (*shape, now.shape[-1])).copy()
        for k, i in enumerate(self.turning):
            wheel = self.wheels[i]
            if isinstance(wheel, SteeredWheel | SphericalWheel):
                out[..., k] = steer(wheel, v, now[..., k])
        return out

    def inverse(
        self,
        twist: ArrayLike,
        angles: ArrayLike | None = None,
        *,
        near: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
    ) -> WheelMotion:
        """Wheel speeds, angles and rates under a chassis twist (..., 3).

        With `angles` the wheels stand so (and `slip` is what they cannot follow); without, steered wheels are turned
        to the twist, from the angles `near`. `acceleration` is the rate of change of the twist in chassis axes: it
        gives the steering rates, which are 0 without it.
        """
        v = _twists(twist)
        beta = self.steering_angles(v, near) if angles is None else self._angles(angles)
        rolling, sliding = self._stack(beta)
        along, across = (rolling @ v[..., None])[..., 0], (sliding @ v[..., None])[..., 0]
        rates = self._rates(v, beta, across[..., list(self.turning)], acceleration)
        turn = np.zeros_like(along)
        turn[..., list(self.turning)] = rates
        rolling_turn, rolling_spin, sliding_turn, binds = self._factors
        speeds = (along - rolling_turn * turn) / rolling_spin
        slip = np.where(binds > 0, across + sliding_turn * turn, 0.0)
        rollers = np.zeros_like(along)
        for i, wheel in enumerate(self.wheels):
            if isinstance(wheel, SwedishWheel):
                rollers[..., i] = wheel.roller_speed(v)
        shape = along.shape[:-1]
        return WheelMotion(speeds, np.broadcast_to(beta, (*shape, beta.shape[-1])), rates, rollers, slip)

    @cached_property
    def _factors(self) -> tuple[Array, Array, Array, Array]:
        """Per wheel (N,): rolling_turn, rolling_spin, sliding_turn, and 1 where it binds."""
        rows = self._rest_rows
        return (
            np.array([row.rolling_turn for row in rows]),
            np.array([row.rolling_spin for row in rows]),
            np.array([row.sliding_turn for row in rows]),
            np.array([float(wheel.binds) for wheel in self.wheels]),
        )

    def _rates(self, v: Array, beta: Array, across: Array, acceleration: ArrayLike | None) -> Array:
        """beta' of casters from their sideways speed, of other turning wheels from the change of the twist (..., K).

        For those sliding(beta) @ twist stays 0; d sliding / d beta is minus the rolling row of the pivot.
        """
        rates = np.zeros_like(across)
        dv = None if acceleration is None else _twists(acceleration)
        for k, i in enumerate(self.turning):
            lead = self._rest_rows[i].sliding_turn
            if not self.wheels[i].binds and lead:
                rates[..., k] = -across[..., k] / lead
            elif dv is not None:
                rows = self.wheels[i].rows(beta[..., k])
                pivot = rows.rolling + np.array([0.0, 0.0, rows.rolling_turn])
                speed = np.sum(pivot * v, axis=-1)
                change = np.sum(rows.sliding * dv, axis=-1)
                moving = np.abs(speed) > 1e-9
                rates[..., k] = np.where(moving, change / np.where(moving, speed, 1.0), 0.0)
        return rates

    def forward(
        self, speeds: ArrayLike, angles: ArrayLike | None = None, rates: ArrayLike | None = None
    ) -> ChassisMotion:
        """Twist that fits the wheel speeds (..., N) best: rolling rows, and sliding rows of the binding wheels.

        NaN is an unmeasured speed (casters, balls, free wheels): that wheel only counts by its sliding row.
        `rates` (..., K) are known beta'; with them casters count by their sliding row too.
        """
        phi = self._wheel_values(speeds, "speeds")
        if phi.ndim == 1 and angles is None and rates is None:
            return self._forward_at_rest(phi)
        beta = self._angles(angles)
        turn = None if rates is None else self._angles(rates)
        rolling, sliding = self._stack(beta)
        shape = np.broadcast_shapes(phi.shape[:-1], beta.shape[:-1], () if turn is None else turn.shape[:-1])
        count = len(self.wheels)
        known = np.isfinite(phi)
        matrix = np.zeros((*shape, 2 * count, 3))
        right = np.zeros((*shape, 2 * count))
        spins = np.where(known, phi, 0.0) * np.diag(self.spin_matrix)
        matrix[..., :count, :] = np.where(known[..., None], rolling, 0.0)
        right[..., :count] = spins
        place = {i: k for k, i in enumerate(self.turning)}
        for i, wheel in enumerate(self.wheels):
            rows = self._rest_rows[i]
            if i in place and turn is not None:
                right[..., i] += np.where(known[..., i], rows.rolling_turn * turn[..., place[i]], 0.0)
                right[..., count + i] = -rows.sliding_turn * turn[..., place[i]]
            if wheel.binds or (i in place and turn is not None and rows.sliding_turn):
                matrix[..., count + i, :] = sliding[..., i, :]
        scale = np.array([1.0, 1.0, self.length])
        if shape:
            inverse, rank = np.linalg.pinv(matrix / scale, rcond=_RANK), self._rank(matrix)
        else:  # a base in a control loop asks for the same one again and again
            inverse, rank = _solved(matrix.tobytes(), self.length)
        twist = (inverse @ right[..., None])[..., 0] / scale
        residual = (matrix @ twist[..., None])[..., 0] - right
        return ChassisMotion(twist, residual, np.asarray(rank == 3))

    def _forward_at_rest(self, speeds: Array) -> ChassisMotion:
        """`forward` of one set of speeds (N,) with all wheels at their angles of rest, whose equations are kept."""
        known = np.isfinite(speeds)
        solved = self._at_rest.get(known.tobytes())
        if solved is None:
            rolling, sliding = self._rest_matrices
            binds = np.array([wheel.binds for wheel in self.wheels], dtype=bool)
            matrix = np.vstack([np.where(known[:, None], rolling, 0.0), np.where(binds[:, None], sliding, 0.0)])
            inverse, rank = _solved(matrix.tobytes(), self.length)
            gain = inverse[:, : len(speeds)] / np.array([[1.0], [1.0], [self.length]])
            solved = self._at_rest[known.tobytes()] = (matrix, gain, np.asarray(rank == 3))
        matrix, gain, determined = solved
        spins = np.where(known, speeds, 0.0) * np.diagonal(self.spin_matrix)
        twist = gain @ spins
        residual = matrix @ twist
        residual[: len(spins)] -= spins
        return ChassisMotion(twist, residual, determined)

    @cached_property
    def _at_rest(self) -> dict[bytes, tuple[Array, Array, Array]]:
        """By the mask of measured wheels: rows of all wheels, what gives the twist, whether it is determined."""
        return {}

    # ---- freedom ---------------------------------------------------------------------------------
    def _rank(self, matrix: Array) -> NDArray[np.int_]:
        """Rank of rows over (vx, vy, w), (...,) of int."""
        return _rank(matrix, self.length)

    def motions(self, angles: ArrayLike | None = None, *, steerable: bool = False) -> Array:
        """Basis (3, m) of the twists that no binding wheel forbids at these angles (K,), orthonormal in (vx, vy, L w).

        `steerable`: steered wheels may still be turned, so only fixed wheels count.
        """
        rows = self._fixed_rows() if steerable else self.constraint_matrix(angles)
        if rows.ndim != 2:
            raise BadInput(f"motions are defined for one set of angles, got a batch of shape {rows.shape[:-2]}")
        scale = np.array([1.0, 1.0, self.length])
        if len(rows) == 0:
            return np.diag(1.0 / scale)
        _, values, rotation = np.linalg.svd(rows / scale)
        rank = int(np.sum(values > _RANK * max(values[0], 1e-12)))
        return np.asarray(rotation[rank:].T / scale[:, None])

    def _fixed_rows(self) -> Array:
        return self.sliding_matrix()[[i for i in self.binding if not self.wheels[i].turns], :]

    def mobility(self, angles: ArrayLike | None = None) -> np.ndarray:
        """3 - rank of the constraint matrix as the wheels stand, (...,) of int; 0: they block each other."""
        return 3 - self._rank(self.constraint_matrix(angles))

    @cached_property
    def degrees(self) -> Degrees:
        """Mobility, steerability and maneuverability of the base with its steered wheels turned to a common center.

        With C1 at such angles: mobility = 3 - rank C1, steerability = rank C1 - rank C1 of the fixed wheels.
        """
        free = self.motions(steerable=True)
        fixed = 3 - free.shape[1]
        if free.shape[1] == 0:
            return Degrees(0, 0)
        generic = free @ np.array([1.0, 0.6180339887, 0.3247179572])[: free.shape[1]]  # no special center
        unlimited = WheelBase(
            SteeredWheel(w.distance, w.bearing, w.angle, w.radius, w.lead, w.scrub)
            if isinstance(w, SteeredWheel)
            else w
            for w in self.wheels
        )
        rank = int(self._rank(self.constraint_matrix(unlimited.steering_angles(generic))))
        return Degrees(3 - rank, rank - fixed)

    def center(self, angles: ArrayLike | None = None) -> Center:
        """The instantaneous center of rotation that the standing wheels leave; needs mobility 1."""
        free = self.motions(angles)
        if free.shape[1] != 1:
            why = (
                "the wheels block each other"
                if free.shape[1] == 0
                else "any center on a line or in the plane is possible"
            )
            raise BadInput(f"these wheels have no single center of rotation: mobility {free.shape[1]}, {why}")
        return instantaneous_center(free[:, 0])

    def nearest(self, twist: ArrayLike, angles: ArrayLike | None = None) -> Array:
        """The feasible twist (..., 3) nearest to one, in |dv|² + (L dw)² with L the `length` of the base.

        With `angles` (K,) the wheels stand so; without, steered wheels may turn and only fixed wheels count.
        """
        projector = self.projector if angles is None else self._projector(self.motions(angles))
        return _twists(twist) @ projector

    @cached_property
    def projector(self) -> Array:
        """(3, 3) that multiplies rows of twists: what fixed wheels forbid is dropped."""
        return self._projector(self.motions(steerable=True))

    def _projector(self, motions: Array) -> Array:
        """(3, 3) that multiplies rows of twists; entries that only rounding made are 0."""
        scale = np.array([1.0, 1.0, self.length])
        basis = motions * scale[:, None]
        turned = basis @ basis.T
        return np.asarray(scale[:, None] * np.where(np.abs(turned) < 1e-15, 0.0, turned) / scale)

    def feasible(self, twist: ArrayLike, angles: ArrayLike | None = None, tolerance: float = 1e-6) -> NDArray[np.bool_]:
        """Whether a twist slides no wheel by more than the tolerance [m/s], (...,) of bool; steered wheels turn within
        their limits when no angles are given."""
        return np.asarray(np.all(np.abs(self.inverse(twist, angles).slip) <= tolerance, axis=-1))


def _twists(twist: ArrayLike) -> Array:
    out = np.asarray(twist, dtype=float)
    if out.shape[-1:] != (3,):
        raise BadInput(f"a twist is (..., 3): vx, vy, w; got shape {out.shape}")
    if not np.isfinite(out).all():
        raise BadInput("a twist needs finite numbers, got NaN or infinity")
    return out


def _rank(matrix: Array, length: float) -> NDArray[np.int_]:
    """Rank of rows (..., n, 3) over (vx, vy, w), (...,) of int."""
    if matrix.shape[-2] == 0:
        return np.zeros(matrix.shape[:-2], dtype=int)
    values = np.linalg.svd(matrix / np.array([1.0, 1.0, length]), compute_uv=False)
    return np.asarray(np.sum(values > _RANK * np.maximum(values[..., :1], 1e-12), axis=-1))


@lru_cache(maxsize=256)
def _solved(data: bytes, length: float) -> tuple[Array, NDArray[np.int_]]:
    """Pseudo-inverse (3, n) and rank of rows (n, 3), given as their bytes."""
    matrix = np.frombuffer(data).reshape(-1, 3)
    inverse: Array = np.linalg.pinv(matrix / np.array([1.0, 1.0, length]), rcond=_RANK)
    inverse.setflags(write=False)
    return inverse, _rank(matrix, length)
