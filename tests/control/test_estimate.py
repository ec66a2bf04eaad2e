import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.control.estimate import leveling, quaternion_product
from andante.geometry import so3
from andante.session import LiveSession
from andante.session.nodes.robot import RobotStateNode

angles = st.floats(-3.0, 3.0)


@given(roll=angles, pitch=st.floats(-1.5, 1.5), yaw=angles)
def test_leveling_brings_up_to_the_vertical_and_turns_no_further(roll, pitch, yaw) -> None:
    up = so3.from_rpy((roll, pitch, yaw)).T @ np.array([0.0, 0.0, 1.0])
    q = leveling(up)
    assert math.isclose(sum(v * v for v in q), 1.0, abs_tol=1e-9)
    assert q[2] == 0.0  # about a level axis
    np.testing.assert_allclose(so3.from_quaternion(np.array(q)) @ up, [0, 0, 1], atol=1e-6)


@given(st.tuples(angles, angles, angles), st.tuples(angles, angles, angles))
def test_product_is_that_of_rotations(a, b) -> None:
    one, two = (so3.to_quaternion(so3.from_rpy(v)) for v in (a, b))
    made = quaternion_product(tuple(one), tuple(two))
    np.testing.assert_allclose(so3.from_quaternion(np.array(made)), so3.from_rpy(a) @ so3.from_rpy(b), atol=1e-9)


def test_the_believed_root_is_near_the_true_one(tmp_path) -> None:
    with LiveSession("nao", folder=tmp_path) as session:
        state = next(node for node in session.nodes if isinstance(node, RobotStateNode))
        session.bus.subscribe("/odom", None, lambda message: None)
        for _ in range(20):
            session.drive(vx=0.1, wz=0.2)
            session.run(0.1)
        believed, truth = state.estimate.pose, session.stage.sim.base_pose
        np.testing.assert_allclose(believed[:3], truth[:3], atol=0.03)
        gap = so3.from_quaternion(believed[3:]).T @ so3.from_quaternion(truth[3:])
        assert np.linalg.norm(so3.log(gap)) < 0.08
        assert state.estimate.twist[0] == pytest.approx(0.1, abs=0.06)
