"""`andante walk nao --body ...` on a robot in another process, over rosbridge and over a real ROS 1 master."""

import os
import signal

import pytest

from .stand_in import Command, StandIn, moved_last

DRILLS = [pytest.param(seed, marks=pytest.mark.drill) for seed in range(5)]


def walk_a_meter(started, robot):
    walk = started(Command("walk", "nao", "--distance", "1", "--body", robot.address, "--yes"))
    told = walk.result()
    assert told["engine"] == robot.address
    assert told["arrived"], {
        key: told[key] for key in ("reason", "notice", "stood", "fallen", "distance", "time", "link")
    }
    assert told["reason"] == ""
    assert told["link"]["rate"] == pytest.approx(50.0, rel=0.1)
    rows = robot.pass_time(2.0)
    assert not any(row["fallen"] for row in rows)
    assert rows[-1]["x"] == pytest.approx(1.0, abs=0.1), told
    assert rows[-1]["activity"] == "balance"  # its own walker has it again
    assert abs(told["distance"] - rows[-1]["x"]) < 0.1  # what our side believes


@pytest.mark.parametrize("seed", [0, *DRILLS[1:]])
def test_a_nao_walks_a_meter_over_rosbridge(started, tmp_path, seed):
    walk_a_meter(started, started(StandIn(tmp_path, "nao", seed=seed)))


@pytest.mark.parametrize("seed", DRILLS)
def test_a_nao_walks_a_meter_over_a_ros_1_master(started, tmp_path, ros_master, seed):
    walk_a_meter(started, started(StandIn(tmp_path, "nao", seed=seed, master=ros_master.uri)))


@pytest.mark.parametrize("cut", ["our command", pytest.param("the server between", marks=pytest.mark.drill)])
def test_a_nao_whose_commands_cease_finishes_its_step_and_stands(started, tmp_path, cut):
    robot = started(StandIn(tmp_path, "nao"))
    walk = started(Command("walk", "nao", "--distance", "3", "--body", robot.address, "--yes"))
    robot.wait(lambda row: row["x"] > 0.35, "it walks", walk)
    os.kill(walk.process.pid if cut == "our command" else robot.server, signal.SIGKILL)
    robot.pass_time(1.0)
    rows = robot.pass_time(3.0)
    told = rows[-1]["told"]
    stopping = next(row["time"] for row in rows if row["detail"] == "stopping")
    assert stopping - told <= 0.3 + 0.03  # the truth is told every 0.02 s
    assert moved_last(rows, told) < 2.0
    assert not any(row["fallen"] for row in rows)
    assert rows[-1]["activity"] == "balance"
    if cut != "our command":
        result = walk.result()
        assert not result["arrived"]
        assert "nao is stopped: no connection to" in result["reason"]


@pytest.mark.drill  # half a minute of a robot's clock; the waffle shows the same
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_our_side_ends_when_the_robot_falls_silent(started, tmp_path, number):
    robot = started(StandIn(tmp_path, "nao"))
    walk = started(Command("walk", "nao", "--distance", "3", "--body", robot.address, "--yes"))
    robot.wait(lambda row: row["x"] > 0.2, "it walks", walk)
    os.kill(robot.process.pid, number)
    result = walk.result()
    assert not result["arrived"]
    assert not result["fallen"]
    words = "no connection to" if number == signal.SIGKILL else "no message on"
    assert result["reason"].startswith(f"nao is stopped: {words}")
    if number == signal.SIGSTOP:
        assert 0.5 <= result["link"]["age"] < 0.8
