"""Exploring robots: goals, waypoint files, and the whole way from an unknown lab to goals on the saved map."""

import json
import math

import numpy as np
import pytest

from andante.errors import AndanteError, BadInput, UnknownName
from andante.geometry import se2
from andante.mapping import UNKNOWN, MappingParameters, OccupancyGrid, Scan
from andante.mapping.io.map_files import load_map
from andante.mapping.io.trajectories import read_trajectory
from andante.mobile.explore_goals import Frontiers, Trail, Waypoints, decided, grown, inflation, read_waypoints, roomy
from andante.mobile.growing import with_free_rays
from andante.mobile.robot import MobileRobot, mobile_robot
from andante.mobile.sensing import OnMap
from andante.navigation import Costmap, HybridAStar, Inflation, Vehicle
from andante.tasks.explore import explore
from andante.tasks.navigate import navigate

CAR = Vehicle([[-0.05, -0.15], [0.4, -0.15], [0.4, 0.15], [-0.05, 0.15]], "ackermann", 1.0, turning_radius=0.8)
CART = Vehicle([[-0.15, -0.15], [0.15, -0.15], [0.15, 0.15], [-0.15, 0.15]], max_speed=0.3)
WAYS = {"waffle": "0.7 0.3\n0.2 0.9", "rover": "1.0 0.2 # ahead\n1.6, -0.5"}


# ---- goals ------------------------------------------------------------------------------------------
def half_a_room(seen=40):
    """A room of 6 x 4 m of which the left part was seen."""
    cells = np.full((80, 120), UNKNOWN, dtype=np.int8)
    cells[:, :seen] = 0
    cells[[0, -1], :seen] = 100
    cells[:, 0] = 100
    if seen == 120:
        cells[:, -1] = 100
    return OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells)


@pytest.mark.parametrize("vehicle", [CAR, CART], ids=["car", "cart"])
def test_frontiers_until_all_is_seen(vehicle):
    errand = Frontiers(vehicle)
    goal = errand.next(half_a_room(), np.array([1.0, 1.0, 0.0]))
    assert 1.0 < goal[0] < 2.0
    assert errand.missed[0].reason == "not attempted"
    assert math.isnan(goal[2])
    assert errand.worth(half_a_room())
    assert errand.worth(half_a_room(44))  # a little more of the same edge
    assert not errand.worth(half_a_room(90))
    assert errand.next(half_a_room(120), np.array([1.0, 1.0, 0.0])) is None
    assert errand.reason == "no unknown space borders on free space: the map is complete"
    assert errand.missed == []


def test_a_frontier_that_shows_nothing_is_visited_once():
    errand, grid, pose = Frontiers(CART), half_a_room(), np.array([1.0, 1.0, 0.0])
    goals = []
    while (goal := errand.next(grid, pose)) is not None:
        goals.append(goal)
        errand.over(len(goals) > 1, "a cat sits there")
        assert len(goals) < 20
    gaps = [np.hypot(*(a - b)[:2]) for k, a in enumerate(goals) for b in goals[:k]]
    assert min(gaps, default=1.0) > 0.4
    assert errand.missed[0].reason == "a cat sits there"
    assert errand.missed[0].size > 3.0
    assert "as complete as it gets" in errand.reason


def test_a_car_turns_to_tight_places_last():
    cells = half_a_room().cells.copy()
    cells[14:, 10] = cells[14:, 20] = 100  # a lane of half a metre leads up, with unknown space at its end
    cells[60:, 11:20] = UNKNOWN
    cells[14, 20:] = 100
    cells[15:, 21:] = 100
    cells[1:14, 30:40] = 0
    cells[:, 40:] = 100
    grid = OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells)
    start = np.array([0.5, 0.35, 0.0])
    assert Frontiers(CAR).next(grid, start)[1] > 2.0
    assert roomy(CAR).inscribed > 2 * CAR.inscribed


def test_vehicles_and_maps_for_exploring():
    assert grown(CAR, 0.05).footprint[:, 0].min() == pytest.approx(-0.1)
    assert np.ptp(grown(CAR, 0.05).footprint[:, 1]) == pytest.approx(0.4)
    cells = np.array([[0, 25, 26, 40, 64, 65, 100, -1]], dtype=np.int8)
    assert decided(OccupancyGrid(0.1, (0, 0, 0), cells)).cells.tolist() == [[0, 0, -1, -1, -1, 100, 100, -1]]
    scan = Scan(0.0, np.ones(3), 0.0, 0.1, range_max=3.5)
    assert with_free_rays(MappingParameters(), scan).free_range == pytest.approx(3.15)
    assert with_free_rays(MappingParameters(free_range=2.0), scan).free_range == 2.0
    assert with_free_rays(MappingParameters(), Scan(0.0, np.ones(3), 0.0, 0.1)).free_range == 0.0


def test_the_way_back():
    trail = Trail()
    assert trail.back(1.0) is None
    for x in np.arange(0.0, 2.0, 0.01):
        trail.add(np.array([x, 0.1 * x, 0.0]))
    path = trail.back(0.5)
    assert path.length == pytest.approx(0.5, abs=0.06)
    assert path.poses[0, 0] == pytest.approx(1.96, abs=0.06)  # from where it stands
    assert (path.directions == -1).all()
    np.testing.assert_allclose(path.poses[:, 2], math.atan(0.1), atol=1e-6)  # facing as when it came
    assert trail.back(0.5).poses[0, 0] < path.poses[-1, 0]  # further back
    while trail.back(1.0) is not None:
        pass


def test_room_to_turn_comes_first():
    assert inflation(CART, False).padding == pytest.approx(CART.circumscribed - CART.inscribed)
    assert inflation(CART, True) == inflation(CAR, False) == Inflation()
    cells = half_a_room(120).cells.copy()
    cells[40, :] = 100  # a wall across the room with a gap of 0.4 m, beyond it unknown space
    cells[40, 50:58] = 0
    cells[60:, :] = UNKNOWN
    grid = OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells)
    errand = Frontiers(CART)
    goal = errand.next(grid, np.array([1.0, 1.0, 0.0]))
    assert errand.tight
    assert goal[1] > 2.0
    cells[40, 40:70] = 0
    errand.next(OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells), np.array([1.0, 1.0, 0.0]))
    assert not errand.tight


def test_any_heading_will_do_at_the_end():
    """A lane that leads up past the goal: the heading of the straight way does not fit into it."""
    cells = np.full((80, 80), 100, dtype=np.int8)
    cells[2:30, 2:78] = 0
    cells[2:78, 60:71] = 0  # 0.55 m wide, up to y = 3.9
    costmap = Costmap.of(OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells), CAR)
    start, goal = (0.4, 0.7, 0.0), (3.27, 2.2, math.nan)
    planner = HybridAStar(CAR, tolerance=0.1)
    straight = math.atan2(goal[1] - start[1], goal[0] - start[0])
    assert not planner.plan(start, (*goal[:2], straight), costmap).success
    plan = planner.plan(start, goal, costmap)
    assert plan.success
    assert np.hypot(*(plan.path.goal[:2] - goal[:2])) < 0.11
    shut = planner.plan(start, (0.5, 3.0, math.nan), costmap)
    assert not shut.success
    assert "(0.50, 3.00" in shut.reason
    told = planner.plan(start, (2.0, 0.7, 0.0), costmap)
    assert told.path.goal[2] == pytest.approx(0.0)


def test_waypoints_in_order():
    errand, grid, pose = Waypoints(np.array([[1.0, 1.0, 0.0], [2.0, 1.0, 0.0]])), half_a_room(), np.zeros(3)
    assert errand.next(grid, pose).tolist() == [1.0, 1.0, 0.0]
    errand.over(True, "")
    assert errand.reason == "2 waypoints are left"
    assert errand.next(grid, pose)[0] == 2.0
    errand.over(False, "a wall stands there")
    assert errand.next(grid, pose) is None
    assert errand.reason == "1 of 2 waypoints could not be reached"
    assert errand.missed[0].reason == "a wall stands there"


# ---- files ------------------------------------------------------------------------------------------
def test_waypoint_files(tmp_path):
    path = tmp_path / "way.txt"
    path.write_text("# the way\n1 2\n\n-0.5, 1e-1; 1.57  # look left\n")
    places = read_waypoints(path)
    np.testing.assert_allclose(places, [[1, 2, math.nan], [-0.5, 0.1, 1.57]])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no waypoints"),
        ("# only words", "holds no waypoints"),
        ("1", r"way.txt:1: a waypoint is 'x y' or 'x y yaw', got '1'"),
        ("1 2\n1 2 3 4", "way.txt:2"),
        ("1 north", "in numbers, got '1 north'"),
        ("nan 1", "finite numbers"),
        ("1 2e9", "up to 10000 m"),
        (b"\xff\xfe\x00", "not a text file"),
    ],
)
def test_bad_waypoint_files(tmp_path, text, words):
    path = tmp_path / "way.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BadInput, match=words):
        read_waypoints(path)
    with pytest.raises(BadInput, match="no such file"):
        read_waypoints(tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"start": (0.0, math.nan, 0.0)}, BadInput, "start"),
        ({"timeout": 0.0}, BadInput, "timeout"),
        ({"timeout": math.inf}, BadInput, "timeout"),
        ({"max_speed": 0.0}, BadInput, "max_speed"),
        ({"world": "nowhere"}, AndanteError, "nowhere"),
        ({"world": None}, BadInput, "needs a world to simulate, or a body"),
        ({"engine": "steam"}, UnknownName, "steam"),
        ({"robot": "nao"}, AndanteError, "wheel"),
        ({"controller": "magic"}, UnknownName, "magic"),
        ({"world": "empty"}, BadInput, "sees nothing to map by"),
        ({"start": (4.0, 0.0, 0.0), "timeout": 2.0}, BadInput, "stands in [a-z_0-9]*; choose another place"),
    ],
)
def test_bad_jobs_write_nothing(tmp_path, change, error, words):
    job = {"robot": "waffle", "world": "lab", "out": tmp_path / "map", **change}
    with pytest.raises(error, match=words):
        explore(**job)
    assert list(tmp_path.iterdir()) == []


def test_names_of_files(tmp_path):
    with pytest.raises(BadInput, match="folder does not exist"):
        explore("waffle", world="lab", out=tmp_path / "no" / "map")
    with pytest.raises(BadInput, match="recordings are written as"):
        explore("waffle", world="lab", out=tmp_path / "map", record=tmp_path / "x.txt")
    way = tmp_path / "map.tum"
    way.write_text("1 2\n")
    with pytest.raises(BadInput, match="would be overwritten"):
        explore("waffle", world="lab", out=tmp_path / "map", waypoints=way)


# ---- the whole way ----------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def explored(tmp_path_factory):
    """Maps of the lab by both robots along short waypoints, made once."""
    made = {}

    def run(robot, engine="mujoco"):
        if (robot, engine) not in made:
            folder = tmp_path_factory.mktemp(f"{robot}_{engine}")
            (folder / "way.txt").write_text(WAYS[robot])
            way = folder / "way.txt"
            result = explore(robot, world="lab", out=folder / "map", waypoints=way, engine=engine, seed=1)
            made[robot, engine] = folder, result
        return made[robot, engine]

    return run


@pytest.mark.parametrize(("robot", "engine"), [("waffle", "mujoco"), ("rover", "mujoco"), ("waffle", "bullet")])
def test_mapping_along_waypoints(explored, robot, engine):
    folder, outcome = explored(robot, engine)
    assert outcome.complete
    assert outcome.reason == "all waypoints were visited"
    assert outcome.missed == ()
    assert not outcome.collided
    assert outcome.walls.true_walls > 0.98
    assert outcome.coverage > (0.5 if robot == "waffle" else 0.8)  # one sees 3.5 m far, the other 12
    assert outcome.path_error < 0.03
    assert outcome.pose_error[0] < 0.06
    assert outcome.pose_error[1] < 0.03
    grid = load_map(folder / "map.yaml")
    assert (grid.shape[1], grid.shape[0]) == outcome.size
    path = read_trajectory(folder / "map.tum")
    assert path.length == pytest.approx(outcome.distance, abs=0.3)
    told = json.loads(json.dumps(outcome.as_dict(), default=lambda values: values.tolist()))
    assert {"scans", "rate", "map", "trajectory", "coverage", "time", "distance", "reason"} <= set(told)
    assert told["collided"] is False
    assert told["scans"] == outcome.scans > 20


GOALS = {"waffle": [(0.6, 0.4, 0.0), (0.5, -0.5, 0.0)], "rover": [(1.1, 0.1, 0.0), (1.4, -0.4, 0.0)]}


@pytest.mark.parametrize("robot", ["waffle", "rover"])
def test_the_saved_map_leads_to_goals(explored, robot):
    """A new run reads the map from its file, begins at a pose told by hand, and drives to two goals."""
    folder, _ = explored(robot)
    start = (0.0, 0.0, 0.0)
    for goal in GOALS[robot]:
        outcome = navigate(
            robot, world="lab", start=start, goal=goal, map=folder / "map.yaml", ignore_yaw=True, controller="pursuit",
            max_speed=0.4, timeout=40.0, seed=2,
        )  # fmt: skip
        assert outcome.success, outcome.reason
        assert not outcome.collided
        assert outcome.final_error < 0.25


def test_the_saved_map_tells_a_carried_robot_where_it_is(explored):
    """No pose is told: the first scans find it anywhere on the map."""
    folder, _ = explored("rover")
    where = (1.2, -0.3, 2.4)
    robot = mobile_robot("rover", "lab", where, localizer=OnMap(load_map(folder / "map.yaml"), None, seed=0), seed=5)
    try:
        sensed = robot.settle(3.0)
        off = se2.between(robot.truth.pose, robot.to_root(sensed.pose))
        assert sensed.trusted
        assert math.hypot(off[0], off[1]) < 0.1
        assert abs(off[2]) < 0.05
    finally:
        robot.close()


def test_a_start_elsewhere_is_the_frame_of_the_map(tmp_path):
    outcome = explore(
        "rover", world="lab", out=tmp_path / "map", start=(-1.5, -0.4, 0.3), waypoints=[(-0.9, -0.4)],
        plot=tmp_path / "map.png", record=tmp_path / "run.mcap",
    )  # fmt: skip
    assert outcome.walls.true_walls > 0.98
    assert outcome.pose_error[0] < 0.06
    assert np.hypot(*(outcome.pose[:2] - [-0.9, -0.4])) < 0.6
    assert (tmp_path / "map.png").stat().st_size > 10_000
    assert (tmp_path / "run.mcap").stat().st_size > 10_000


def test_frontiers_until_the_time_is_over_or_ctrl_c(tmp_path, monkeypatch):
    outcome = explore("waffle", world="lab", out=tmp_path / "one", timeout=1.0)
    assert not outcome.complete
    assert outcome.reason.startswith("timed out after 1 s; ")
    assert outcome.goals == 1
    assert {missed.reason for missed in outcome.missed} == {"not attempted"}
    steps, usual = [], MobileRobot.step

    def step(self, twist=(0.0, 0.0, 0.0)):
        steps.append(twist)
        if len(steps) == 70:
            raise KeyboardInterrupt
        return usual(self, twist)

    monkeypatch.setattr(MobileRobot, "step", step)
    outcome = explore("waffle", world="lab", out=tmp_path / "two")
    assert outcome.reason.startswith("stopped by the user; ")
    assert not outcome.complete
    assert load_map(tmp_path / "two.yaml").occupied().sum() > 100
    assert len(read_trajectory(tmp_path / "two.tum")) >= outcome.scans > 10
