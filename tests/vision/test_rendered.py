"""Detection on rendered pictures whose truth is known: distances, light and places vary."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from andante.description import Link, Placement, Robot, World, load_world
from andante.description.link import Material, Visual
from andante.description.shapes import Box
from andante.geometry import SE3, so3
from andante.physics.rendering import Camera
from andante.physics.rendering.renderer import Renderer, rest_poses
from andante.vision import BallSettings, Pinhole, find_ball, find_goal, find_lines, find_marks
from andante.vision.colors import BLUE
from andante.vision.marks import mark_picture
from andante.vision.pitch import GoalSettings
from andante.worlds import PITCH

EYE = Pinhole(320, 240, 1.06)
UP = 2 * math.atan(math.tan(EYE.horizontal_fov / 2) * EYE.height / EYE.width)


def eye_at(x, y, z, yaw, pitch):
    """Pose of a camera that looks down by `pitch`."""
    return SE3.from_parts(so3.from_rpy((0.0, pitch, yaw)), (x, y, z))


def looking_at(x, y, z, point):
    dx, dy, dz = np.subtract(point, (x, y, z))
    return eye_at(x, y, z, math.atan2(dy, dx), math.atan2(-dz, math.hypot(dx, dy)))


def with_light(world, factor):
    lights = tuple(
        replace(li, diffuse=(*tuple(min(1.0, factor * v) for v in li.diffuse[:3]), 1.0)) for li in world.lights
    )
    return replace(world, lights=lights, ambient=(*tuple(min(1.0, factor * v) for v in world.ambient[:3]), 1.0))


@pytest.fixture(scope="module", params=[0.55, 1.0, 1.25], ids=["dim", "usual", "bright"])
def pitch(request):
    world = with_light(load_world(PITCH), request.param)
    renderer = Renderer([*world.models], world, EYE.width, EYE.height)
    rest = [rest_poses(placement) for placement in world.models]
    ball = next(k for k, placement in enumerate(world.models) if placement.name == "ball")

    def shoot(pose, x, y):
        poses = list(rest)
        poses[ball] = rest[ball].copy()
        poses[ball][:, :2] = x, y
        return renderer.render(poses, Camera.from_pose(pose, UP))

    yield shoot
    renderer.close()


def test_a_ball_is_found_where_it_lies(pitch):
    random = np.random.default_rng(3)
    for _ in range(8):
        distance, bearing = random.uniform(0.35, 2.2), random.uniform(-math.pi, math.pi)
        x, y = random.uniform(-0.8, 0.8, 2)
        eye = (x - distance * math.cos(bearing), y - distance * math.sin(bearing), random.uniform(0.4, 0.55))
        off = random.uniform(-0.15, 0.15, 2)
        pose = looking_at(*eye, (x + off[0], y + off[1], 0.04))
        found = find_ball(pitch(pose, x, y), EYE, BallSettings(radius=0.04))
        truth = np.linalg.solve(pose.matrix, [x, y, 0.04, 1.0])[:3]
        assert found is not None
        far = float(np.linalg.norm(truth))
        assert found.distance == pytest.approx(far, rel=0.12)
        assert math.acos(min(1.0, float(found.direction @ truth) / far)) < 0.02
        assert found.whole


def test_there_is_no_ball_where_none_lies(pitch):
    for yaw in (0.0, 1.5, 3.1, -1.5):
        assert find_ball(pitch(eye_at(0, 0, 0.5, yaw, 0.3), -50.0, 0.0), EYE) is None


def test_the_goals_are_told_apart_and_found_where_they_stand(pitch):
    random = np.random.default_rng(5)
    for _ in range(4):
        x, y, yaw = random.uniform(-1.0, 0.3), random.uniform(-0.6, 0.6), random.uniform(-0.2, 0.2)
        pose = eye_at(x, y, 0.5, math.atan2(-y, 1.8 - x) + yaw, random.uniform(0.0, 0.15))
        image = pitch(pose, -50.0, 0.0)
        goal = find_goal(image, EYE, pose.matrix)
        assert goal is not None
        assert goal.middle == pytest.approx((1.8, 0.0), abs=0.15)
        assert goal.width == pytest.approx(0.9, rel=0.15)
        assert goal.left[1] > goal.right[1]
        assert find_goal(image, EYE, pose.matrix, GoalSettings(color=BLUE)) is None
    back = pitch(eye_at(0.0, 0.0, 0.5, math.pi, 0.1), -50.0, 0.0)
    assert find_goal(back, EYE, eye_at(0.0, 0.0, 0.5, math.pi, 0.1).matrix) is None
    blue = find_goal(back, EYE, eye_at(0.0, 0.0, 0.5, math.pi, 0.1).matrix, GoalSettings(color=BLUE))
    assert blue is not None
    assert blue.middle == pytest.approx((-1.8, 0.0), abs=0.15)


def test_lines_lie_where_the_pitch_has_them(pitch):
    pose = eye_at(-0.9, 0.3, 0.5, 0.0, 0.5)
    lines = find_lines(pitch(pose, -50.0, 0.0), EYE, pose.matrix)
    across = [li for li in lines if abs(li.start[0] - li.end[0]) < 0.05]
    assert any(abs(li.start[0]) < 0.04 and li.length > 0.5 for li in across)  # the halfway line, 4 cm wide
    for line in across:  # that one, a box or a goal line
        assert min(abs(line.start[0] - x) for x in (0.0, 1.4, 1.8)) < 0.08, line


@pytest.mark.parametrize("family", ["aruco_4x4", "apriltag_36h11"])
def test_marks_are_read_with_their_pose(family, tmp_path):
    file = tmp_path / "mark.png"
    Image.fromarray(mark_picture(7, family, 400)).save(file)
    squares = {"aruco_4x4": 6, "apriltag_36h11": 8}[family]
    edge = 0.2
    size = edge * squares / (squares + 2)
    board = Robot(
        "board",
        (Link("board", visuals=(Visual(Box((0.01, edge, edge)), material=Material(rgba=(1, 1, 1, 1), path=file)),)),),
    )
    random = np.random.default_rng(1)
    world = World("w", (Placement("board", board, SE3.from_parts(np.eye(3), (0.0, 0.0, 0.0)), True),))
    with Renderer([*world.models], world, EYE.width * 2, EYE.height * 2) as renderer:
        eye = Pinhole(EYE.width * 2, EYE.height * 2, EYE.horizontal_fov)
        for _ in range(4):
            far, turn = random.uniform(0.5, 1.2), random.uniform(-0.6, 0.6)
            pose = looking_at(far * math.cos(turn), far * math.sin(turn), random.uniform(-0.1, 0.3), (0.0, 0.03, 0.02))
            image = renderer.render([rest_poses(world.models[0])], Camera.from_pose(pose, UP))
            (mark,) = find_marks(image, eye, family, size)
            assert mark.number == 7
            truth = np.linalg.inv(pose.matrix) @ SE3.from_parts(np.eye(3), (0.005, 0.0, 0.0)).matrix
            assert mark.pose[:3, 3] == pytest.approx(truth[:3, 3], abs=0.015)
            turned = so3.log(truth[:3, :3].T @ mark.pose[:3, :3])
            assert float(np.linalg.norm(turned)) < 0.15
            assert find_marks(image, eye, "aruco_6x6") == ()
