"""Folding as a plain joint motion, as `andante play shell ball` uses it."""

import numpy as np
import pytest

from andante.description import load_robot
from andante.errors import BadInput
from andante.motion import check_motion
from andante.robots.shell.folding import Chained, fold_motion, folds
from andante.tasks.play import play


@pytest.fixture(scope="module")
def shell():
    return load_robot("shell")


def vector(robot, pose):
    positions = robot.pose(pose)
    return np.array([positions[name] for name in robot.joint_names])


@pytest.mark.parametrize(("start", "end"), [("stand", "ball"), ("ball", "stand")])
def test_the_folding_way_touches_nothing_and_arrives(shell, start, end):
    motion = fold_motion(shell, vector(shell, start), end, 0.4)
    assert not check_motion(shell, motion, shell.pose(start))
    goal = shell.pose(end)
    np.testing.assert_allclose(motion.evaluate(motion.duration), [goal[name] for name in motion.names], atol=1e-9)
    np.testing.assert_allclose(motion.evaluate(0.0), [shell.pose(start)[name] for name in motion.names], atol=1e-9)
    times = np.linspace(0, motion.duration, 2001)
    assert motion.evaluate(times.reshape(3, 667)).shape == (3, 667, len(motion.names))
    steps = np.abs(np.diff(motion.evaluate(times), axis=0)) / (times[1] - times[0])
    fastest = np.array([shell.joint(name).limits.velocity for name in motion.names])
    assert (steps <= 0.41 * fastest).all()  # no jump where the parts meet


def test_who_folds(shell):
    assert folds(shell, "Ball")
    assert not folds(shell, "low")
    assert not folds(load_robot("nao"), "StandInit")
    with pytest.raises(BadInput, match="at least one"):
        Chained(())


def test_play_folds_the_shell_from_its_stance():
    outcome = play("shell", "ball")
    assert outcome.finished
    assert outcome.kind == "pose"
    assert outcome.tracking["rms"] < 0.1
