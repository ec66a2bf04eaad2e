"""Kinematics of a walking body against the robot's own forward kinematics."""

from __future__ import annotations

import numpy as np
import pytest

from andante.description import Robot, load_robot
from andante.errors import BadInput
from andante.locomotion.biped.body import BipedBody
from andante.locomotion.biped.footsteps import angles_of, beyond, leaning, placed, reversed_step, seen_from, turned
from andante.locomotion.rigs.infer import infer_rig


@pytest.fixture(scope="module")
def nao() -> Robot:
    return load_robot("nao")


@pytest.fixture(scope="module")
def body(nao: Robot) -> BipedBody:
    return BipedBody(nao, infer_rig(nao))


def random_pose(nao: Robot, seed: int) -> np.ndarray:
    """Joint positions near the stance, mimics followed."""
    rng = np.random.default_rng(seed)
    near = {
        j.name: float(np.clip(rng.normal(0.0, 0.3), j.limits.lower, j.limits.upper)) for j in nao.movable if not j.mimic
    }
    full = nao.complete(near)
    return np.array([full[name] for name in nao.joint_names])


@pytest.mark.parametrize("seed", range(4))
def test_center_of_mass_is_the_sum_over_links(nao: Robot, body: BipedBody, seed: int) -> None:
    q = random_pose(nao, seed)
    poses = nao.link_poses(dict(zip(nao.joint_names, q.tolist(), strict=True)))
    parts = [(link.inertia.mass, poses[link.name] @ np.asarray(link.inertia.com)) for link in nao.links if link.inertia]
    wanted = sum(m * p for m, p in parts) / sum(m for m, _ in parts)
    assert body.center(q) == pytest.approx(wanted, abs=1e-9)
    turn, at = body.sole_pose(0)
    assert at == pytest.approx(poses["l_ankle"] @ body.legs.sole_at[0], abs=1e-9)
    assert turn == pytest.approx(poses["l_ankle"].rotation @ body.legs.sole_turn[0], abs=1e-9)


def test_soles_are_found_in_the_file(body: BipedBody) -> None:
    heel, toe, right, left = body.soles[0].box
    assert (heel, toe, right, left) == pytest.approx((-0.051, 0.099, -0.039, 0.050), abs=1e-6)
    assert body.soles[1].box[2:] == pytest.approx((-0.050, 0.039), abs=1e-6)
    assert body.soles[0].cells[0] == pytest.approx((0.07025, 0.0299), abs=1e-6)
    assert len(body.legs.moved) == 12
    assert len(body.legs.lower) == 11


def test_arms_swing_against_each_other(nao: Robot, body: BipedBody) -> None:
    named = {nao.joint_names[joint]: sign for joint, sign in body.arms}
    assert named == {"LShoulderPitch": -1.0, "RShoulderPitch": 1.0}
    assert len(set(named.values())) == 2


@pytest.mark.parametrize("seed", range(5))
def test_reach_puts_soles_and_center_where_they_are_wanted(body: BipedBody, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = body.stance.copy()
    x, y, z = rng.uniform((-0.05, -0.01, 0.0), (0.05, 0.01, 0.02))
    feet = np.array([[x, 0.05, z], [-x, -0.05 + y, 0.0]])
    turns = np.array([turned(rng.uniform(0.0, 0.3)), turned(rng.uniform(-0.3, 0.0))])
    over, tilt = np.array([0.01, 0.02 * y]), leaning(0.03, -0.02)
    yaw, left, torso = body.reach(q, 0.0, feet, turns, over, 0.305, tilt @ body.upright, 0.0, 12)
    assert left < 1e-6
    root = turned(yaw) @ tilt
    for k in range(2):
        body.center(q)
        turn, at = body.sole_pose(k)
        assert root @ at + torso == pytest.approx(feet[k], abs=1e-6)
        assert root @ turn == pytest.approx(turns[k], abs=1e-5)
    assert (root @ body.center(q) + torso)[:2] == pytest.approx(over, abs=1e-9)
    assert q[body.names.index("LHipYawPitch")] == q[body.names.index("RHipYawPitch")]
    assert torso[2] == 0.305


FOOT = np.array([0.03, 0.01, 0.0])  # a point of the left sole [m]


def test_holding_torques_are_those_of_virtual_work(body: BipedBody) -> None:
    """t = -dW/dq of the ground's push on a foot, its twist, and what the masses weigh and resist, by differences."""
    rng = np.random.default_rng(3)
    q = body.stance.copy()
    push = np.array([[3.0, -2.0, 40.0], [0.0, 0.0, 0.0]])
    twist, moving = np.array([0.7, 0.0]), rng.uniform(-20.0, 20.0, (len(body.tree.parent), 3))
    body.center(q)
    turn, at = body.sole_pose(0)
    point = at + turn @ FOOT
    got = body.hold(q, np.eye(3), push, np.array([point, point]), twist, moving)
    pulls = body.tree.mass[:, None] * (np.array([0.0, 0.0, -9.81]) - moving)

    def work(q: np.ndarray) -> float:
        """Of the ground on the left foot, and of the masses; the root is held."""
        places = body.mass_places(q, np.eye(3), np.zeros(3))
        body.center(q)
        now, at = body.sole_pose(0)
        spun = now @ turn.T  # of the sole since then, a small angle about z is in its skew part
        return float(push[0] @ (at + now @ FOOT) + twist[0] * 0.5 * (spun[1, 0] - spun[0, 1]) + np.sum(pulls * places))

    names = body.names
    pair = [names.index("LHipYawPitch"), names.index("RHipYawPitch")]  # one servo turns both
    for index in body.tree.joint[body.legs.moved]:
        step = np.zeros(len(q))
        step[pair if index in pair else index] = 1e-6
        assert got[index] == pytest.approx(-(work(q + step) - work(q - step)) / 2e-6, abs=1e-5)


def test_the_ground_presses_with_the_sum_of_all_masses(body: BipedBody) -> None:
    """Force, point and twist balance weight and inertia of all masses: all moments about the point are about z."""
    rng = np.random.default_rng(5)
    places = body.mass_places(body.stance, np.eye(3), np.array([0.01, 0.02, 0.3]))
    moving = rng.uniform(-5.0, 5.0, places.shape)
    push = body.moving_push(places, moving, (0.0, -0.1), False)
    forces = body.tree.mass[:, None] * (moving + np.array([0.0, 0.0, 9.81]))
    assert push.force == pytest.approx(forces.sum(axis=0))
    moment = np.cross(places - np.array([*push.at, 0.0]), forces).sum(axis=0)
    assert moment == pytest.approx([0.0, 0.0, push.twist], abs=1e-9)
    still = body.moving_push(places, np.zeros_like(places), (0.0, -0.1), False)
    assert still.at == pytest.approx((body.tree.mass @ places / body.mass)[:2])
    assert still.twist == pytest.approx(0.0, abs=1e-12)


def test_low_masses_count_less_when_weighed(nao: Robot) -> None:
    body = BipedBody(nao, infer_rig(nao))
    body.weigh(0.31, 22.0)
    ratio = body.weighed.mass / body.tree.mass
    assert body.weighed.mass.sum() == pytest.approx(body.mass)
    assert ratio[body.legs.feet[0]] < 0.35 < 1.0 < ratio[0]


def test_turns_fit_together() -> None:
    rotation = turned(0.4) @ leaning(0.1, -0.2)
    assert angles_of(rotation) == pytest.approx((0.4, 0.1, -0.2))
    step = (0.05, -0.1, 0.3)
    assert placed(placed((1.0, 2.0, 0.5), step), reversed_step(step)) == pytest.approx((1.0, 2.0, 0.5))
    assert beyond(0.03, 0.04, 0.05) == (0.0, 0.0)
    assert beyond(0.3, -0.4, 0.1) == pytest.approx((0.24, -0.32))
    x, y, _ = placed(step, (0.02, 0.03, 0.0))
    assert seen_from(step, x, y) == pytest.approx((0.02, 0.03))


def test_four_legs_and_sliding_joints_are_refused(nao: Robot) -> None:
    shell = load_robot("shell")
    with pytest.raises(BadInput, match="legs; this walk needs two"):
        BipedBody(shell, infer_rig(shell))
    from dataclasses import replace

    from andante.description import JointType

    sliding = replace(
        nao, joints=tuple(replace(j, type=JointType.PRISMATIC) if j.name == "HeadYaw" else j for j in nao.joints)
    )
    with pytest.raises(BadInput, match=r"HeadYaw.*needs turning joints"):
        BipedBody(sliding, infer_rig(nao))
