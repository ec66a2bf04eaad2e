"""`open_body`: addresses and parameters; bodies of the user's own; dry runs; the question before a robot moves."""

import io
import json
import re
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from andante.bridges import start_server
from andante.bus import Bus
from andante.cli.main import app
from andante.cli.options import allow
from andante.control.body import Body, BodyState
from andante.control.start import require_pose, require_rate
from andante.description import load_robot
from andante.errors import BadInput, UnknownName, Unsupported
from andante.hardware.open import dry_run, make_body, open_body
from andante.hardware.ros.orders import JointPositions, JointTargets, JointTrajectory
from andante.hardware.ros.settings import ros_options
from andante.locomotion.behaviour import HoldPose
from andante.mobile.driver import BaseDriver
from andante.tasks.walk import walk

OWN = """
import numpy as np
from andante.control.body import Body, BodyState, Health

class Mine(Body):
    simulated = True

    def __init__(self, robot, gain=1.0):
        self.robot, self.gain, self.closed, self.now = robot, gain, False, 0.0
    def read(self):
        zeros = np.zeros(len(self.joint_names))
        health = Health(False, "closed") if self.closed else Health()
        return BodyState(self.now, zeros, zeros, effort=zeros, health=health)
    def write(self, command):
        command.known_to(self)
    def advance(self, seconds):
        self.now += seconds
    def stop(self):
        pass
    def close(self):
        self.closed = True

class Careless(Mine):
    def write(self, command):
        pass

def nothing(robot):
    return 42
"""


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("sin", "no body 'sin'; choices: sim, ws://HOST:9090 (rosbridge)"),
        ("serial:", "needs the name of its port"),
        ("http://nowhere", "should look like http://127.0.0.1:11311"),
        ("missing.py:Mine", "missing.py: no such file"),
    ],
)
def test_what_is_no_address_is_told(nao, address, words):
    with pytest.raises(BadInput, match=re.escape(words)):
        make_body(address, nao)
    if "://" not in address:
        with pytest.raises(BadInput, match=re.escape(words)):
            walk("nao", distance=0.1, body=address)


def test_a_body_of_the_users_own(tmp_path, waffle):
    file = tmp_path / "mine.py"
    file.write_text(OWN)
    body = open_body(f"{file}:Mine", waffle, {"gain": 2.0})
    assert body.gain == 2.0
    with pytest.raises(BadInput, match="gives a int, not a Body"):
        open_body(f"{file}:nothing", waffle)
    with pytest.raises(BadInput, match=r"does not keep the contract of a body \(unknown joint: a joint that"):
        open_body(f"{file}:Careless", waffle)
    with pytest.raises(BadInput, match="cannot be called with a robot"):
        open_body(f"{file}:Mine", waffle, {"volume": 11})


@pytest.mark.parametrize(
    ("table", "error", "words"),
    [
        ({"topic": "/x"}, UnknownName, r"no \[body\] parameter 'topic'; choices: clock, foot_force"),
        ({"imu": 1}, BadInput, r"\[body\] imu is a word, got 1"),
        ({"timeout": "long"}, BadInput, r"\[body\] timeout is a number"),
        ({"targets": "smoke"}, UnknownName, "no way of targets 'smoke'; choices: targets, angles"),
        ({"targets": "positions"}, BadInput, "needs its joints in order"),
        ({"speed": 0.5}, BadInput, r"\[body\] speed does not go with this way"),
        ({"joints": "all"}, BadInput, r"\[body\] joints is a list of names"),
    ],
)
def test_tables_that_make_no_sense_are_told(table, error, words):
    with pytest.raises(error, match=words):
        ros_options(table)


def test_tables_remap_topics_and_ways():
    made = ros_options({"targets_topic": "/nao/targets", "joint_states": "/nao/joints", "velocity": "", "timeout": 1})
    assert made["joints"] == JointTargets("/nao/targets", "/nao/targets/stop")
    assert (made["topics"].joint_states, made["velocity"], made["timeout"]) == ("/nao/joints", None, 1.0)
    made = ros_options({"targets": "trajectory", "targets_topic": "/arm/joint_trajectory", "joints": ["a", "b"]})
    assert made["joints"] == JointTrajectory("/arm/joint_trajectory", together=("a", "b"))
    made = ros_options({"targets": "positions", "joints": ["b", "a"]})
    assert made["joints"] == JointPositions(together=("b", "a"))
    assert ros_options({"targets": "none"})["joints"] is None


def test_a_dry_run_tells_topics_limits_and_the_first_messages(nao, waffle):
    lines = dry_run("ws://robot:9090", nao, {}, HoldPose(nao, "StandInit"), nao.poses["StandInit"])
    assert lines[0] == {"body": "ws://robot:9090", "robot": "nao", "rate": 100.0}
    sends = {line["sends"]: (line["type"], line["rate"]) for line in lines if "sends" in line}
    assert sends == {
        "/joint_targets": ("sensor_msgs/msg/JointState", 100.0),
        "/joint_targets/stop": ("trajectory_msgs/msg/JointTrajectory", 5.0),
    }
    (limits,) = [line["limits"] for line in lines if "limits" in line]
    head = nao.joint("HeadYaw").limits
    assert limits["HeadYaw"] == [head.lower, head.upper, head.velocity]
    (message,) = [line["msg"] for line in lines if line.get("topic") == "/joint_targets"]
    assert message["position"][nao.joint_names.index("LKneePitch")] == nao.poses["StandInit"]["LKneePitch"]
    table = {"targets": "positions", "joints": ["HeadPitch", "HeadYaw"]}
    (message,) = [
        line["msg"]
        for line in dry_run("ws://robot:9090", nao, table, HoldPose(nao, {"HeadYaw": 2.0}), {})
        if "msg" in line
    ]
    assert message["data"] == pytest.approx([0.0, nao.joint("HeadYaw").limits.velocity * 0.1], abs=1e-6)  # slowed down
    rover = load_robot("rover")
    assert dry_run("serial:COM5", rover, {}, BaseDriver(rover), {})[-1] == {"twist": (0.0, 0.0, 0.0)}
    (twist,) = [
        line["msg"] for line in dry_run("http://robot:11311", waffle, {}, BaseDriver(waffle), {}) if "msg" in line
    ]
    assert twist["linear"]["x"] == 0.0


@pytest.mark.parametrize(
    "words",
    [
        ["walk", "nao", "--distance", "1"],
        ["play", "nao", "StandZero"],
        ["navigate", "waffle", "--goal", "1 0 0"],
        ["studio", "nao", "--no-browser"],
        ["explore", "waffle", "--world", "lab", "-o", "map"],
    ],
)
def test_every_command_asks_first_and_has_a_dry_run(words):
    runner = CliRunner()
    refused = runner.invoke(app, [*words, "--body", "ws://127.0.0.1:1"])
    assert isinstance(refused.exception, BadInput)
    assert f"{words[1]} at ws://127.0.0.1:1 would move and nobody can be asked here" in str(refused.exception)
    told = runner.invoke(app, [*words, "--body", "ws://127.0.0.1:1", "--dry-run"])
    assert told.exit_code == 0, told.exception
    assert json.loads(told.stdout.splitlines()[0])["body"] == "ws://127.0.0.1:1"
    assert "topic" in json.loads(told.stdout.splitlines()[-1])
    alone = runner.invoke(app, [*words, "--dry-run"])
    assert "name one with --body" in str(alone.exception)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("answer", "moves"), [("y\n", True), ("yes\n", True), ("\n", False), ("n\n", False)])
def test_the_question(monkeypatch, capsys, answer, moves):
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    if moves:
        allow("ws://robot:9090", "nao", yes=False)
    else:
        with pytest.raises(BadInput, match="nothing was moved"):
            allow("ws://robot:9090", "nao", yes=False)
    assert capsys.readouterr().err == "move nao at ws://robot:9090? [y/N] "
    allow("sim", "nao", yes=False)
    allow("ws://robot:9090", "nao", yes=True)


def test_a_slow_robot_and_one_that_stands_otherwise_are_refused(nao):
    class Slow(Body):
        robot = nao

        def read(self):
            zeros = np.zeros(len(nao.joint_names))
            return BodyState(0.0, zeros, zeros, effort=zeros)

        def write(self, command):
            raise AssertionError

        stop = close = write

        def advance(self, seconds):
            raise AssertionError

        @property
        def link(self):
            from andante.control.body import LinkState

            return LinkState(rate=12.2)

    words = "the robot tells its joints 12 times a second, gait 'walk' needs 50"
    with pytest.raises(Unsupported, match=words):
        require_rate(Slow(), 50.0, "gait 'walk'")
    require_rate(Slow(), 12.5, "driving")
    with pytest.raises(BadInput, match=r"nao does not stand as gait 'walk' begins: \w+ is off by"):
        require_pose(Slow(), nao.poses["StandInit"], "gait 'walk'")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ws://127.0.0.1:1", r"no connection to ws://127\.0\.0\.1:1: .*Connect call failed"),
        ("http://127.0.0.1:1", r"no connection to http://127\.0\.0\.1:1: does not answer \(ConnectionRefused"),
        ("serial:/dev/nothing_here", r"/dev/nothing_here cannot be opened: .*serial ports here"),
    ],
)
def test_an_address_where_nobody_is_is_told_soon(waffle, address, words):
    began = time.monotonic()
    with pytest.raises(BadInput, match=words) as told:
        open_body(address, load_robot("rover") if address.startswith("serial:") else waffle)
    assert time.monotonic() - began < 8.0  # on a busy machine; who is silent is waited for 20 s
    assert "not reached yet" not in str(told.value)


def test_a_server_whose_robot_is_silent_gets_its_waiting_time(waffle, monkeypatch):
    monkeypatch.setattr("andante.hardware.open.CONNECTING", 1.5)
    monkeypatch.setattr("andante.hardware.open.REACHING", 0.1)
    with start_server(Bus()) as server:
        began = time.monotonic()
        with pytest.raises(BadInput, match="no message on /joint_states"):
            open_body(server.ws_url, waffle)
        assert time.monotonic() - began > 1.4
