"""Activities one after another: waiting for rest, and never a jump."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.control.activities import Activity, Hold, Playing
from andante.control.activity_manager import ActivityManager
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion import Command, Readings
from andante.motion import transition
from andante.motion.joint_motion import MotionLimits

DT = 0.01


class Swinging(Activity):
    """Swings all joints, and needs a while to come to rest."""

    name, over = "swing", False

    def __init__(self, count: int, center: float, size: float, needs: float = 0.3) -> None:
        self._count, self._center, self._size, self._needs = count, center, size, needs
        self._time, self._left = 0.0, None

    @property
    def resting(self) -> bool:
        return self._left is not None and self._left <= 0

    def stop(self) -> None:
        self._left = self._needs if self._left is None else self._left

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        self._time += dt
        if self._left is not None:
            self._left = max(0.0, self._left - dt)
            return np.full(self._count, self._center + self._size * self._left / self._needs * np.sin(2 * self._time))
        return np.full(self._count, self._center + self._size * np.sin(2 * self._time))


def made(nao, first, told=None):
    limits = MotionLimits.of(nao)
    count = len(limits.names)
    route = lambda here, pose: transition(nao, here, pose, 0.4)  # noqa: E731
    log = (lambda line: told.append(line)) if told is not None else (lambda line: None)
    return ActivityManager(limits, np.zeros(count), first, route, log=log), limits


def run(manager, seconds):
    nothing = Readings(0.0, np.zeros(0), np.zeros(0))
    return np.array([manager.update(nothing, Command(), DT) for _ in range(round(seconds / DT))])


@settings(max_examples=20, deadline=None)
@given(
    centers=st.lists(st.floats(-0.5, 0.5), min_size=2, max_size=5),
    spans=st.lists(st.floats(0.05, 1.0), min_size=5, max_size=5),
)
def test_targets_never_jump_whatever_takes_over_when(nao, centers, spans) -> None:
    count = len(nao.joint_names)
    manager, limits = made(nao, Hold(np.zeros(count)))
    rows = [np.zeros((1, count))]
    for center, span in zip(centers, spans, strict=False):
        manager.request(lambda here, c=center: Swinging(count, c, 0.1), "swing")
        rows.append(run(manager, span))
    rows.append(run(manager, 3.0))
    speed = np.abs(np.diff(np.concatenate(rows), axis=0)) / DT
    assert (speed.max(axis=0) <= 2.2 * 0.4 * limits.velocity + 0.25).all()  # overlapping fades and the swing itself


def test_waits_until_the_present_one_rests(nao) -> None:
    count = len(nao.joint_names)
    manager, _ = made(nao, Swinging(count, 0.0, 0.2))
    run(manager, 0.5)
    manager.request(lambda here: Hold(here), "hold")
    run(manager, 0.2)
    assert manager.present.name == "swing"
    assert manager.waiting == "hold"
    run(manager, 0.2)
    assert manager.present.name == "hold"
    assert manager.waiting == ""


def test_an_activity_that_begins_in_a_pose_is_led_there(nao) -> None:
    count = len(nao.joint_names)
    manager, _ = made(nao, Hold(np.zeros(count)))
    began = []

    def start(here: Array) -> Hold:
        began.append(here)
        return Hold(here)

    manager.request(start, "there", {"HeadYaw": 0.8})
    run(manager, 0.05)
    assert manager.present.name == "preparing"
    run(manager, 2.0)
    assert began[0][nao.joint_names.index("HeadYaw")] == pytest.approx(0.8, abs=1e-6)


def test_what_cannot_start_is_told_and_the_joints_are_held(nao) -> None:
    told: list[str] = []
    manager, _ = made(nao, Hold(np.zeros(len(nao.joint_names))), told)

    def refuse(here: Array) -> Hold:
        raise BadInput("no way there")

    manager.request(refuse, "somewhere")
    run(manager, 0.1)
    assert told == ["somewhere cannot start: no way there"]
    assert manager.present.name == "hold"


def test_a_motion_slows_down_when_it_is_stopped(nao) -> None:
    names = nao.joint_names
    motion = transition(nao, np.zeros(len(names)), {"HeadYaw": 1.5}, 0.2)
    manager, _ = made(nao, Playing(motion, names, np.zeros(len(names)), "look"))
    track = run(manager, 0.5)[:, names.index("HeadYaw")]
    manager.request(lambda here: Hold(here), "hold")
    after = run(manager, 1.0)[:, names.index("HeadYaw")]
    steps = np.diff(np.concatenate([track[-2:], after]))
    assert track[-1] < after[-1] < 1.4
    assert np.abs(np.diff(steps)).max() < 1.2 * steps[0] * DT / 0.3
    assert manager.present.name == "hold"


def test_a_motion_that_is_over_becomes_a_hold(nao) -> None:
    names = nao.joint_names
    motion = transition(nao, np.zeros(len(names)), {"HeadYaw": 0.3}, 1.0)
    manager, _ = made(nao, Playing(motion, names, np.zeros(len(names)), "look"))
    run(manager, motion.duration + 0.1)
    assert manager.present.name == "hold"
    assert manager.sent[names.index("HeadYaw")] == pytest.approx(0.3)
