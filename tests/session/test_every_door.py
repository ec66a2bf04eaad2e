"""Whatever door a robot is moved through: its recording has the topics, types and frames of a live session's."""

import pytest
from tests.session.recorded import described

import andante as an
from andante.session import LiveSession

SECONDS = 0.5
COMMANDED = {"/cmd_vel": "geometry_msgs/msg/Twist"}  # of a session only where somebody commands it
STANDS = {"/joint_targets/executed", "/velocity/asked", "/velocity/executed", "/footsteps"}  # not where nobody moves it
LAUNCH = 'robot = "nao"\nrealtime = false\nseconds = 0.5\nfolder = "."\n[record]\nname = "run"\n'


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    with LiveSession("nao", folder=folder) as session:
        session.bus.call("/record_start", {"name": "run"})
        session.run(SECONDS)
        session.bus.call("/record_stop", {})
    return described(folder / "run.mcap")


def _launch(out):
    (out.parent / "run.toml").write_text(LAUNCH)
    an.launch(out.parent / "run.toml", folder=str(out.parent))


DOORS = {
    "sim": lambda out: an.sim("nao", seconds=SECONDS, record=out),
    "play": lambda out: an.play("nao", "wave_hand", seconds=SECONDS, record=out),
    "behave": lambda out: an.behave("nao", "greet", seconds=SECONDS, record=out),
    "launch": _launch,
}


@pytest.mark.parametrize("door", DOORS)
def test_a_recording_is_that_of_a_session(tmp_path, live, door):
    DOORS[door](tmp_path / "run.mcap")
    types, frames, tree = described(tmp_path / "run.mcap")
    assert types.items() <= {**live[0], **COMMANDED}.items()
    missing = set(live[0]) - set(types)
    assert missing <= (STANDS if door == "sim" else {"/footsteps"} if door == "play" else set())  # motions do not step
    assert all(frames[name] == live[1][name] for name in frames if name not in COMMANDED)
    assert tree == live[2]
