"""The motions of the NAO: within its limits, without parts that go through each other, and upright on every engine."""

import pytest

from andante.description.load import load_robot
from andante.motion.io.library import library_motions
from andante.physics import ENGINES
from andante.session import LiveSession
from andante.tasks.play import check_play

NAO = load_robot("nao")
LOW = {  # motions that end off the feet -> tilt of the trunk in the end [rad]
    "sit_down": (0.0, 0.3), "sit_down_relaxed": (0.0, 0.4), "lie_down_back": (1.2, 2.0), "lie_down_belly": (1.2, 2.0),
}  # fmt: skip
MOTIONS = sorted(name for name, path in library_motions(NAO).items() if path.suffix == ".toml")


def test_there_are_enough():
    wanted = {"wave_hand", "point_ahead", "bow", "applaud", "look_around", "dance", "balance_left", "kick_left",
              "kick_right", "mirrored_arms"}  # fmt: skip
    assert wanted <= set(MOTIONS)
    assert len(MOTIONS) >= 15


@pytest.mark.parametrize("name", MOTIONS)
def test_within_limits_and_without_collisions(name):
    checked = check_play(NAO, name)
    assert checked.ok, str(checked)


def test_a_dance_takes_twenty_seconds():
    assert check_play(NAO, "dance").choice.round_duration > 20.0


@pytest.mark.drill
@pytest.mark.parametrize("engine", ENGINES)
def test_each_is_played_upright(engine):
    """Three minutes of motions on each engine: half a minute each."""
    with LiveSession(NAO, "empty", engine, nodes=[]) as session:
        session.run(1.0)
        for name in (name for name in MOTIONS if name not in LOW):
            end = session.time + session.command_api.play(name) + 1.0
            while session.time < end:
                session.step()
                assert not session.stage.sim.fallen, name
                assert not session.stage.supervisor.busy, name


@pytest.mark.drill
@pytest.mark.parametrize("name", sorted(LOW))
def test_it_sits_and_lies_down_where_that_is_meant(name):
    with LiveSession(NAO, "empty", nodes=[]) as session:
        session.run(1.0)
        end = session.time + session.command_api.play(name) + 1.5
        while session.time < end:
            session.step()
            assert not session.stage.supervisor.busy, "taken for a fall"
        least, most = LOW[name]
        assert least <= session.stage.supervisor.balance.tilt <= most
        session.command_api.play("get_up")
        session.run(20.0)
        assert session.stage.supervisor.balance.tilt < 0.2
