"""The scene of a live session: the same loop as in Python, pushes, and what takes over from what."""

from __future__ import annotations

import numpy as np
import pytest

import andante as an
from andante.control.drivers import make_ready
from andante.control.loop import ControlLoop
from andante.errors import BadInput
from andante.locomotion import Command
from andante.mobile.driver import BaseDriver
from andante.session.choice import SceneChoice
from andante.session.stage import Stage


@pytest.mark.parametrize(
    ("robot", "command"),
    [("nao", Command(vx=0.1, wz=0.1)), ("waffle", Command(vx=0.2, wz=0.3)), ("shell", Command(vx=0.05))],
)
def test_a_stage_sends_what_a_loop_in_python_sends(robot, command):
    stage = Stage(SceneChoice(robot, "empty", seed=3))
    ready = make_ready(an.robot(robot))
    sim = an.simulate(ready.robot, pose=dict(ready.pose), start=(0.0, 0.0, -ready.forward), seed=3, sensors=True)
    walker = ready.walker
    if walker is None:
        walker = BaseDriver(ready.robot, np.array(sim.engine.commands[sim.model].targets))
    loop = ControlLoop(sim, walker)
    for period in range(150):
        loop.command = asked = command if period >= 50 else Command()
        stage.step(asked)
        loop.step()
        assert np.array_equal(stage.targets, loop.targets), period
    assert stage.state.time == loop.state.time == pytest.approx(1.49)
    assert np.array_equal(stage.sim.base_pose, sim.base_pose)
    assert stage.position == pytest.approx(walker.position)
    stage.close()
    sim.close()


def test_a_push_ends_in_its_time_and_has_bounds():
    stage = Stage(SceneChoice("waffle", "empty"))
    stage.push("", np.array([30.0, 0.0, 0.0]), 0.05)
    for _ in range(5):
        assert stage.sim.engine.pushes
        stage.step(Command())
    stage.step(Command())
    assert not stage.sim.engine.pushes
    with pytest.raises(BadInput, match="up to 1000 N, got 2000"):
        stage.push("", np.array([2000.0, 0.0, 0.0]), 0.1)
    with pytest.raises(BadInput, match="lasts up to 5 s, got 6"):
        stage.push("", np.array([1.0, 0.0, 0.0]), 6.0)
    with pytest.raises(an.AndanteError, match="wing"):
        stage.push("wing", np.array([1.0, 0.0, 0.0]), 0.1)
    stage.close()
