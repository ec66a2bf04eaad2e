"""Kinematics of a walking body against the robot's own forward kinematics."""

from __future__ import annotations

import numpy as np
import pytest

from andante.description import Robot, load_robot
from andante.errors import BadInput
from andante.locomotion.biped.body import BipedBody
from andante.locomotion.biped.estimation import BipedAttitude
from andante.locomotion.biped.footsteps import angles_of, beyond, leaning, placed, reversed_step, seen_from, turned
from andante.locomotion.biped.ground import Plane
from andante.locomotion.biped.kernels import whole_push
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
    force = np.empty(3)
    px, py, twist = whole_push(body.tree.mass, places, moving, force)
    forces = body.tree.mass[:, None] * (moving + np.array([0.0, 0.0, 9.81]))
    assert force == pytest.approx(forces.sum(axis=0))
    moment = np.cross(places - np.array([px, py, 0.0]), forces).sum(axis=0)
    assert moment == pytest.approx([0.0, 0.0, twist], abs=1e-9)
    px, py, twist = whole_push(body.tree.mass, places, np.zeros_like(places), force)
    assert (px, py) == pytest.approx((body.tree.mass @ places / body.mass)[:2])
    assert twist == pytest.approx(0.0, abs=1e-12)


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


@pytest.mark.parametrize("stance", [0, 1])
@pytest.mark.parametrize("moving", [False, True])
def test_a_placed_body_is_reached_and_carried_part_by_part(nao: Robot, stance: int, moving: bool) -> None:
    """`place` in one call against goals, inverse kinematics, masses, push and torques one after another."""
    body, side = BipedBody(nao, infer_rig(nao)), -1.0 if stance == 0 else 1.0
    body.weigh(0.31, 22.0)
    x, y, z, yaw, roll, pitch = swing = (0.03, side * 0.11, 0.012, side * 0.1, 0.02, -0.03)
    under, felt, lean, place, height = (0.05, -0.02), (0.04, 0.01), (0.02, 0.01), (0.01, 0.4 * y), 0.305
    shift, dt, rate, pressure = np.array([0.004, 0.001]), 0.01, 6.0, (0.012, 0.3 * y)
    past = np.random.default_rng(1).uniform(-1e-4, 1e-4, (3, len(body.tree.parent), 3))
    q, soles, turns, torso = body.stance.copy(), np.empty((2, 3)), np.empty((2, 3, 3)), np.empty(3)
    torques, first = np.empty(len(q)), 0.02
    remembered = body.mass_places(q, body.upright, np.array([0.0, 0.4 * y, height])) + past
    before = remembered.copy()
    got, left = body.place(
        q, first, stance, swing, under, felt, lean, place, height, shift, 8, soles, turns, torso, pressure, rate, True,
        remembered, moving, dt, torques,
    )  # fmt: skip
    feet, tilts = np.zeros((2, 3)), np.empty((2, 3, 3))
    feet[1 - stance] = x, y, z
    tilts[stance], tilts[1 - stance] = Plane(*under).tilt, turned(yaw) @ leaning(roll, pitch)
    over = np.array(place) + turned(first)[:2, :2] @ shift
    upright, again = leaning(*lean) @ body.upright, body.stance.copy()
    tall = height + Plane(*felt).height(*over)
    expected, rest, at = body.reach(again, first, feet, tilts, over, tall, upright, 0.5 * yaw, 8)
    assert (got, left) == pytest.approx((expected, rest), abs=1e-12)
    assert q == pytest.approx(again, abs=1e-12)
    assert torso == pytest.approx(at, abs=1e-12)
    assert soles == pytest.approx(feet)
    assert turns == pytest.approx(tilts)
    root = turned(expected) @ upright
    places = body.mass_places(again, root, at)
    assert remembered[:2] == pytest.approx(before[1:])
    assert remembered[2] == pytest.approx(places, abs=1e-12)
    accelerations = (places - 2.0 * before[2] + before[1]) / dt**2 if moving else np.zeros_like(places)
    force, twist, (px, py) = np.array([*(np.array(place) - pressure) * rate**2, 9.81]) * body.mass, 0.0, pressure
    if moving:
        px, py, twist = whole_push(body.tree.mass, places, accelerations, force)
    part = np.clip((px * x + py * y) / (x * x + y * y), 0.0, 1.0)
    parts = np.array([part, 1.0 - part] if stance else [1.0 - part, part])
    own = np.array([px - part * x, py - part * y, 0.0])
    point = np.array([own, own])
    point[1 - stance, :2] += x, y
    held = body.hold(again, root, parts[:, None] * force, (point - at) @ root, parts * twist, accelerations)
    assert torques == pytest.approx(held, abs=1e-9)


def test_what_is_felt_in_one_call_is_measured_part_by_part(body: BipedBody, nao: Robot) -> None:
    """`feel` against the filter of the vertical, `measure` and the observer of the center; a gyro without yaw axis."""
    q, attitude, out = random_pose(nao, 4), BipedAttitude(first=0.3), np.empty(16)
    up, shift, dt, yaw, wide = attitude.up.copy(), np.array([0.003, -0.001, 0.002]), 0.01, 0.1, 30.0
    gyro, force, planned = (0.2, -0.1, float("nan")), (0.3, -0.2, 9.7), (0.4, 0.2)
    place, speed = (0.01, -0.04), (0.1, 0.05)
    body.feel(q, 1, shift, gyro, force, planned, yaw, up, (0.2, 0.3, 4.0), place, speed, wide, dt, out)
    attitude.seen = 0.2
    turned_force = body.imu @ force
    ahead = turned(yaw)[:2, :2].T @ planned
    less = (float(turned_force[0] - ahead[0]), float(turned_force[1] - ahead[1]), float(turned_force[2]))
    attitude.update(body.imu @ [0.2, -0.1, 0.0], less, dt)
    measured = body.measure(q, 1, shift, attitude.up, turned_force)
    assert up == pytest.approx(attitude.up)
    assert out[:10] == pytest.approx(measured)
    assert np.isnan(out[14])
    assert out[15] == attitude.seen == pytest.approx(0.21)
    guess = np.array(place) + np.array(speed) * dt + 0.5 * measured[7:9] * dt**2
    off = measured[5:7] - guess
    assert out[10:12] == pytest.approx(guess + 2.0 * wide * dt * off)
    assert out[12:14] == pytest.approx(np.array(speed) + measured[7:9] * dt + wide**2 * dt * off)
