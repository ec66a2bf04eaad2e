"""A simulated robot tells where it began, whether it gained energy from nothing, and which engines differ."""

import math

import numpy as np
import pytest
from tests.locomotion.biped.box_biped import biped
from tests.locomotion.legged.samples import walker

import andante as an
from andante.errors import BadInput
from andante.tasks.compare_engines import ALIKE
from andante.tasks.sim import _gained


@pytest.fixture
def quadruped(tmp_path):
    path = tmp_path / "four.urdf"
    path.write_text(walker((45, 135, 225, 315)))
    return an.robot(path)


def test_a_robot_from_its_file_stands(quadruped, tmp_path):
    told = an.sim(quadruped, seconds=0.5)
    assert told.start_pose == "inferred stance"
    assert not told.fallen
    assert not told.unstable
    assert told.as_dict()["start_pose"] == "inferred stance"
    assert "from inferred stance, up" in str(told)
    assert an.sim(quadruped, seconds=0.1, pose={}).start_pose == "given pose"
    path = tmp_path / "two.urdf"
    path.write_text(biped())
    two = an.sim(path, seconds=1.0)
    assert not two.fallen
    assert two.base[2] == pytest.approx(an.rig(an.robot(path)).rig.height, abs=0.01)


def test_engines_are_compared(quadruped):
    told = an.compare_engines(quadruped, seconds=0.3)
    assert told.start_pose == "inferred stance"
    assert "mujoco" in told.heights
    assert not told.failed
    heights = list(told.heights.values())
    assert max(heights) - min(heights) < 2 * ALIKE
    assert not told.differ
    assert "engines agree within 2 cm" in str(told)
    with pytest.raises(BadInput, match="runs on no engine"):
        an.compare_engines(quadruped, seconds=-1.0)


def rows(z, x=0.0):
    time = np.linspace(0.0, 2.0, 9)
    return np.column_stack(
        [time, np.full(9, x) * time, np.zeros(9), np.broadcast_to(z, 9), np.zeros((9, 3)), np.ones(9)]
    )


def test_energy_from_nothing_is_called_unstable():
    assert _gained(rows(0.3), 0.5, 0.0) == ""
    assert _gained(rows(np.linspace(0.8, 0.1, 9)), 0.5, 0.3) == ""  # it fell
    assert "rose by 0.7 m until 2.0 s" in _gained(rows(np.linspace(0.3, 1.0, 9)), 0.5, 0.0)
    fastest = math.sqrt(2 * 9.81 * 0.5)
    assert _gained(rows(0.3, 0.9 * fastest), 0.5, 0.0) == ""
    assert "although nothing pushes it" in _gained(rows(0.3, 2.0 * fastest), 0.5, 0.0)
