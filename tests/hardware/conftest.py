"""Cables that are pulled out when their test is over."""

import pytest

from .lines import PTY, PtyCable


@pytest.fixture
def cable(tmp_path):
    if not PTY:
        pytest.skip("this system has no pseudo terminals (os.openpty)")
    cable = PtyCable(tmp_path)
    yield cable
    cable.close()
