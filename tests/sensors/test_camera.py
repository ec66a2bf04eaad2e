"""Cameras: pictures on demand, at their rate, of what stands in front."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from rooms import HERE, carrier, scene_of

from andante.description import Box, Link, Material, Placement, Robot, SensorSpec, Visual
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3
from andante.sensors import CameraModel, CameraSensor, SensorSuite

RED = Material("red", (1.0, 0.0, 0.0, 1.0))


def red_box(xyz) -> Placement:
    box = Robot("red_box", (Link("red_box", visuals=(Visual(Box((0.5, 0.5, 0.5)), material=RED),)),))
    return Placement("red_box", box, SE3.from_xyz_rpy(xyz), fixed=True)


def watching(xyz=(2.0, 0.0, 0.3), **parameters):
    given = {"width": 64, "height": 48, "horizontal_fov": math.radians(60), **parameters}
    spec = SensorSpec("eye", "camera", "base", SE3.from_xyz_rpy((0.1, 0, 0)), 20.0, parameters=given)
    made, scene = scene_of(red_box(xyz), robot=carrier(spec))
    return made, SensorSuite(made, scene.model, seed=1)


def redness(image: np.ndarray) -> np.ndarray:
    return image[..., 0].astype(int) - image[..., 1:].max(axis=-1)


def test_a_camera_is_off_until_asked_and_then_shows_what_stands_in_front():
    _, suite = watching()
    suite.update()
    assert np.isnan(suite["eye"].reading.values[0])
    picture = suite.picture("eye")
    assert picture.image.shape == (48, 64, 3)
    assert picture.image.dtype == np.uint8
    assert not picture.image.flags.writeable
    rows, columns = np.nonzero(redness(picture.image) > 60)
    assert rows.mean() == pytest.approx(23.5, abs=1.0)
    assert columns.mean() == pytest.approx(31.5, abs=1.0)
    # the front face: 0.5 m wide, 1.65 m away
    focal = suite["eye"].sensor.model.focal_length
    assert np.ptp(columns) + 1 == pytest.approx(focal * 0.5 / 1.65, abs=2.0)
    suite.close()


@pytest.mark.parametrize(("place", "half"), [((2.0, 0.5, 0.3), "left"), ((2.0, -0.5, 0.3), "right")])
def test_what_stands_to_the_left_is_on_the_left(place, half):
    _, suite = watching(place)
    columns = np.nonzero(redness(suite.picture("eye").image) > 60)[1]
    assert (columns.mean() < 30) if half == "left" else (columns.mean() > 34)
    suite.close()


def test_pictures_come_at_the_rate_and_after_the_latency():
    made, suite = watching(latency=0.06)
    suite.update()
    assert suite.picture("eye") is None
    times = []
    for _ in range(125):
        made.step()
        suite.update()
        picture = suite.picture("eye")
        if picture is not None:
            assert made.time - picture.time >= 0.06 - 1e-9
            times.append(round(picture.time, 3))
    assert sorted(set(times)) == [0.0, 0.05, 0.1, 0.15]
    suite.close()


def test_noise_has_its_spread_and_is_seeded():
    _, suite = watching((0.0, 5.0, 0.3))
    clean = suite.picture("eye").image.astype(float)
    suite.close()
    images = []
    for _ in range(2):
        _, noisy = watching((0.0, 5.0, 0.3), noise_stddev=0.02)
        images.append(noisy.picture("eye").image)
        noisy.close()
    assert np.array_equal(images[0], images[1])
    inner = (clean > 30) & (clean < 225)
    assert (images[0] - clean)[inner].std() == pytest.approx(0.02 * 255, rel=0.1)


def test_another_size_keeps_the_angle_of_view():
    _, suite = watching()
    camera = suite["eye"].sensor
    camera.turn_on(width=32, height=24)
    suite.update()
    assert suite.picture("eye").image.shape == (24, 32, 3)
    assert camera.model.horizontal_fov == math.radians(60)
    suite.close()
    assert not camera.on


def test_saved_pictures_come_back():
    made, suite = watching()
    suite.picture("eye")
    made.step(25)
    suite.update()
    saved, before = suite.save(), suite.picture("eye")
    made.step(50)
    suite.update()
    suite.load(saved)
    assert suite.picture("eye").time == before.time
    suite.close()


def test_a_camera_wider_than_a_pinhole_is_told_not_sampled():
    spec = SensorSpec("fisheye", "camera", "base", parameters={"horizontal_fov": 3.5})
    made, scene = scene_of(robot=carrier(spec))
    suite = SensorSuite(made, scene.model)
    assert suite.unmodeled == (spec,)
    assert "fisheye" not in {channel.name for channel in suite}


def test_figures_of_a_camera():
    model = CameraModel(640, 480, math.radians(60.9))
    assert model.focal_length == pytest.approx(544.3, abs=0.1)
    assert math.degrees(model.vertical_fov) == pytest.approx(47.6, abs=0.05)


def test_mistakes_are_named():
    _, suite = watching()
    with pytest.raises(UnknownName, match="no camera 'encoders'; choices: eye"):
        suite.picture("encoders")
    with pytest.raises(BadInput, match="sensor 'c': camera pictures have 1 to 4096 pixels an edge, got 0 x 480"):
        CameraModel.of(SensorSpec("c", "camera", "base", parameters={"width": 0}))
    with pytest.raises(BadInput, match="horizontal_fov must be an angle"):
        CameraModel(horizontal_fov=3.14159)
    with pytest.raises(BadInput, match="noise_stddev"):
        CameraModel(noise_stddev=-1.0)
    with pytest.raises(BadInput, match=r"sensor 'c': .*'big'"):
        CameraModel.of(SensorSpec("c", "camera", "base", parameters={"width": "big"}))
    with pytest.raises(UnknownName, match="roof"):
        CameraSensor(carrier(), "roof", HERE)


def test_a_camera_that_is_off_does_not_cut_the_steps_of_a_run():
    made, suite = watching()
    suite.add(CameraSensor(made.models[suite.model].tree.robot, "base", SE3.identity(), name="second"), rate=30.0)
    suite.update()
    assert suite.next_time == pytest.approx(0.01)  # of the encoders
    made.step(15)  # 0.03 s of 2 ms: both cameras are off, and no sample of theirs is due alone
    suite.update()
    assert suite.next_time == pytest.approx(0.04)
    suite["second"].sensor.turn_on(32, 24)
    assert suite.next_time == pytest.approx(1 / 30)
    made.step(2)
    suite.update()
    assert suite["second"].sensor.pictures[-1][1].time == pytest.approx(0.034)
    suite.close()
