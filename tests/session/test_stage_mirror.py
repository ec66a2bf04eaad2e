"""A session that moves another robot than a simulated one: here a simulation that plays the real one."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import andante as an
from andante.control.activities import Driving
from andante.control.body import Body, BodyState, Health, LinkState, Twist
from andante.control.start import StartSettings
from andante.errors import BadInput, Unsupported
from andante.geometry import Array
from andante.locomotion.gaits import Request, prepare
from andante.session import LiveSession


class Real(Body):
    """A robot that a session knows by its body alone."""

    takes_stop_plan = True

    rate = 100.0  # of its state, as measured [Hz]

    def __init__(self, robot: an.Robot) -> None:
        ready = prepare(robot, Request("walk"))
        self.robot, self.plans, self.silent = robot, 0, False
        self.sim = an.simulate(ready.robot, pose=ready.pose, sensors=True)
        self.closed = False

    def read(self) -> BodyState:
        if self.silent:
            return BodyState(self.sim.time, np.zeros(26), np.zeros(26), health=Health(False, "gone", lost=True))
        return self.sim.read()

    @property
    def time(self) -> float:
        return self.sim.time

    @property
    def link(self) -> LinkState:
        return LinkState(rate=self.rate)

    def write(self, command) -> None:
        self.sim.write(command)

    def follow(self, targets: Array, modes: Array | None = None, stiffness: Array | None = None) -> None:
        self.sim.follow(targets, modes, stiffness)

    def drive(self, twist: Twist) -> None:
        raise AssertionError

    def stop_plan(self, plan) -> None:
        self.plans += 1

    def advance(self, seconds: float) -> None:
        self.sim.advance(seconds)

    def stop(self) -> None:
        self.sim.stop()

    def close(self) -> None:
        self.closed = True
        self.sim.close()


@pytest.fixture
def real() -> Iterator[list[Real]]:
    made: list[Real] = []
    yield made
    for each in made:
        each.close()


def test_a_session_walks_a_real_robot_and_shows_it(real: list[Real], tmp_path: Path) -> None:
    def make(robot: an.Robot) -> Body:
        real.append(Real(robot))
        return real[-1]

    with LiveSession("nao", body=make, folder=tmp_path) as session:
        topics = set(session.bus.topics())
        assert {"/joint_states", "/imu/data", "/nao/foot_force", "/odom", "/tf"} <= topics
        assert not any(topic.startswith("/ground_truth") for topic in topics)
        forces = []
        session.bus.subscribe("/nao/foot_force", None, forces.append, queue=100)
        session.run(0.5)
        for _ in range(20):
            session.drive(vx=0.2)
            session.run(0.1)
        body = real[0]
        assert body.sim.base_pose[0] > 0.15
        assert session.position[0] == pytest.approx(body.sim.base_pose[0], abs=0.05)
        assert body.plans > 5
        assert len(forces) > 50
        shown = session.stage.sim.engine.joint_positions(session.stage.sim.model)
        np.testing.assert_allclose(shown, body.read().position, atol=1e-6)
        with pytest.raises(BadInput, match="a real robot stays where and what it is"):
            session.reset()
        with pytest.raises(BadInput, match="not pushed from here"):
            session.push("torso", (1.0, 0.0, 0.0))
        body.silent = True
        session.run(1.0)
        assert session.stopped
    assert real[0].closed


def test_a_robot_that_tells_its_joints_too_rarely_is_not_walked(real: list[Real], tmp_path: Path) -> None:
    """It is held and moved joint by joint; keys, /cmd_vel and `drive` are refused with the rate that was measured."""

    def make(robot: an.Robot) -> Body:
        real.append(Real(robot))
        real[-1].rate = 20.0
        return real[-1]

    lines: list[str] = []
    with LiveSession("nao", body=make, folder=tmp_path, nodes=()) as session:
        session.bus.subscribe("/rosout", None, lambda line: lines.append(str(line.msg)), queue=100)
        with pytest.raises(Unsupported, match="tells its joints 20 times a second, gait 'walk' needs 50"):
            session.stage.drive()
        for _ in range(10):
            session.drive(vx=0.2)
            session.run(0.1)
        assert session.behaviour == "hold"
        assert abs(real[0].sim.base_pose[0]) < 0.02
        assert [line for line in lines if "not driven" in line] == [
            "it is not driven: the robot tells its joints 20 times a second, gait 'walk' needs 50"
        ]
    with LiveSession("nao", body=make, folder=tmp_path, nodes=(), start_settings=StartSettings(0.3)) as session:
        assert isinstance(session.stage.activities.present, Driving)
