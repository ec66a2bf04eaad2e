from collections.abc import Iterator
from pathlib import Path

import pytest

from andante.description import Robot, load_robot
from andante.session import LiveSession


@pytest.fixture(scope="session")
def nao() -> Robot:
    return load_robot("nao")


@pytest.fixture
def waffle(tmp_path: Path) -> Iterator[LiveSession]:
    """A waffle in an empty world with all nodes."""
    with LiveSession("waffle", folder=tmp_path) as session:
        yield session


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSession]:
    """A NAO in an empty world with all nodes, for all tests of a file."""
    with LiveSession("nao", folder=Path(tmp_path_factory.mktemp("nao"))) as session:
        yield session


@pytest.fixture
def session(live: LiveSession) -> LiveSession:
    """The NAO standing at the origin anew."""
    live.reset()
    live.run(0.5)
    return live
