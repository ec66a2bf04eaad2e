"""Every finding of `check`, with its severity, its line and its advice."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from andante.description import (
    Box,
    Collision,
    Cylinder,
    Inertia,
    Joint,
    JointType,
    Limits,
    Link,
    Mesh,
    Mimic,
    Robot,
    Sphere,
    Visual,
    robot_names,
    world_names,
)
from andante.description.check import check_file, check_robot
from andante.description.check.parts import even_inertia
from andante.description.check.recognize import find_wheels
from andante.description.check.shapes import shapes_overlap
from andante.description.io.open import read_world
from andante.description.joint import Dynamics
from andante.errors import AndanteError
from andante.geometry import SE3, so3

USUAL = Limits(-1, 1, 5, 5)
GOOD = Inertia(1.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))


def write(tmp_path, text, name="robot.urdf"):
    file = tmp_path / name
    file.write_text(text)
    return str(file)


def two_links(inertia=GOOD, limits=USUAL, kind=JointType.REVOLUTE, **joint) -> Robot:
    return Robot(
        "two",
        (Link("base", GOOD), Link("arm", inertia)),
        (Joint("j", kind, "base", "arm", limits=limits, **joint),),
    )


def found(robot):
    return [(str(p.severity), p.message) for p in check_robot(robot).problems]


def test_a_good_robot_has_no_problems():
    assert found(two_links()) == []
    assert check_robot(two_links()).ok


@pytest.mark.parametrize(
    ("robot", "severity", "words"),
    [
        (two_links(None), "warning", "link 'arm': moves but has no mass"),
        (two_links(Inertia(0.0)), "warning", "moves but has no mass"),
        (two_links(Inertia(-1.0, (0, 0, 0), GOOD.moments)), "warning", "negative"),
        (two_links(Inertia(1.0, (0, 0, 0), (0.01, 0.05, 0, 0.01, 0, 0.01))), "warning", "not positive definite"),
        (two_links(Inertia(1.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.03))), "warning", "triangle inequality"),
        (two_links(Inertia(1.0)), "warning", "zero inertia tensor"),
        (two_links(Inertia(5000.0, (0, 0, 0), (50, 0, 0, 50, 0, 50))), "warning", "grams"),
        (two_links(Inertia(1e-4, (0, 0, 0), (1e-7, 0, 0, 1e-7, 0, 1e-7))), "warning", "times as heavy"),
        (two_links(limits=Limits(-90, 90, 5, 5)), "warning", "were degrees meant? those are -1.571 to 1.571 rad"),
        (two_links(limits=Limits(0, 0, 5, 5)), "warning", "cannot move"),
        (two_links(limits=Limits(-1, 1, 0, 5)), "warning", "effort limit 0"),
        (two_links(limits=Limits(-1, 1, 5, 0)), "warning", "velocity limit 0"),
        (two_links(limits=Limits(0, 500, 5, 5), kind=JointType.PRISMATIC), "warning", "millimeters"),
        (two_links(dynamics=Dynamics(damping=-1.0)), "error", "damping -1 is negative"),
        (two_links(mimic=Mimic("ghost")), "error", "mimics 'ghost', which does not exist"),
    ],
)
def test_findings(robot, severity, words):
    assert any(s == severity and words in message for s, message in found(robot)), found(robot)


def test_mimic_circle_and_mimic_beyond_its_limits():
    links = tuple(Link(n, GOOD) for n in ("base", "a", "b"))
    circle = Robot(
        "c",
        links,
        (
            Joint("ja", JointType.REVOLUTE, "base", "a", limits=Limits(-1, 1), mimic=Mimic("jb")),
            Joint("jb", JointType.REVOLUTE, "base", "b", limits=Limits(-1, 1), mimic=Mimic("ja")),
        ),
    )
    assert sum("circle of mimic" in message for _, message in found(circle)) == 2
    beyond = Robot(
        "c",
        links,
        (
            Joint("ja", JointType.REVOLUTE, "base", "a", limits=Limits(-1, 1)),
            Joint("jb", JointType.REVOLUTE, "base", "b", limits=Limits(-1, 1), mimic=Mimic("ja", 2.0)),
        ),
    )
    assert any("beyond its own limits" in message for _, message in found(beyond))


def test_center_of_mass_and_inertia_beside_the_size_of_the_link():
    shape = (Collision(Box((0.1, 0.1, 0.1))),)
    far = Link("arm", Inertia(1.0, (0.5, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01)), collisions=shape)
    big = Link("arm", Inertia(1.0, (0, 0, 0), (10, 0, 0, 10, 0, 10)), collisions=shape)
    tiny = Link("arm", Inertia(1.0, (0, 0, 0), (1e-9, 0, 0, 1e-9, 0, 1e-9)), collisions=shape)
    for link, words in ((far, "outside its shapes"), (big, "larger than the link"), (tiny, "tiny beside the link")):
        robot = Robot("r", (Link("base", GOOD), link), (Joint("j", JointType.CONTINUOUS, "base", "arm"),))
        assert any(words in message for _, message in found(robot))


def test_missing_and_broken_meshes_are_errors_with_the_link(tmp_path):
    broken = tmp_path / "broken.stl"
    broken.write_bytes(b"solid nothing\xff\x00 truncated")
    for mesh in (Mesh("package://nowhere/arm.stl"), Mesh("broken.stl", broken)):
        link = Link("arm", GOOD, collisions=(Collision(mesh),))
        robot = Robot("r", (Link("base", GOOD), link), (Joint("j", JointType.CONTINUOUS, "base", "arm"),))
        problems = found(robot)
        assert any(s == "error" and "link 'arm': collision mesh" in m for s, m in problems), problems


def armed(*collisions, inertia=GOOD) -> Robot:
    """A base and an arm 0.1 m away with those collision shapes."""
    joint = Joint("j", JointType.CONTINUOUS, "base", "arm", SE3.from_xyz_rpy((0.1, 0, 0)))
    return Robot("r", (Link("base", GOOD), Link("arm", inertia, collisions=collisions)), (joint,))


def test_a_zero_tensor_comes_with_the_one_of_its_shapes():
    shapes = Collision(Box((0.1, 0.2, 0.3))), Collision(Box((0.1, 0.2, 0.3)), SE3.from_xyz_rpy((0.1, 0, 0)))
    together = Inertia(1.2, (0.05, 0, 0), (0.013, 0, 0, 0.013, 0, 0.009))  # one box of 0.2 x 0.2 x 0.3 m
    even = even_inertia(armed(*shapes).link("arm"), 1.2)
    assert even.com == pytest.approx(together.com)
    np.testing.assert_allclose(even.matrix, 0.1 * np.diag([0.13, 0.13, 0.08]), atol=1e-12)
    told = [m for _, m in found(armed(*shapes, inertia=Inertia(1.2)))]
    assert told == [
        "link 'arm': has mass but a zero inertia tensor; its shapes at even density have "
        '<inertia ixx="0.013" ixy="0" ixz="0" iyy="0.013" iyz="0" izz="0.008"/>'
    ]


def test_a_mesh_in_millimeters_is_told_once_and_nothing_that_follows_from_it(tmp_path):
    part = tmp_path / "part.stl"
    trimesh.creation.box(extents=(40, 30, 20)).export(part)
    told = found(armed(Collision(Mesh("part.stl", part))))
    assert told == [
        (
            "warning",
            "link 'arm': collision mesh 'part.stl' measures 53.9 m; in millimeters? "
            'write scale="0.001 0.001 0.001" beside its name',
        )
    ]
    assert (
        found(
            armed(
                Collision(Mesh("part.stl", part, scale=(1e-3,) * 3)),
                inertia=Inertia(1, (0,) * 3, (1e-3, 0, 0, 1e-3, 0, 1e-3)),
            )
        )
        == []
    )
    small = found(armed(Collision(Mesh("part.stl", part, scale=(1e-6,) * 3))))
    assert any("measures 0.054 mm; was a mesh in metres scaled by 0.001?" in message for _, message in small)
    trimesh.creation.box(extents=(4, 3, 2)).export(part)  # under 20 m, but not beside joints 0.1 m apart
    assert any("in millimeters?" in message for _, message in found(armed(Collision(Mesh("part.stl", part)))))


@pytest.mark.parametrize("name", ["package://robt_description/meshes/arm.stl", "meshes/Arm.STL", "../arm.stl"])
def test_a_mesh_that_lies_nearby_is_named(tmp_path, name):
    (tmp_path / "meshes").mkdir()
    trimesh.creation.box().export(tmp_path / "meshes" / "arm.stl")
    (tmp_path / "urdf").mkdir()
    for folder, right in ((tmp_path, "meshes/arm.stl"), (tmp_path / "urdf", "../meshes/arm.stl")):
        shape = f'<visual><geometry><mesh filename="{name}"/></geometry></visual>'
        text = f'<robot name="r"><link name="a">{shape}</link></robot>'
        report = check_file(write(folder, text))
        taken = name.startswith("package")  # the end of the name leads there
        said = f'was not found; write filename="{right}": that file is there'
        assert [p.message for p in report.problems if "was not found" in p.message] == [
            f"<mesh>: {name!r} {said}, and is taken" if taken else f"link 'a': visual mesh {name!r} {said}"
        ]
        assert report.ok is taken


def test_a_robot_without_collision_shapes_is_told():
    joint = Joint("j", JointType.CONTINUOUS, "base", "arm")
    seen = Link("arm", GOOD, visuals=(Visual(Box((0.1, 0.1, 0.1))),))
    ghost = Robot("r", (Link("base", GOOD), seen), (joint,))
    assert [m for _, m in found(ghost)] == [
        "no link has a <collision>: what is seen of it touches instead; give each the shape of its <visual>, or a hull"
    ]
    assert not found(Robot("r", (Link("base", GOOD, collisions=(Collision(Sphere(0.1)),)), seen), (joint,)))


def test_a_missing_limit_is_told_once(tmp_path):
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>"""
    told = [p.message for p in check_file(write(tmp_path, text)).problems if "limit" in p.message]
    assert told == ["joint 'j' is revolute and needs <limit lower upper effort velocity>"]


def test_overlaps_of_links_that_are_no_neighbors():
    box = (Collision(Box((0.2, 0.2, 0.2))),)
    links = tuple(Link(n, GOOD, collisions=box) for n in ("a", "b", "c"))
    joints = (
        Joint("j1", JointType.CONTINUOUS, "a", "b", SE3.from_xyz_rpy((0.15, 0, 0))),
        Joint("j2", JointType.CONTINUOUS, "b", "c", SE3.from_xyz_rpy((-0.05, 0, 0))),
    )
    robot = Robot("r", links, joints, self_collide=True)
    told = [m for s, m in found(robot) if s == "warning" and "overlap" in m]
    assert [m[:26] for m in told] == ["links 'a' and 'c' overlap "]
    masked = Robot("r", links, joints, self_collide=True, no_collision=frozenset({frozenset(("a", "c"))}))
    assert not any("overlap" in m for _, m in found(masked))


@pytest.mark.parametrize("seed", range(5))
def test_overlap_agrees_with_known_distances(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        a, b = Sphere(rng.uniform(0.1, 0.5)), Sphere(rng.uniform(0.1, 0.5))
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        for factor, expected in ((1.02, False), (0.98, True)):
            pose = SE3.from_parts(so3.exp(rng.normal(size=3)), direction * (a.radius + b.radius) * factor)
            assert shapes_overlap(a, SE3.identity(), b, pose) is expected
        box = Box(tuple(rng.uniform(0.1, 1.0, 3)))
        axis = rng.integers(3)
        gap = np.zeros(3)
        gap[axis] = box.size[axis] / 2 + a.radius
        turn = SE3.from_parts(so3.exp(rng.normal(size=3)), rng.normal(size=3))
        for factor, expected in ((1.02, False), (0.98, True)):
            assert shapes_overlap(box, turn, a, turn @ SE3.from_parts(np.eye(3), gap * factor)) is expected


URDF = """<robot name="r">
  <link name="base"/>
  <link name="arm"/>
  <link name="arm"/>
  <joint name="j" type="revolute">
    <parent link="base"/><child link="arm"/>
    <limit lower="1" upper="-1" effort="-2" velocity="1"/>
  </joint>
  <joint name="k" type="revolute"><parent link="base"/><child link="ghost"/><mimic joint="nobody"/></joint>
  <link name="alone"/>
  <joint name="m" type="continuous"><parent link="alone"/><child link="alone"/></joint>
</robot>
"""


def test_all_faults_of_a_broken_tree_are_told_at_once_with_lines(tmp_path):
    report = check_file(write(tmp_path, URDF))
    told = {(p.source.line, p.message) for p in report.problems if p.severity != "info"}
    expected = [
        (4, "'arm' is defined twice"),
        (7, "lower limit 1 is above the upper limit -1"),
        (7, "effort limit -2 is negative"),
        (9, "child link 'ghost' does not exist"),
        (9, "needs <limit"),
        (9, "mimics 'nobody'"),
        (11, "to itself"),
    ]
    for line, words in expected:
        assert any(at == line and words in message for at, message in told), (line, words, told)
    assert not report.ok
    assert report.links == 4
    assert not any("root 'base': 'arm'" in message for _, message in told)  # a duplicate is no orphan


def test_cycle_orphan_and_mimic_circle_in_a_file(tmp_path):
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
    <joint name="ab" type="continuous"><parent link="a"/><child link="b"/><mimic joint="ba"/></joint>
    <joint name="ba" type="continuous"><parent link="b"/><child link="a"/><mimic joint="ab"/></joint></robot>"""
    messages = [p.message for p in check_file(write(tmp_path, text)).problems]
    assert any("form a cycle" in m for m in messages)
    assert any("in a circle: ab -> ba -> ab" in m for m in messages)
    orphan = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
    <joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"""
    messages = [p.message for p in check_file(write(tmp_path, orphan)).problems]
    assert any("not connected to the root 'a': 'c'" in m for m in messages)


NAMELESS = """<robot name="r"><link name="a"/><link/><link name="b"/>
<joint name="j" type="fixed"><child link="b"/></joint>
<joint type="fixed"><parent link="a"/><child link="b"/></joint></robot>"""
TWO_PARENTS = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="ac" type="fixed"><parent link="a"/><child link="c"/></joint>
<joint name="bc" type="fixed"><parent link="b"/><child link="c"/></joint></robot>"""
DRIVEN = """<robot name="r"><link name="a"/><transmission name="t"><type>SimpleTransmission</type>
<joint name="ghost"/></transmission></robot>"""


@pytest.mark.parametrize(
    ("text", "severity", "line", "words"),
    [
        (NAMELESS, "error", 1, "a link has no name"),
        (NAMELESS, "error", 2, "joint 'j' names no parent link"),
        (NAMELESS, "error", 3, "a joint has no name"),
        ("<robot name='r'/>", "error", 1, "the robot has no links"),
        (TWO_PARENTS, "warning", 4, "link 'c' hangs on 2 joints ('ac', 'bc'); the later ones close a loop"),
        (DRIVEN, "warning", 1, "transmission 't' drives joint 'ghost', which does not exist"),
    ],
)
def test_names_that_lack_or_lead_nowhere(tmp_path, text, severity, line, words):
    told = [(str(p.severity), p.source.line, p.message) for p in check_file(write(tmp_path, text)).problems]
    assert any((s, at) == (severity, line) and words in message for s, at, message in told), told


@pytest.mark.parametrize(
    ("name", "text", "models"),
    [
        ("w.xml", "<mujoco><worldbody><geom type='box' size='1 1 1'/></worldbody></mujoco>", ["ground"]),
        ("r.urdf", "<robot name='table'><link name='top'/></robot>", ["table"]),
    ],
)
def test_other_files_serve_as_worlds(tmp_path, name, text, models):
    world = read_world(Path(write(tmp_path, text, name)))
    assert [model.name for model in world.models] == models
    assert all(model.fixed for model in world.models)


def test_a_page_is_no_world(tmp_path):
    with pytest.raises(AndanteError, match="not a world; the root element should be <sdf> or <mujoco>"):
        read_world(Path(write(tmp_path, "<html/>", "w.xml")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<robot",
        "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='x'/></robot>"[:40],
        "<html/>",
    ],
)
def test_what_cannot_be_read_is_one_error(tmp_path, text):
    with pytest.raises(AndanteError) as caught:
        check_file(write(tmp_path, text))
    assert "robot.urdf" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", [*robot_names(), *world_names()])
def test_built_in_robots_and_worlds_have_no_errors(name):
    report = check_file(name)
    assert report.ok, [str(p) for p in report.problems]


def test_wheels_are_recognised():
    def wheel(name, y):
        turned = SE3.from_xyz_rpy((0, 0, 0), (np.pi / 2, 0, 0))
        return Link(name, GOOD, collisions=(Collision(Cylinder(0.05, 0.02), turned),)), Joint(
            f"{name}_joint", JointType.CONTINUOUS, "base", name, SE3.from_xyz_rpy((0, y, 0)), (0, 1, 0)
        )

    (left, left_joint), (right, right_joint) = wheel("left", 0.1), wheel("right", -0.1)
    car = Robot("car", (Link("base", GOOD), left, right), (left_joint, right_joint))
    assert [w.radius for w in find_wheels(car)] == [0.05, 0.05]
    assert any("differential drive: 2 wheels" in line for line in check_robot(car).recognised)


def big_urdf(count: int) -> str:
    rows = ["<robot name='big'>"]
    for i in range(count):
        rows.append(
            f"<link name='l{i}'><inertial><mass value='1'/>"
            "<inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/>"
            "</inertial><collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>"
        )
        if i:
            rows.append(
                f"<joint name='j{i}' type='revolute'><parent link='l{(i - 1) // 2}'/><child link='l{i}'/>"
                f"<origin xyz='0.11 {0.01 * i} 0'/>"
                "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='5' velocity='5'/></joint>"
            )
    return "".join([*rows, "</robot>"])


def test_large_robot_is_checked_whole(tmp_path):
    report = check_file(write(tmp_path, big_urdf(300)))
    assert report.links == 300
    assert report.mass == pytest.approx(300.0)
