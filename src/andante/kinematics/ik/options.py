"""Inverse kinematics of one chain: options, the result, single and batch calls."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Generic, NamedTuple, TypedDict, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput, UnknownName
from andante.geometry import Array

from .solver import solve
from .step import JOINED, OPTIONS

AXES = ("base", "tool")
PIECES_PER_THREAD = 8  # a batch is cut finer than there are threads, since targets differ in effort

Flag = TypeVar("Flag")
Number = TypeVar("Number")
Count = TypeVar("Count")


class Result(NamedTuple, Generic[Flag, Number, Count]):
    """What a solve ends in: joint positions and how good they are."""

    q: Array  # joint positions [rad, m]
    converged: Flag  # error <= tolerance
    error: Number  # norm of the residual over the coordinates that count [m, rad]
    iterations: Count  # steps tried over all attempts


Solution = Result[bool, float, int]  # one target
Solutions = Result[np.ndarray, Array, np.ndarray]  # a batch: arrays over targets


class Options(TypedDict, total=False):
    """Keywords of a solve.

    axes: whose axes a partly free position or angle is meant in, "base" or "tool". weights: of position and angle.
    limits: keep to the joint limits. restarts: attempts from random places (by `seed`) when the first does not arrive.
    tolerance: on the norm of the gap [m, rad]. max_iterations: steps per attempt.
    """

    axes: str
    weights: tuple[float, float]
    limits: bool
    restarts: int
    tolerance: float
    max_iterations: int
    seed: int


@lru_cache(maxsize=256)
def solver_options(
    axes: str = "base",
    weights: tuple[float, float] = (1.0, 1.0),
    limits: bool = True,
    restarts: int = 300,
    tolerance: float = 1e-6,
    max_iterations: int = 200,
    seed: int = 0,
    joined: bool = False,
) -> Array:
    """The options as the vector that the kernel reads; checked once per distinct set."""
    UnknownName.check("axes", axes, AXES)
    if len(weights) != 2 or not all(np.isfinite(weights)) or min(weights) <= 0:
        raise BadInput(f"weights are two numbers > 0, for position and for angle, got {weights}")
    if restarts < 0 or max_iterations < 1 or not tolerance > 0:
        raise BadInput(
            "restarts must be >= 0, max_iterations >= 1 and tolerance > 0, "
            f"got {restarts}, {max_iterations} and {tolerance}"
        )
    if not 0 <= seed < 2**53:
        raise BadInput(f"seed must be between 0 and 2^53, got {seed}")
    made = np.array(
        [axes == "tool", weights[0], weights[1], restarts, tolerance, max_iterations, seed, joined, limits], dtype=float
    )
    assert made.size == OPTIONS
    return made


DEFAULTS = solver_options()
FLOAT = np.dtype(float)
ONE = (6,)


def as_targets(target: ArrayLike) -> Array:
    """Targets as (6,) or (m, 6) floats, C-contiguous; refuses other shapes."""
    try:
        array = np.array(target, dtype=float, order="C")
    except (TypeError, ValueError):
        raise BadInput(f"a target is x y z yaw pitch roll (6 numbers, NaN = free), got {target!r}") from None
    if array.shape != (6,) and (array.ndim != 2 or array.shape[1] != 6):
        raise BadInput(
            f"a target is x y z yaw pitch roll (6 numbers, NaN = free) or an (m, 6) array, got shape {array.shape}"
        )
    return array


def complain(targets: Array, start: Array, names: Sequence[str], limits: tuple[Array, Array]) -> BadInput:
    """The error for what the kernel refused; names and limits are those of the columns of the start."""
    if not np.all(np.isfinite(start)):
        return BadInput("the start has joint positions that are not finite numbers")
    rows = targets.reshape(-1, 6)
    bad = [i for i, row in enumerate(rows) if np.all(np.isnan(row)) or np.any(np.isinf(row))]
    if not bad:
        lower, upper = limits
        out = np.maximum(lower - start, start - upper).reshape(-1, len(names))
        row, joint = divmod(int(np.argmax(out)), len(names))
        value = start.reshape(-1, len(names))[row, joint]
        return BadInput(
            f"the start has joint {names[joint]!r} at {value:.4g}, outside its limits {lower[joint]:.4g} to "
            f"{upper[joint]:.4g}; start within them or pass limits=False"
        )
    which = bad[0]
    place = f"target {which} of {len(rows)}" if len(rows) > 1 else "the target"
    if np.any(np.isinf(rows[which])):
        return BadInput(f"{place} has an infinite coordinate; use NaN for a coordinate that is free")
    return BadInput(f"{place} is NaN in all of x y z yaw pitch roll; give at least one coordinate")


def solve_batch(
    table: Array, layout: np.ndarray, bounds: Array, targets: Array, start: Array, options: Array, threads: int
) -> Array:
    """Rows (problems, variables + 3) of q, error, iterations, status; the same numbers for any number of threads."""
    count, width = start.shape
    out = np.zeros((count, width + 3))
    out[:, :width] = start
    pieces = min(count, threads * PIECES_PER_THREAD)
    if threads <= 1 or pieces <= 1:
        solve(table, layout, bounds, targets, options, out)
        return out
    # problems go round the chains, so every piece begins at the first chain
    whole = 1 if options[JOINED] else len(layout)
    edges = np.unique(np.linspace(0, count // whole, pieces + 1).astype(int)) * whole
    each = len(targets) // count

    def work(a: int, b: int) -> None:
        solve(table, layout, bounds, targets[a * each : b * each], options, out[a:b])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, edges[:-1].tolist(), edges[1:].tolist()))
    return out
