"""Worlds like those of BARN that nobody has seen: `python benchmarks/made_worlds.py SEED ...` draws them as text.

A field of 4.5 x 4.5 m before walls on three sides is filled at random and smoothed by a cellular automaton, as Perille,
Truong, Xiao and Stone (2020) made theirs: 15 to 30 % of the cells of 0.15 m at first, two to four rounds in which a
cell with five filled neighbors or more of eight is filled and one with a neighbor at most is cleared. A world that a
disc of the robot's outer radius cannot cross is drawn again. `barn_study.py --made N` drives them.
"""

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from andante.mapping import OccupancyGrid
from andante.navigation import Costmap, ThetaStar, Vehicle, rectangle

CELL, SIDE = 0.15, 30  # edge of a cell [m], cells along each side of the field
FIELD = 5.25  # where the field begins [m]
START, GOAL = (-2.25, 3.0, 1.57), (-2.25, 13.0)
SPEED = 2.0  # that the best time is counted with [m/s]
RADIUS = 0.27  # of a disc that must get through [m]
FINE = 0.025  # cells that it is looked for in [m]


def made_world(seed: int, scale: float = 1.0) -> dict[str, Any]:
    """Start, goal, best time and cylinders (x, y, radius) of a world, as `worlds.json` has them, all lengths scaled."""
    rng = np.random.default_rng([seed, 300])
    while True:
        cylinders = [*_walls(), *_places(_field(rng), FIELD)]
        length = _shortest(np.array(cylinders))
        if math.isfinite(length):
            return {
                "world": seed, "start": [scale * START[0], scale * START[1], START[2]],
                "goal": [scale * each for each in GOAL], "path_length": scale * length,
                "optimal_time": scale * length / SPEED,
                "cylinders": [[scale * each for each in cylinder] for cylinder in cylinders],
            }  # fmt: skip


def _field(rng: np.random.Generator) -> np.ndarray:
    """Filled cells (30, 30), rows along y."""
    filled = rng.random((SIDE, SIDE)) < rng.choice([0.15, 0.2, 0.25, 0.3])
    for _ in range(int(rng.integers(2, 5))):
        framed = np.pad(filled, 1)
        framed[:, [0, -1]] = True  # the walls beside it
        count = sum(
            framed[1 + i : 1 + i + SIDE, 1 + j : 1 + j + SIDE].astype(int)
            for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)
        )  # fmt: skip
        filled = (filled | (count >= 5)) & (count > 1)
    return filled


def _places(filled: np.ndarray, low: float) -> list[list[float]]:
    return [[-CELL * (j + 0.5), low + CELL * (i + 0.5), CELL / 2] for i, j in np.argwhere(filled).tolist()]


def _walls() -> list[list[float]]:
    """The wall behind the start and those on both sides."""
    frame = np.zeros((round(FIELD / CELL) + SIDE, SIDE), dtype=bool)
    frame[0] = frame[:, 0] = frame[:, -1] = True
    return _places(frame, 0.0)


def _shortest(cylinders: np.ndarray) -> float:
    """Length of the shortest way of the disc between start and goal [m]; inf: there is none."""
    low, high = np.array([-6.0, -0.5]), np.array([1.5, 14.5])
    columns, rows = np.ceil((high - low) / FINE).astype(int)
    x, y = (low[axis] + FINE * (np.arange(count) + 0.5) for axis, count in enumerate((columns, rows)))
    cells = np.zeros((rows, columns), dtype=np.int8)
    for cx, cy, radius in cylinders:
        cells[(x[None, :] - cx) ** 2 + (y[:, None] - cy) ** 2 < radius**2] = 100
    side = RADIUS * math.sqrt(math.pi) / 2  # of a square of as much room
    grid = OccupancyGrid(FINE, (float(low[0]), float(low[1]), 0.0), cells)
    costmap = Costmap.of(grid, Vehicle(rectangle(2 * side, 2 * side), "differential", SPEED, SPEED))
    plan = ThetaStar().plan(START, (*GOAL, math.nan), costmap)
    return plan.path.length if plan.success and plan.path is not None else math.inf


def write_world(data: dict[str, Any], folder: Path) -> Path:
    """The world as an SDF file of one body."""
    folder.mkdir(parents=True, exist_ok=True)
    shapes = "".join(
        f"<collision name='c{k}'><pose>{x:.4f} {y:.4f} 0.5 0 0 0</pose>"
        f"<geometry><cylinder><radius>{radius}</radius><length>1.0</length></cylinder></geometry></collision>"
        for k, (x, y, radius) in enumerate(data["cylinders"])
    )
    file = folder / f"made_{data['world']}_{len(data['cylinders'])}_{data['path_length']:.2f}.sdf"
    file.write_text(
        "<sdf version='1.6'><world name='made'><model name='ground'><static>true</static><link name='ground'>"
        "<collision name='plane'><geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>"
        f"</collision></link></model><model name='field'><static>true</static><link name='cylinders'>{shapes}</link>"
        "</model></world></sdf>\n"
    )
    return file


def main() -> None:
    """Draw worlds."""
    for seed in map(int, sys.argv[1:]):
        data = made_world(seed)
        rows = [[" "] * SIDE for _ in range(round(FIELD / CELL) + SIDE)]
        for x, y, _ in data["cylinders"]:
            rows[round(y / CELL - 0.5)][round(-x / CELL - 0.5)] = "#"
        print(f"{seed}: way {data['path_length']:.2f} m, {len(data['cylinders'])} cylinders")
        print("\n".join("".join(row) for row in rows[round(FIELD / CELL) :]))


if __name__ == "__main__":
    main()
