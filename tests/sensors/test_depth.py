"""Depth cameras and lidars of several rows: true depths on every engine, errors, clouds as messages."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from rooms import HERE, INSTALLED, carrier, floor, scene_of, thing

import andante as an
from andante.bags import messages
from andante.description import Box, Capsule, Cylinder, Ellipsoid, SensorSpec, Sphere
from andante.errors import AndanteError, BadInput
from andante.geometry import SE3
from andante.mapping.io.clouds import depths_of_image, points_of_cloud
from andante.sensors import XTION, DepthCamera, DepthModel, Lidar, LidarModel, SensorSuite
from andante.sensors.topics import sensor_topics
from andante.simulation.clouds import cloud_message, depth_message, info_message

SMALL = DepthModel(width=64, height=48, horizontal_fov=math.radians(58.0), range_max=6.0)
THINGS = (
    floor(),
    thing("wall", Box((0.1, 4.0, 2.0)), (3.0, 0.0, 1.0), (0.0, 0.0, 0.3)),
    thing("ball", Sphere(0.3), (1.5, 0.4, 0.3)),
    thing("can", Cylinder(0.2, 0.6), (1.4, -0.5, 0.3), (0.4, 0.2, 0.0)),
    thing("pill", Capsule(0.1, 0.4), (1.0, 0.1, 0.5), (1.0, 0.3, 0.0)),
    thing("egg", Ellipsoid((0.1, 0.2, 0.1)), (0.9, -0.2, 0.2)),
)


def shot(model: DepthModel, pose: SE3 = HERE, engine: str = "mujoco", seed: int = 0, things=THINGS) -> np.ndarray:
    robot = carrier()
    _, scene = scene_of(*things, robot=robot, engine=engine)
    camera = DepthCamera(robot, "base", pose, model)
    camera.draw_from(np.random.default_rng(seed))
    camera.turn_on()
    number = camera.measure(scene)[0]
    picture = camera.picture(number)
    assert picture is not None
    assert not picture.image.flags.writeable
    return picture.image


@pytest.mark.parametrize("engine", INSTALLED)
def test_depths_are_those_of_single_rays_on_every_engine(engine):
    pose = SE3.from_xyz_rpy((0.05, 0.02, 0.1), (0.1, 0.3, -0.2))
    image = shot(SMALL, pose, engine)
    robot = carrier()
    _, scene = scene_of(*THINGS, robot=robot, engine=engine)
    eye = SE3.from_xyz_rpy((0, 0, 0.3)) @ pose
    f = SMALL.focal_length
    left, up = np.meshgrid((31.5 - np.arange(64)) / f, (23.5 - np.arange(48)) / f)
    rays = np.stack([np.ones_like(left), left, up], axis=-1).reshape(-1, 3)
    length = np.linalg.norm(rays, axis=1)
    ways = rays / length[:, None] @ eye.rotation.T
    hidden = scene.rays.hidden(scene.model, 0)
    plain = scene.rays.nearest(np.tile(eye.translation, (len(ways), 1)), ways, 20.0, hidden) / length
    plain[plain > SMALL.range_max] = np.inf
    assert np.isfinite(plain).mean() > 0.8
    np.testing.assert_allclose(image.ravel(), plain, rtol=2e-6)


def test_a_thing_that_reaches_behind_the_camera_is_seen():
    image = shot(SMALL, things=(thing("beside", Box((4.0, 0.1, 4.0)), (0.0, 0.5, 0.3)),))
    assert np.isfinite(image[:, 0]).all()  # the left column meets it where 0.45 m lie between
    assert image[24, 0] == pytest.approx(0.45 * SMALL.focal_length / 31.5, rel=1e-5)
    assert np.isinf(image[:, 32:]).all()


def test_points_lie_on_what_was_seen():
    points = SMALL.points(shot(SMALL), every=2)
    seen = points + np.array([0.0, 0.0, 0.3])
    low = np.abs(seen[:, 2]) < 1e-5  # on the floor
    assert 100 < low.sum() < len(seen)
    assert seen[:, 2].min() > -1e-5


def test_noise_grows_with_the_square_and_follows_the_seed():
    wall = (thing("wall", Box((0.2, 20.0, 20.0)), (3.1, 0.0, 0.0)),)
    model = DepthModel(width=160, height=120, range_max=8.0, noise_quadratic=0.002, dropout=0.1)
    image = shot(model, things=wall, seed=3)
    good = image[np.isfinite(image)]
    assert good.std() == pytest.approx(0.002 * 9.0, rel=0.05)
    assert good.mean() == pytest.approx(3.0, abs=0.001)
    assert np.isnan(image).mean() == pytest.approx(0.1, abs=0.02)
    np.testing.assert_array_equal(image, shot(model, things=wall, seed=3))
    assert not np.array_equal(image, shot(model, things=wall, seed=4), equal_nan=True)


def test_near_and_far_after_rep_117():
    wall = (thing("wall", Box((0.2, 20.0, 20.0)), (1.1, 0.0, 0.0)),)
    assert (shot(DepthModel(width=4, height=4, range_min=1.5), things=wall) == -np.inf).all()
    assert (shot(DepthModel(width=4, height=4, range_max=0.9), things=wall) == np.inf).all()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"range_min": 5.0, "range_max": 1.0}, "range_max must be finite and above"),
        ({"dropout": 2.0}, "fraction"),
        ({"width": 0}, "pixels an edge"),
        ({"noise_quadratic": -1.0}, "at least 0"),
    ],
)
def test_bad_numbers_are_refused(given, words):
    with pytest.raises(BadInput, match=words):
        DepthModel(**given)


def test_described_cameras_are_live_and_have_topics():
    given = {"width": 32, "height": 24, "horizontal_fov": 1.0, "near": 0.2, "far": 5.0}
    specs = [
        SensorSpec("eye", "depth_camera", "base", HERE, 10.0, parameters=given),
        SensorSpec("both", "rgbd_camera", "base", HERE, 10.0, parameters={"model": "xtion"}),
        SensorSpec("rings", "lidar", "base", HERE, 10.0, parameters={"samples": 40, "vertical_samples": 4}),
    ]
    made, scene = scene_of(*THINGS, robot=carrier(*specs))
    suite = SensorSuite(made, scene.model, seed=1)
    assert not suite.unmodeled
    picture = suite.picture("eye")
    assert picture.image.shape == (24, 32)
    assert (suite["eye"].sensor.model.range_min, suite["eye"].sensor.model.range_max) == (0.2, 5.0)
    assert suite["both/depth"].sensor.model == XTION
    topics = sensor_topics(carrier(*specs), suite)
    assert (topics["eye"].topic, topics["eye"].cloud) == ("/eye/depth/image_raw", "/eye/depth/points")
    assert (topics["both/depth"].topic, topics["both"].topic) == ("/both/depth/image_raw", "/both/image_raw")
    assert (topics["rings"].topic, topics["rings"].cloud) == ("/scan", "/points")
    suite.close()


def test_a_lidar_of_rings_gives_points_of_the_room():
    robot = carrier()
    model = LidarModel(
        rows=4, beams=90, angle_increment=math.tau / 90, elevation_min=-0.5, elevation_max=0.1, range_max=6
    )
    _, scene = scene_of(*THINGS, robot=robot)
    lidar = Lidar(robot, "base", HERE, model.without_errors())
    points = model.points(lidar.measure(scene)) + np.array([0.0, 0.0, 0.3])
    assert (np.abs(points[:, 2]) < 1e-9).sum() > 80  # the lower rings see the floor
    assert points[:, 2].min() > -1e-9


@pytest.mark.parametrize("encoding", ["32FC1", "16UC1"])
def test_depth_images_come_back(encoding):
    image = shot(SMALL)
    header = messages.make("std_msgs/msg/Header")
    back = depths_of_image(depth_message(header, image, encoding))
    known = np.isfinite(image)
    np.testing.assert_allclose(back[known], image[known], atol=6e-4 if encoding == "16UC1" else 0.0)
    assert not np.isfinite(back[~known]).any()
    info = info_message(header, SMALL)
    assert info.k[0] == pytest.approx(SMALL.focal_length)


def test_clouds_come_back_and_broken_ones_are_refused():
    points = np.random.default_rng(1).normal(size=(50, 3))
    message = cloud_message(messages.make("std_msgs/msg/Header"), points)
    np.testing.assert_allclose(points_of_cloud(message), points, rtol=1e-6)
    short = SimpleNamespace(**{**vars(message), "width": 60})
    with pytest.raises(BadInput, match="60 points"):
        points_of_cloud(short)
    with pytest.raises(BadInput, match="x, y and z"):
        points_of_cloud(SimpleNamespace(**{**vars(message), "fields": message.fields[:2]}))
    with pytest.raises(BadInput, match="rgb8"):
        depths_of_image(SimpleNamespace(encoding="rgb8"))


def test_the_nao_can_wear_both():
    nao = an.robot("nao", arguments={"head_camera": "xtion", "head_lidar": "true"})
    plain = an.robot("nao")
    assert {spec.name for spec in nao.sensors} - {spec.name for spec in plain.sensors} == {"xtion", "head_lidar"}
    with pytest.raises(AndanteError, match="none or xtion, got kinect"):
        an.robot("nao", arguments={"head_camera": "kinect"})
