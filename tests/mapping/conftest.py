"""A made-up drive that most tests share, and where the real data sets are."""

import os
from pathlib import Path

import numpy as np
import pytest

from andante.geometry import se2
from andante.mapping.synthetic import DriveNoise, drive, rooms, smooth_path

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def intel():
    """The folder of the Intel Research Lab data."""
    folder = Path(os.environ.get("ANDANTE_DATASETS", ROOT.parent / "shared" / "datasets")) / "slam"
    if not (folder / "intel.relations").is_file():
        pytest.skip(f"the Intel data are not in {folder}; set ANDANTE_DATASETS")
    return folder


@pytest.fixture(scope="session")
def walls():
    """A ring of corridors with some furniture."""
    boxes = [
        (3, 3, 6, 3),
        (0, 6.5, 1.5, 0.3),
        (5, 0, 0.4, 1.2),
        (10.6, 5, 1.4, 0.2),
        (8, 7.5, 0.5, 1.5),
        (2, 1, 0.5, 0.4),
    ]
    return rooms([(0, 0), (12, 0), (12, 9), (0, 9)], *boxes)


@pytest.fixture(scope="session")
def path():
    """Once and a half around the ring."""
    way = [(1.5, 1.6), (10.3, 1.6), (10.5, 7), (1.8, 7.4), (1.6, 1.8), (10.3, 1.7), (10.4, 5)]
    return smooth_path(way, 0.1)


@pytest.fixture(scope="session")
def ring(walls, path):
    """A drive with wheels that turn too far and go too far."""
    return drive(walls, path, seed=3, noise=DriveNoise(way_scale=1.04, turn_scale=0.97, drift=0.04))


@pytest.fixture(scope="session")
def off():
    """Greatest distance [m] and turn [rad] between two ways, each seen from its first pose."""

    def measure(poses, truth):
        difference = se2.between(poses[0], poses) - se2.between(truth[0], truth)
        return np.hypot(difference[:, 0], difference[:, 1]).max(), np.abs(se2.wrap(difference[:, 2])).max()

    return measure
