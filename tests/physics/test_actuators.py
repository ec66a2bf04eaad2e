"""Actuator models against hand-computed cases."""

import math

import numpy as np
import pytest

from andante.description import Inertia, Joint, JointType, Limits, Link, Robot
from andante.errors import BadInput
from andante.physics.actuators import ACTUATORS, Actuator, ActuatorDrive, CascadeDrive, CascadeGains, assign, fitted
from andante.physics.commands import JointCommands, JointState, ServoGains, ServoOrder
from andante.physics.state import Mode


def arm(count: int = 2) -> Robot:
    links = [Link("base", Inertia(1.0))] + [
        Link(f"l{i}", Inertia(0.1, (0, 0, 0.1), (1e-3, 0, 0, 1e-3, 0, 1e-3))) for i in range(count)
    ]
    joints = [
        Joint(f"j{i}", JointType.REVOLUTE, links[i].name, links[i + 1].name, limits=Limits(-1, 1, 9, 5))
        for i in range(count)
    ]
    return Robot("arm", tuple(links), tuple(joints))


def gains(count: int = 2, **changes) -> ServoGains:
    base = {"kp": 10.0, "kd": 1.0, "kv": 1.0, "effort": 9.0, "velocity": 5.0} | changes
    return ServoGains(**{k: np.full(count, v) for k, v in base.items()})


def order(references, mode=Mode.POSITION, **changes) -> ServoOrder:
    return ServoOrder(np.full(2, mode, dtype=np.int8), np.asarray(references, float), gains(**changes))


def still(position=(0.0, 0.0), velocity=(0.0, 0.0)) -> JointState:
    return JointState(np.asarray(position, float), np.asarray(velocity, float))


def test_delay_is_counted_in_steps_and_per_joint():
    drive = ActuatorDrive(arm(), {"j0": Actuator(5, 5, delay=0.006), "j1": Actuator(5, 5)})
    seen = [drive.update(order([k, k]), still(), 0.002).references.copy() for k in range(6)]
    assert [s[0] for s in seen] == [0, 0, 0, 0, 1, 2]
    assert [s[1] for s in seen] == [0, 1, 2, 3, 4, 5]


def test_backlash_is_a_dead_zone_of_the_error():
    drive = ActuatorDrive(arm(), {"*": Actuator(5, 5, backlash=0.02)})
    out = drive.update(order([0.005, 0.05]), still(), 0.002)
    assert out.references[0] == 0.0  # inside the free play nothing pulls
    assert out.references[1] == pytest.approx(0.04)


def test_torque_falls_with_speed_when_driving_but_not_when_braking():
    drive = ActuatorDrive(arm(), {"*": Actuator(4.0, 10.0, peak_torque=3.0)})
    out = drive.update(order([1.0, 1.0]), still(velocity=[5.0, -5.0]), 0.002)
    assert out.gains.effort == pytest.approx([2.0, 3.0])
    torque = drive.update(order([8.0, -8.0], Mode.TORQUE), still(velocity=[5.0, 5.0]), 0.002)
    assert torque.references == pytest.approx([2.0, -3.0])


def test_fitted_writes_the_passive_part_into_the_joints():
    robot = fitted(arm(), {"j0": ACTUATORS["mx-28"]})
    assert robot.joint("j0").dynamics.armature == ACTUATORS["mx-28"].armature
    assert robot.joint("j0").limits.effort == 2.5
    assert robot.joint("j0").limits.velocity == pytest.approx(55 * 2 * math.pi / 60)
    assert robot.joint("j1") == arm().joint("j1")


def test_pattern_that_fits_nothing_is_an_error():
    with pytest.raises(BadInput, match=r"'knee\*' fits no joint of 'arm': j0, j1"):
        assign(arm(), {"knee*": ACTUATORS["ax-12a"]})


@pytest.mark.parametrize(
    ("field", "value"), [("stall_torque", 0.0), ("no_load_speed", -1.0), ("backlash", math.nan), ("delay", -0.1)]
)
def test_bad_actuator_cannot_exist(field, value):
    with pytest.raises(BadInput, match=field):
        Actuator(**({"stall_torque": 1.0, "no_load_speed": 1.0} | {field: value}))


def test_drive_state_can_be_saved_and_put_back():
    drive = ActuatorDrive(arm(), {"*": Actuator(5, 5, delay=0.01)})
    for k in range(4):
        drive.update(order([k, k]), still(), 0.002)
    saved = drive.save()
    first = [drive.update(order([9, 9]), still(), 0.002).references for _ in range(6)]
    drive.load(saved)
    second = [drive.update(order([9, 9]), still(), 0.002).references for _ in range(6)]
    assert np.array_equal(first, second)


def test_cascade_is_proportional_and_cut_at_the_velocity_limit():
    drive = CascadeDrive(CascadeGains(kp=10.0))
    out = drive.update(order([0.1, 5.0]), still(), 0.002)
    assert out.references == pytest.approx([1.0, 5.0])
    assert (out.modes == Mode.VELOCITY).all()


def test_cascade_integral_does_not_wind_up_while_saturated():
    drive = CascadeDrive(CascadeGains(kp=1.0, ki=10.0))
    for _ in range(5000):
        drive.update(order([20.0, 20.0]), still(), 0.002)  # 10 s in saturation
    assert drive.save()[0] == pytest.approx([0.0, 0.0], abs=1e-12)
    out = drive.update(order([-0.01, -0.01]), still(), 0.002)
    assert out.references[0] < 5.0  # leaves the limit at once
    small = CascadeDrive(CascadeGains(kp=0.0, ki=2.0))
    for _ in range(500):
        out = small.update(order([0.1, 0.1]), still(), 0.002)
    assert out.references == pytest.approx([0.2, 0.2])  # ki e t


def test_cascade_leaves_other_modes_alone():
    out = CascadeDrive().update(order([0.3, 0.3], Mode.TORQUE), still(), 0.002)
    assert (out.modes == Mode.TORQUE).all()
    assert out.references == pytest.approx([0.3, 0.3])


def test_wishes_clip_slew_and_report_mode_changes():
    wishes = JointCommands.idle(arm(), gains(velocity=5.0))
    assert wishes.command([3.0, 0.001], Mode.POSITION, None).tolist() == [0, 1]
    wishes.references[:] = 0.0
    assert wishes.targets.tolist() == [1.0, 0.001]
    assert not wishes.slew(0.002)
    assert wishes.references == pytest.approx([0.01, 0.001])
    for _ in range(99):
        done = wishes.slew(0.002)
    assert done
    assert wishes.references == pytest.approx([1.0, 0.001])
    assert wishes.command([99.0], Mode.TORQUE, [1]).tolist() == [1]
    assert wishes.targets[1] == 9.0
    with pytest.raises(BadInput, match="NaN"):
        wishes.command([np.nan, 0], Mode.POSITION, None)
