"""The robots of these tests, read once."""

import pytest

import andante as an


@pytest.fixture(scope="session")
def nao():
    return an.robot("nao")


@pytest.fixture(scope="session")
def shell():
    return an.robot("shell")
