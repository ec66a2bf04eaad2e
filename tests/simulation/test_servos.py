import numpy as np
import pytest

from andante.errors import BadInput, UnknownName
from andante.simulation import simulate
from andante.simulation.servos import LiveServos


@pytest.fixture
def servos():
    sim = simulate("waffle")
    yield LiveServos(sim.engine, sim.actor, sim.robot.joint_names)
    sim.close()


def sent(servos: LiveServos):
    return servos._engine.commands[servos._actor].gains


def test_shares_of_user_and_behaviour_multiply(servos: LiveServos) -> None:
    full = servos.gains
    servos.set_stiffness(0.5)
    servos.follow(np.array([1.0, 0.4]))
    np.testing.assert_allclose(sent(servos).kp, full.kp * [0.5, 0.2])
    servos.follow(None)
    np.testing.assert_allclose(sent(servos).kp, full.kp * 0.5)
    servos.set_gain("pgain", 8.0, "wheel_right_joint")
    np.testing.assert_allclose(sent(servos).kp, [full.kp[0] * 0.5, 4.0])
    assert servos.gain("pgain") == max(full.kp[0], 8.0)


def test_the_same_share_again_is_not_sent(servos: LiveServos, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(servos._engine, "set_gains", lambda *given: calls.append(given))
    share = np.array([1.0, 0.5])
    servos.follow(share)
    servos.follow(share)
    servos.follow(share.copy())
    assert len(calls) == 1


def test_refuses(servos: LiveServos) -> None:
    with pytest.raises(BadInput, match="pgain must lie between 0 and"):
        servos.set_gain("pgain", -1.0)
    with pytest.raises(BadInput, match="pgain must lie between 0 and"):
        servos.set_gain("pgain", float("nan"))
    with pytest.raises(BadInput, match="share between 0 and 1"):
        servos.set_stiffness(2.0)
    with pytest.raises(UnknownName, match="no joint 'Head'"):
        servos.set_gain("pgain", 1.0, "Head")
