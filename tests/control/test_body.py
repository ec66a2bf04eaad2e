"""What bodies are told and what they tell."""

import math
from contextlib import closing
from dataclasses import fields

import numpy as np
import pytest

import andante as an
from andante.control.body import Body, BodyCommand, BodyState, JointTarget
from andante.errors import BadInput, UnknownName
from andante.locomotion import Readings
from andante.physics import Mode


class Post(Body):
    """A body that keeps its last command."""

    def __init__(self):
        self.robot, self.command = an.robot("waffle"), BodyCommand()

    def read(self):
        return BodyState(0.0, np.zeros(2), np.zeros(2))

    def write(self, command):
        command.known_to(self)
        self.command = command

    def advance(self, seconds):
        pass

    def stop(self):
        pass

    def close(self):
        pass


def test_a_state_is_what_behaviours_read():
    state = BodyState(1.0, np.zeros(2), np.ones(2), effort=np.zeros(2), pressed={"bumper": True})
    assert isinstance(state, Readings)
    assert state.acceleration.tolist() == pytest.approx([0.0, 0.0, 9.81], abs=0.01)
    assert state.gyro.tolist() == [0.0, 0.0, 0.0]
    assert state.pressed == {"bumper": True}
    assert math.isnan(state.yaw)
    assert math.isnan(state.measured_at)
    assert state.health.ok


def test_a_body_has_the_names_of_its_robot_and_no_lidar_unless_it_says_so():
    post = Post()
    assert post.name == "waffle"
    assert post.joint_names == post.robot.joint_names
    assert post.scans(0.0) == ()
    assert not post.simulated
    assert not post.wants_twist
    with pytest.raises(TypeError, match="abstract"):
        Body()


def test_targets_and_twists_become_commands():
    post = Post()
    left, right = post.joint_names
    post.follow(np.array([0.5, math.nan]))
    assert post.command == BodyCommand({left: JointTarget(0.5)})
    post.follow(np.array([0.5, 2.0]), np.array([Mode.VELOCITY, Mode.POSITION]))
    assert post.command == BodyCommand({left: JointTarget(0.5, Mode.VELOCITY), right: JointTarget(2.0)})
    post.drive((0.1, 0.0, 0.2))
    assert post.command == BodyCommand(twist=(0.1, 0.0, 0.2))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BodyCommand({"a": JointTarget(math.nan)}), "target of joint 'a' must be finite"),
        (lambda: BodyCommand(twist=(1.0, 2.0, math.inf)), "three finite numbers"),
        (lambda: BodyCommand(twist=(1.0, 2.0)), "three finite numbers"),
    ],
)
def test_bad_commands_cannot_exist(make, words):
    with pytest.raises(BadInput, match=words):
        make()


def test_unknown_joints_are_refused_by_name():
    with pytest.raises(UnknownName, match="no joint 'wing' in body 'waffle'; choices: "):
        Post().write(BodyCommand({"wing": JointTarget()}))


def test_a_state_that_is_made_quickly_is_the_same():
    with closing(an.simulate("nao", sensors=True)) as sim:
        sim.run(0.02)
        state = sim.read()
    assert {field.name for field in fields(BodyState)} - set(vars(state)) == {"yaw"}  # which nothing here measures
    slowly = BodyState(**{field.name: getattr(state, field.name) for field in fields(BodyState)})
    assert repr(slowly) == repr(state)
