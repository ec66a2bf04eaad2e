"""How well joints follow their targets."""

import math

import numpy as np
import pytest

import andante as an
from andante.control.activities import Playing
from andante.control.body import BodyState
from andante.control.loop import ControlLoop
from andante.control.tracking import Tracking
from andante.motion import transition


def state(*position):
    return BodyState(0.0, np.array(position), np.zeros(len(position)))


def test_the_gap_is_that_of_the_targets_one_step_before():
    tracking = Tracking(("a", "b"))
    assert tracking.summary() == {"max": 0.0, "joint": None, "rms": 0.0}
    tracking.measure(state(9.0, 9.0), np.array([1.0, 2.0]))  # nothing was sent before
    assert tracking.summary()["joint"] is None
    tracking.measure(state(1.3, 2.0), np.array([2.0, 2.0]))
    tracking.measure(state(2.0, 1.6), np.array([3.0, 3.0]))
    assert tracking.errors() == pytest.approx({"a": 0.3, "b": 0.4})
    told = tracking.summary()
    assert told["joint"] == "b"
    assert told["max"] == pytest.approx(0.4)
    assert told["rms"] == pytest.approx(math.sqrt((0.3**2 + 0.4**2) / 4))


def test_only_joints_that_count_and_are_measured():
    tracking = Tracking(("a", "b", "c"), [0, 2])
    for _ in range(2):
        tracking.measure(state(0.1, 5.0, math.nan), np.zeros(3))
    assert tracking.errors() == pytest.approx({"a": 0.1})
    assert tracking.summary()["rms"] == pytest.approx(0.1)


def test_a_motion_under_physics():
    nao = an.robot("nao")
    sim = an.simulate(nao, sensors=True)
    move = transition(nao, sim.joints.position, {"HeadYaw": 0.8, "HeadPitch": 0.2}, 0.3)
    playing = Playing(move, nao.joint_names, sim.joints.position)
    tracking = Tracking(nao.joint_names, [nao.joint_names.index(name) for name in move.names])
    loop = ControlLoop(sim, playing)
    ended = math.nan
    while loop.periods < (move.duration + 0.5) * loop.rate:
        tracking.measure(loop.step(), loop.targets)
        if playing.finished and math.isnan(ended):
            ended = sim.time
    assert ended == pytest.approx(move.duration, abs=0.011)
    assert sim.joints["HeadYaw"] == pytest.approx(0.8, abs=0.01)
    assert set(tracking.errors()) == {"HeadYaw", "HeadPitch"}
    assert 0 < tracking.summary()["rms"] <= tracking.summary()["max"] < 0.15
    sim.close()
