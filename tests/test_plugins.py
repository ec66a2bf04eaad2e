"""Packages that register robots, worlds, engines and behaviours: the example, installed, and broken ones."""

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from andante import plugins
from andante.description import ROBOTS, RobotPackage
from andante.errors import BadInput
from andante.plugins import Registry, load_reference

EXAMPLE = Path(__file__).parents[1] / "examples" / "packages" / "minibot"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that pip has installed the example package into."""
    folder = tmp_path_factory.mktemp("site")
    options = [
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--disable-pip-version-check",
        "--target",
        str(folder),
    ]
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", *options, str(EXAMPLE)], check=True)
    return folder


def run(site: Path, *words: str) -> dict:
    search = os.pathsep.join(part for part in (str(site), os.environ.get("PYTHONPATH", "")) if part)
    done = subprocess.run(
        [sys.executable, "-m", "andante", *words, "--json"], env={**os.environ, "PYTHONPATH": search},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_robots_and_worlds_of_a_package_are_listed(installed: Path) -> None:
    robots = {row["name"]: row for row in run(installed, "robots")["robots"]}
    assert {"minibot", "nao", "shell", "rover", "waffle"} <= set(robots)
    assert robots["minibot"]["joints"] == 3
    assert robots["minibot"]["poses"] == ["look_down"]
    assert "yard" in {row["name"] for row in run(installed, "worlds")["worlds"]}


def test_a_robot_of_a_package_is_simulated_in_its_world(installed: Path) -> None:
    outcome = run(installed, "sim", "minibot", "--world", "yard", "--seconds", "0.5")
    assert not outcome["fallen"]
    assert outcome["base"][2] == pytest.approx(0.05, abs=0.005)


def test_a_motion_of_a_package_is_played(installed: Path) -> None:
    assert run(installed, "play", "minibot", "nod")["motion"] == "nod"


def test_a_planner_of_a_package_leads_a_robot(installed: Path) -> None:
    words = ("--world", "empty", "--goal", "0.5 0.2 nan", "--controller", "pursuit", "--timeout", "30")
    outcome = run(installed, "navigate", "waffle", *words, "--planner", "elbow")
    assert outcome["success"], outcome["reason"]
    assert outcome["planner"] == "elbow"


def test_an_experiment_of_a_package_is_listed_and_run(installed: Path, tmp_path: Path) -> None:
    listed = {row["name"]: row for row in run(installed, "experiment", "list")["experiments"]}
    assert {"nodding", "straight-walk", "hexapod-gaits", "navigation"} <= set(listed)
    assert listed["nodding"]["factors"] == {"angle": [0.2, 0.4]}
    out = str(tmp_path / "run")
    outcome = run(installed, "experiment", "run", "nodding", "--out", out, "--workers", "0")
    assert (outcome["trials"], outcome["failed"], outcome["complete"]) == (4, 0, True)
    told = run(installed, "experiment", "report", out)["commanded"]["mujoco"]["reached"]
    assert set(told) == {"angle=0.2", "angle=0.4"}
    assert max(told.values()) < 0.2


def test_a_behaviour_of_a_package_moves_its_robot(installed: Path) -> None:
    outcome = run(installed, "walk", "minibot", "--gait", "waddle", "--distance", "0.3")
    assert outcome["gait"] == "waddle"
    assert outcome["distance"] == pytest.approx(0.3, abs=0.03)
    assert not outcome["fallen"]


def registry_of(monkeypatch: pytest.MonkeyPatch, *values: str) -> Registry[RobotPackage]:
    points = metadata.EntryPoints(metadata.EntryPoint("one", value, "andante.robots") for value in values)
    monkeypatch.setattr(plugins, "_all_points", lambda: points)
    return Registry("andante.robots", RobotPackage)


@pytest.mark.parametrize(
    ("values", "fragment"),
    [
        (["nowhere:ROBOT"], "cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"),
        (["andante.robots.nao:NOTHING"], "cannot be loaded: AttributeError"),
        (["andante.worlds:LAB"], "must be a RobotPackage, got "),
        (["a:ROBOT", "b:ROBOT"], "'one' is registered by several packages (a:ROBOT, b:ROBOT); keep one"),
        ([], "no package registers andante.robots: this environment is older than the code; pip install"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said(monkeypatch: pytest.MonkeyPatch, values: list[str], fragment: str) -> None:
    registry = registry_of(monkeypatch, *values)
    with pytest.raises(BadInput) as caught:
        registry["one"]
    assert fragment in str(caught.value)


def test_names_are_known_without_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = registry_of(monkeypatch, "nowhere:ROBOT")
    assert list(registry) == ["one"]
    assert "one" in registry
    assert len(registry) == 1
    with pytest.raises(KeyError):
        registry["two"]


def test_entries_that_cannot_be_loaded_are_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    nao = ROBOTS["nao"]
    registry = registry_of(monkeypatch, "nowhere:ROBOT")
    with pytest.warns(RuntimeWarning, match="cannot be loaded: ModuleNotFoundError"):
        assert dict(registry.usable()) == {}
    registry = registry_of(monkeypatch, "andante.robots.nao:ROBOT")
    assert dict(registry.usable()) == {"one": nao}


def test_references_are_loaded_by_module_and_attribute() -> None:
    assert "head_white" in load_reference(ROBOTS["nao"].meshes)
    with pytest.raises(BadInput, match="nowhere:x cannot be loaded"):
        load_reference("nowhere:x")
