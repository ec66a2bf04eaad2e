"""Vehicles, maps and plain references shared by the tests."""

import math

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

from andante.mapping import OccupancyGrid
from andante.navigation import Costmap, Inflation, Vehicle, rectangle

BOX = Vehicle(rectangle(0.42, 0.33), "differential", 1.0, 2.0)
CAR = Vehicle(rectangle(0.44, 0.295, 0.875), "ackermann", 1.0, 1.2, turning_radius=0.8, wheelbase=0.33)
OMNI = Vehicle(rectangle(0.5, 0.4), "omni", 0.8, 1.5)
POINT = Vehicle(rectangle(0.01, 0.01), "differential", 1.0, 2.0)
FLAT = Inflation(radius=0.0, padding=0.0, unknown="blocked")


def random_cells(rng, rows, cols, fraction):
    return (rng.random((rows, cols)) < fraction).astype(np.int8) * 100


def costmap(cells, vehicle=POINT, inflation=FLAT, resolution=0.1, origin=(0.0, 0.0, 0.0)):
    return Costmap.of(OccupancyGrid(resolution, origin, np.asarray(cells)), vehicle, inflation)


def price_reference(cost, factor, start):
    """Prices (rows, cols) from a cell by scipy on the explicit graph: steps of 12 and 17 times both factors."""
    rows, cols = cost.shape
    f = factor[cost]
    a, b, w = [], [], []
    for dr, dc, length in ((0, 1, 12), (1, 0, 12), (1, 1, 17), (1, -1, 17)):
        for r in range(rows):
            for c in range(cols):
                nr, nc = r + dr, c + dc
                if not (0 <= nr < rows and 0 <= nc < cols) or f[r, c] == 0 or f[nr, nc] == 0:
                    continue
                if dr and dc and (f[r, nc] == 0 or f[nr, c] == 0):
                    continue
                a.append(r * cols + c)
                b.append(nr * cols + nc)
                w.append(length * (f[r, c] + f[nr, nc]))
    graph = coo_matrix((w, (a, b)), shape=(rows * cols, rows * cols)).tocsr()
    return dijkstra(graph, directed=False, indices=start).reshape(rows, cols)


def room(width, height, resolution=0.05):
    """Cells of a room with walls one cell thick."""
    cells = np.zeros((round(height / resolution), round(width / resolution)), dtype=np.int8)
    cells[[0, -1]] = 100
    cells[:, [0, -1]] = 100
    return cells


def box_walls(width, height):
    return np.array([[0, 0, width, 0], [width, 0, width, height], [width, height, 0, height], [0, height, 0, 0]], float)


def angle(a):
    return (a + math.pi) % (2 * math.pi) - math.pi
