"""Names that are imported when they are first used."""

import importlib
import subprocess
import sys

import pytest

from andante.lazy import lazy_names


def test_a_name_is_imported_once():
    get = lazy_names("andante")
    from andante.control import Body
    from andante.description import load_robot

    assert get("Body") is Body
    assert get("robot") is load_robot
    assert get("gait") is importlib.import_module("andante.tasks.gait")  # a module of a room
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        get("Nothing")


ROOMS = (
    "bridges control experiments locomotion mapping mobile motion physics session simulation studio tasks viz "
    "robots.nao robots.rover robots.shell"
)


@pytest.mark.parametrize("room", ROOMS.split())
def test_every_exported_name_is_there(room):
    package = importlib.import_module(f"andante.{room}")
    assert all(getattr(package, name) is not None for name in package.__all__)


def test_the_web_server_s_packages_are_not_read_with_the_room():
    lines = "import sys, andante.bridges; sys.exit(any(name in sys.modules for name in ('starlette', 'uvicorn')))"
    assert subprocess.run([sys.executable, "-c", lines], check=False).returncode == 0
