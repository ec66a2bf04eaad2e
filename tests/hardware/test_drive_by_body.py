"""`andante navigate ... --body ...`: a waffle behind ROS and a rover at a serial port, each in another process."""

import os
import signal

import pytest

import andante as an

from .serial.lines import needs_pty
from .stand_in import Command, Rover, StandIn, moved_last

BLIND = "[navigator]\nscan_timeout = inf\n[body]\narrival_radius = 0.2\n"


def blind(folder):
    """Parameters for a robot without a lidar."""
    path = folder / "blind.toml"
    path.write_text(BLIND)
    return "--params", path, "--ignore-yaw"


def drive(started, robot, name, goal, *more):
    return started(Command("navigate", name, "--goal", goal, "--body", robot.address, "--yes", *more))


def reaches(robot, told, x, y, tolerance):
    assert told["success"], told["reason"]
    assert told["engine"] == robot.address
    rows = robot.pass_time(1.0)
    assert rows[-1]["x"] == pytest.approx(x, abs=tolerance)
    assert rows[-1]["y"] == pytest.approx(y, abs=tolerance)
    return rows


@pytest.mark.parametrize("line", ["rosbridge", pytest.param("ros1", marks=pytest.mark.drill)])
def test_a_waffle_reaches_a_goal(started, tmp_path, request, line):
    master = request.getfixturevalue("ros_master").uri if line == "ros1" else ""
    robot = started(StandIn(tmp_path, "waffle", "lab", master=master))
    told = drive(started, robot, "waffle", "1.0 0.4 0").result()
    reaches(robot, told, 1.0, 0.4, 0.25)


def test_a_waffle_brakes_when_its_driver_is_killed(started, tmp_path):
    robot = started(StandIn(tmp_path, "waffle", "lab"))
    driver = drive(started, robot, "waffle", "1.5 0 0")
    robot.wait(lambda row: row["x"] > 0.3, "it drives", driver)
    os.kill(driver.process.pid, signal.SIGKILL)
    robot.pass_time(1.0)
    rows = robot.pass_time(2.0)
    assert moved_last(rows, rows[-1]["told"], 0.02) < 1.0
    assert rows[-1]["activity"] == "balance"


def test_our_side_ends_when_the_waffle_falls_silent(started, tmp_path):
    robot = started(StandIn(tmp_path, "waffle", "lab"))
    driver = drive(started, robot, "waffle", "1.5 0 0")
    robot.wait(lambda row: row["x"] > 0.2, "it drives", driver)
    os.kill(robot.process.pid, signal.SIGSTOP)
    told = driver.result()
    assert not told["success"]
    assert told["reason"].startswith("waffle is stopped: no message on")
    assert 0.5 <= told["link"]["age"] < 0.8


@needs_pty
def test_a_rover_reaches_a_waypoint_over_a_pseudo_terminal(started, tmp_path):
    robot = started(Rover(tmp_path))
    told = drive(started, robot, "rover", "1.5 0.3", *blind(tmp_path)).result()
    rows = reaches(robot, told, 1.5, 0.3, 0.25)
    assert rows[-1]["speed"] < 0.05


@pytest.mark.drill  # half a minute of a robot's clock; the waffle shows the same
@needs_pty
def test_a_rover_stops_when_its_driver_is_killed(started, tmp_path):
    robot = started(Rover(tmp_path))
    driver = drive(started, robot, "rover", "4 0", *blind(tmp_path))
    robot.wait(lambda row: row["x"] > 0.4, "it drives")
    os.kill(driver.process.pid, signal.SIGKILL)
    killed = robot.rows[-1]["time"]
    robot.pass_time(1.0)
    rows = robot.pass_time(2.0)
    assert next(row["time"] for row in rows if row["time"] > killed and row["state"] != "COMMANDED") - killed < 0.4
    assert moved_last(rows, killed, 0.02) < 2.0


@needs_pty
def test_a_rover_without_a_lidar_does_not_drive_blind_unasked(started, tmp_path):
    robot = started(Rover(tmp_path))
    command = drive(started, robot, "rover", "1 0")
    _, errors = command.process.communicate(timeout=200)
    assert command.process.returncode == 2
    assert "tells no scans; params with [navigator] scan_timeout = inf let it drive blind" in errors


@pytest.mark.drill  # a quarter of a minute of a car's clock; its parts are tested beside each of them
@needs_pty
def test_a_car_with_lidar_and_tags_finds_its_way_though_its_lidar_stands_and_its_line_is_garbled(started, tmp_path):
    robot = started(Rover(tmp_path, world="lab"))
    plan = tmp_path / "lab.yaml"
    an.mapping.save_map(an.mapping.map_of_world(an.world("lab"), height=0.2), plan)
    driver = drive(
        started, robot, "rover", "1.5 -0.8", "--ignore-yaw", "--max-speed", 0.4, "--map", plan,
        "--lidar", f"rplidar:{robot.told['lidar']}", "--uwb", f"pozyx:{robot.told['tag0']},{robot.told['tag1']}",
        "--anchors", tmp_path / "anchors.txt",
    )  # fmt: skip
    robot.wait(lambda row: row["x"] > 0.3, "it drives", driver)
    (tmp_path / "blocked").touch()
    rows = robot.pass_time(4.0)
    assert rows[-1]["speed"] < 0.01
    (tmp_path / "blocked").unlink()
    (tmp_path / "rubbish").touch()
    told = driver.result()
    reaches(robot, told, 1.5, -0.8, 0.3)
    assert any("standing until the lidar is back" in words for words in told["events"])
    assert any("scans are back" in words for words in told["events"])
