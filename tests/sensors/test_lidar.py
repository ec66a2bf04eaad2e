"""The lidar against analytic distances, exact sweeps and the statistics of its errors."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from rooms import HERE, INSTALLED, carrier, floor, scene_of, thing

import andante as an
from andante.description import (
    Box,
    Collision,
    Cylinder,
    Inertia,
    Joint,
    JointType,
    Link,
    Plane,
    Robot,
    SensorSpec,
    Sphere,
)
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3
from andante.sensors import LDS_01, RPLIDAR_A2, RPLIDAR_A3, Lidar, LidarModel, Scene, SensorSuite
from andante.sensors.kernels import between
from andante.sensors.lidar import lidar_model

TURN = 2 * math.pi
CLEAN = LidarModel(beams=360, angle_min=0.0, range_max=20.0).without_errors()


def lidar(model: LidarModel = CLEAN, pose: SE3 = HERE, robot: Robot | None = None) -> Lidar:
    return Lidar(robot or carrier(), "base", pose, model)


# ---- true ranges -----------------------------------------------------------------------------------
@pytest.mark.parametrize("engine", INSTALLED)
def test_ranges_are_the_analytic_distances(engine):
    _, scene = scene_of(
        floor(),
        thing("box", Box((1.0, 1.0, 1.0)), (2.5, 0, 0.5)),
        thing("post", Cylinder(0.5, 1.0), (0, 3.0, 0.5)),
        thing("wall", Plane((1.0, 0.0, 0.0)), (-4.0, 0, 0)),
        engine=engine,
    )
    got = lidar().measure(scene)
    angles = CLEAN.angles
    wanted = np.full(360, np.inf)
    c, s = np.cos(angles), np.sin(angles)
    with np.errstate(divide="ignore"):
        wall = np.where(c < -1e-12, -4.0 / c, np.inf)
        front = np.where((c > 0) & (np.abs(2.0 * s / c) <= 0.5), 2.0 / c, np.inf)
    inside = 0.25 - (3.0 * c) ** 2
    post = np.where((inside >= 0) & (s > 0), 3.0 * s - np.sqrt(np.maximum(inside, 0.0)), np.inf)
    for each in (wall, front, post):
        wanted = np.minimum(wanted, np.where(each <= 20.0, each, np.inf))
    assert np.isfinite(wanted).sum() > 180
    assert np.array_equal(np.isfinite(got), np.isfinite(wanted))
    assert got[np.isfinite(got)] == pytest.approx(wanted[np.isfinite(wanted)], abs=1e-6)


@pytest.mark.parametrize("engine", INSTALLED)
def test_a_leaning_robot_sees_the_floor_in_front(engine):
    lean = 0.2
    _, scene = scene_of(floor(), at=SE3.from_xyz_rpy((0.3, -0.1, 0.5), (0, lean, 0.7)), engine=engine)
    got = lidar().measure(scene)
    assert got[0] == pytest.approx(0.5 / math.sin(lean), abs=1e-6)
    assert got[60] == pytest.approx(0.5 / (math.sin(lean) * math.cos(math.pi / 3)), abs=1e-6)
    assert got[180] == np.inf


def test_the_body_that_carries_it_is_not_seen_but_other_links_are():
    inertia = Inertia(1.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    mast = Link("mast", inertia, collisions=(Collision(Cylinder(0.05, 1.0)),))
    arm = Link("arm", inertia, collisions=(Collision(Box((0.2, 0.2, 0.2))),))
    robot = Robot(
        "two",
        (Link("base", inertia, collisions=(Collision(Box((0.4, 0.4, 0.4))),)), mast, arm),
        (
            Joint("weld", JointType.FIXED, "base", "mast", SE3.from_xyz_rpy((0.5, 0, 0))),
            Joint("hinge", JointType.REVOLUTE, "base", "arm", SE3.from_xyz_rpy((0, 0.8, 0))),
        ),
    )
    _, scene = scene_of(robot=robot)
    got = lidar(robot=robot).measure(scene)
    assert got[0] == np.inf  # the welded mast moves with the lidar
    assert got[90] == pytest.approx(0.7, abs=1e-6)


def test_several_rows():
    model = LidarModel(
        beams=8, angle_min=0.0, angle_increment=TURN / 8, range_max=50, rows=3, elevation_min=-0.2, elevation_max=0.2
    ).without_errors()
    _, scene = scene_of(floor(), thing("wall", Plane((-1.0, 0, 0)), (3.0, 0, 0)), at=SE3.from_xyz_rpy((0, 0, 2.0)))
    sensor = lidar(model)
    values = sensor.measure(scene)
    assert len(values) == len(sensor.labels) == 24
    rows = values.reshape(3, 8)
    assert rows[0, 4] == pytest.approx(2.0 / math.sin(0.2))
    assert rows[1, 0] == pytest.approx(3.0)
    assert rows[2, 0] == pytest.approx(3.0 / math.cos(0.2))
    assert model.level_row == 1


# ---- REP 117 and errors ----------------------------------------------------------------------------
def test_nothing_too_near_and_no_reading_after_rep_117():
    _, scene = scene_of(thing("near", Box((0.1, 4.0, 1.0)), (0.25, 0, 0.3)), thing("far", Sphere(0.5), (-9.0, 0, 0.3)))
    model = replace(CLEAN, range_min=0.5, range_max=8.0)
    got = lidar(model).measure(scene)
    assert got[0] == -np.inf
    assert got[90] == np.inf
    assert got[180] == np.inf  # beyond range_max
    slanted = 0.2 / math.cos(math.radians(75))
    assert got[75] == pytest.approx(slanted, abs=1e-9)
    assert np.isnan(lidar(replace(model, dropout=1.0)).measure(scene)).all()


def test_noise_grows_with_the_range_and_drop_outs_have_their_fraction():
    _, scene = scene_of(
        thing("wall", Plane((-1.0, 0, 0)), (2.0, 0, 0)), thing("other", Plane((1.0, 0, 0)), (-8.0, 0, 0))
    )
    model = replace(CLEAN, beams=2, angle_increment=math.pi, noise_stddev=0.02, noise_proportional=0.01, dropout=0.1)
    sensor = lidar(replace(model, noise_mean=0.05))
    sensor.draw_from(np.random.default_rng(4))
    got = np.array([sensor.measure(scene) for _ in range(6000)])
    for k, r in enumerate((2.0, 8.0)):
        kept = got[:, k][~np.isnan(got[:, k])]
        assert len(kept) / len(got) == pytest.approx(0.9, abs=0.015)
        assert kept.mean() == pytest.approx(r + 0.05, abs=0.004)
        assert kept.std() == pytest.approx(math.hypot(0.02, 0.01 * r), rel=0.04)


def test_resolution():
    _, scene = scene_of(thing("wall", Plane((-1.0, 0, 0)), (2.007, 0, 0)))
    got = lidar(replace(CLEAN, resolution=0.015)).measure(scene)
    assert got[0] == pytest.approx(2.01)
    steps = got[np.isfinite(got)] / 0.015
    assert steps == pytest.approx(np.rint(steps), abs=1e-9)


# ---- motion ----------------------------------------------------------------------------------------
def moved(t: float, speed: float, turn: float) -> SE3:
    """An exact arc: held forward speed and turn rate."""
    yaw = turn * t
    x, y = (speed * t, 0.0) if turn == 0 else (speed / turn * math.sin(yaw), speed / turn * (1 - math.cos(yaw)))
    return SE3.from_xyz_rpy((x, y, 0.3), (0, 0, yaw))


@pytest.mark.parametrize("engine", INSTALLED)
@pytest.mark.parametrize(("rate", "speed", "turn"), [(10.0, 1.0, 2.0), (5.0, 2.0, -1.0)])
def test_a_scan_of_a_moving_robot_is_distorted_as_an_exact_sweep(engine, rate, speed, turn):
    spec = SensorSpec("scan", "lidar", "base", SE3.from_xyz_rpy((0.1, 0, 0), (0, 0, 0.3)), rate)
    robot = carrier(replace(spec, parameters={"samples": 360, "min_angle": 0.0, "max_angle": TURN * 359 / 360}))
    walls = [
        thing(f"wall{k}", Plane((-math.cos(a), -math.sin(a), 0)), (3.5 * math.cos(a), 3.5 * math.sin(a), 0))
        for k, a in enumerate(np.arange(4) * math.pi / 2)
    ]
    made, scene = scene_of(*walls, robot=robot, engine=engine)
    suite = SensorSuite(made, scene.model, perfect=True)
    suite.update()
    while made.time < 2 / rate - 1e-9:
        made.step()
        made.set_base(scene.model, moved(made.time, speed, turn).vector)
        suite.update()
    sweep = suite["scan"].sensor.sweep(suite["scan"].reading)
    assert sweep.time == pytest.approx(1 / rate, abs=1e-9)
    assert sweep.stamps[-1] - sweep.stamps[0] == pytest.approx(359 / 360 / rate)

    def wanted(times: np.ndarray) -> np.ndarray:
        out = np.empty(360)
        for i, t in enumerate(times):
            pose = moved(t, speed, turn) @ spec.pose
            d = pose.rotation @ [math.cos(sweep.angles[i]), math.sin(sweep.angles[i]), 0]
            p = pose.translation
            out[i] = min((math.copysign(3.5, d[k]) - p[k]) / d[k] for k in (0, 1) if d[k])
        return out

    # between two looks the sensor goes along a chord: off by the sagitta a dt² / 8, seen at a slant
    sagitta = (speed * abs(turn) + 0.1 * turn**2) / (8 * Lidar.watch_rate**2)
    assert np.abs(sweep.ranges - wanted(sweep.stamps)).max() < 1.5 * sagitta
    assert np.abs(sweep.ranges - wanted(np.full(360, sweep.time))).max() > 0.1


def test_moving_things_are_seen_where_they_were_when_the_beam_passed():
    ball = thing("ball", Sphere(0.2), (-1.0, 2.0, 0.3), fixed=False)
    made, scene = scene_of(ball, gravity=0.0)
    made.set_base(0, [-1.0, 2.0, 0.3, 0, 0, 0, 1], [2.0, 0, 0, 0, 0, 0])
    sensor, at = lidar(replace(CLEAN, rate=1.0)), {}
    while made.time < 1.0 - 1e-9:
        if made.steps % 5 == 0:
            scene.renew()
            sensor.watch(scene)
            if made.steps == 0:
                sensor.measure(scene)
        made.step()
        at[round(made.time, 3)] = made.base_pose(0)[:2].copy()
    scene.renew()
    got = sensor.sweep(type("R", (), {"time": made.time, "values": sensor.measure(scene)})())
    seen = np.flatnonzero(np.isfinite(got.ranges))
    assert len(seen)
    for i in seen:
        look = round(math.ceil(round(got.stamps[i] * 100, 6)) / 100, 3)  # when it was cast
        x, y = at[look]
        along = x * math.cos(got.angles[i]) + y * math.sin(got.angles[i])
        aside = x * math.sin(got.angles[i]) - y * math.cos(got.angles[i])
        assert got.ranges[i] == pytest.approx(along - math.sqrt(0.04 - aside**2), abs=1e-6)


@given(st.lists(st.floats(-1, 1), min_size=14, max_size=14), st.floats(0, 1))
@settings(max_examples=100, deadline=None)
def test_poses_between_two_looks(numbers, fraction):
    raw = np.array(numbers).reshape(2, 7)
    if (np.linalg.norm(raw[:, 3:], axis=1) < 0.1).any():
        return
    raw[:, 3:] /= np.linalg.norm(raw[:, 3:], axis=1, keepdims=True)
    out = np.empty(7)
    between(raw[0], raw[1], fraction, out)
    first, second = SE3.from_vector(raw[0]), SE3.from_vector(raw[1])
    turn = SE3.from_parts(first.rotation.T @ second.rotation, (0, 0, 0)).log()[..., 3:]
    if np.linalg.norm(turn) > 3.1:
        return  # which way round a half turn goes is a matter of rounding
    angle = np.linalg.norm(SE3.from_parts(first.rotation.T @ SE3.from_vector(out).rotation, (0, 0, 0)).log()[..., 3:])
    assert angle == pytest.approx(fraction * np.linalg.norm(turn), abs=1e-6)
    assert out[:3] == pytest.approx((1 - fraction) * raw[0, :3] + fraction * raw[1, :3])


# ---- in a suite ------------------------------------------------------------------------------------
def test_same_seed_same_scans_and_they_go_on_from_a_snapshot():
    runs = []
    for seed in (3, 3, 4):
        sim = an.simulate("waffle", world="lab", sensors=True, seed=seed)
        sim.run(0.45)
        runs.append(sim.sensors["scan"].reading.values)
    assert np.array_equal(runs[0], runs[1], equal_nan=True)
    assert not np.array_equal(runs[0], runs[2], equal_nan=True)
    sim.run(0.03)
    saved, after = sim.snapshot(), []
    for _ in range(2):
        sim.run(0.5)
        after.append(sim.sensors["scan"].reading.values)
        sim.restore(saved)
    assert np.array_equal(after[0], after[1], equal_nan=True)


def test_rate_and_latency_of_a_described_lidar():
    parameters = {"samples": 12, "latency": 0.03}
    robot = carrier(SensorSpec("scan", "lidar", "base", HERE, 20.0, parameters=parameters))
    made, scene = scene_of(thing("wall", Plane((-1.0, 0, 0)), (2.0, 0, 0)), robot=robot)
    suite = SensorSuite(made, scene.model, seed=1)
    seen = set()
    for _ in range(100):
        suite.update()
        reading = suite["scan"].reading
        if reading is not None:
            assert made.time - reading.time >= 0.03 - 1e-9
            seen.add(round(reading.time, 3))
        made.step()
    assert sorted(seen) == [0.0, 0.05, 0.1, 0.15]
    assert suite["scan"].reading.values.shape == (12,)
    assert not suite.unmodeled


def test_things_put_elsewhere_are_seen_there_within_two_seconds():
    made, scene = scene_of(thing("wall", Box((0.2, 4, 1)), (2.1, 0, 0.3)))
    sensor = lidar()
    assert sensor.measure(scene)[0] == pytest.approx(2.0)
    made.set_base(0, [3.1, 0, 0.3, 0, 0, 0, 1])
    made.step(1000)
    scene.renew()
    assert sensor.measure(scene)[0] == pytest.approx(3.0)
    made.set_base(0, [4.1, 0, 0.3, 0, 0, 0, 1])
    scene.forget()
    assert sensor.measure(scene)[0] == pytest.approx(4.0)


# ---- figures and mistakes --------------------------------------------------------------------------
def test_presets_have_the_figures_of_their_makers():
    assert RPLIDAR_A2.beams * RPLIDAR_A2.rate == 8000
    assert (RPLIDAR_A2.range_min, RPLIDAR_A2.range_max) == (0.15, 12.0)
    assert math.degrees(RPLIDAR_A2.angle_increment) == pytest.approx(0.45)
    assert RPLIDAR_A3.beams * RPLIDAR_A3.rate == pytest.approx(16000, rel=1e-3)
    assert math.degrees(RPLIDAR_A3.angle_increment) == pytest.approx(0.3375, rel=1e-3)
    assert RPLIDAR_A3.range_max == 25.0
    assert (LDS_01.beams, LDS_01.rate, LDS_01.range_min, LDS_01.range_max) == (360, 5.0, 0.12, 3.5)


def test_a_description_fills_in_from_its_named_model():
    spec = SensorSpec("eye", "lidar", "base", HERE, 12.0, parameters={"model": "RPLIDAR-A3", "range_max": 20.0})
    model = lidar_model(spec)
    assert model == replace(RPLIDAR_A3, rate=12.0, range_max=20.0)
    fewer = lidar_model(replace(spec, parameters={"model": "rplidar_a3", "samples": 400.0}))
    assert fewer.angle_increment == pytest.approx(TURN / 400)
    rover = lidar_model(an.robot("rover").sensors[0])
    assert (rover.beams, rover.rate, rover.range_max) == (800, 10.0, 12.0)
    assert rover.time_increment * 800 == pytest.approx(0.1)
    half = lidar_model(replace(spec, rate=10.0, parameters={"samples": 181, "min_angle": -1.57, "max_angle": 1.57}))
    assert half.time_increment * 180 == pytest.approx(0.1 * 3.14 / TURN)


@pytest.mark.parametrize(
    ("parameters", "fragment"),
    [
        ({"samples": 0}, "sensor 'eye': lidar samples must be between 1 and"),
        ({"samples": 1e9}, "lidar samples must be between 1 and 200000"),
        ({"samples": 1000, "vertical_samples": 1000}, "lidar beams must be between 1 and 200000, got 1000 x 1000"),
        ({"range_min": 5.0, "range_max": 2.0}, "range_min must be below range_max 2.0, got 5.0"),
        ({"range_max": -1.0}, "range_max must be above 0 and finite"),
        ({"noise_stddev": -1.0}, "noise_stddev must be at least 0"),
        ({"dropout": 1.5}, "dropout must be a fraction between 0 and 1, got 1.5"),
        ({"samples": 10, "min_angle": 0.0, "max_angle": 9.0}, "a sweep turns at most once"),
        ({"range_max": "far"}, "sensor 'eye': range_max should be a number, got 'far'"),
    ],
)
def test_bad_figures_are_named(parameters, fragment):
    with pytest.raises(BadInput, match=fragment):
        lidar_model(SensorSpec("eye", "lidar", "base", HERE, 10.0, parameters=parameters))


def test_a_range_without_end_ends_somewhere():
    spec = SensorSpec("eye", "lidar", "base", HERE, 10.0, parameters={"range_max": math.inf})
    assert lidar_model(spec).range_max == 1000.0


def test_unknown_models_and_links_are_named():
    with pytest.raises(UnknownName, match="no lidar model 'x9' in sensor 'eye'; choices: rplidar_a2"):
        lidar_model(SensorSpec("eye", "lidar", "base", parameters={"model": "x9"}))
    with pytest.raises(UnknownName, match="roof"):
        Lidar(carrier(), "roof", HERE, CLEAN)


def test_a_world_without_shapes_gives_no_echo():
    _, scene = scene_of()
    assert (lidar().measure(scene) == np.inf).all()
    assert isinstance(scene, Scene)
