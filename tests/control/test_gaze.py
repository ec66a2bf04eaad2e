"""Looking at a point, and what of the robot stands before its eyes."""

import math

import numpy as np
import pytest

from andante.control.gaze import Gaze, Limbs
from andante.description import load_robot
from andante.geometry import SE3


@pytest.fixture(scope="module")
def nao():
    return load_robot("nao")


def camera_of(nao, name):
    spec = next(spec for spec in nao.sensors if spec.name == name)
    return spec.link, spec.pose


@pytest.mark.parametrize("name", ["CameraTop", "CameraBottom"])
def test_the_camera_looks_at_the_point(nao, name):
    gaze = Gaze(nao, *camera_of(nao, name))
    assert gaze.joints == ("HeadYaw", "HeadPitch")
    random, low = np.random.default_rng(0), -0.25 if name == "CameraTop" else -0.45
    for _ in range(12):
        yaw, far = random.uniform(-1.8, 1.8), random.uniform(0.5, 4.0)
        point = np.array([far * math.cos(yaw), far * math.sin(yaw), random.uniform(low, -0.1) * far])
        q, miss = gaze.aim(point, np.zeros(2))
        seen = np.linalg.solve(gaze.root_from_camera(q), np.append(point, 1.0))[:3]
        assert math.atan2(math.hypot(seen[1], seen[2]), seen[0]) == pytest.approx(miss, abs=1e-6)
        lower, upper = gaze.chain.limits
        assert ((q >= lower) & (q <= upper)).all()
        grid = [(a, b) for a in np.linspace(lower[0], upper[0], 60) for b in np.linspace(lower[1], upper[1], 25)]
        poses = np.linalg.inv(gaze.root_from_camera(np.array(grid)))
        x, y, z = (poses @ np.append(point, 1.0))[:, :3].T
        assert miss <= np.arctan2(np.hypot(y, z), x).min() + 0.02  # nothing looks nearer to it


def test_what_is_out_of_reach_is_told(nao):
    _, miss = Gaze(nao, *camera_of(nao, "CameraTop")).aim(np.array([-3.0, 0.1, 0.0]), np.zeros(2))
    assert miss > 0.8


def test_an_arm_before_the_camera_hides_what_is_behind_it(nao):
    arms = Limbs(nao, {"LShoulderPitch", "RShoulderPitch"})
    eye = SE3.from_parts(np.eye(3), (0.06, 0.0, 0.19)).matrix  # at the forehead, ahead
    ahead = np.array([1.0, 0.0, 0.0])
    down, raised = dict(nao.pose("StandInit")), {**nao.pose("StandInit"), "LShoulderPitch": 0.0, "LShoulderRoll": -0.3,
                                                 "LElbowRoll": -0.03}  # fmt: skip
    hand = nao.link_poses(raised)["l_gripper"].translation - eye[:3, 3]
    toward = hand / np.linalg.norm(hand)
    assert arms.hide(raised, eye, toward, 2.0)
    assert not arms.hide(raised, eye, toward, 0.05)  # it is nearer than the arm
    assert not arms.hide(down, eye, ahead, 2.0)
    assert not Limbs(nao, ()).hide(raised, eye, toward, 2.0)
