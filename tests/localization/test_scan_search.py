"""The search of a whole map against looking everywhere."""

import numpy as np
import pytest

from andante.geometry import se2
from andante.localization import LikelihoodField, ScanSearch, scan_search
from andante.localization.synthetic import map_of_walls
from andante.mapping import OccupancyGrid


def test_finds_every_scan_of_the_drive(field, ring):
    log, truth, _ = ring
    search = ScanSearch(field)
    found = 0
    for k in range(0, len(truth), 25):
        points = log.scans[k].points()[::4]
        places = search.places(points, 5)
        assert (np.diff(places.scores) <= 0).all()
        off = se2.between(truth[k], places.poses[0])
        found += np.hypot(off[0], off[1]) < 0.15 and abs(off[2]) < 0.06
    assert found == len(range(0, len(truth), 25))


def test_places_lie_apart_on_free_cells(field, ring):
    places = ScanSearch(field).places(ring[0].scans[30].points()[::4], 10, 0.3)
    assert len(places.poses) == 10
    assert (field.grid.at(places.poses[:, :2]) >= 0).all()
    for i in range(10):
        for j in range(i):
            off = se2.between(places.poses[i], places.poses[j])
            assert np.hypot(off[0], off[1]) > 0.55 or abs(off[2]) > 0.34


def test_best_score_is_that_of_looking_everywhere():
    rng = np.random.default_rng(4)
    cells = np.where(rng.random((30, 40)) < 0.05, 100, 0)
    grid = OccupancyGrid(0.1, (-2.0, 3.0, 0.4), cells)
    search = ScanSearch(LikelihoodField(grid))
    points = rng.normal(0, 1.2, (25, 2))
    got = search.places(points, 1, 0.0)
    _, rows, cols = search._places[0]
    level = search._cells[: rows * cols].reshape(rows, cols).astype(int)
    free = grid.free()
    reach = np.percentile(np.hypot(*points.T), 90)
    count = int(np.clip(np.ceil(2 * np.pi * max(reach, 1) / 0.15), 72, 720))
    best = 0
    for heading in -np.pi + 2 * np.pi / count * np.arange(count):
        turned = se2.transform([0, 0, heading], points) / 0.1
        at = np.floor(turned + 0.5).astype(int)
        for r, c in np.argwhere(free):
            row, col = r + at[:, 1], c + at[:, 0]
            good = (row >= 0) & (row < 30) & (col >= 0) & (col < 40)
            best = max(best, level[row[good], col[good]].sum())
    assert got.scores[0] == pytest.approx(best / (255 * 25), abs=1e-12)


def test_large_maps_use_larger_blocks(walls, ring):
    """The same room in the corner of a hall of 200 m: found all the same."""
    small = map_of_walls(walls, 0.1)
    cells = np.full((2000, 2000), -1, dtype=np.int8)
    rows, cols = small.shape
    cells[-rows:, -cols:] = small.cells
    origin = (small.origin[0] - 0.1 * (2000 - cols), small.origin[1] - 0.1 * (2000 - rows), 0.0)
    search = ScanSearch(LikelihoodField(OccupancyGrid(0.1, origin, cells)))
    assert len(search._places) == 6
    log, truth, _ = ring
    off = se2.between(truth[60], search.places(log.scans[60].points()[::4], 1).poses[0])
    assert np.hypot(off[0], off[1]) < 0.2


def test_nothing_to_search_with(field):
    places = ScanSearch(field).places(np.zeros((0, 2)))
    assert places.poses.shape == (0, 3)


def test_a_search_of_a_place_without_bounds_ends(monkeypatch):
    """Echoes of a plain with bushes everywhere bound nothing; such a search took minutes on a campus."""
    rng = np.random.default_rng(3)
    cells = np.where(rng.random((600, 600)) < 0.02, 100, 0).astype(np.int8)
    grid = OccupancyGrid(0.1, (0.0, 0.0, 0.0), cells)
    search = ScanSearch(LikelihoodField(grid))
    points, looked, whole = rng.uniform(-20.0, 20.0, (40, 2)), [], scan_search.search_map

    def counted(*arguments):
        looked.append(whole(*arguments))
        return looked[-1]

    monkeypatch.setattr(scan_search, "search_map", counted)
    monkeypatch.setattr(scan_search, "BUDGET", 5000)
    search.places(points, most=8, least=0.05)
    assert 5000 <= looked[0][1] <= 5001
