"""Default gains: from the file, from limits, from what a joint carries."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from andante.description import Dynamics, Limits, Placement
from andante.errors import BadInput
from andante.geometry import SE3
from andante.gravity import GRAVITY
from andante.physics import ENGINES, ServoGains, Settings, default_gains, engine_class
from andante.physics.checks import specimens
from andante.physics.checks.soles import leg, specimen_soles

OMEGA = 2 * math.pi * 8.0


def test_gains_follow_the_inertia_that_a_joint_carries() -> None:
    robot = specimens.hinge(dynamics=Dynamics(armature=0.05))
    gains = default_gains(robot)
    inertia = specimens.hinge_inertia(robot) + 0.05
    assert gains.kp[0] == pytest.approx(inertia * OMEGA**2)
    assert gains.kd[0] == pytest.approx(2 * inertia * OMEGA)
    assert gains.kv[0] == gains.kd[0]
    assert math.isinf(gains.effort[0])
    assert math.isinf(gains.velocity[0])


def test_a_slider_carries_mass() -> None:
    assert default_gains(specimens.slider(3.0)).kp[0] == pytest.approx(3.0 * OMEGA**2)


def test_inner_joints_carry_the_outer_links() -> None:
    kp = default_gains(specimens.chain(4)).kp
    assert (np.diff(kp) < 0).all()
    length, mass, width = 0.3, 0.5, 0.04
    about_end = mass * length**2 / 3 + mass * width**2 / 12
    assert kp[-1] == pytest.approx(about_end * OMEGA**2)


def test_bandwidth_scales_stiffness_by_its_square() -> None:
    robot = specimens.hinge()
    assert default_gains(robot, 16.0).kp[0] == pytest.approx(4 * default_gains(robot, 8.0).kp[0])


def test_limits_of_the_file_are_used() -> None:
    gains = default_gains(specimens.hinge(limits=Limits(-1, 1, effort=30.0, velocity=2.0)))
    assert gains.effort[0] == 30.0
    assert gains.velocity[0] == 2.0
    assert gains.kp[0] >= 30.0 / 0.05


def test_stated_servos_win_by_name_or_pattern() -> None:
    robot = replace(specimens.chain(3), servos={"j*": {"kp": 7.0, "kd": 0.3}, "j1": {"effort": 2.0, "kp": 9.0}})
    gains = default_gains(robot)
    assert gains.kp.tolist() == [7.0, 9.0, 7.0]
    assert gains.kv.tolist() == [0.3] * 3
    assert gains.effort[1] == 2.0


def test_changed_spreads_scalars_and_leaves_the_original() -> None:
    gains = default_gains(specimens.chain(3))
    other = gains.changed(kp=5.0, kd=[1.0, 2.0, 3.0])
    assert other.kp.tolist() == [5.0] * 3
    assert other.kd.tolist() == [1.0, 2.0, 3.0]
    assert gains.kp[0] != 5.0
    with pytest.raises(ValueError, match="read-only"):
        other.kp[0] = 1.0


@pytest.mark.parametrize("field", ["kp", "kd", "kv", "effort", "velocity"])
@pytest.mark.parametrize("value", [-1.0, math.nan])
def test_bad_gains_are_refused_by_name(field: str, value: float) -> None:
    good = {name: [1.0] for name in ("kp", "kd", "kv", "effort", "velocity")}
    with pytest.raises(BadInput, match=field):
        ServoGains(**{**good, field: [value]})  # type: ignore[arg-type]


def test_gains_of_another_count_are_refused() -> None:
    scene = engine_class("mujoco")(specimens.world(), [Placement("h", specimens.hinge())])
    with pytest.raises(BadInput, match="1 joints"):
        scene.set_gains(0, default_gains(specimens.chain(2)))


@pytest.mark.parametrize(("dt", "kp", "kd"), [(0.002, 1e5, 0.0), (0.005, 1e6, 1.0), (0.01, 1e4, 100.0)])
def test_any_gain_is_stable(dt: float, kp: float, kd: float) -> None:
    """Servos are solved at the end of the step, so stiffness alone cannot make them explode."""
    scene = engine_class("mujoco")(specimens.world(), [Placement("c", specimens.chain(3))], Settings(dt=dt))
    scene.set_gains(0, scene.gains[0].changed(kp=kp, kd=kd))
    scene.set_joints(0, [0.2, -0.1, 0.1])
    scene.command(0, [0.3, 0.1, -0.2])
    scene.step(round(3 / dt))
    assert np.abs(scene.joint_positions(0) - [0.3, 0.1, -0.2]).max() < 0.01
    assert np.abs(scene.joint_velocities(0)).max() < 0.01


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.engine(n)) for n in ENGINES])
def test_servos_of_a_leg_bend_by_load_over_stiffness(name: str) -> None:
    """A leg that stands with bent knee gives way in every joint by its moment / kp, whatever the engine."""
    with specimen_soles() as (sole, _):
        robot, posture = leg(sole), np.array([0.0, -0.4, 0.8, -0.4])
        scene = engine_class(name)(
            specimens.world(specimens.ground(0.8)), [Placement("leg", robot, SE3.identity())], Settings()
        )
        scene.set_gains(1, scene.gains[1].changed(kp=150.0, kd=3.0))
        scene.set_joints(1, posture)
        scene.command(1, posture)
        scene.step(1000)
        bent = scene.joint_positions(1) - posture
        scene.close()
    # above the knee stand thigh and body, their centers ahead of it
    q = posture + bent
    thigh = q[1] + q[2]
    lever = (0.4 * 0.05 + 3.0 * 0.1) * np.sin(thigh) + 3.0 * 0.05 * np.sin(thigh + q[3])
    assert bent[2] == pytest.approx(GRAVITY * lever / 150.0, rel=0.06)
