"""From joints on a path to the rows that the kernels read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from andante.geometry import Array, so3

from ._kernels import PRISMATIC, REVOLUTE, ROW, SHIFT, TILT, TIP, TURN


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
