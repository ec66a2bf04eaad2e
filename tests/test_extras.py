"""What is said about a missing extra: the command, or that nothing exists for this Python and system."""

import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement

from andante.extras import EXTRAS as EXTRA_OF
from andante.extras import PACKAGES, how_to_get, missing_package, renewal

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
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


def imported(statement):
    with pytest.raises(ImportError) as caught:
        exec(statement)
    return caught.value


@pytest.fixture
def installed(monkeypatch):
    """Sets where andante was installed from, as pip notes it."""

    def put(text):
        found = SimpleNamespace(read_text=lambda _file: text, requires=[])
        monkeypatch.setattr(metadata, "distribution", lambda _name: found)

    return put


def test_a_missing_package_is_named_with_its_command(installed, monkeypatch):
    installed('{"dir_info": {"editable": true}, "url": "file:///home/me/my%20lab"}')
    monkeypatch.setitem(sys.modules, "serial", None)
    assert missing_package(imported("import serial")) == (
        "the package pyserial is missing (no module 'serial'): this environment is older than the code; "
        "pip install -e '/home/me/my lab'"
    )
    assert str(missing_package(imported("from numpy import no_such"))).startswith(
        "the package numpy does not fit (cannot import name 'no_such' from 'numpy'"
    )
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    told = missing_package(imported("import pyarrow"))
    assert told == "the package pyarrow is missing (no module 'pyarrow'): pip install 'andante[report]'"


@pytest.mark.parametrize("statement", ["import andante.nowhere", "from andante import nowhere_at_all", "import json.x"])
def test_modules_of_our_own_are_no_packages_to_install(statement):
    assert missing_package(imported(statement)) is None


@pytest.mark.parametrize("text", [None, "{}", '{"url": "x", "archive_info": {}}', "[]", "no json"])
def test_an_installed_package_is_renewed(installed, text):
    installed(text)
    assert renewal() == "pip install --upgrade andante"


def test_modules_of_extras_and_packages_are_those_of_the_project():
    needed = [Requirement(text).name for text in PROJECT["dependencies"]]
    brought = {extra: [Requirement(text).name for text in texts] for extra, texts in EXTRAS.items()}
    assert set(PACKAGES.values()) <= {*needed, *(name for names in brought.values() for name in names)}
    for module, extra in EXTRA_OF.items():
        assert PACKAGES.get(module, module) in brought[extra]
