"""Identified parameters put into robots, by tables and by flat names, and the drive they bring."""

from __future__ import annotations

import numpy as np
import pytest

from andante.errors import AndanteError
from andante.physics import ActuatorDrive, Mode, RobotParameters, TorqueServoDrive, default_gains, servo_drive
from andante.physics.checks import specimens
from andante.physics.commands import JointState, ServoOrder
from andante.simulation import simulate

TABLE = {
    "servos": {"j0": {"kp": 7.0, "delay": 0.01}, "j*": {"kd": 0.5, "backlash": 0.02}},
    "joints": {"j1": {"friction": 0.3, "damping": 0.1}},
}


def test_a_table_changes_gains_losses_and_masses():
    robot = specimens.chain(3)
    link = robot.links[-1]
    told = RobotParameters.of({**TABLE, "masses": {link.name: 2 * link.inertia.mass}})
    changed = told.on(robot)
    gains = default_gains(changed)
    assert gains.kp[0] == 7.0
    assert (gains.kd == 0.5).all()
    assert changed.joint("j1").dynamics.friction == 0.3
    assert changed.links[-1].inertia.matrix == pytest.approx(2 * link.inertia.matrix)
    assert RobotParameters.from_flat(told.as_flat()) == told
    assert told.on(changed) == changed


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"motors": {}}, "no table 'motors'"),
        ({"servos": {"j0": {"gain": 1.0}}}, "no entry 'gain'"),
        ({"servos": {"j0": {"kp": -1.0}}}, "kp must be a number >= 0"),
        ({"servos": {"j0": 3.0}}, "is a table of kp"),
        ({"masses": {"a": 0.0}}, "must be > 0 kg"),
        ({"servos": {"tail": {"kp": 1.0}}}, "no joint 'tail'"),
        ({"masses": {"tail": 1.0}}, "no link 'tail'"),
    ],
)
def test_bad_tables_are_told_in_one_line(table, words):
    with pytest.raises(AndanteError, match=words) as caught:
        RobotParameters.of(table).on(specimens.chain(3))
    assert "\n" not in str(caught.value)


def test_delay_and_backlash_of_servos_become_a_drive():
    robot = specimens.chain(3)
    assert servo_drive(robot) is None
    drive = servo_drive(RobotParameters.of(TABLE).on(robot))
    assert isinstance(drive, ActuatorDrive)
    assert drive.delay.tolist() == [0.01, 0.0, 0.0]
    assert drive.play.tolist() == [0.01, 0.01, 0.01]
    sim = simulate(RobotParameters.of(TABLE).on(robot), fixed=True)
    assert sim.engine.drives[sim.model]
    sim.close()


def test_torque_servos_pull_by_their_law():
    robot = specimens.chain(2)
    gains = default_gains(robot).changed(kp=10.0, kd=1.0, kv=2.0, effort=5.0)
    modes = np.array([Mode.POSITION, Mode.VELOCITY], dtype=np.int8)
    state = JointState(np.array([0.1, 0.0]), np.array([0.5, 0.25]))
    order = TorqueServoDrive().update(ServoOrder(modes, np.array([0.4, 1.0]), gains), state, 0.001)
    assert (order.modes == Mode.TORQUE).all()
    assert order.references == pytest.approx([10 * 0.3 - 0.5, 2 * 0.75])
    far = TorqueServoDrive().update(ServoOrder(modes, np.array([9.0, -9.0]), gains), state, 0.001)
    assert far.references == pytest.approx([5.0, -5.0])


def test_torque_servos_that_know_the_inertia_are_stable_and_bend_as_they_should():
    """kv h / I = 4 makes the torque of the start of a step swing ever wider; a load costs load / kv of speed."""
    robot = specimens.chain(1)
    gains = default_gains(robot).changed(kv=2.0, effort=100.0)
    modes, inertia, load, step = np.array([Mode.VELOCITY], dtype=np.int8), 0.0005, 0.3, 0.001
    for drive, settles in ((TorqueServoDrive(), False), (TorqueServoDrive([inertia]), True)):
        speed = np.zeros(1)
        for _ in range(60):
            order = ServoOrder(modes, np.ones(1), gains)
            torque = drive.update(order, JointState(np.zeros(1), speed), step).references
            speed = speed + step / inertia * (torque - load)
        assert (abs(speed[0] - (1.0 - load / 2.0)) < 1e-6) == settles
