"""Servo gains and stiffness, changed while a robot moves."""

import numpy as np
import pytest

from andante.control.loop import ControlLoop
from andante.errors import BadInput, UnknownName
from andante.locomotion.behaviour import HoldPose
from andante.simulation import simulate
from andante.simulation.body import LEAST, Servos, softened


@pytest.fixture
def servos():
    sim = simulate("waffle")
    yield Servos(sim.engine, sim.model, sim.robot.joint_names)
    sim.close()


def sent(servos: Servos):
    return servos._engine.commands[servos._model].gains


def test_fractions_of_user_and_behaviour_multiply(servos: Servos) -> None:
    full = servos.gains
    servos.set_stiffness(0.5)
    servos.follow(np.array([1.0, 0.4]))
    np.testing.assert_allclose(sent(servos).kp, full.kp * [0.5, 0.2])
    servos.follow(None)
    np.testing.assert_allclose(sent(servos).kp, full.kp * 0.5)
    servos.set_gain("pgain", 8.0, "wheel_right_joint")
    np.testing.assert_allclose(sent(servos).kp, [full.kp[0] * 0.5, 4.0])
    assert servos.gain("pgain") == max(full.kp[0], 8.0)


def test_the_same_fraction_again_is_not_sent(servos: Servos, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(servos._engine, "set_gains", lambda *given: calls.append(given))
    fraction = np.array([1.0, 0.5])
    servos.follow(fraction)
    servos.follow(fraction)
    servos.follow(fraction.copy())
    assert len(calls) == 1


def test_refuses(servos: Servos) -> None:
    with pytest.raises(BadInput, match="pgain must lie between 0 and"):
        servos.set_gain("pgain", -1.0)
    with pytest.raises(BadInput, match="pgain must lie between 0 and"):
        servos.set_gain("pgain", float("nan"))
    with pytest.raises(BadInput, match="fraction between 0 and 1"):
        servos.set_stiffness(2.0)
    with pytest.raises(UnknownName, match="no joint 'Head'"):
        servos.set_gain("pgain", 1.0, "Head")


# ---- a fraction of their strength ------------------------------------------------------------------
def test_gains_are_scaled():
    sim = simulate("nao")
    gains = sim.engine.commands[sim.model].gains
    half = softened(gains, np.full(26, 0.5))
    np.testing.assert_allclose(half.kp, 0.5 * gains.kp)
    np.testing.assert_allclose(half.effort, 0.5 * gains.effort)
    np.testing.assert_array_equal(half.velocity, gains.velocity)
    np.testing.assert_allclose(softened(gains, np.zeros(26)).kp, LEAST * gains.kp)


@pytest.mark.parametrize("fraction", [np.ones(3), np.full(26, 1.1), np.full(26, np.nan), np.full(26, -0.1)])
def test_wrong_fraction_are_told(fraction):
    sim = simulate("nao")
    gains = sim.engine.commands[sim.model].gains
    with pytest.raises(BadInput, match="26 joints"):
        softened(gains, fraction)


@pytest.mark.parametrize("engine", ["mujoco", "bullet", "dart", "ode"])
def test_a_limp_robot_sinks_and_a_stiff_one_stands_again(engine):
    """A behaviour that lets go and takes hold again: full strength comes back exactly."""
    sim = simulate("nao", engine=engine, sensors=True, fixed=True)
    stander = HoldPose(sim.robot, {"LShoulderPitch": 0.0})
    first = sim.engine.commands[sim.model].gains
    loop = ControlLoop(sim, stander)
    loop.run(0.6)
    assert sim.joints["LShoulderPitch"] == pytest.approx(0.0, abs=0.03)
    stander.stiffness = np.full(26, 0.0)
    loop.run(0.6)
    assert sim.joints["LShoulderPitch"] > 0.3  # the arm hangs down
    stander.stiffness = None
    loop.run(1.0)
    assert sim.joints["LShoulderPitch"] == pytest.approx(0.0, abs=0.03)
    np.testing.assert_allclose(sim.engine.commands[sim.model].gains.kp, first.kp)
    sim.close()


def test_gains_that_somebody_else_gave_the_engine_count_as_full_strength(servos: Servos) -> None:
    weak = sent(servos).changed(kp=0.1 * servos.gains.kp)
    servos._engine.set_gains(servos._model, weak)
    servos.follow(np.array([1.0, 0.5]))
    np.testing.assert_allclose(sent(servos).kp, weak.kp * [1.0, 0.5])
    servos.follow(None)
    np.testing.assert_allclose(sent(servos).kp, weak.kp)
    servos.set_gain("dgain", 2.0)
    np.testing.assert_allclose(sent(servos).kp, weak.kp)


def test_a_snapshot_brings_back_gains_and_stiffness() -> None:
    sim = simulate("nao", sensors=True)
    count = len(sim.joint_names)
    full, half = sim.servos.gains, np.full(count, 0.5)
    sim.follow(sim.joints.position, stiffness=half)
    saved = sim.snapshot()
    sim.servos.set_stiffness(0.2)
    sim.follow(sim.joints.position)
    sim.restore(saved)
    np.testing.assert_allclose(sent(sim.servos).kp, 0.5 * full.kp)
    sim.follow(sim.joints.position, stiffness=half)
    np.testing.assert_allclose(sent(sim.servos).kp, 0.5 * full.kp)
    sim.follow(sim.joints.position)
    np.testing.assert_allclose(sent(sim.servos).kp, full.kp)
    sim.close()
