"""The waffle and the rover drive as their wheels say, on every installed engine."""

import numpy as np
import pytest

import andante as an
from andante.geometry import SE3
from andante.physics import ENGINES, Mode, installed

ENGINE_NAMES = [name for name, entry in ENGINES.items() if installed(entry)]


def spin(sim, **speeds):
    index = [sim.robot.joint_names.index(name) for name in speeds]
    sim.engine.command(sim.model, list(speeds.values()), Mode.VELOCITY, index)


@pytest.fixture(params=ENGINE_NAMES)
def engine(request):
    return request.param


def test_waffle_goes_straight_by_its_wheel_radius(engine):
    sim = an.simulate("waffle", engine=engine)
    spin(sim, wheel_left_joint=5.0, wheel_right_joint=5.0)
    sim.run(0.5)
    start = sim.base_pose
    sim.run(2.0)
    assert sim.base_pose[0] - start[0] == pytest.approx(5.0 * 0.033 * 2.0, rel=0.02)
    assert abs(sim.base_pose[1]) < 0.005


def test_waffle_turns_on_the_spot_by_its_track(engine):
    sim = an.simulate("waffle", engine=engine)
    spin(sim, wheel_left_joint=-3.0, wheel_right_joint=3.0)
    sim.run(0.5)
    before = SE3.from_vector(sim.base_pose).rpy[2]
    sim.run(1.0)
    turned = SE3.from_vector(sim.base_pose).rpy[2] - before
    assert turned == pytest.approx(3.0 * 2 * 0.033 / 0.287, rel=0.06)
    assert np.linalg.norm(sim.base_pose[:2]) < 0.02


def test_rover_follows_the_circle_of_its_steering(engine):
    sim = an.simulate("rover", engine=engine)
    wheelbase, track, angle = 0.33, 0.25, 0.3
    radius = wheelbase / np.tan(angle)
    left, right = np.arctan(wheelbase / (radius - track / 2)), np.arctan(wheelbase / (radius + track / 2))
    sim.target({"front_left_steering_joint": left, "front_right_steering_joint": right})
    speed = 0.5
    spin(
        sim,
        rear_left_wheel_joint=speed * (1 - track / 2 / radius) / 0.055,
        rear_right_wheel_joint=speed * (1 + track / 2 / radius) / 0.055,
    )
    sim.run(1.0)
    start = SE3.from_vector(sim.base_pose)
    sim.run(1.5)
    end = SE3.from_vector(sim.base_pose)
    moved = start.inverse() @ end
    heading = np.arctan2(moved.rotation[1, 0], moved.rotation[0, 0])
    measured = np.hypot(*moved.translation[:2]) / (2 * np.sin(heading / 2))
    assert measured == pytest.approx(radius, rel=0.05)
    assert heading * measured / 1.5 == pytest.approx(speed, rel=0.05)


def test_figures_of_the_makers():
    waffle, rover = an.robot("waffle"), an.robot("rover")
    assert waffle.mass == pytest.approx(1.8)
    assert rover.mass == pytest.approx(4.0)
    scan = next(s for s in waffle.sensors if s.kind == "lidar")
    assert (scan.parameters["samples"], scan.rate) == (360, 5)
    assert (scan.parameters["range_min"], scan.parameters["range_max"]) == (0.12, 3.5)
    poses = rover.link_poses()
    gap = poses["tag0"].translation - poses["laser"].translation
    assert gap[0] == pytest.approx(0.13)
    assert [s.name for s in rover.sensors if s.kind == "uwb"] == ["tag0", "tag1"]
