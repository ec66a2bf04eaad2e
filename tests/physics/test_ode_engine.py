"""What is special about ODE: folded angles, shared inertia, single precision; the NAO on it."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("panda3d.ode")

from andante.control.loop import ControlLoop
from andante.description import Inertia, load_robot
from andante.description.joint import Dynamics, Joint, JointType, Limits, Mimic
from andante.description.link import Collision, Link
from andante.description.robot import Robot
from andante.description.shapes import Box, Plane
from andante.description.world import Placement
from andante.errors import BadInput, Diverged, Unsupported
from andante.geometry import SE3
from andante.geometry.se2 import wrap_angle
from andante.locomotion import Command
from andante.locomotion.gaits import Request, prepare
from andante.physics.checks import specimens
from andante.physics.model import Model
from andante.physics.ode.build import is_wide, joint_zero, shared_tensors
from andante.physics.ode.drive import follow_rates, stops_for
from andante.physics.ode.engine import OdeEngine
from andante.physics.state import Mode, Settings
from andante.physics.tree import body_tree
from andante.simulation.simulation import simulate

GRAVITY = specimens.GRAVITY
LIES = 0.006  # [rad]


def scene(*placements: Placement, ground: bool = True, gravity: float = -GRAVITY, **options: float) -> OdeEngine:
    models = (specimens.ground(mu=0.8),) if ground else ()
    return OdeEngine(specimens.world(*models, gravity=(0.0, 0.0, gravity)), placements, Settings(**options))


# ---- joints ------------------------------------------------------------------------------------------------------
def gripper() -> Robot:
    """Two fingers of two links on an arm, their joints led by the first one, with its limits but for rounding."""
    links = [Link("base"), specimens.box_link("arm", 1.0, (0.05, 0.05, 0.3), collide=False)]
    joints = [
        Joint("shoulder", JointType.REVOLUTE, "base", "arm", SE3.identity(), (1.0, 0.0, 0.0), Limits(-2, 2, 50, 2))
    ]
    for side, y in (("left", 0.04), ("right", -0.04)):
        for part, parent, xyz in (("knuckle", "arm", (0.0, y, 0.2)), ("finger", f"{side}_knuckle", (0.0, y, 0.04))):
            name, limits = f"{side}_{part}", Limits(0.01 * (len(joints) > 1), 0.85, 50.0, 2.0)
            mimic = Mimic("left_knuckle", 1.0, 0.0) if len(joints) > 1 else None
            links.append(specimens.box_link(name, 0.04, (0.02, 0.02, 0.04), collide=False))
            axis = (1.0 if y > 0 else -1.0, 0.0, 0.0)
            at = SE3.from_xyz_rpy(xyz)
            joints.append(Joint(name, JointType.REVOLUTE, parent, name, at, axis, limits, mimic=mimic))
    return Robot("gripper", tuple(links), tuple(joints), fixed_base=True)


@pytest.mark.parametrize("at", [0.0, 0.85])
def test_a_gripper_rests_at_the_stop_of_its_leader(at: float):
    sim = simulate(gripper(), engine="ode", pose={"left_knuckle": at})
    sim.run(1.0)
    assert sim.engine.joint_positions(sim.model) == pytest.approx([0.0, *[at] * 4], abs=0.02)
    assert np.abs(sim.engine.joint_velocities(sim.model)).max() < 0.05


def test_followers_keep_stops_that_their_leader_does_not_keep_for_them():
    leader, follower = gripper().joints[1:3]
    narrow = replace(follower, limits=Limits(0.0, 0.5, 50.0, 2.0))
    assert stops_for(leader, follower)
    assert not stops_for(leader, narrow)
    assert not stops_for(replace(leader, limits=Limits()), narrow)


def test_continuous_joint_counts_turns():
    engine = scene(Placement("r", specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0))), ground=False)
    engine.set_joints(0, [0.0], [12.0])
    engine.step(1000)
    assert engine.joint_positions(0)[0] == pytest.approx(24.0, rel=0.005)  # maximal coordinates lose a little speed
    engine.set_joints(0, [-9.0])
    assert engine.joint_positions(0)[0] == pytest.approx(-9.0, abs=1e-5)
    engine.command(0, [-9.5])
    engine.step(500)
    assert engine.joint_positions(0)[0] == pytest.approx(-9.5, abs=0.01)


@pytest.mark.parametrize(
    "limits", [(-4.0, 4.0), (-3.1, 3.1), (0.5, 4.0), (-8.0, -1.0), (2.0, math.inf), (-math.inf, 7.0)]
)
def test_limits_beyond_half_a_turn_hold(limits):
    robot = specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), limits=Limits(*limits))
    engine = scene(Placement("r", robot), ground=False)
    start = next(limit for limit in limits if math.isfinite(limit))
    engine.set_joints(0, [start + (0.2 if start == limits[0] else -0.2)])
    for effort, bound in ((1.0, limits[1]), (-1.0, limits[0])):
        if math.isinf(bound):
            continue
        engine.command(0, [effort], Mode.TORQUE)
        engine.step(2000)
        assert engine.joint_positions(0)[0] == pytest.approx(bound, abs=0.02)


@given(st.floats(-10, 10), st.floats(0.01, 12))
def test_stops_stay_away_from_the_fold(low, width):
    joint = Joint("j", JointType.REVOLUTE, "a", "b", limits=Limits(low, low + width))
    center = joint_zero(joint)
    for limit in (low, low + width):
        image = wrap_angle(limit - center) if is_wide(joint) else limit - center
        assert abs(image) < 2.75


def test_servo_at_a_stop_stays_calm():
    """ODE pushes a hinge's own motor with all its force at a stop; the servo must not be that motor."""
    robot = specimens.hinge(limits=Limits(-0.5, 0.5), along=(1.0, 0.0, 0.0))
    engine = scene(Placement("r", robot), ground=False)
    engine.set_joints(0, [0.5])
    engine.command(0, [0.5])
    engine.step(500)
    fastest = 0.0
    for _ in range(100):
        engine.step()
        fastest = max(fastest, abs(float(engine.joint_velocities(0)[0])))
    assert engine.joint_positions(0)[0] == pytest.approx(0.5, abs=0.01)
    assert fastest < 0.01


def test_slider_on_a_turning_base():
    """Speed and momentum of a piston on a free base that turns."""
    engine = scene(Placement("t", specimens.tangle()), ground=False, gravity=0.0)
    engine.set_base(0, [0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0.5, 1.0, -2.0])
    engine.set_joints(0, [0.1, 0.2, 0.05], [0.5, -0.5, 0.4])
    assert engine.joint_velocities(0)[2] == pytest.approx(0.4, abs=1e-5)
    tree = engine.models[0].tree

    def momentum() -> np.ndarray:
        poses, speeds = SE3.from_vector(engine.body_poses(0)), engine.body_velocities(0)
        total = np.zeros(3)
        for i, body in enumerate(tree.bodies):
            arm = poses.rotation[i] @ np.asarray(body.inertia.com)
            total += body.inertia.mass * (speeds[i, :3] + np.cross(speeds[i, 3:], arm))
        return total

    before = momentum()
    engine.command(0, [0.3, -0.2, 0.1])
    engine.step(200)
    np.testing.assert_allclose(momentum(), before, atol=2e-3)


def test_a_joint_that_runs_away_is_told_before_ode_ends_the_process():
    engine = scene(Placement("p", specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0))), ground=False)
    engine.set_joints(0, [0.0], [5e4])
    with pytest.raises(Diverged, match="'p' flew apart"):
        engine.step(4)


def test_planar_and_screw_are_refused_by_name():
    for kind in (JointType.PLANAR, JointType.SCREW):
        with pytest.raises(Unsupported, match=r"ode.*'free'"):
            scene(Placement("c", specimens.carried(kind)))


def test_moving_plane_is_refused():
    with pytest.raises(Unsupported, match="plane"):
        scene(Placement("p", specimens.solid("p", Plane())))


def test_loop_joint_of_a_fixed_base_follows_set_base():
    engine = scene(Placement("f", specimens.four_bar()), ground=False)
    engine.set_base(0, [3.0, -2.0, 1.0, 0, 0, math.sin(0.4), math.cos(0.4)])
    engine.command(0, [0.3, 0, 0], joints=None)
    engine.step(200)
    poses = SE3.from_vector(engine.link_poses(0))
    gap = poses[2] @ np.array([0.4, 0, 0]) - poses[3] @ np.array([0, 0, 0.2])
    assert np.linalg.norm(gap) < 0.002
    np.testing.assert_allclose(poses.translation[1], [3.0, -2.0, 1.0], atol=1e-3)


def test_losses_of_a_loop_joint():
    robot = specimens.four_bar()
    (closure,) = robot.loops

    def speed(**losses: float) -> float:
        loops = (replace(closure, dynamics=Dynamics(**losses)),)
        engine = scene(Placement("f", replace(robot, loops=loops)), ground=False, gravity=0.0)
        engine.set_joints(0, [0.0, 0.0, 0.0], [1.0, -1.0, 1.0])
        engine.step(250)
        return float(engine.joint_velocities(0)[0])

    assert speed() == pytest.approx(1.0, abs=0.02)
    assert speed(damping=0.05) < 0.7
    assert abs(speed(friction=0.2)) < 0.01
    with pytest.raises(Unsupported, match="'closure'"):
        speed(stiffness=1.0)


def test_bad_vectors_are_refused():
    engine = scene(Placement("r", specimens.hinge()), ground=False)
    for bad in ([math.nan], [1.0, 2.0]):
        with pytest.raises(BadInput, match="1 finite numbers"):
            engine.set_joints(0, bad)
    with pytest.raises(BadInput, match="7 finite numbers"):
        engine.set_base(0, [0, 0, 0])


# ---- inertia -----------------------------------------------------------------------------------------------------
def _cardan() -> Robot:
    """A trunk and a leg joined by two tiny links on crossed hinges."""
    links = (
        specimens.box_link("trunk", 2.0, (0.2, 0.2, 0.3)),
        specimens.box_link("first", 0.05, (0.02, 0.02, 0.02)),
        specimens.box_link("second", 0.05, (0.02, 0.02, 0.02)),
        specimens.box_link("leg", 1.0, (0.05, 0.05, 0.3), (0, 0, -0.15)),
    )
    turned = SE3.from_xyz_rpy((0.05, 0, -0.15), (0.3, 0.2, 0.1))
    joints = (
        Joint("yaw", JointType.CONTINUOUS, "trunk", "first", turned, (0.0, 0.0, 1.0)),
        Joint("roll", JointType.CONTINUOUS, "first", "second", SE3.from_xyz_rpy((0, 0, -0.03))),
        Joint("pitch", JointType.CONTINUOUS, "second", "leg", SE3.from_xyz_rpy((0, 0, -0.03)), (0.0, 1.0, 0.0)),
    )
    return Robot("cardan", links, joints)


def test_shared_inertia_keeps_the_motion():
    """Inertia moved across hinges changes no kinetic energy, whatever the joints do."""
    robot = _cardan()
    model = Model(0, Placement("t", robot), body_tree(robot))
    tensors = shared_tensors(model)
    rng = np.random.default_rng(5)
    moved = False
    for _ in range(20):
        q = dict(zip(robot.joint_names, rng.uniform(-1, 1, 3), strict=True))
        poses = model.tree.poses(SE3.identity(), q)
        spin = [rng.normal(size=3)]
        for i, body in enumerate(model.tree.bodies[1:], start=1):
            turning = body.joint is not None and body.joint.type is not JointType.PRISMATIC
            rate = rng.normal() if turning else 0.0
            spin.append(spin[body.parent] + poses[i].rotation @ np.asarray(body.joint.axis) * rate)
        energy = [0.0, 0.0]
        for i, body in enumerate(model.tree.bodies):
            local = poses[i].rotation.T @ spin[i]
            energy[0] += local @ body.inertia.matrix @ local
            energy[1] += local @ tensors[i] @ local
            moved = moved or not np.allclose(tensors[i], body.inertia.matrix)
        assert energy[1] == pytest.approx(energy[0], rel=1e-9)
    assert moved
    assert all(np.linalg.eigvalsh(tensor)[0] > 0 for tensor in tensors)


# ---- the humanoid ------------------------------------------------------------------------------------------------
def _nao(drop: float = 0.0) -> tuple[OdeEngine, int]:
    """The NAO in StandInit with its soles at a height above the ground."""
    nao = load_robot("nao")
    engine = scene(Placement("nao", nao))
    model = engine.model_index("nao")
    pose = nao.pose("StandInit")
    q = np.array([pose.get(name, 0.0) for name in nao.joint_names])
    engine.set_joints(model, q)
    soles = [[link.name for link in nao.links].index(name) for name in ("l_sole", "r_sole")]
    engine.set_base(model, [0, 0, drop - engine.link_poses(model)[soles, 2].min(), 0, 0, 0, 1])
    engine.command(model, q)
    return engine, model


def test_nao_stands_for_ten_seconds_and_carries_its_weight():
    engine, model = _nao()
    engine.step(500)
    before = engine.base_pose(model)
    engine.step(4500)
    after = engine.base_pose(model)
    assert math.dist(before[:2], after[:2]) < 0.01
    assert after[2] > 0.3
    weight = engine.models[model].tree.robot.mass * GRAVITY
    lifted = []
    for _ in range(50):
        engine.step()
        lifted.append(engine.contacts().of(model).force[:, 2].sum())
    assert np.mean(lifted) == pytest.approx(weight, rel=0.02)


@pytest.mark.parametrize(("drop", "impulse", "stands"), [(0.05, 0.0, True), (0.0, 6.0, False)])
def test_nao_survives_a_drop_and_falls_when_pushed(drop, impulse, stands):
    engine, model = _nao(drop)
    engine.step(500)
    root = engine.models[model].tree.robot.root
    engine.push(model, root, [impulse / 0.1, 0, 0])
    engine.step(50)
    engine.push(model, root, [0, 0, 0])
    engine.step(1000)
    assert (engine.base_pose(model)[2] > 0.25) == stands


def test_soles_lie_flat_when_nao_walks_aslant():
    ready = prepare(load_robot("nao"), Request("walk"))
    walk = ready.walker
    sim = simulate(ready.robot, engine="ode", pose=ready.pose, sensors=True, seed=1)
    aslant = Command(vx=walk.max_speed, vy=0.6 * walk.max_speed)  # more than it can; as keys ask for it
    loop = ControlLoop(sim, walk, command=lambda state: Command() if state.time < 0.5 else aslant)
    names = [link.name for link in sim.robot.links]
    soles = [names.index(sole.link) for sole in walk.body.soles]
    tilts = []
    while sim.time < 3.3:
        loop.step()
        if sim.time > 1.3 and walk.time > 0.1:  # the load has gone over
            pose = SE3.from_vector(sim.engine.link_poses(sim.model)[soles[walk.stance]])
            tilts.append(math.acos(min(1.0, float(pose.rotation[2, 2]))))
    sim.close()
    assert np.sqrt(np.mean(np.square(tilts))) < LIES


# ---- determinism, snapshots, silence -----------------------------------------------------------------------------
def _tumble() -> OdeEngine:
    links = (Link("root", specimens.box_inertia(1.0, (0.2, 0.1, 0.1)), (), (Collision(Box((0.2, 0.1, 0.1))),)),)
    return scene(
        Placement("a", Robot("a", links), SE3.from_xyz_rpy((0, 0, 0.3), (0.4, 0.3, 0.2))),
        Placement("arm", specimens.chain(3), SE3.from_xyz_rpy((1, 0, 1))),
    )


def test_engines_in_one_process_do_not_disturb_each_other():
    alone = _tumble()
    for _ in range(100):
        alone.step()
    first, other = _tumble(), _tumble()
    for _ in range(100):
        first.step()
        other.step(3)
    assert np.array_equal(alone.base_pose(1), first.base_pose(1))
    assert np.array_equal(alone.joint_positions(2), first.joint_positions(2))


def test_one_run_of_many_steps_is_many_runs_of_one():
    one, many = _tumble(), _tumble()
    one.step(150)
    for _ in range(150):
        many.step()
    assert np.array_equal(one.base_pose(1), many.base_pose(1))
    np.testing.assert_array_equal(one.contacts().force, many.contacts().force)


def test_restore_is_exact_and_brings_contacts_back():
    engine = _tumble()
    engine.step(300)
    saved, contacts = engine.snapshot(), engine.contacts()
    engine.step(100)
    after = np.concatenate([engine.body_poses(1).ravel(), engine.body_velocities(2).ravel()])
    engine.restore(saved)
    np.testing.assert_array_equal(engine.contacts().force, contacts.force)
    engine.step(100)
    again = np.concatenate([engine.body_poses(1).ravel(), engine.body_velocities(2).ravel()])
    assert np.abs(after - again).max() <= OdeEngine.restore_tolerance


def test_damping_and_friction_beside_a_servo():
    """A servo under its limit must overcome dry friction: it stops short by friction / kp."""
    robot = specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), dynamics=Dynamics(friction=0.5, damping=0.02))
    engine = scene(Placement("r", robot), ground=False)
    engine.set_gains(0, engine.gains[0].changed(kp=20.0, kd=2.0))
    engine.command(0, [1.0])
    engine.step(2500)
    gap = 1.0 - float(engine.joint_positions(0)[0])
    assert 0.0 < gap <= 0.5 / 20.0 * 1.02
    assert abs(float(engine.joint_velocities(0)[0])) < 1e-4
    assert engine.joint_efforts(0)[0] == pytest.approx(20.0 * gap, rel=0.02)


def test_nothing_is_printed():
    code = (
        "from andante.physics.checks import specimens; from andante.physics.ode.engine import OdeEngine\n"
        "from andante.description.world import Placement\n"
        "e = OdeEngine(specimens.world(specimens.ground()), [Placement('a', specimens.clapper(True))])\n"
        "e.command(0 + 1, [0.1, 0.1]); e.step(20); e.contacts(); e.close()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == ""
    assert done.stderr == ""


def test_a_robot_without_any_mass_falls_as_fast_as_others() -> None:
    joints = (Joint("j", JointType.CONTINUOUS, "a", "b"), Joint("k", JointType.CONTINUOUS, "b", "c"))
    robot = Robot("r", (Link("a"), Link("b"), Link("c")), joints)
    scene = OdeEngine(specimens.world(), [Placement("r", robot)])
    scene.step(250)
    np.testing.assert_allclose(scene.body_poses(0)[0, 2], -0.5 * 9.81 * 0.5**2, rtol=0.02)


def test_speeds_that_would_end_the_process_are_told() -> None:
    scene = OdeEngine(specimens.world(), [Placement("block", specimens.block())])
    scene.set_base(0, [0, 0, 1, 0, 0, 0, 1], [0, 0, 0, 1e7, 0, 0])
    with pytest.raises(Diverged, match="'block' flew apart"):
        scene.step(2)


def test_followers_that_outweigh_their_leader_do_not_fly_apart():
    """As fingers of a hand whose own link has next to no inertia."""
    pair = specimens.mimic_pair()
    leader, follower = pair.movable[0].child, pair.movable[1].child
    light = Inertia(1e-4, (0, 0, 0), (1e-8, 0, 0, 1e-8, 0, 1e-8))
    heavy = Inertia(0.05, (0, 0, 0.05), (1e-4, 0, 0, 1e-4, 0, 1e-4))
    links = tuple(
        replace(link, inertia={leader: light, follower: heavy}.get(link.name, link.inertia)) for link in pair.links
    )
    tree = body_tree(replace(pair, links=links))
    rate = follow_rates(tree, [(1, 0, 1.0, 0.0)], 0.002)[1]
    assert 0 < rate < 1e-3
    assert follow_rates(body_tree(pair), [(1, 0, 1.0, 0.0)], 0.002)[1] == pytest.approx(0.002 / 0.03)
