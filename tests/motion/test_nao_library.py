"""The motions of the NAO: within its limits, without parts that go through each other, and upright on every engine."""

import pytest

from andante.description.load import load_robot
from andante.motion.io.library import library_motions
from andante.physics import ENGINES
from andante.session import LiveSession
from andante.tasks.play import check_play

NAO = load_robot("nao")
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
        for name in MOTIONS:
            end = session.time + session.command_api.play(name) + 1.0
            while session.time < end:
                session.step()
                assert not session.stage.sim.fallen, name
                assert not session.stage.supervisor.busy, name
