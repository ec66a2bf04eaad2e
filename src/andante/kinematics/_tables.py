"""From joints on a path to the rows that the kernels read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from andante.geometry import Array, so3

from ._kernels import PRISMATIC, REVOLUTE, ROW, TIP


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
    """Rows (joints + 1, 15) of a chain; each joint's frame is turned until its axis is z."""
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
    return np.array(table)


def _row(matrix: Array, kind: float, variable: int, multiplier: float) -> Array:
    row = np.empty(ROW)
    row[:9], row[9:12] = matrix[:3, :3].ravel(), matrix[:3, 3]
    row[12:] = kind, variable, multiplier
    return row


def renumbered(table: Array, numbers: Mapping[int, int]) -> Array:
    """The table with other variable numbers."""
    copy = table.copy()
    for row in copy[:-1]:
        row[13] = numbers[int(row[13])]
    return copy
