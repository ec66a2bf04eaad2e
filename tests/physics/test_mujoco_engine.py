"""What only MuJoCo's engine promises: exact restores, hollow static meshes, stiffness of surfaces, refusals."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from andante.description import (
    Box,
    Collision,
    Dynamics,
    Heightmap,
    Inertia,
    Joint,
    JointType,
    Limits,
    Link,
    Mesh,
    Placement,
    Plane,
    Robot,
    Source,
    Sphere,
    Surface,
)
from andante.errors import BadInput, Diverged, Unsupported
from andante.geometry import SE3
from andante.physics import Mode, Settings
from andante.physics.checks import specimens
from andante.physics.mujoco.build import ELEMENT, _part
from andante.physics.mujoco.engine import MujocoEngine
from andante.physics.mujoco.geoms import convex_parts


def _ball(surface: Surface) -> Robot:
    robot = specimens.solid("ball", Sphere(0.1))
    link = robot.links[0]
    return replace(robot, links=(replace(link, collisions=(Collision(Sphere(0.1), surface=surface),)),))


def test_restore_repeats_the_same_bits() -> None:
    scene = MujocoEngine(
        specimens.world(specimens.ground()),
        [
            Placement("arm", specimens.chain(3), SE3.from_xyz_rpy((0, 0, 0.6))),
            Placement("block", specimens.block(), SE3.from_xyz_rpy((0.1, 0, 0.3), (0.3, 0.2, 0.1))),
        ],
    )
    scene.command(1, [0.5, 1.0, -0.4])
    scene.push(2, "block", [0.5, 0, 0], point=[0.05, 0.02, 0])
    scene.step(77)
    saved = scene.snapshot()
    scene.step(200)
    first = scene.data.qpos.copy(), scene.data.qvel.copy(), scene.joint_efforts(1)
    scene.command(1, [0, 0, 0], Mode.OFF)
    scene.set_base(0, [0, 0, 5, 0, 0, 0, 1])
    scene.step(13)
    scene.restore(saved)
    scene.step(200)
    for before, after in zip(first, (scene.data.qpos, scene.data.qvel, scene.joint_efforts(1)), strict=True):
        np.testing.assert_array_equal(after, before)


def test_reading_does_not_disturb_the_run() -> None:
    def run(look: bool) -> np.ndarray:
        scene = MujocoEngine(
            specimens.world(specimens.ground()), [Placement("b", specimens.block(), SE3.from_xyz_rpy((0, 0, 0.3)))]
        )
        for _ in range(200):
            scene.step()
            if look:
                scene.link_poses(1), scene.link_velocities(1), scene.contacts()
                scene.cast_rays([[0, 0, 3.0]], [[0, 0, -1.0]], 5.0, ignore=1)
        return scene.data.qpos.copy()

    np.testing.assert_array_equal(run(False), run(True))


def test_many_steps_at_once_are_the_same_steps() -> None:
    scenes = [MujocoEngine(specimens.world(), [Placement("c", specimens.chain(3))]) for _ in range(2)]
    for scene in scenes:
        scene.set_joints(0, [0.4, 0.2, -0.3])
    scenes[0].step(100)
    for _ in range(100):
        scenes[1].step()
    np.testing.assert_array_equal(scenes[0].data.qpos, scenes[1].data.qpos)
    assert scenes[0].time == pytest.approx(0.2)


def test_a_static_room_stays_hollow_and_a_ring_open(tmp_path: Path) -> None:
    import trimesh

    room = trimesh.creation.box((4, 4, 2))
    room.invert()
    room.export(tmp_path / "room.stl")
    trimesh.creation.annulus(0.3, 0.5, 0.2).export(tmp_path / "ring.stl")
    models = [
        Placement(name, specimens.solid(name, Mesh(f"{name}.stl", tmp_path / f"{name}.stl")), pose, fixed=True)
        for name, pose in (("room", SE3.from_xyz_rpy((0, 0, 1))), ("ring", SE3.from_xyz_rpy((0, 0, 0.1))))
    ]
    ball = Placement("ball", specimens.solid("ball", Sphere(0.1)), SE3.from_xyz_rpy((0, 0, 0.8)))
    scene = MujocoEngine(specimens.world(*models), [ball])
    hits = scene.cast_rays([[0, 0, 1.5]], [[0, 1.0, 0]], 10.0)
    assert hits.distance[0] == pytest.approx(2.0, abs=1e-6)
    assert hits.model[0] == 0
    scene.step(600)
    assert scene.base_pose(2)[2] == pytest.approx(0.1, abs=0.003)


def test_convex_parts_of_boxes_and_sheets() -> None:
    import trimesh

    two = trimesh.util.concatenate(
        [trimesh.creation.box((1, 1, 1)), trimesh.creation.box((1, 1, 1)).apply_translation((3, 0, 0))]
    )
    parts = convex_parts(np.asarray(two.vertices), np.asarray(two.faces))
    assert sorted(len(vertices) for vertices, _ in parts) == [8, 8]
    sheet = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    prisms = convex_parts(sheet, np.array([[0, 1, 2], [0, 2, 3]]))
    assert len(prisms) == 2
    assert all(vertices[:, 2].min() == pytest.approx(-0.005) for vertices, _ in prisms)


def test_fine_concave_meshes_are_filled_and_it_is_told(tmp_path: Path) -> None:
    import trimesh

    ring = trimesh.creation.torus(1.0, 0.2, major_sections=80, minor_sections=40)
    assert len(ring.faces) > 5000
    ring.export(tmp_path / "ring.stl")
    robot = specimens.solid("ring", Mesh("ring.stl", path=tmp_path / "ring.stl"))
    scene = MujocoEngine(specimens.world(Placement("ring", robot, fixed=True)))
    assert [p.message for p in scene.problems if "has hollows and 6400 triangles" in p.message]


@pytest.mark.parametrize("restitution", [0.3, 0.6, 0.9])
def test_a_ball_bounces_by_its_restitution(restitution: float) -> None:
    surface = Surface(restitution=restitution)
    floor = Robot("floor", (Link("floor", collisions=(Collision(Plane(), surface=surface),)),))
    scene = MujocoEngine(
        specimens.world(Placement("floor", floor, fixed=True)),
        [Placement("ball", _ball(surface), SE3.from_xyz_rpy((0, 0, 0.6)))],
        Settings(dt=0.001),
    )
    speeds = []
    for _ in range(600):
        scene.step()
        speeds.append(scene.base_velocity(1)[2])
    assert max(speeds) / -min(speeds) == pytest.approx(restitution, abs=0.1)


def test_rolling_friction_stops_a_ball() -> None:
    def path(rolling: float | None) -> float:
        surface = Surface(mu=1.0, rolling=rolling)
        scene = MujocoEngine(
            specimens.world(specimens.ground(1.0)), [Placement("b", _ball(surface), SE3.from_xyz_rpy((0, 0, 0.1)))]
        )
        scene.set_base(1, [0, 0, 0.1, 0, 0, 0, 1], [0.5, 0, 0, 0, 5.0, 0])
        scene.step(1000)
        return float(scene.base_pose(1)[0])

    assert path(None) > 0.9
    assert path(0.02) < 0.3


def test_links_without_gravity_float() -> None:
    link = replace(specimens.block().links[0], gravity=False)
    scene = MujocoEngine(specimens.world(), [Placement("b", Robot("b", (link,)))])
    scene.step(100)
    assert np.abs(scene.base_pose(0)[:3]).max() < 1e-9


def test_one_sided_and_empty_limits() -> None:
    for limits in (Limits(lower=-0.2), Limits(0.0, 0.0)):
        arm = specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), limits=limits)
        scene = MujocoEngine(specimens.world(), [Placement("a", arm)])
        scene.command(0, [-3.0], Mode.TORQUE)
        scene.step(500)
        assert scene.joint_positions(0)[0] == pytest.approx(limits.lower, abs=0.01)


def test_inertia_that_breaks_the_triangle_inequality_is_taken_as_it_is() -> None:
    link = Link("odd", Inertia(1.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.05)))
    scene = MujocoEngine(specimens.world(gravity=(0.0, 0.0, 0.0)), [Placement("o", Robot("o", (link,)))])
    scene.push(0, "odd", [0, 0, 0], torque=[0, 0, 0.1])
    scene.step(100)
    assert scene.base_velocity(0)[5] == pytest.approx(0.1 / 0.05 * 0.2, rel=1e-6)


def test_a_free_root_without_mass_is_carried() -> None:
    joint = Joint("j", JointType.CONTINUOUS, "frame", "arm", axis=(0.0, 1.0, 0.0))
    robot = Robot("r", (Link("frame"), specimens.rod_link("arm", 0.3, 1.0)), (joint,))
    scene = MujocoEngine(specimens.world(), [Placement("r", robot)])
    scene.step(50)
    assert np.isfinite(scene.link_poses(0)).all()


def test_many_models_of_many_kinds_meet_each_other() -> None:
    blocks = [Placement(f"b{i}", specimens.block(), SE3.from_xyz_rpy((0.5 * i, 0, 0.06))) for i in range(40)]
    arms = [Placement(f"a{i}", specimens.chain(2), SE3.from_xyz_rpy((0.5 * i, 3, 2))) for i in range(40)]
    scene = MujocoEngine(specimens.world(specimens.ground()), [*blocks, *arms])
    scene.step(100)
    for i in range(40):
        assert scene.base_pose(1 + i)[2] == pytest.approx(0.05, abs=0.003)


def test_fixed_loop_and_ball_loop_hold() -> None:
    for kind in (JointType.FIXED, JointType.BALL):
        robot = specimens.four_bar()
        robot = replace(robot, loops=(replace(robot.loops[0], type=kind),))
        scene = MujocoEngine(specimens.world(), [Placement("f", robot)])
        scene.push(0, "coupler", [3.0, 0, 0])
        scene.step(300)
        poses = SE3.from_vector(scene.link_poses(0))
        gap = poses[2] @ np.array([0.4, 0, 0]) - poses[3] @ np.array([0, 0, 0.2])
        assert np.linalg.norm(gap) < 0.002
        if kind is JointType.FIXED:  # a welded parallelogram cannot move
            assert np.abs(scene.joint_positions(0)).max() < 0.01


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (
            Robot("r", (Link("base"), Link("nut", Inertia(1.0))), (Joint("thread", JointType.SCREW, "base", "nut"),)),
            ("thread", "mujoco", "screw"),
        ),
        (
            replace(specimens.four_bar(), loops=(replace(specimens.four_bar().loops[0], type=JointType.PRISMATIC),)),
            ("closure", "mujoco", "prismatic"),
        ),
        (specimens.solid("carpet", Plane()), ("carpet", "mujoco", "plane")),
        (specimens.solid("dune", Heightmap(((0.0, 0.1), (0.0, 0.1)), (1.0, 1.0))), ("dune", "mujoco", "heightmap")),
    ],
)
def test_refusals_name_the_part_and_the_engine(robot: Robot, words: tuple[str, ...]) -> None:
    with pytest.raises(Unsupported) as caught:
        MujocoEngine(specimens.world(), [Placement(robot.name, robot)])
    assert all(word in str(caught.value) for word in words)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s.set_joints(0, [math.nan]), "finite"),
        (lambda s: s.set_base(0, [0, 0, 0]), "7 finite"),
        (lambda s: s.set_base(0, [0, 0, math.inf, 0, 0, 0, 1]), "finite"),
        (lambda s: s.cast_rays([[0, 0, 0]], [[0, 0, 0]], 1.0), "zero"),
        (lambda s: s.cast_rays([[0, 0, 0]], [[0, 0, 1], [1, 0, 0]], 1.0), "as many"),
        (lambda s: s.command(0, [math.nan]), "NaN"),
    ],
)
def test_bad_arguments(call, words: str) -> None:  # type: ignore[no-untyped-def]
    scene = MujocoEngine(specimens.world(), [Placement("h", specimens.hinge())])
    with pytest.raises(BadInput, match=words):
        call(scene)


def test_divergence_is_raised_and_logged_not_hidden_nor_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    scene = MujocoEngine(specimens.world(), [Placement("c", specimens.chain(2))])
    scene.command(0, [1e9, 1e9], Mode.TORQUE)
    start = scene.snapshot()
    with caplog.at_level(logging.WARNING), pytest.raises(Diverged, match=r"model 'c' flew apart .* smaller step"):
        scene.step(200)
    assert "unstable" in caplog.text
    scene.restore(start)
    scene.command(0, [0.0, 0.0], Mode.TORQUE)
    scene.step(10)
    assert np.isfinite(scene.joint_positions(0)).all()
    assert not list(tmp_path.iterdir())


def test_world_models_and_the_floor_share_one_scene() -> None:
    table = Placement(
        "table", specimens.solid("table", Box((1.0, 1.0, 0.1))), SE3.from_xyz_rpy((0, 0, 0.5)), fixed=True
    )
    scene = MujocoEngine(
        specimens.world(specimens.ground(), table), [Placement("b", specimens.block(), SE3.from_xyz_rpy((0, 0, 0.61)))]
    )
    scene.step(200)
    mine = scene.contacts().of(scene.model_index("b"))
    assert set(mine.model_b.tolist()) == {scene.model_index("table")}
    scene.set_base(scene.model_index("table"), [5, 0, 0.5, 0, 0, 0, 1])  # pulled away
    scene.step(300)
    assert scene.base_pose(scene.model_index("b"))[2] == pytest.approx(0.05, abs=0.003)


def test_dry_friction_is_hard_in_a_passive_joint_and_soft_in_a_driven_one() -> None:
    robot = specimens.hinge(dynamics=Dynamics(friction=2.0))
    scene = MujocoEngine(specimens.world(), [Placement("arm", robot)])
    kp = float(scene.gains[0].kp[0])
    scene.set_joints(0, [0.3])  # the weight pulls with less than the friction
    scene.step(500)
    assert abs(scene.joint_positions(0)[0] - 0.3) < 2e-3
    passive = scene.mj_model.dof_solimp.copy()
    scene.command(0, [0.5])
    scene.step(1000)
    assert abs(scene.joint_positions(0)[0] - 0.5) < (2.0 + 0.5 * 9.81) / kp  # friction and weight over the stiffness
    assert scene.mj_model.dof_solimp[0, 0] < passive[0, 0]
    scene.command(0, [0.0], Mode.OFF)
    np.testing.assert_array_equal(scene.mj_model.dof_solimp, passive)


@pytest.mark.parametrize(("links", "sparse"), [(3, False), (20, True)])
def test_large_models_are_solved_with_sparse_matrices(links: int, sparse: bool) -> None:
    scene = MujocoEngine(specimens.world(), [Placement("c", specimens.chain(links, length=0.05))])
    assert (scene.mj_model.opt.jacobian == mujoco.mjtJacobian.mjJAC_SPARSE) == sparse


def test_contacts_of_a_model_are_those_of_all_seen_from_its_side() -> None:
    models = (
        specimens.ground(),
        Placement("low", specimens.block(), SE3.from_xyz_rpy((0, 0, 0.051))),
        Placement("high", specimens.block(), SE3.from_xyz_rpy((0.03, 0.02, 0.153), (0, 0, 0.4))),
        Placement("pair", specimens.clapper(self_collide=True), SE3.from_xyz_rpy((2, 0, 0.5))),
    )
    scene = MujocoEngine(specimens.world(*models))
    scene.step(150)
    everything = scene.contacts()
    assert len(everything) >= 8
    assert len(scene.contacts_of(2)) >= 4
    for model in range(len(models)):
        seen, expected = scene.contacts_of(model), everything.of(model)
        for name in expected.__dataclass_fields__:
            np.testing.assert_allclose(getattr(seen, name), getattr(expected, name), atol=1e-12, err_msg=name)
    data = scene.data
    for row in range(len(everything)):
        wrench = np.zeros(6)
        mujoco.mj_contactForce(scene.mj_model, data, row, wrench)
        world = data.contact.frame[row].reshape(3, 3).T @ wrench[:3]
        np.testing.assert_allclose(everything.force[row], world, atol=1e-9)


@pytest.mark.parametrize("fixed", [False, True])
def test_the_motion_of_one_body_is_that_of_all(fixed: bool) -> None:
    scene = MujocoEngine(specimens.world(), [Placement("t", specimens.tangle(fixed), SE3.from_xyz_rpy((1, 2, 3)))])
    robot = scene.models[0].tree.robot
    generator = np.random.default_rng(4)
    scene.set_joints(0, generator.uniform(-0.5, 0.5, len(robot.movable)), generator.normal(size=len(robot.movable)))
    if not fixed:
        scene.set_base(0, [1, 2, 3, 0.5, 0.1, -0.2, 0.8], generator.normal(size=6))
    scene.step(3)
    poses, velocities = scene.body_poses(0), scene.body_velocities(0)
    for body in range(len(poses)):
        pose, velocity = scene.body_motion(0, body)
        np.testing.assert_allclose(SE3.from_vector(pose).matrix, SE3.from_vector(poses[body]).matrix, atol=1e-12)
        np.testing.assert_allclose(velocity, velocities[body], atol=1e-9)
    np.testing.assert_allclose(scene.base_velocity(0), velocities[0], atol=1e-9)


def test_what_mujoco_refuses_is_told_in_the_words_of_the_file() -> None:
    given = Inertia(1.0, moments=(1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    links = (Link("a", given), Link("odd", given, source=Source("r.urdf", 7)))
    robot = Robot("r", links, (Joint("j", JointType.CONTINUOUS, "a", "odd"),))
    scene = MujocoEngine(specimens.world(), [Placement("r", robot)])
    said = ELEMENT.sub(lambda found: _part(found, scene.models), "Error: bad size Element name '0:1:x', id 13")
    assert said == "Error: bad size link 'odd' of 'r' (r.urdf:7); correct it there, or run it on another engine"
