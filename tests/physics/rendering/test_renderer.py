"""Pictures, cameras and videos."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from andante.description import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Link,
    Material,
    Placement,
    Robot,
    Sphere,
    Visual,
    World,
)
from andante.errors import BadInput, MissingExtra
from andante.geometry import SE3
from andante.physics import ENGINES, engine_class, installed
from andante.physics.checks import specimens
from andante.physics.rendering import Camera
from andante.physics.rendering import renderer as gl
from andante.physics.rendering.renderer import Renderer, rest_poses
from andante.physics.rendering.video import VideoWriter, film_strip

RED = Material("red", (1.0, 0.0, 0.0, 1.0))
ABOVE = Camera(position=(0.0, 0.0, 5.0), lookat=(0.0, 0.0, 0.0))


def _red(geometry: object, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Placement:
    link = Link("part", visuals=(Visual(geometry, material=RED),))  # type: ignore[arg-type]
    return Placement("thing", Robot("thing", (link,)), SE3.from_xyz_rpy(at))


def _is_red(picture: np.ndarray) -> np.ndarray:
    r, g, b = (picture[..., k].astype(int) for k in range(3))
    return (r > 60) & (r > 2 * g) & (r > 2 * b)


# ---- pictures --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "geometry",
    [
        Box((0.5, 0.5, 0.5)),
        Sphere(0.3),
        Cylinder(0.3, 0.4),
        Capsule(0.2, 0.3),
        Ellipsoid((0.3, 0.2, 0.1)),
        specimens.hills(size=(1.0, 1.0)),
    ],
)
def test_every_shape_is_seen_in_its_color(geometry: object) -> None:
    with Renderer([_red(geometry)], World("w"), 80, 60) as renderer:
        picture = renderer.render(None, ABOVE)
    assert picture.shape == (60, 80, 3)
    assert picture.dtype == np.uint8
    assert _is_red(picture)[29:32, 39:42].all()
    assert not _is_red(picture)[:5].any()


def test_a_mesh_is_seen_and_right_way_up(tmp_path: Path) -> None:
    mesh = specimens.write_box_mesh(tmp_path / "bar.obj", (0.2, 0.2, 1.0))
    front = Camera(position=(5.0, 0.0, 0.0), lookat=(0.0, 0.0, 0.0))
    with Renderer([_red(mesh, (0.0, 0.5, 0.5))], World("w"), 80, 80) as renderer:
        rows, columns = np.nonzero(_is_red(renderer.render(None, front)))
    assert rows.max() <= 41  # it stands above the middle
    assert columns.min() >= 40  # and, seen against x, +y is to the right
    assert rows.max() - rows.min() > 2 * (columns.max() - columns.min())


def test_collision_shapes_stand_in_where_there_are_no_visuals() -> None:
    robot = Robot("r", (Link("bare", collisions=(Collision(Box((1, 1, 1))),)),))
    with Renderer([Placement("r", robot)], World("w"), 40, 40) as renderer:
        model, link = renderer.segmentation(None, ABOVE)
    assert model[20, 20] == 0
    assert link[20, 20] == 0
    assert model[0, 0] == -1


def test_depth_and_segmentation_measure_the_scene() -> None:
    box = Placement("box", specimens.solid("box", Box((1.0, 1.0, 0.5))), SE3.from_xyz_rpy((0, 0, 0.25)))
    with Renderer([specimens.ground(), box], World("w"), 120, 90) as renderer:
        depth = renderer.depth(None, ABOVE)
        model, link = renderer.segmentation(None, ABOVE)
        sky = renderer.depth(None, Camera(position=(0, 0, 5), lookat=(0, 1, 8)))
    assert depth[45, 60] == pytest.approx(4.5, abs=0.01)
    assert depth[2, 2] == pytest.approx(5.0, abs=0.01)
    assert np.isinf(sky).all()
    assert model[45, 60] == 1
    assert model[2, 2] == 0
    seen = int((model == 1).sum())
    edge = 90 / (2 * 4.5 * math.tan(ABOVE.fov / 2))  # pixels of 1 m at the upper face
    assert seen == pytest.approx(edge**2, rel=0.06)
    assert set(np.unique(link)) <= {0}


@pytest.mark.parametrize("name", list(ENGINES))
def test_any_engine_is_shown_where_it_stands(name: str) -> None:
    if not installed(ENGINES[name]):
        pytest.skip(f"the package {ENGINES[name].package} of engine {name} is not installed")
    engine = engine_class(name)(specimens.world(specimens.ground()), [Placement("b", specimens.block())])
    with Renderer.of(engine, 80, 60) as renderer:
        for x in (-0.6, 0.6):
            engine.set_base(1, [x, 0, 0.05, 0, 0, 0, 1])
            poses = [engine.link_poses(model.index) for model in engine.models]
            _, columns = np.nonzero(renderer.segmentation(poses, ABOVE)[0] == 1)
            assert (columns.mean() - 40) * x > 0
        assert renderer.shoot(engine, ABOVE).shape == (60, 80, 3)
    engine.close()


def test_two_renderers_do_not_disturb_each_other() -> None:
    first, second = (
        Renderer([_red(Sphere(0.5))], World("a"), 40, 40),
        Renderer([_red(Box((9, 9, 1)))], World("b"), 60, 50),
    )
    alone = first.render(None, ABOVE)
    assert second.render(None, ABOVE).shape == (50, 60, 3)
    np.testing.assert_array_equal(first.render(None, ABOVE), alone)
    first.close()
    assert _is_red(second.render(None, ABOVE)).all()
    second.close()
    second.close()
    with pytest.raises(BadInput, match="closed"):
        second.render(None, ABOVE)


def test_an_empty_world_shows_its_background() -> None:
    with Renderer([], World("w", background=(0.1, 0.9, 0.1, 1.0)), 32, 32) as renderer:
        picture = renderer.render(None, Camera(position=(0, 0, 1), lookat=(1, 0, 1.5)))
    assert (picture[..., 1] > picture[..., 0]).all()


def test_points_frame_what_moves_not_the_ground() -> None:
    chain = Placement("c", specimens.chain(2), SE3.from_xyz_rpy((1, 2, 3)))
    with Renderer([specimens.ground(), chain], World("w"), 40, 30) as renderer:
        points = renderer.points()
        np.testing.assert_allclose(points.min(axis=0), [0.98, 1.98, 2.4], atol=1e-6)
        np.testing.assert_allclose(points.max(axis=0), [1.02, 2.02, 3.0], atol=1e-6)
        assert len(renderer.points(models=[0])) == 0


def test_wrong_calls() -> None:
    with pytest.raises(BadInput, match="pixels"):
        Renderer([], World("w"), 0, 10)
    with Renderer([_red(Sphere(1))], World("w"), 8, 8) as renderer, pytest.raises(BadInput, match="1 models"):
        renderer.render([], ABOVE)


def test_rest_poses_follow_joints() -> None:
    placement = Placement("t", specimens.tangle(), SE3.from_xyz_rpy((1, 0, 0)))
    poses = rest_poses(placement, {"elbow": 0.3})
    tip = placement.pose @ placement.robot.link_poses({"elbow": 0.3})["tip"]
    np.testing.assert_allclose(poses[-1], tip.vector, atol=1e-12)


def test_no_open_gl_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gl, "backends", lambda: ("nowhere",))
    with pytest.raises(MissingExtra, match="libegl1") as caught:
        gl.make_context(8, 8)
    assert "\n" not in str(caught.value)


def test_the_next_back_end_is_tried() -> None:
    """A back end that is not there leaves the way free; in a process of its own, since PyOpenGL is global."""
    code = """
from andante.physics.rendering import renderer as gl
from andante.physics.checks import specimens
from andante.physics.rendering import Camera
gl.backends = lambda: ("nowhere", "egl", "osmesa")
make = gl.importlib.import_module
gl.importlib.import_module = lambda name: broken() if name == "mujoco.nowhere" else make(name)
def broken():
    import os; os.environ["PYOPENGL_PLATFORM"] = "linux"
    import OpenGL.GL
    raise ImportError("no such library")
from andante.physics.rendering.renderer import Renderer
with Renderer([], specimens.world(), 16, 16) as renderer:
    print(renderer.render(None, Camera()).shape)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "(16, 16, 3)", done.stderr


@pytest.mark.parametrize(
    ("environment", "expected"),
    [({}, ("egl", "osmesa")), ({"DISPLAY": ":0"}, ("egl", "osmesa", "glfw")), ({"MUJOCO_GL": "osmesa"}, ("osmesa",))],
)
def test_back_ends(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], expected: tuple[str, ...]) -> None:
    monkeypatch.setattr(gl.sys, "platform", "linux")
    for name in ("DISPLAY", "MUJOCO_GL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert gl.backends() == expected


# ---- cameras ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("direction", [(-1, -1, -0.5), (0, 0, -1), (1, 0.2, 0.3)])
@pytest.mark.parametrize("aspect", [0.5, 1.0, 2.0])
def test_framing_sees_all_points_and_no_more(direction: tuple[float, float, float], aspect: float) -> None:
    points = np.random.default_rng(1).normal(size=(50, 3)) * [1, 2, 0.5] + [3, -1, 2]
    camera = Camera.framing(points, direction, aspect=aspect, margin=1.0)
    seen = camera.pose.inverse() @ points
    half = math.tan(camera.fov / 2)
    used = np.maximum(np.abs(seen[:, 0]) / aspect, np.abs(seen[:, 1])) / (-seen[:, 2] * half)
    assert (seen[:, 2] < 0).all()
    assert used.max() == pytest.approx(1.0, abs=1e-6)


def test_tracking_and_orbiting_keep_the_distance() -> None:
    camera = Camera((1, 2, 3), (0, 0, 1))
    moved = camera.tracking((5, 5, 5))
    assert moved.lookat == (5, 5, 5)
    assert moved.distance == pytest.approx(camera.distance)
    turned = camera.orbited(math.pi / 2)
    np.testing.assert_allclose(turned.position, (-2, 1, 3), atol=1e-12)
    assert turned.lookat == camera.lookat


def test_a_camera_from_a_pose_looks_along_x() -> None:
    camera = Camera.from_pose(SE3.from_xyz_rpy((1, 0, 0), (0.4, 0, math.pi / 2)))
    right, up, forward = camera.axes
    np.testing.assert_allclose(forward, (0, 1, 0), atol=1e-12)
    np.testing.assert_allclose(np.cross(right, forward), up, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"position": (0, 0, 0), "lookat": (0, 0, 0)}, "different"),
        ({"position": (math.nan, 0, 0)}, "finite"),
        ({"fov": 4.0}, "angle of view"),
    ],
)
def test_impossible_cameras(arguments: dict, words: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(BadInput, match=words):
        Camera(**arguments)
    with pytest.raises(BadInput, match="at least one"):
        Camera.framing([])


# ---- videos ----------------------------------------------------------------------------------------------------------
def _frames(count: int = 6, width: int = 33, height: int = 24) -> list[np.ndarray]:
    return [np.full((height, width, 3), 40 * k, dtype=np.uint8) for k in range(count)]


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_animations_hold_the_frames(tmp_path: Path, suffix: str) -> None:
    from PIL import Image

    path = tmp_path / f"film{suffix}"
    with VideoWriter(path, 20, (33, 24)) as video:
        for frame in _frames():
            video.add(frame)
        assert not path.exists()
    with Image.open(path) as film:
        assert film.n_frames == 6  # type: ignore[attr-defined]
        assert film.size == (33, 24)
    assert list(tmp_path.iterdir()) == [path]


def test_mp4_holds_the_frames_at_their_rate(tmp_path: Path) -> None:
    import av

    path = tmp_path / "film.mp4"
    with VideoWriter(path, 25, (33, 24)) as video:
        for frame in _frames():
            video.add(frame)
    with av.open(str(path)) as film:
        stream = film.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert float(stream.average_rate) == 25.0
        shown = [frame.to_ndarray(format="rgb24") for frame in film.decode(stream)]
    assert len(shown) == 6
    assert shown[0].shape == (24, 32, 3)  # odd edges are cut
    assert abs(float(shown[3].mean()) - 120) < 6
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_a_failed_block_leaves_the_old_file_alone(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"film{suffix}"
    path.write_bytes(b"old")

    def film() -> None:
        with VideoWriter(path, 10, (33, 24)) as video:
            video.add(_frames(1)[0])
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        film()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_wrong_videos(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="mp4"):
        VideoWriter(tmp_path / "film.avi", 10, (8, 8))
    with pytest.raises(BadInput, match="does not exist"):
        VideoWriter(tmp_path / "no" / "film.mp4", 10, (8, 8))
    with pytest.raises(BadInput, match="per second"):
        VideoWriter(tmp_path / "film.gif", 0, (8, 8))
    video = VideoWriter(tmp_path / "film.gif", 10, (8, 8))
    with pytest.raises(BadInput, match="8 x 8"):
        video.add(np.zeros((4, 8, 3), dtype=np.uint8))
    with pytest.raises(BadInput, match="at least one"):
        video.close()
    assert not list(tmp_path.iterdir())


def test_film_strip_lays_pictures_in_rows() -> None:
    sheet = film_strip(_frames(5, 10, 8), 3, gap=2)
    assert sheet.shape == (8 * 2 + 2, 10 * 3 + 4, 3)
    assert (sheet[0:8, 12:22] == 40).all()
    assert (sheet[10:18, 12:22] == 160).all()
    assert (sheet[10:18, 24:] == 255).all()
    with pytest.raises(BadInput, match="one size"):
        film_strip([*_frames(1), np.zeros((3, 3, 3), dtype=np.uint8)], 2)
    with pytest.raises(BadInput, match="at least one"):
        film_strip([], 2)
