"""`andante navigate`: JSON by the contract, files whole or absent, one-line errors, failures told as outcomes."""

import json

import pytest

import andante as an
from andante.mapping.io.map_files import save_map
from andante.mapping.worlds import map_of_world

LAB = ("--world", "lab", "--start", "0 -0.8 0")
KEYS = {"success", "collided", "time", "path_length", "final_error", "reason"}


def told(andante, *words):
    code, out, err = andante("navigate", *words, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_without_a_map_it_arrives_and_writes_its_files(andante, tmp_path):
    plot, record = tmp_path / "drive.png", tmp_path / "drive.csv"
    got = told(andante, "rover", *LAB, "--goal", "-1.0 0.2 1.57", "--plot", plot, "--record", record)
    assert set(got) >= KEYS
    assert got["success"]
    assert not got["collided"]
    assert got["final_error"] < 0.25
    assert got["reason"] == "the goal is reached"
    assert 1.2 < got["path_length"] < 6.0
    assert 0 < got["time"] <= got["seconds"]
    assert plot.stat().st_size > 5000
    assert record.stat().st_size > 1000


def test_on_a_map_that_lies_elsewhere_in_the_world(andante, tmp_path):
    pose = (0.4, -0.3, 0.5)
    grid = map_of_world(an.world("lab"), height=0.165)
    save_map(moved(grid, pose), tmp_path / "lab")
    words = ("--map", tmp_path / "lab.yaml", "--map-pose", " ".join(map(str, pose)), "--max-speed", 0.8)
    got = told(andante, "rover", *LAB, "--goal", "1.2 0.3", *words)
    assert got["success"], got["reason"]
    assert got["estimate_error"]["rms"] < 0.06
    assert got["final_yaw_error"] is None


def moved(grid, pose):
    """The same map told from a frame that has a pose in the world."""
    from dataclasses import replace

    from andante.geometry import se2

    x, y, yaw = se2.compose(se2.inverse(pose), grid.origin)
    return replace(grid, origin=(float(x), float(y), float(yaw)))


def test_pushed_off_its_path_it_plans_anew_and_arrives(andante):
    words = ("--goal", "1.6 0.2 nan", "--max-speed", 0.5, "--seed", 3, "--push", "14 left 1.5")
    got = told(andante, "rover", *LAB, *words)
    assert got["success"], got["reason"]
    assert got["replans"] >= 1
    assert got["estimate_error"]["max"] > 0.1  # the wheels slid: odometry alone would not know


def test_a_goal_in_a_wall_is_no_success_and_says_why(andante, tmp_path):
    save_map(map_of_world(an.world("lab"), height=0.165), tmp_path / "lab")
    got = told(andante, "waffle", *LAB, "--goal", "0 3.05 0", "--map", tmp_path / "lab.yaml")
    assert not got["success"]
    assert "the goal (0.00, 3.05)" in got["reason"]
    assert got["final_error"] > 2.0
    assert got["path_length"] < 0.05  # it does not even try


def test_an_occupied_start_is_told_at_once(andante):
    got = told(andante, "rover", "--world", "lab", "--start", "2.3 0.7 0", "--goal", "0 0 0")
    assert not got["success"]
    assert got["collided"]
    assert got["reason"] == "the start is occupied: the robot stands in pillar"
    assert got["seconds"] < 0.2


def test_the_time_is_over(andante):
    got = told(andante, "waffle", *LAB, "--goal", "2 0 0", "--timeout", 1)
    assert not got["success"]
    assert got["reason"].startswith("timed out after 1 s")
    assert got["time"] == pytest.approx(1.0, abs=0.6)


OWN = """
import numpy as np
from andante.navigation import Decision, Path, Plan

class Straight:
    def plan(self, start, goal, costmap):
        if not costmap.inside(costmap.cell_of(goal)):
            return Plan(None, "the goal lies off the map")
        yaw = None if np.isnan(goal[2]) else goal[2]
        return Plan(Path.through(np.linspace(start[:2], goal[:2], 30), yaw))

class Creep:
    def __init__(self, vehicle):
        self.speed = min(0.2, vehicle.max_speed)
    def plan(self, state, path, costmap):
        x, y = path.goal[:2] - state.pose[:2]
        bearing = np.arctan2(y, x) - state.pose[2]
        turn = np.arctan2(np.sin(bearing), np.cos(bearing))
        return Decision(np.array([self.speed * max(0.0, np.cos(turn)), 0.0, 1.5 * turn]))
    def reset(self):
        pass
"""


def test_own_planner_and_controller_and_parameters(andante, tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    (tmp_path / "p.toml").write_text("[layers]\nresolution = 0.04\n[navigator]\nreplan_every = 2.0\n")
    mine = ("--planner", f"{tmp_path}/mine.py:Straight", "--controller", f"{tmp_path}/mine.py:Creep")
    got = told(andante, "waffle", *LAB, "--goal", "0.8 -0.6", *mine, "--params", tmp_path / "p.toml")
    assert got["success"], got["reason"]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("waffle", "--goal", ""), "no goal is given: --goal"),
        (("waffle", "--goal", "1 2 x"), '--goal is "x y yaw"'),
        (("waffle", "--goal", "nan 2 0"), '--goal is "x y yaw"'),
        (("waffle", "--goal", "1 0 0", "--start", "0 0 nan"), "--start needs a yaw"),
        (("waffle", "--goal", "1 0 0", "--start", "0 0"), '--start is "x y yaw"'),
        (("waffle", "--goal", "1e9 0 0"), "goal lies further than"),
        (("waffle", "--goal", "1 0 0", "--tolerance", "0"), "tolerance must lie"),
        (("waffle", "--goal", "1 0 0", "--timeout", "nan"), "timeout must lie"),
        (("waffle", "--goal", "1 0 0", "--max-speed", "-1"), "max_speed must lie"),
        (("waffle", "--goal", "1 0 0", "--map", "nowhere.yaml"), "nowhere.yaml"),
        (("waffle", "--goal", "1 0 0", "--map-pose", "1 0 0"), "map_pose needs a map"),
        (("waffle", "--goal", "1 0 0", "--planner", "teleport"), "teleport"),
        (("waffle", "--goal", "1 0 0", "--controller", "nowhere.py:Mine"), "nowhere.py: no such file"),
        (("waffle", "--goal", "1 0 0", "--params", "nowhere.toml"), "no such parameter file"),
        (("waffle", "--goal", "1 0 0", "--push", "much"), "push 'much' should be"),
        (("waffle", "--goal", "1 0 0", "--engine", "paper"), "paper"),
        (("waffle", "--goal", "1 0 0", "--plot", "x.txt"), "plots are written as"),
        (("nao", "--goal", "40 0 0"), "nobody can stand at the goal"),
        (("nobody.urdf", "--goal", "1 0 0"), "nobody.urdf"),
    ],
)
def test_bad_input_is_one_line(andante, words, part):
    code, out, err = andante("navigate", *words, "--json")
    assert (code, out) == (2, "")
    assert part in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[turbo]\nx = 1\n", "turbo"),
        ("[mppi]\nspeeed = 1\n", "speeed"),
        ("[dwa]\nhorizon = 1.0\n", "table [dwa] configures controller dwa"),
        ("resolution = 0.1\n", "resolution is not a table"),
        ("[vehicle]\nmax_speed = -1\n", "max_speed"),
        ("[vehicle]\ndrive = 'omni'\n", "drive"),
        ("[layers\n", "cannot be read as parameters"),
    ],
)
def test_bad_parameter_files_are_one_line(andante, tmp_path, text, part):
    (tmp_path / "p.toml").write_text(text)
    code, out, err = andante("navigate", "waffle", "--goal", "1 0 0", "--params", tmp_path / "p.toml")
    assert (code, out) == (2, "")
    assert part in err
    assert err.count("\n") == 1


def test_a_robot_without_a_lidar_drives_by_odometry(andante, tmp_path):
    from pathlib import Path

    text = (Path(__file__).parents[2] / "examples" / "courier.urdf").read_text()
    (tmp_path / "blind.urdf").write_text(text.replace('type="ray"', 'type="gps"'))
    code, out, _ = andante("navigate", tmp_path / "blind.urdf", "--goal", "1 0 0", "--json")
    assert code == 0
    assert json.loads(out)["success"]
