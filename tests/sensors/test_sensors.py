"""Sensor models against what must come out, on a real engine and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import andante as an
from andante.description import Box, Collision, Inertia, Link, Robot, SensorSpec
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3
from andante.sensors import Channel, Noise, SensorSuite, shares
from andante.sensors.noise import NoiseChannel

HERE = SE3.identity()


def block(*sensors: SensorSpec, size=(0.2, 0.1, 0.05), mass=2.0) -> Robot:
    moment = mass * 0.01
    inertia = Inertia(mass, (0, 0, 0), (moment, 0, 0, moment, 0, moment))
    return Robot("block", (Link("block", inertia, collisions=(Collision(Box(size)),)),), sensors=sensors)


def imu(pose=HERE, **parameters) -> SensorSpec:
    return SensorSpec("imu", "imu", "block", pose, 100.0, parameters=parameters)


def perfect(robot, **options):
    sim = an.simulate(robot, **options)
    sim.sensors = SensorSuite(sim.engine, sim.actor, perfect=True)
    sim.sensors.update()
    return sim


def test_imu_at_rest_feels_gravity_upwards_in_its_own_axes():
    sim = perfect(block(imu(SE3.from_xyz_rpy((0, 0, 0), (np.pi / 2, 0, 0)))))
    sim.run(1.0)
    values = sim.sensors["imu"].reading.values
    assert values[:3] == pytest.approx([0, 0, 0], abs=1e-3)
    assert values[3:] == pytest.approx([0, 9.81, 0], abs=2e-2)


def test_imu_in_free_fall_feels_nothing():
    sim = perfect(block(imu()), drop=5.0)
    sim.run(0.5)
    assert sim.sensors["imu"].reading.values == pytest.approx(np.zeros(6), abs=1e-6)


def test_imu_on_a_spinning_body_feels_the_centripetal_acceleration():
    sim = perfect(block(imu(SE3.from_xyz_rpy((0.1, 0, 0)))), drop=5.0)
    spin = 3.0
    sim.engine.set_base(sim.actor, sim.base_pose, (0, 0, 0, 0, 0, spin))
    sim.run(0.3)
    values = sim.sensors["imu"].reading.values
    assert values[2] == pytest.approx(spin, rel=1e-6)
    # mean over 10 ms of an acceleration that turns: chord instead of arc, and half a sample behind
    assert np.linalg.norm(values[3:5]) == pytest.approx(spin**2 * 0.1, rel=1e-3)
    assert values[3] < 0


def test_missing_gyro_axis_reads_nan():
    sim = perfect(block(imu(gyro_axes="xy")))
    sim.run(0.1)
    assert np.isnan(sim.sensors["imu"].reading.values).tolist() == [False, False, True, False, False, False]


def test_load_cells_share_the_weight_and_keep_the_centre_of_pressure():
    cells = [
        SensorSpec(f"c{i}", "force", "block", SE3.from_xyz_rpy((x, y, -0.025)), 100.0)
        for i, (x, y) in enumerate([(0.09, 0.04), (0.09, -0.04), (-0.09, 0.04), (-0.09, -0.04)])
    ]
    sim = perfect(block(*cells))
    sim.run(1.0)
    forces = sim.sensors["block/force"].reading.values
    assert forces.sum() == pytest.approx(2.0 * 9.81, rel=0.02)
    assert forces == pytest.approx(np.full(4, 2.0 * 9.81 / 4), rel=0.05)
    sim.engine.push(sim.actor, "block", (0, 0, -10.0), point=(0.05, 0.0, 0.0))
    sim.run(1.0)
    forces = sim.sensors["block/force"].reading.values
    centre = forces @ np.array([0.09, 0.09, -0.09, -0.09]) / forces.sum()
    assert forces.sum() == pytest.approx(2.0 * 9.81 + 10.0, rel=0.02)
    assert centre == pytest.approx(0.05 * 10 / (2 * 9.81 + 10), abs=2e-3)


CELLS = np.array([[0.07, 0.03], [0.07, -0.023], [-0.03, 0.03], [-0.03, -0.019]])


@given(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))
@settings(max_examples=300, deadline=None)
def test_shares_are_a_distribution_and_exact_inside(x, y):
    w = shares(CELLS, np.array([x, y]))
    assert w.sum() == pytest.approx(1.0)
    assert (w >= 0).all()
    if -0.02 < x < 0.06 and -0.015 < y < 0.02:
        assert w @ CELLS == pytest.approx([x, y], abs=1e-9)


def test_bumper_feels_only_what_presses_on_it_nearby():
    down, up = (0.0, np.pi / 2, 0.0), (0.0, -np.pi / 2, 0.0)  # where its x axis points
    near = SensorSpec(
        "near", "bumper", "block", SE3.from_xyz_rpy((0.1, 0.05, -0.025), down), 50.0, parameters={"radius": 0.03}
    )
    far = SensorSpec(
        "far", "bumper", "block", SE3.from_xyz_rpy((0.0, 0.0, 0.3), down), 50.0, parameters={"radius": 0.03}
    )
    away = SensorSpec("away", "bumper", "block", SE3.from_xyz_rpy((0.1, 0.05, -0.025), up), 50.0)
    whole = SensorSpec("whole", "contact", "block", SE3.identity(), 50.0)
    sim = perfect(block(near, far, away, whole), drop=0.2)
    sim.run(0.1)
    assert sim.sensors["whole"].reading.values.tolist() == [0.0, 0.0]
    sim.run(1.0)
    assert sim.sensors["near"].reading.values[0] == 1.0
    assert sim.sensors["near"].reading.values[1] == pytest.approx(2 * 9.81 / 4, rel=0.1)
    assert sim.sensors["far"].reading.values[0] == 0.0
    assert sim.sensors["away"].reading.values[0] == 0.0
    assert sim.sensors["whole"].reading.values[1] == pytest.approx(2 * 9.81, rel=0.02)


def test_rate_and_latency():
    sim = perfect(block())

    class Clock:
        name = "clock"
        labels = ("t",)

        def measure(self, scene):
            return np.array([scene.time])

    channel = sim.sensors.add(Clock(), rate=20.0, latency=0.03)
    seen = []
    for _ in range(100):
        sim.run(0.002)
        sim.sensors.update()
        seen.append((sim.time, channel.reading.time if channel.reading else None))
    times = sorted({t for _, t in seen if t is not None})
    assert times == pytest.approx([0.002, 0.05, 0.1, 0.15], abs=2.1e-3)
    for now, taken in seen:
        if taken is not None:
            assert now - taken >= 0.03 - 1e-9


def test_noise_statistics_resolution_and_range():
    generator = np.random.default_rng(1)
    channel = NoiseChannel(Noise(stddev=0.2, bias_stddev=1.0), 3, generator)
    samples = np.array([channel.apply(np.zeros(3), 0.01) for _ in range(20000)])
    assert samples.std(axis=0) == pytest.approx([0.2] * 3, rel=0.03)
    assert samples.mean(axis=0) == pytest.approx(channel.bias, abs=0.01)
    stepped = NoiseChannel(Noise(resolution=0.5, lower=-1.0, upper=2.0), 4, generator)
    assert stepped.apply([0.2, 0.3, 9.0, -9.0], 0.01).tolist() == [0.0, 0.5, 2.0, -1.0]
    walk = NoiseChannel(Noise(bias_walk=0.3), 2000, generator)
    for _ in range(100):
        out = walk.apply(np.zeros(2000), 0.01)
    assert out.std() == pytest.approx(0.3, rel=0.06)  # random walk over 1 s


def test_same_seed_same_readings_other_seed_others():
    runs = []
    for seed in (5, 5, 6):
        sim = an.simulate(block(imu()), sensors=True, seed=seed)
        sim.run(0.2)
        runs.append(sim.sensors["imu"].reading.values)
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_nao_has_its_sensors_and_stands_on_its_cells():
    sim = an.simulate("nao", sensors=True)
    sim.run(1.5)
    names = {channel.name for channel in sim.sensors}
    feet = [name for name in names if name.endswith("/force")]
    assert len(feet) == 2
    total = sum(sim.sensors[name].reading.values.sum() for name in feet)
    assert total == pytest.approx(sim.robot.mass * 9.81, rel=0.05)
    bumpers = [channel for channel in sim.sensors if "Bumper" in channel.name]
    assert len(bumpers) == 4
    assert all(channel.reading.values[0] == 0.0 for channel in bumpers)
    encoders = sim.sensors["encoders"].reading.values
    assert np.abs(encoders - sim.joints.position).max() < 2 * np.pi / 4096


def test_unknown_sensor_and_bad_settings_are_named():
    sim = an.simulate(block(imu()), sensors=True)
    with pytest.raises(UnknownName, match="no sensor 'lidar'; choices: encoders"):
        sim.sensors["lidar"]
    with pytest.raises(BadInput, match="stddev"):
        Noise(stddev=-1.0)
    with pytest.raises(BadInput, match="lower < upper"):
        Noise(lower=1.0, upper=0.0)
    with pytest.raises(BadInput, match="rate > 0"):
        Channel(sim.sensors["imu"].sensor, 0.0, Noise(), 0.0, np.random.default_rng(0))
