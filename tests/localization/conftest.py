"""A made-up drive with its map that most tests share, and where the real data sets are."""

import os
from pathlib import Path

import numpy as np
import pytest

from andante.localization import LikelihoodField
from andante.localization.synthetic import map_of_walls
from andante.mapping.records import odometry_at_scans
from andante.mapping.synthetic import DriveNoise, drive, rooms, smooth_path

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def intel():
    """The folder of the Intel Research Lab data."""
    folder = Path(os.environ.get("ANDANTE_DATASETS", ROOT.parent / "shared" / "datasets")) / "slam"
    if not (folder / "intel.ref.txt").is_file():
        pytest.skip(f"the Intel data are not in {folder}; set ANDANTE_DATASETS")
    return folder


@pytest.fixture(scope="session")
def walls():
    """A ring of corridors with some furniture, nowhere alike."""
    boxes = [
        (3, 3, 6, 3),
        (0, 6.5, 1.5, 0.3),
        (5, 0, 0.4, 1.2),
        (10.6, 5, 1.4, 0.2),
        (8, 7.5, 0.5, 1.5),
        (2, 0.2, 0.5, 0.4),
    ]
    return rooms([(0, 0), (12, 0), (12, 9), (0, 9)], *boxes)


@pytest.fixture(scope="session")
def grid(walls):
    """Its map."""
    return map_of_walls(walls)


@pytest.fixture(scope="session")
def field(grid):
    """Its likelihood field."""
    return LikelihoodField(grid)


@pytest.fixture(scope="session")
def ring(walls):
    """A drive around with wheels that turn too far and go too far: log, true poses (n, 3), odometry (n, 3)."""
    way = smooth_path([(1.5, 1.6), (10.3, 1.6), (10.5, 7), (1.8, 7.6), (1.6, 1.8), (6, 1.8)], 0.15)
    made = drive(walls, way, seed=3, noise=DriveNoise(way_scale=1.03, turn_scale=0.97, drift=0.03))
    return made.log, made.truth.poses, odometry_at_scans(made.log)


@pytest.fixture(scope="session")
def follow():
    """Runs a localizer over scans: distances (n,) to the truth and the estimates."""

    def run(localizer, log, truth, wheels, numbers):
        made = [localizer.update(log.scans[k], None if wheels is None else wheels[k]) for k in numbers]
        poses = np.array([each.pose for each in made])
        return np.hypot(*(poses[:, :2] - truth[numbers, :2]).T), made

    return run
