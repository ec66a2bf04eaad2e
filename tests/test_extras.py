"""What is said about a missing extra: the command, or that nothing exists for this Python and system."""

import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from andante.extras import how_to_get

EXTRAS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["optional-dependencies"]
LINUX = {"sys_platform": "linux", "platform_machine": "x86_64", "platform_release": "6.8.0-41-generic"}
ARM = {**LINUX, "platform_machine": "aarch64"}
WINDOWS = {"sys_platform": "win32", "platform_machine": "AMD64", "platform_release": "11"}
MAC = {"sys_platform": "darwin", "platform_machine": "arm64", "platform_release": "24.1.0"}
OLD_MAC = {**MAC, "platform_release": "23.6.0"}


def of(place, python):
    return {**place, "python_version": python, "python_full_version": f"{python}.0"}


@pytest.fixture
def requires(monkeypatch):
    """The metadata of pyproject.toml, whatever was installed last."""
    lines = []
    for extra, texts in EXTRAS.items():
        for text in texts if extra != "all" else ():
            name, _, marker = text.partition(";")
            lines.append(
                f"{name}; ({marker.strip()}) and extra == '{extra}'" if marker else f"{name}; extra == '{extra}'"
            )
    monkeypatch.setattr(metadata, "requires", lambda name: ["numpy>=2", *lines])


@pytest.mark.parametrize(
    ("extra", "place", "python", "there"),
    [
        ("bullet", LINUX, "3.11", True),
        ("bullet", LINUX, "3.12", False),
        ("bullet", WINDOWS, "3.11", False),
        ("dart", LINUX, "3.11", True),
        ("dart", ARM, "3.13", True),
        ("dart", WINDOWS, "3.11", False),
        ("dart", WINDOWS, "3.12", True),
        ("dart", MAC, "3.13", True),
        ("dart", OLD_MAC, "3.13", False),
        ("dart", MAC, "3.11", False),
        ("ode", WINDOWS, "3.13", True),
        ("ode", MAC, "3.11", True),
        ("ray", MAC, "3.14", True),
        ("ros2", ARM, "3.11", False),
        ("ros2", MAC, "3.13", True),
        ("ros2", WINDOWS, "3.14", False),
        ("report", ARM, "3.14", True),
        ("foxglove", MAC, "3.14", True),
    ],
)
def test_the_command_is_given_only_where_it_would_bring_something(requires, extra, place, python, there):
    said = how_to_get(extra, of(place, python))
    if there:
        assert said == f"pip install 'andante[{extra}]'"
    else:
        name = Requirement(EXTRAS[extra][0]).name
        assert said.startswith(f"no wheel of {name} exists for Python ")


def test_without_metadata_the_command_is_given(monkeypatch):
    def missing(_name):
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "requires", missing)
    assert how_to_get("ray") == "pip install 'andante[ray]'"


def test_all_names_every_other_extra():
    assert EXTRAS["all"] == [f"andante[{','.join(name for name in EXTRAS if name != 'all')}]"]
