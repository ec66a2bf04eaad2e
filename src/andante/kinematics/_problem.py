"""What the compiled solver is asked, and the memory it works in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from andante.geometry import Array

from ._kernels import GOAL, compiled

# Options of a solve, in one vector.
TOOL_AXES, POSITION_WEIGHT, ANGLE_WEIGHT, RESTARTS, TOLERANCE, MAX_ITERATIONS, SEED, JOINED, LIMITED = range(9)
OPTIONS = 9


class Problem(NamedTuple):
    """What is asked: chains c0 to c1 of the tables over n variables."""

    table: Array
    layout: np.ndarray
    c0: int
    c1: int
    n: int
    limits: Array
    goals: Array
    options: Array


class Scratch(NamedTuple):
    """Memory that all steps of all problems share."""

    axes: Array
    poses: Array
    errors: Array
    J: Array
    H: Array
    L: Array
    g: Array
    dq: Array
    q: Array
    trial: Array
    best: Array
    first: Array
    free: np.ndarray


@compiled
def scratch_of(work: Array, free: np.ndarray, group: int, longest: int, width: int) -> tuple[Scratch, Array]:
    """The parts of one stretch of memory (see `_solver.solve`), and rows for the goals."""
    a = group * longest * 6
    b = a + group * 12
    c = b + group * 6
    d = c + width * 6
    e = d + width * width
    f = e + width * width
    vectors = work[f : f + 6 * width].reshape((6, width))
    made = Scratch(
        work[:a].reshape((group, longest, 6)),
        work[a:b].reshape((group, 12)),
        work[b:c].reshape((group, 6)),
        work[c:d].reshape((width, 6)),
        work[d:e].reshape((width, width)),
        work[e:f].reshape((width, width)),
        vectors[0],
        vectors[1],
        vectors[2],
        vectors[3],
        vectors[4],
        vectors[5],
        free,
    )
    return made, work[f + 6 * width :].reshape((group, GOAL))
