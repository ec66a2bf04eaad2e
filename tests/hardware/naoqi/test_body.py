"""A NAO behind NAOqi: our own server with its session in processes of their own."""

import json
import math
import os
import signal
import subprocess
import sys
import time

import pytest
from tests.bridges.naoqi.conftest import ENVIRONMENT, HERE, Host

from andante.description import load_robot
from andante.errors import BadInput, LostBody
from andante.hardware.naoqi.body import NaoqiBody
from andante.hardware.open import open_body

DRIVER = (
    "import sys\nfrom andante.hardware.naoqi.body import NaoqiBody\nbody = NaoqiBody(sys.argv[1], 'nao').connect(30)\n"
)
DRIVER += "print('led', flush=True)\nwhile True:\n    body.drive((0.09, 0.0, 0.0))\n    body.advance(0.02)\n"


@pytest.fixture(scope="module")
def robot():
    made = Host(HERE / "ball.sdf")
    yield made
    made.close()


def address(robot):
    return robot.url.replace("tcp://", "naoqi://")


def command(robot, *words):
    line = [sys.executable, "-m", "andante", *words, "--body", address(robot), "--yes", "--json"]
    done = subprocess.run(line, env=ENVIRONMENT, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_tells_its_joints_and_takes_targets(robot):
    nao = load_robot("nao")
    with open_body(address(robot), nao) as body:
        state = body.read()
        assert state.health.ok
        assert math.isfinite(state.position.sum())
        assert state.acceleration[2] == pytest.approx(9.8, abs=0.5)
        assert sum(sum(cells) for cells in state.forces.values()) == pytest.approx(9.81 * 5.2, rel=0.2)
        assert body.link.rate > 20
        targets = state.position.copy()
        targets[nao.joint_names.index("HeadYaw")] = 0.4
        until = time.monotonic() + 20
        while abs(body.read().position[nao.joint_names.index("HeadYaw")] - 0.4) > 0.03:
            body.follow(targets)
            body.advance(0.02)
            assert time.monotonic() < until
    assert robot.state["joints"]["HeadYaw"] == pytest.approx(0.4, abs=0.05)


@pytest.mark.drill
def test_it_walks_by_itself_where_a_walk_is_led(robot):
    before = robot.state["pose"]
    told = command(robot, "walk", "nao", "--distance", "0.2")
    after = robot.state
    assert told["gait"] == "own"
    assert told["arrived"], told
    assert math.dist(before[:2], after["pose"][:2]) == pytest.approx(0.2, abs=0.05)
    assert not after["fell"]


@pytest.mark.drill
def test_a_robot_whose_driver_is_killed_stops(robot):
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, address(robot)], env=ENVIRONMENT, stdout=subprocess.PIPE)
    assert driver.stdout.readline().strip() == b"led"
    begin = robot.state
    while math.dist(robot.state["pose"][:2], begin["pose"][:2]) < 0.05:
        time.sleep(0.2)
        assert robot.state["time"] < begin["time"] + 30
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    until = robot.state["time"] + 20
    while robot.state["behaviour"] != "balance":
        time.sleep(0.2)
        assert robot.state["time"] < until, "it walks on"


def test_nobody_there_is_told_in_one_line():
    with pytest.raises(BadInput, match=r"no connection to naoqi://127.0.0.1:1"):
        open_body("naoqi://127.0.0.1:1", load_robot("nao"))


@pytest.mark.drill
def test_a_robot_that_is_gone_is_lost(robot):
    from andante.control.loop import ControlLoop
    from andante.locomotion.behaviour import HoldPose

    nao = load_robot("nao")
    other = Host(HERE / "ball.sdf")
    body = NaoqiBody(address(other), nao).connect(30)
    loop = ControlLoop(body, HoldPose(nao, dict(zip(nao.joint_names, body.read().position, strict=True))))
    other.process.kill()
    with pytest.raises(LostBody):
        loop.run(20.0)
    body.close()
    other.close()
