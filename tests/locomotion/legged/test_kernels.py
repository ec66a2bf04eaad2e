"""The compiled control step against the plain one: the same readings in, the same joint targets out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import andante as an
from andante.control.loop import ControlLoop
from andante.locomotion import Behaviour, Command, Readings
from andante.locomotion.legged.gait import LeggedGait, LeggedSettings
from andante.locomotion.rigs.balance import hull, inside, margin
from andante.locomotion.rigs.infer import infer_rig

from . import reference as plain
from .samples import walker

DT = 0.01


@pytest.fixture(scope="module")
def shell():
    robot = an.robot("shell")
    return robot, infer_rig(robot)


@pytest.fixture(scope="module")
def quadruped(tmp_path_factory):
    path = tmp_path_factory.mktemp("sample") / "sample.urdf"
    path.write_text(walker((45, 135, 225, 315)))
    robot = an.robot(path)
    return robot, infer_rig(robot)


def commands(time):
    """Starts, a curve, a body that tilts and rises while it walks, a stop."""
    if time < 0.2 or time > 2.4:
        return Command()
    tilt = 0.05 * math.sin(3 * time)
    return Command(0.1, 0.02 * math.sin(time), 0.3 * math.cos(2 * time), 0.01 * math.sin(time), tilt, -0.5 * tilt)


def invented(robot, rig, seed, seconds=3.4):
    """Readings of a robot that is shaken about: leans, feet that feel the ground at random, an axis that fails."""
    rng = np.random.default_rng(seed)
    q = np.array([robot.complete(rig.stance)[name] for name in robot.joint_names])
    for i in range(round(seconds / DT)):
        time = i * DT
        gyro = 0.3 * np.sin(np.array([3.0, 4.0, 1.0]) * time) + 0.02 * rng.normal(size=3)
        force = 9.81 * np.array([0.05 * math.sin(time), 0.04 * math.cos(time), 1.0]) + 0.2 * rng.normal(size=3)
        if i % 50 == 7:
            force = force + 9.0  # a blow
        forces = {leg.foot: np.array([30.0 * (rng.random() < 0.7), 0.1]) for leg in rig.legs[: len(rig.legs) // 2]}
        pressed = {f"{leg.foot}/touch": bool(rng.random() < 0.6) for leg in rig.legs[len(rig.legs) // 2 : -1]}
        shaken = q + 0.02 * rng.normal(size=len(q))
        yield Readings(time, shaken, np.zeros_like(q), gyro, force, forces, pressed)


def compare(robot, rig, gait, recorded, options=None, atol=1e-8):
    fast, slow = (kind(robot, rig, gait, options) for kind in (LeggedGait, plain.PlainGait))
    swung = 0
    for readings in recorded:
        command = commands(readings.time)
        np.testing.assert_allclose(fast.update(readings, command, DT), slow.update(readings, command, DT), atol=3e-6)
        np.testing.assert_allclose(fast.feet, slow.feet, atol=atol)
        np.testing.assert_allclose(fast.position, slow.position, atol=atol)
        np.testing.assert_allclose(fast.twist, slow.twist, atol=atol)
        np.testing.assert_array_equal(fast.swinging, slow.swinging)
        assert fast.standing == slow.standing
        assert fast.active == slow.active
        swung += fast.swinging.sum()
    assert swung > 50


@pytest.mark.parametrize("gait", ["tripod", "ripple", "wave", "crawl", "trot"])
@pytest.mark.parametrize("body", ["shell", "quadruped"])
def test_compiled_step_is_the_plain_step(request, body, gait):
    robot, rig = request.getfixturevalue(body)
    compare(robot, rig, gait, invented(robot, rig, seed=len(gait)), LeggedSettings(period=0.8))


@pytest.mark.parametrize(
    "options",
    [
        LeggedSettings(hold_heading=False, feel=False, period=0.6),
        LeggedSettings(level=False, catch=0.0, period=0.6),
        LeggedSettings(search_speed=0.5, settle=0.0, duty=0.6, step_height=0.02, period=0.6),
    ],
)
def test_compiled_step_with_other_settings(quadruped, options):
    for gait in ("trot", "crawl"):
        compare(*quadruped, gait, invented(*quadruped, seed=3), options)


def test_compiled_step_on_recorded_readings(shell):
    """What the Shell felt on its way over steps, played to both."""
    robot, rig = shell
    gait, recorded = LeggedGait(robot, rig, "tripod"), []

    class Recording(Behaviour):
        def update(self, readings, command, dt):
            recorded.append(readings)
            return gait.update(readings, command, dt)

    sim = an.simulate(robot, "rough", pose=rig.stance, sensors=True, seed=2)
    loop = ControlLoop(sim, Recording(), command=lambda state: commands(state.time))
    loop.run(3.0)
    sim.close()
    compare(robot, rig, "tripod", recorded)


def test_a_gyro_without_an_axis_still_tells_the_others(shell):
    """A missing axis counts as not turning, whatever way the IMU is mounted."""
    gait = LeggedGait(*shell, "tripod")
    q = np.array([gait.rig.stance[name] for name in shell[0].joint_names])
    for i in range(50):
        gait.update(Readings(i * DT, q, 0 * q, np.array([math.nan, 0.0, 0.4])), Command(), DT)
    assert gait.attitude.heading == pytest.approx(0.2, abs=1e-6)


grid = st.tuples(st.integers(-4, 4), st.integers(-4, 4)).map(lambda p: (0.1 * p[0], 0.1 * p[1]))
free = st.tuples(st.floats(-1, 1), st.floats(-1, 1))


@settings(deadline=None, max_examples=200)
@given(st.lists(grid | free, min_size=1, max_size=9), free, st.floats(0.0, 0.3))
def test_support_is_that_of_the_plain_form(points, where, wanted):
    cloud, place = np.array(points, dtype=float), np.array(where)
    corners = plain.hull(cloud)
    np.testing.assert_array_equal(hull(cloud), np.array(corners).reshape(-1, 2))
    assert margin(cloud, place) == pytest.approx(plain.margin(cloud, place), abs=1e-12)
    np.testing.assert_allclose(inside(cloud, place, wanted), plain.inside(cloud, place, wanted), atol=1e-9)
