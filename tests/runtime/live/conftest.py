from collections.abc import Iterator
from pathlib import Path

import pytest

from andante.description import Robot, load_robot
from andante.runtime.live import LiveSession


@pytest.fixture(scope="session")
def nao() -> Robot:
    return load_robot("nao")


@pytest.fixture
def waffle(tmp_path: Path) -> Iterator[LiveSession]:
    """A waffle in an empty world with all nodes."""
    with LiveSession("waffle", folder=tmp_path) as session:
        yield session
