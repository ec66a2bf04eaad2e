"""`an.ik` as a function."""

import math

import numpy as np
import pytest

import andante as an
from andante.errors import BadInput

FREE = (math.nan, math.nan, math.nan)


def test_a_solution_tells_itself():
    result = an.ik("nao", tip="l_sole", base="torso", target=(0.02, 0.05, -0.3, *FREE))
    assert result.converged
    assert result.reached[:3] == pytest.approx([0.02, 0.05, -0.3], abs=1e-4)
    leg = an.robot("nao").chain("torso", "l_sole")
    assert leg.fk(np.array(list(result.q.values())))[:3, 3] == pytest.approx([0.02, 0.05, -0.3], abs=1e-4)
    assert {"converged", "q", "error", "iterations"} <= set(result.as_dict())
    assert "chain" not in result.as_dict()
    assert str(result).startswith("torso to l_sole: reached")
    assert result.plot().axes


def test_held_joints_stand_still_and_targets_out_of_reach_are_no_error():
    result = an.ik("nao", tip="l_sole", target=(3.0, 0.0, 0.0, *FREE), hold={"LKneePitch": 0.5}, restarts=2)
    assert not result.converged
    assert result.held == {"LKneePitch": 0.5}
    assert "out of reach" in str(result)


def test_a_target_has_six_numbers():
    with pytest.raises(BadInput, match="expected six numbers"):
        an.ik("nao", tip="l_sole", target=(0.0, 0.0, 0.0))
