"""The fall manager as a machine of states, fed by hand."""

import numpy as np
import pytest

from andante.locomotion import Command
from andante.locomotion.behaviour import HoldPose
from andante.locomotion.falls.detector import FallRules
from andante.locomotion.falls.manager import FallEvent, FallManager, FallState, FallTiming
from andante.locomotion.io.fall_library import fall_motions

from .samples import DOWN, NAO, felt, positions

MOTIONS = fall_motions(NAO)
DT = 0.02


class Strider(HoldPose):
    """A walker that believes to go ahead and to the left, and tells what it was asked."""

    max_speed, max_turn, stopping_time, position = 0.2, 0.5, 0.6, np.zeros(3)

    def __init__(self, forgets):
        super().__init__(NAO, "StandInit")
        self.commands, self.forgets, self.resets = [], forgets, 0

    def reset(self):
        self.resets += 1
        if self.forgets:
            self.position = np.zeros(3)

    def update(self, readings, command, dt):
        self.commands.append(command)
        self.position = self.position + np.array([0.01, 0.002, 0.003])
        return super().update(readings, command, dt)


def manager(walker=None, **options):
    return FallManager(walker or HoldPose(NAO, "StandInit"), NAO, MOTIONS, FallRules(step_reach=0.0), **options)


class Clock:
    def __init__(self, robot):
        self.robot, self.time = robot, 0.0

    def drive(self, until, seconds, **reading):
        for _ in range(round(seconds / DT)):
            self.targets = self.robot.update(felt(self.time, **reading), Command(vx=0.1), DT)
            self.time += DT
            if self.robot.state is until:
                return True
        return False


def lying(side):
    roll, pitch = DOWN[side]
    return {"roll": roll, "pitch": pitch, "load": 0.0}


@pytest.mark.parametrize(
    ("side", "direction"), [("belly", "front"), ("back", "back"), ("left", "left"), ("right", "right")]
)
def test_falls_are_felt_protected_and_told(side, direction):
    heard = []
    clock = Clock(manager(listener=heard.append))
    robot = clock.robot
    clock.drive(FallState.FALLING, 0.5)
    assert (robot.state, robot.events, robot.stiffness) == (FallState.UPRIGHT, [], None)
    roll, pitch = DOWN[side]
    assert clock.drive(FallState.FALLING, 1.0, roll=roll / 2, pitch=pitch / 2)
    assert robot.events[-1].what == "falling"
    assert robot.events[-1].where == direction
    assert robot.stiffness[NAO.joint_names.index("LKneePitch")] == 0.1
    assert robot.stiffness[NAO.joint_names.index("LShoulderPitch")] == 0.4
    assert clock.drive(FallState.FALLEN, 3.0, **lying(side))
    assert (robot.events[-1].what, robot.events[-1].where) == ("fallen", side)
    goal = MOTIONS.protect[direction].keys[-1].positions
    index = [NAO.joint_names.index(name) for name in goal]
    np.testing.assert_allclose(clock.targets[index], list(goal.values()), atol=1e-9)
    assert clock.drive(FallState.GETTING_UP, 2.0, **lying(side))
    assert robot.events == heard
    assert str(FallEvent(1.5, "fallen", "belly")) == "1.50 s: fallen (belly)"


def stand_again(clock):
    """From a fall on the belly to a stand, as the sensors would tell it."""
    clock.drive(FallState.FALLING, 1.0, pitch=0.8)
    clock.drive(FallState.GETTING_UP, 5.0, **lying("belly"))
    clock.drive(FallState.UPRIGHT, 4.0, **lying("belly"))
    clock.drive(FallState.UPRIGHT, 8.0, load=0.1, q=positions("Sit"))
    return clock.drive(FallState.UPRIGHT, 20.0)


@pytest.mark.parametrize("forgets", [True, False])
def test_the_walker_goes_on_where_it_was(forgets):
    walker = Strider(forgets)
    clock = Clock(manager(walker))
    robot = clock.robot
    assert (robot.max_speed, robot.max_turn, robot.stopping_time) == (0.2, 0.5, 0.6)
    clock.drive(FallState.FALLING, 0.4)
    assert robot.standing
    clock.drive(FallState.FALLING, 1.0, pitch=0.8)
    before, calls = robot.position, len(walker.commands)
    assert stand_again(clock)
    assert walker.resets == 1
    assert robot.events[-1].what == "up"
    assert len(walker.commands) == calls
    np.testing.assert_allclose(robot.position, before, atol=1e-12)
    assert not robot.standing  # still handing over
    clock.drive(FallState.FALLING, 0.2)
    assert not walker.commands[-1].moving
    clock.drive(FallState.FALLING, 1.0)
    assert walker.commands[-1].vx == 0.1
    assert robot.standing
    ahead = robot.position - before
    assert np.hypot(*ahead[:2]) == pytest.approx(np.hypot(*(0.01, 0.002)) * (len(walker.commands) - calls), rel=0.2)


def test_a_fresh_walker_after_a_fall():
    made = []

    def fresh():
        made.append(Strider(forgets=True))
        return made[-1]

    clock = Clock(manager(Strider(forgets=False), restart=fresh))
    clock.drive(FallState.FALLING, 0.4)
    before = clock.robot.position
    assert stand_again(clock)
    assert clock.robot.walker is made[0]
    np.testing.assert_allclose(clock.robot.position, before, atol=0.3)
    assert made[0].resets == 0


def test_a_fall_that_was_none():
    clock = Clock(manager())
    clock.drive(FallState.FALLING, 0.3)
    assert clock.drive(FallState.FALLING, 1.0, pitch=0.8)
    assert clock.drive(FallState.FALLEN, 3.0)
    assert clock.robot.events[-1].what == "caught"
    assert clock.drive(FallState.UPRIGHT, 10.0)


def test_gives_up_tells_it_and_tries_again():
    clock = Clock(manager(timing=FallTiming(longest=1.0)))
    robot = clock.robot
    clock.drive(FallState.FALLING, 1.0, pitch=0.8)
    assert clock.drive(FallState.FAILED, 90.0, **lying("back"))
    assert [event.what for event in robot.events] == ["falling", "fallen", "getting up", "retry", "retry", "failed"]
    assert robot.events[-1].where == "back after 3 tries"
    assert (robot.stiffness < 0.1).all()
    robot.try_again()
    assert robot.state is FallState.FALLEN
    assert stand_again(clock)


def test_unknown_attributes_stay_unknown():
    with pytest.raises(AttributeError):
        _ = manager().nonsense
