"""Which BARN worlds a car can pass at all: `python benchmarks/barn_feasible.py [FILE [NAME:=VALUE ...]]`.

An exhaustive search that shares nothing with the planners of `andante.navigation` but the footprint and the turning
radius: breadth first over all states (x, y, heading) on a lattice, by straight lines and sharpest arcs ahead and back,
with exact distances of the cylinders from the rectangle. What it finds is a way; where it finds none, there is none
up to the lattice (2.5 cm, 5 degrees), so such worlds are listed before anybody drives.
"""

import argparse
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from andante.description import load_robot
from andante.geometry import Array, se2
from andante.navigation import Vehicle, vehicle_of

ROOT = Path(__file__).parents[1]
DATASETS = Path(os.environ.get("ANDANTE_DATASETS") or ROOT.parent / "shared" / "datasets") / "barn"
CELL, HEADINGS = 0.025, 72  # lattice [m], headings in a turn
STRIDE = 0.06  # of one move [m]
NEAR = 1.0  # a goal counts as reached within [m]
FRAME = (-4.75, 0.2, 0.1, 14.0)  # what may be driven on: least and greatest x and y [m]


@njit(cache=True)
def _free(x: float, y: float, yaw: float, box: Array, heap: Array, starts: np.ndarray, low: Array) -> bool:
    """Whether no cylinder touches the rectangle `box` (x from, to, y from, to) at a pose; cells are of 0.5 m."""
    c, s = math.cos(yaw), math.sin(yaw)
    reach = math.hypot(max(abs(box[0]), abs(box[1])), max(abs(box[2]), abs(box[3]))) + 0.15
    rows, cols = starts.shape[0], starts.shape[1] - 1
    for i in range(int((y - reach - low[1]) // 0.5), int((y + reach - low[1]) // 0.5) + 1):
        if not 0 <= i < rows:
            continue
        for j in range(int((x - reach - low[0]) // 0.5), int((x + reach - low[0]) // 0.5) + 1):
            if not 0 <= j < cols:
                continue
            for k in range(starts[i, j], starts[i, j + 1]):
                dx, dy = heap[k, 0] - x, heap[k, 1] - y
                px, py = c * dx + s * dy, c * dy - s * dx
                gx = max(box[0] - px, 0.0, px - box[1])
                gy = max(box[2] - py, 0.0, py - box[3])
                if gx * gx + gy * gy < heap[k, 2] * heap[k, 2]:
                    return False
    return True


@njit(cache=True)
def _search(
    start: Array, goal: Array, box: Array, radius: float, heap: Array, starts: np.ndarray, low: Array, frame: Array,
    near: float,
) -> tuple[bool, int]:  # fmt: skip
    """Whether a state within `near` of the goal is reached, and how many states were."""
    columns, rows = int((frame[1] - frame[0]) / CELL), int((frame[3] - frame[2]) / CELL)
    seen = np.zeros((rows, columns, HEADINGS), dtype=np.bool_)
    queue = np.empty((2_000_000, 3))
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        x0, y0, yaw0 = queue[head % len(queue)]
        head += 1
        if math.hypot(x0 - goal[0], y0 - goal[1]) < near:
            return True, tail
        for way in (1.0, -1.0):
            for bend in (0.0, 1.0 / radius, -1.0 / radius):
                x, y, yaw, free = x0, y0, yaw0, True
                for _ in range(3):  # a third of the move, looked at each
                    turn = way * bend * STRIDE / 3
                    middle = yaw + turn / 2
                    x += way * STRIDE / 3 * math.cos(middle)
                    y += way * STRIDE / 3 * math.sin(middle)
                    yaw += turn
                    if not _free(x, y, yaw, box, heap, starts, low):
                        free = False
                        break
                if not free:
                    continue
                i, j = int((y - frame[2]) / CELL), int((x - frame[0]) / CELL)
                k = math.floor(yaw % (2 * math.pi) / (2 * math.pi) * HEADINGS) % HEADINGS
                if not (0 <= i < rows and 0 <= j < columns) or seen[i, j, k]:
                    continue
                seen[i, j, k] = True
                if tail - head >= len(queue):
                    return True, tail  # nothing can be ruled out
                queue[tail % len(queue)] = x, y, yaw
                tail += 1
    return False, tail


def _cells(cylinders: Array) -> tuple[Array, np.ndarray, Array]:
    """Cylinders sorted by cells of 0.5 m, with the first of each cell and the corner of the lattice."""
    low = cylinders[:, :2].min(axis=0) - 0.01
    columns, rows = (int((cylinders[:, axis].max() - low[axis]) // 0.5) + 1 for axis in (0, 1))
    cell = ((cylinders[:, 1] - low[1]) // 0.5).astype(int) * columns + ((cylinders[:, 0] - low[0]) // 0.5).astype(int)
    order = np.argsort(cell, kind="stable")
    counts = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=rows * columns))])
    starts = np.array([[counts[i * columns + j] for j in range(columns + 1)] for i in range(rows)], dtype=np.int64)
    return np.ascontiguousarray(cylinders[order]), starts, low


def passable(vehicle: Vehicle, data: dict[str, Any], margin: float = 0.0) -> bool:
    """Whether a car can get from start to goal of a world with so much room to spare [m]."""
    low, high = vehicle.footprint.min(axis=0) - margin, vehicle.footprint.max(axis=0) + margin
    heap, starts, corner = _cells(np.array(data["cylinders"], dtype=float))
    start = se2.compose(np.array(data["start"], dtype=float), vehicle.reference)
    found, _ = _search(
        start, np.array(data["goal"][:2], dtype=float), np.array([low[0], high[0], low[1], high[1]]),
        vehicle.turning_radius, heap, starts, corner, np.array(FRAME), NEAR,
    )  # fmt: skip
    return bool(found)


def main() -> None:
    """One line for each world."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", default=str(ROOT / "examples" / "porter.urdf.xacro"))
    parser.add_argument("arguments", nargs="*", default=["base:=car"])
    given = parser.parse_args()
    vehicle = vehicle_of(load_robot(given.file, dict(each.split(":=", 1) for each in given.arguments)))
    if vehicle.drive != "ackermann":
        parser.error(f"{given.file} is no car: it turns on the spot")
    for data in json.loads((DATASETS / "worlds.json").read_text()):
        wide = [margin for margin in (0.0, 0.03) if passable(vehicle, data, margin)]
        words = f"passable with up to {100 * wide[-1]:.0f} cm to spare on all sides" if wide else "NOT passable"
        print(f"world {data['world']:3d}: {words}", flush=True)


if __name__ == "__main__":
    main()
