import pytest

from andante.description import Robot, load_robot


@pytest.fixture(scope="session")
def nao() -> Robot:
    return load_robot("nao")
