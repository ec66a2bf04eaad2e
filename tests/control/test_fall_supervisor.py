"""The fall supervisor: when it begins to watch, when it pauses, and what it hands on."""

import math

import numpy as np
import pytest

from andante.control.activities import Activity, Hold
from andante.control.activity_manager import ActivityManager
from andante.control.fall_supervisor import FallSupervisor
from andante.geometry import Array, so3
from andante.locomotion import Command, FallRules, Readings
from andante.locomotion.falls.manager import FallState
from andante.motion import transition
from andante.motion.joint_motion import MotionLimits, vector_of

DT = 0.01
UPRIGHT = FallRules.upright
G = 9.81


class Strong(Activity):
    """Stands, with a stiffness and a twist of its own."""

    name, resting, over = "strong", True, False

    def __init__(self, targets: Array) -> None:
        self._targets = targets
        self.stiffness, self.base_twist = np.full(len(targets), 0.7), (0.1, 0.0, 0.0)

    def stop(self) -> None:
        pass

    def ahead(self) -> Activity:
        return self

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        return self._targets


class Scene:
    """A supervised robot whose IMU is told how far it leans forward."""

    def __init__(self, nao, first=None, rules=None) -> None:
        self.stand = vector_of(nao, nao.pose("StandInit"))
        self.events, self.restarts, self.time = [], 0, 0.0
        route = lambda here, pose: transition(nao, here, pose, 0.4)  # noqa: E731
        self.manager = ActivityManager(MotionLimits.of(nao), self.stand, first or Strong(self.stand), route)
        self.supervisor = FallSupervisor(nao, self.manager, self._restart, self.events.append, rules)

    def _restart(self) -> None:
        self.restarts += 1

    def lean(self, angle: float, seconds: float, rate: float = 0.0) -> Array:
        """Stand or lean at an angle [rad] that grows at a rate [rad/s]."""
        for _ in range(round(seconds / DT)):
            angle += rate * DT
            acceleration = so3.from_rpy((0.0, angle, 0.0)).T @ np.array([0.0, 0.0, G])
            readings = Readings(
                self.time, self.stand, np.zeros(len(self.stand)), gyro=np.array([0.0, rate, 0.0]),
                acceleration=acceleration,
            )  # fmt: skip
            targets = self.supervisor.update(readings, Command(), DT)
            self.time += DT
        return targets

    @property
    def what(self) -> list[str]:
        return [str(event.what) for event in self.events]


def test_a_robot_that_stands_is_left_alone(nao) -> None:
    scene = Scene(nao)
    np.testing.assert_allclose(scene.lean(0.0, 1.0), scene.stand)
    assert scene.supervisor.upright
    assert not scene.supervisor.busy
    assert scene.events == []


def test_stiffness_twist_and_the_copy_that_runs_ahead_are_those_of_the_activity(nao) -> None:
    scene = Scene(nao)
    scene.lean(0.0, 0.1)
    np.testing.assert_array_equal(scene.supervisor.stiffness, np.full(len(scene.stand), 0.7))
    assert scene.supervisor.base_twist == (0.1, 0.0, 0.0)
    assert scene.supervisor.ahead() is scene.manager.present


def test_a_fall_takes_the_joints_and_is_told(nao) -> None:
    scene = Scene(nao)
    scene.lean(0.0, 1.0)
    scene.lean(0.0, 0.6, rate=2.5)
    assert scene.supervisor.busy
    assert scene.supervisor.state is FallState.FALLING
    assert scene.what == ["falling"]
    assert scene.supervisor.ahead() is None
    assert not scene.supervisor.upright


def test_it_does_not_watch_before_the_robot_has_stood(nao) -> None:
    scene = Scene(nao)
    scene.lean(1.2, 2.0)  # it was put down lying
    assert not scene.supervisor.busy
    assert scene.events == []
    assert not scene.supervisor.upright
    scene.lean(0.0, 3.0)  # somebody puts it on its feet
    assert scene.supervisor.upright
    scene.lean(0.0, 0.6, rate=2.5)
    assert scene.what == ["falling"]


@pytest.mark.parametrize("by", ["switch", "activity"])
def test_it_pauses_when_it_is_off_and_in_activities_whose_end_is_no_accident(nao, by: str) -> None:
    scene = Scene(nao)
    scene.lean(0.0, 1.0)
    if by == "switch":
        scene.supervisor.on = False
    else:
        scene.manager.replace(Hold(scene.stand, guarded=False))
    scene.lean(0.0, 0.6, rate=2.5)
    assert not scene.supervisor.busy
    assert scene.events == []


def test_upright_is_a_small_tilt(nao) -> None:
    scene = Scene(nao)
    scene.supervisor.on = False
    scene.lean(UPRIGHT - 0.1, 4.0)
    assert scene.supervisor.upright
    scene.lean(UPRIGHT + 0.1, 4.0)
    assert not scene.supervisor.upright
    assert scene.supervisor.balance.tilt == pytest.approx(UPRIGHT + 0.1, abs=math.radians(3))


def test_the_rules_say_when_it_acts(nao) -> None:
    patient, anxious = Scene(nao, rules=FallRules(certain_lean=1.5, step_reach=100.0)), Scene(nao)
    for scene in (patient, anxious):
        scene.lean(0.0, 1.0)
        scene.lean(0.0, 0.4, rate=2.5)
    assert (patient.what, anxious.what) == ([], ["falling"])
    strict = Scene(nao, rules=FallRules(upright=0.1))
    strict.lean(0.2, 4.0)
    assert not strict.supervisor.upright
