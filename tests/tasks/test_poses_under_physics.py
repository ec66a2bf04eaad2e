"""Every standing pose reached from every other, under physics, without a fall; robots that start lying."""

from itertools import permutations

import numpy as np
import pytest

import andante as an
from andante.control.activities import Playing
from andante.control.loop import ControlLoop
from andante.control.start import lying_side
from andante.geometry import so3
from andante.locomotion.falls.pose_routes import pose_route, standing_poses
from andante.locomotion.rigs.balance import Balance
from andante.simulation.spawn import resting_rotation

NAO = an.robot("nao")
MODEL = Balance(NAO)


def upright(sim):
    return so3.from_quaternion(sim.base_pose[3:])[2, 2]


def test_every_ordered_pair_of_standing_poses():
    """One robot after the other from each pose; the start of each pair is a snapshot of the robot standing there."""
    poses = [name for name in standing_poses(NAO, MODEL) if name not in ("ros_init", "ros_zero")]  # doubles
    sims = {name: an.simulate(NAO, pose=name) for name in poses}
    starts = {}
    for name, sim in sims.items():
        sim.run(0.3)
        starts[name] = sim.snapshot()
    for start, goal in permutations(poses, 2):
        sim = sims[start]
        sim.restore(starts[start])
        route = pose_route(NAO, sim.joints.position, goal, 0.4, MODEL)
        ControlLoop(sim, Playing(route, NAO.joint_names, sim.joints.position)).run(route.duration + 0.6)
        assert not sim.fallen, (start, goal)
        assert upright(sim) > 0.97, (start, goal)
        wanted = {
            n: min(max(v, NAO.joint(n).limits.lower), NAO.joint(n).limits.upper) for n, v in NAO.pose(goal).items()
        }
        got = dict(zip(NAO.joint_names, sim.joints.position, strict=True))
        assert max(abs(got[n] - wanted[n]) for n in wanted) < 0.06, (start, goal)


@pytest.mark.parametrize(
    ("pose", "up"), [("LyingBack", (1.0, 0.0, 0.0)), ("LyingBelly", (-1.0, 0.0, 0.0)), ("lyingback", (1.0, 0.0, 0.0))]
)
def test_lying_poses_start_on_the_ground(pose, up):
    sim = an.simulate(NAO, pose=pose)
    before = sim.base_pose.copy()
    sim.run(1.0)
    vertical = so3.from_quaternion(sim.base_pose[3:]).T @ np.array([0.0, 0.0, 1.0])
    assert vertical @ np.array(up) > 0.9
    assert sim.base_pose[2] < 0.1
    assert np.linalg.norm(sim.base_pose[:3] - before[:3]) < 0.05  # it rests where it was put
    assert sim.fallen


@pytest.mark.parametrize(
    ("pose", "side"),
    [
        ("LyingBack", "back"),
        ("lying_left", "left"),
        ("Stand", None),
        ("back", None),
        ({"HeadYaw": 0.0}, None),
        (None, None),
    ],
)
def test_lying_is_told_by_name(pose, side):
    assert lying_side(pose) == side


@pytest.mark.parametrize("side", ["belly", "back", "left", "right"])
def test_resting_on_a_side_is_near_to_straight(side):
    turn = resting_rotation(NAO, NAO.complete(NAO.pose("StandInit")), side)
    up = turn.T @ np.array([0.0, 0.0, 1.0])
    wanted = {"belly": (-1, 0, 0), "back": (1, 0, 0), "left": (0, -1, 0), "right": (0, 1, 0)}[side]
    assert up @ np.array(wanted) > 0.85
