"""Sensor models against what must come out, on a real engine and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import andante as an
from andante.description import Box, Collision, Inertia, Link, Robot, SensorSpec
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3
from andante.sensors import Channel, ContactSwitch, FootForce, Noise, Scene, SensorSuite, load_fractions
from andante.sensors.channel import BLOCK, NoiseBank, NoiseSource

HERE = SE3.identity()


def plain_fractions(cells, point):
    """The reference of `load_fractions`: fraction of a load at a point (2,) carried by each cell (n, 2).

    The even distribution changed as little as possible so that the center of the fractions is the point (least
    squares); where that would pull on a cell, the cell is left out and the rest carry its load. A load outside all
    cells goes to the nearest ones.
    """
    count = len(cells)
    active = np.ones(count, dtype=bool)
    out = np.zeros(count)
    for _ in range(count):
        index = np.flatnonzero(active)
        if len(index) == 1:
            out[:] = 0.0
            out[index] = 1.0
            break
        system = np.vstack([np.ones(len(index)), cells[index].T])
        even = np.full(len(index), 1.0 / len(index))
        target = np.array([1.0, point[0], point[1]])
        w = even + np.linalg.pinv(system) @ (target - system @ even)
        if w.min() >= -1e-9:
            out[:] = 0.0
            out[index] = np.maximum(w, 0.0)
            break
        active[index[np.argmin(w)]] = False
    return out / out.sum()


def block(*sensors: SensorSpec, size=(0.2, 0.1, 0.05), mass=2.0) -> Robot:
    moment = mass * 0.01
    inertia = Inertia(mass, (0, 0, 0), (moment, 0, 0, moment, 0, moment))
    return Robot("block", (Link("block", inertia, collisions=(Collision(Box(size)),)),), sensors=sensors)


def imu(pose=HERE, **parameters) -> SensorSpec:
    return SensorSpec("imu", "imu", "block", pose, 100.0, parameters=parameters)


def perfect(robot, **options):
    sim = an.simulate(robot, **options)
    sim.sensors = SensorSuite(sim.engine, sim.model, perfect=True)
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
    sim.engine.set_base(sim.model, sim.base_pose, (0, 0, 0, 0, 0, spin))
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


def test_load_cells_share_the_weight_and_keep_the_center_of_pressure():
    cells = [
        SensorSpec(f"c{i}", "force", "block", SE3.from_xyz_rpy((x, y, -0.025)), 100.0)
        for i, (x, y) in enumerate([(0.09, 0.04), (0.09, -0.04), (-0.09, 0.04), (-0.09, -0.04)])
    ]
    sim = perfect(block(*cells))
    sim.run(1.0)
    forces = sim.sensors["block/force"].reading.values
    assert forces.sum() == pytest.approx(2.0 * 9.81, rel=0.02)
    assert forces == pytest.approx(np.full(4, 2.0 * 9.81 / 4), rel=0.05)
    sim.engine.push(sim.model, "block", (0, 0, -10.0), point=(0.05, 0.0, 0.0))
    sim.run(1.0)
    forces = sim.sensors["block/force"].reading.values
    center = forces @ np.array([0.09, 0.09, -0.09, -0.09]) / forces.sum()
    assert forces.sum() == pytest.approx(2.0 * 9.81 + 10.0, rel=0.02)
    assert center == pytest.approx(0.05 * 10 / (2 * 9.81 + 10), abs=2e-3)


def test_feet_and_switches_together_are_those_alone():
    sim = an.simulate("nao", drop=0.01)
    sim.sensors = SensorSuite(sim.engine, sim.model, perfect=True)
    seen = 0
    for _ in range(20):
        sim.run(0.01)
        scene = Scene(sim.engine, sim.model)
        for channel in sim.sensors:
            if isinstance(channel.sensor, FootForce | ContactSwitch):
                assert np.array_equal(channel.reading.values, channel.sensor.measure(scene)), channel.name
                seen += int(channel.reading.values.any())
    assert seen > 10


@given(st.lists(st.tuples(st.floats(-0.1, 0.1), st.floats(-0.1, 0.1)), min_size=1, max_size=5), st.data())
@settings(max_examples=200, deadline=None)
def test_compiled_fraction_are_the_plain_ones(cells, data):
    points = np.round(np.array(cells), 3)
    x, y = data.draw(st.floats(-0.15, 0.15)), data.draw(st.floats(-0.15, 0.15))
    out = load_fractions(points, np.array([x, y]))
    plain = plain_fractions(points, np.array([x, y]))
    assert out.sum() == pytest.approx(1.0)
    assert (out >= 0).all()
    # which of two cells that pull alike is left out is a matter of rounding; where the load acts is not
    assert np.abs(out @ points - plain @ points).max() < 1e-6 or np.abs(out - plain).max() < 1e-6


CELLS = np.array([[0.07, 0.03], [0.07, -0.023], [-0.03, 0.03], [-0.03, -0.019]])


@given(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))
@settings(max_examples=300, deadline=None)
def test_fractions_are_a_distribution_and_exact_inside(x, y):
    w = load_fractions(CELLS, np.array([x, y]))
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


def bank_of(noise: Noise, count: int, generator: np.random.Generator) -> NoiseBank:
    return NoiseBank([NoiseSource(noise, count, generator)], 0.01)


def test_noise_statistics_resolution_and_range():
    generator = np.random.default_rng(1)
    channel = bank_of(Noise(stddev=0.2, bias_stddev=1.0), 3, generator)
    samples = np.array([channel.apply(np.zeros(3)) for _ in range(20000)])
    assert samples.std(axis=0) == pytest.approx([0.2] * 3, rel=0.03)
    assert samples.mean(axis=0) == pytest.approx(channel.bias, abs=0.01)
    stepped = bank_of(Noise(resolution=0.5, lower=-1.0, upper=2.0), 5, generator)
    assert stepped.apply([0.2, 0.3, 9.0, -9.0, np.nan])[:4].tolist() == [0.0, 0.5, 2.0, -1.0]
    assert np.isnan(stepped.apply(np.full(5, np.nan))).all()
    walk = bank_of(Noise(bias_walk=0.3), 2000, generator)
    for _ in range(100):
        out = walk.apply(np.zeros(2000))
    assert out.std() == pytest.approx(0.3, rel=0.06)  # random walk over 1 s


NOISES = (
    Noise(stddev=0.1, bias_stddev=0.5),
    Noise(),
    Noise(stddev=0.2, bias_walk=0.3, resolution=0.01),
    Noise(bias_walk=0.1, lower=-0.05, upper=0.05),
)


def test_a_bank_gives_each_source_what_it_would_draw_alone():
    dt, counts = 0.02, (3, 2, 4, 1)
    values = np.random.default_rng(0).normal(size=(2 * BLOCK + 5, sum(counts)))
    bank = NoiseBank(
        [NoiseSource(n, c, np.random.default_rng(k)) for k, (n, c) in enumerate(zip(NOISES, counts, strict=True))], dt
    )
    got = np.array([bank.apply(row) for row in values])
    start = 0
    for k, (noise, count) in enumerate(zip(NOISES, counts, strict=True)):
        generator = np.random.default_rng(k)
        bias = generator.normal(0.0, noise.bias_stddev, count) if noise.bias_stddev else np.zeros(count)
        for n, row in enumerate(values[:, start : start + count]):
            if noise.bias_walk:
                bias = bias + generator.normal(0.0, noise.bias_walk * np.sqrt(dt), count)
            expected = row + bias
            if noise.stddev:
                expected = expected + generator.normal(0.0, noise.stddev, count)
            if noise.resolution:
                expected = np.round(expected / noise.resolution) * noise.resolution
            expected = np.clip(expected, noise.lower, noise.upper)
            assert got[n, start : start + count] == pytest.approx(expected, abs=1e-12)
        start += count


@pytest.mark.parametrize("before", [0, 1, BLOCK - 1, BLOCK, BLOCK + 7])
def test_noise_goes_on_from_a_saved_state(before):
    bank = NoiseBank([NoiseSource(n, 2, np.random.default_rng(k)) for k, n in enumerate(NOISES)], 0.01)
    for _ in range(before):
        bank.apply(np.zeros(8))
    saved = bank.save()
    first = [bank.apply(np.ones(8)) for _ in range(BLOCK + 9)]
    bank.load(saved)
    assert np.array_equal(first, [bank.apply(np.ones(8)) for _ in range(BLOCK + 9)])


def test_same_seed_same_readings_other_seed_others():
    runs = []
    for seed in (5, 5, 6):
        sim = an.simulate(block(imu()), sensors=True, seed=seed)
        sim.run(0.2)
        runs.append(sim.sensors["imu"].reading.values)
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


@pytest.mark.parametrize(
    ("rate", "dt"), [(200.0, 0.002), (100.0, 0.002), (100.0, 0.003), (33.0, 0.004), (1000.0, 0.002)]
)
def test_samples_come_at_the_rate_each_within_half_a_step_of_its_instant(rate, dt):
    sim = an.simulate(block(), dt=dt)
    sim.sensors = SensorSuite(sim.engine, sim.model)
    taken = []

    class Clock:
        name = "clock"
        labels = ("t",)

        def measure(self, scene):
            taken.append(scene.time)
            return np.array([scene.time])

    sim.sensors.add(Clock(), rate)
    sim.sensors.update()
    sim.run(0.6)
    due = np.arange(int(0.6 * rate) + 1) / rate
    if rate * dt <= 1:
        assert len(taken) == pytest.approx(len(due), abs=1)
        count = min(len(taken), len(due))
        assert np.abs(np.array(taken)[:count] - due[:count]).max() <= dt / 2 + 1e-9
    else:
        assert taken == pytest.approx(np.arange(len(taken)) * dt)  # faster than the engine: every step


def test_means_since_a_time_are_those_of_the_readings_after_it():
    sim = an.simulate(block(imu()), sensors=True, seed=2)
    kept = []
    for _ in range(40):
        sim.run(0.01)
        kept.append(sim.sensors["imu"].reading)
    channel = sim.sensors["imu"]
    assert channel.mean_since(sim.time) == pytest.approx(kept[-1].values, abs=0)
    for back in (1, 2, 5, 32):
        mean = np.mean([reading.values for reading in kept[-back:]], axis=0)
        assert channel.mean_since(kept[-back].time - 0.005) == pytest.approx(mean, abs=1e-12)
    oldest = np.mean([reading.values for reading in kept[-32:]], axis=0)
    assert channel.mean_since(0.0) == pytest.approx(oldest, abs=1e-12)  # no more than 32 are kept


def test_sensors_go_on_from_a_snapshot_with_the_same_bits():
    sim = an.simulate("nao", sensors=True, seed=4)
    channel = sim.sensors.add(LateClock(), rate=50.0, latency=0.05)
    sim.run(0.33)
    saved = sim.snapshot()
    runs = []
    for _ in range(2):
        sim.run(0.7)
        runs.append([each.reading.values for each in sim.sensors] + [channel.mean_since(0.5)])
        sim.restore(saved)
    for first, second in zip(*runs, strict=True):
        assert np.array_equal(first, second, equal_nan=True)
    sim.sensors.add(LateClock("another"), rate=50.0)
    with pytest.raises(BadInput, match="added after"):
        sim.restore(saved)


class LateClock:
    labels = ("t",)

    def __init__(self, name="clock"):
        self.name = name

    def measure(self, scene):
        return np.array([scene.time])


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
