"""Robots, and cables that are pulled out when their test is over."""

import pytest

from andante.description import load_robot

from .serial.lines import PTY, PtyCable


@pytest.fixture
def cable(tmp_path):
    if not PTY:
        pytest.skip("this system has no pseudo terminals (os.openpty)")
    cable = PtyCable(tmp_path)
    yield cable
    cable.close()


@pytest.fixture(scope="session")
def nao():
    return load_robot("nao")


@pytest.fixture(scope="session")
def waffle():
    return load_robot("waffle")
