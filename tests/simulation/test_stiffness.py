"""Servos at a share of their strength."""

import numpy as np
import pytest

import andante as an
from andante.control.loop import ControlLoop
from andante.errors import BadInput
from andante.locomotion.hold_pose import HoldPose
from andante.simulation.servos import LEAST, softened


def test_gains_are_scaled():
    sim = an.simulate("nao")
    gains = sim.engine.commands[sim.actor].gains
    half = softened(gains, np.full(26, 0.5))
    np.testing.assert_allclose(half.kp, 0.5 * gains.kp)
    np.testing.assert_allclose(half.effort, 0.5 * gains.effort)
    np.testing.assert_array_equal(half.velocity, gains.velocity)
    np.testing.assert_allclose(softened(gains, np.zeros(26)).kp, LEAST * gains.kp)


@pytest.mark.parametrize("share", [np.ones(3), np.full(26, 1.1), np.full(26, np.nan), np.full(26, -0.1)])
def test_wrong_shares_are_told(share):
    sim = an.simulate("nao")
    gains = sim.engine.commands[sim.actor].gains
    with pytest.raises(BadInput, match="26 joints"):
        softened(gains, share)


@pytest.mark.parametrize("engine", ["mujoco", "bullet", "dart", "ode"])
def test_a_limp_robot_sinks_and_a_stiff_one_stands_again(engine):
    """A behaviour that lets go and takes hold again: full strength comes back exactly."""
    sim = an.simulate("nao", engine=engine, sensors=True, fixed=True)
    stander = HoldPose(sim.robot, {"LShoulderPitch": 0.0})
    first = sim.engine.commands[sim.actor].gains
    loop = ControlLoop(sim, stander)
    loop.run(0.6)
    assert sim.joints["LShoulderPitch"] == pytest.approx(0.0, abs=0.03)
    stander.stiffness = np.full(26, 0.0)
    loop.run(0.6)
    assert sim.joints["LShoulderPitch"] > 0.3  # the arm hangs down
    stander.stiffness = np.ones(26)
    loop.run(1.0)
    assert sim.joints["LShoulderPitch"] == pytest.approx(0.0, abs=0.03)
    np.testing.assert_allclose(sim.engine.commands[sim.actor].gains.kp, first.kp)
    sim.close()
