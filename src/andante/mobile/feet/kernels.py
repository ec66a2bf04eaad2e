"""Compiled: which cells of a terrain beams pass through below what was seen there."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.compiling import njit
from andante.geometry import Array


@njit(nogil=True)
def looked_through(
    eyes: Array, ends: Array, tops: Array, x: float, y: float, resolution: float, low: float, short: float,
    out: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Mark in `out` (rows, cols) the cells through which beams pass between `low` and what was seen there [m].

    eyes, ends (n, 3): of the beams on the map [m]; tops (rows, cols): height up to which a thing was seen, -inf: none;
    x, y: corner of cell (0, 0). The last `short` meters of a beam are left out: they belong to what it met.
    """
    rows, cols = tops.shape
    for n in range(len(ends)):
        dx, dy, dz = ends[n, 0] - eyes[n, 0], ends[n, 1] - eyes[n, 1], ends[n, 2] - eyes[n, 2]
        way = math.hypot(dx, dy)
        if way <= short:
            continue
        count = math.ceil(2.0 * (way - short) / resolution)
        for k in range(count):
            part = (k + 0.5) / count * (way - short) / way
            row = math.floor((eyes[n, 1] + part * dy - y) / resolution)
            col = math.floor((eyes[n, 0] + part * dx - x) / resolution)
            if 0 <= row < rows and 0 <= col < cols and low < eyes[n, 2] + part * dz < tops[row, col]:
                out[row, col] = True
