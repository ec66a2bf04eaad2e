"""Recordings of a session played back onto its bus. On wheels, which are built quickly."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

from andante.bus.errors import BusError
from andante.session import LiveSession
from andante.session.nodes.recording import ReplayNode, recordings


class Wall:
    """A wall clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def wall() -> Wall:
    return Wall()


@pytest.fixture(scope="module")
def driven(wall: Wall, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSession]:
    """A waffle that drove 0.2 m ahead while it was recorded as drive.mcap, and then went back by a reset."""
    with LiveSession("waffle", folder=tmp_path_factory.mktemp("session")) as session:
        replay = next(node for node in session.nodes if isinstance(node, ReplayNode))
        replay._clock = wall
        session.run(0.1)
        assert session.bus.call("/record_start", {"name": "drive"}).success
        for _ in range(10):
            session.drive(0.2)
            session.run(0.1)
        assert session.bus.call("/record_stop").success
        session.reset()
        session.run(0.2)
        yield session


@pytest.fixture
def recorded(driven: LiveSession) -> Iterator[LiveSession]:
    """The same, live again after each test."""
    yield driven
    if driven.holder is not None:
        driven.holder()


def heard(session: LiveSession, topic: str, take: Callable[[object], object]) -> list[object]:
    out: list[object] = []
    session.bus.subscribe(topic, None, lambda message: out.append(take(message)), queue=1000)
    return out


def play(session: LiveSession, wall: Wall, seconds: float) -> None:
    """Let some wall time pass."""
    for _ in range(round(seconds / 0.05)):
        wall.now += 0.05
        session.step()


def test_a_recording_is_seen_again_with_its_clock_and_the_session_goes_on_after_it(
    recorded: LiveSession, wall: Wall
) -> None:
    x = heard(recorded, "/ground_truth/links", lambda m: float(m.poses[0]))
    ticks = heard(recorded, "/clock", lambda m: m.clock.sec + 1e-9 * m.clock.nanosec)
    states = heard(recorded, "/replay/state", lambda m: (m.file, round(m.position, 2)))
    recorded.step()
    before, there = recorded.time, x[-1]
    answer = recorded.bus.call("/replay", {"name": "drive.mcap", "speed": 2.0})
    assert answer.success
    assert answer.duration == pytest.approx(1.0, abs=0.05)
    x.clear()
    ticks.clear()
    play(recorded, wall, 0.3)
    assert x[-1] == pytest.approx(0.12, abs=0.04)  # 0.6 s into a drive at 0.2 m/s
    assert ticks == sorted(ticks)
    assert ticks[0] == pytest.approx(0.1, abs=0.03)
    assert ticks[-1] == pytest.approx(0.7, abs=0.03)
    assert recorded.time == before  # the live robot waits
    assert ("drive.mcap", 0.4) in [(file, round(at, 1)) for file, at in states]
    play(recorded, wall, 0.3)
    assert states[-1] == ("", 0.0)
    assert recorded.holder is None
    assert recorded.bus.clock.now == pytest.approx(before, abs=0.05)
    x.clear()
    recorded.run(0.2)
    assert recorded.time == pytest.approx(before + 0.2, abs=0.06)
    assert x[-1] == pytest.approx(there, abs=5e-3)


def test_commands_of_the_recording_and_of_the_meantime_do_not_drive_the_robot(
    recorded: LiveSession, wall: Wall
) -> None:
    recorded.bus.call("/replay", {"name": "drive.mcap"})
    play(recorded, wall, 0.5)
    recorded.drive(0.2)
    assert recorded.bus.call("/replay_stop").success
    start = recorded.stage.sim.base_pose[0]
    recorded.run(0.3)
    assert recorded.stage.sim.base_pose[0] == pytest.approx(start, abs=2e-3)


def test_latched_topics_are_those_of_the_session_again(recorded: LiveSession, wall: Wall) -> None:
    names = heard(recorded, "/tf_static", lambda m: len(m.transforms))
    recorded.step()
    recorded.bus.call("/replay", {"name": "drive.mcap"})
    play(recorded, wall, 0.2)
    count = len(names)
    recorded.bus.call("/replay_stop")
    recorded.step()
    assert len(names) == count + 1


def test_another_scene_ends_the_replay_and_a_loop_goes_round(recorded: LiveSession, wall: Wall) -> None:
    at = heard(recorded, "/replay/state", lambda m: m.position)
    recorded.bus.call("/replay", {"name": "drive.mcap", "loop": True})
    play(recorded, wall, 2.5)
    assert recorded.holder is not None
    assert any(b < a for a, b in pairwise(at))
    recorded.reset()
    assert recorded.holder is None
    time = recorded.time
    recorded.run(0.1)
    assert recorded.time == pytest.approx(time + 0.1)
    assert recorded.bus.clock.now == pytest.approx(recorded.time)


@pytest.mark.parametrize("name", ["", "none.mcap", "../outside.mcap", "/etc/passwd", "linked.mcap", "notes.txt"])
def test_only_recordings_of_the_folder_are_played(recorded: LiveSession, name: str) -> None:
    folder = recorded.folder
    outside = folder.parent / "outside.mcap"
    outside.write_bytes((folder / "drive.mcap").read_bytes())
    if not (folder / "linked.mcap").exists():
        (folder / "linked.mcap").symlink_to(outside)
    (folder / "notes.txt").write_text("no recording")
    answer = recorded.bus.call("/replay", {"name": name})
    assert not answer.success
    assert "recording" in answer.message
    assert recorded.holder is None


@pytest.mark.parametrize(
    ("request_", "said"),
    [({"speed": -1.0}, "speed"), ({"speed": float("nan")}, "speed"), ({"start": 99.0}, "cannot start")],
)
def test_bad_requests_leave_the_session_as_it_was(recorded: LiveSession, request_: dict[str, float], said: str) -> None:
    now = recorded.bus.clock.now
    answer = recorded.bus.call("/replay", {"name": "drive.mcap", **request_})
    assert not answer.success
    assert said in answer.message
    assert recorded.holder is None
    assert recorded.bus.clock.now == now


def test_what_is_being_recorded_is_not_played_and_damaged_files_are_refused(recorded: LiveSession) -> None:
    recorded.bus.call("/record_start", {"name": "now"})
    recorded.run(0.05)
    assert "being recorded" in recorded.bus.call("/replay", {"name": "now.mcap"}).message
    (recorded.folder / "broken.mcap").write_bytes(b"no bag at all")
    assert not recorded.bus.call("/replay", {"name": "broken.mcap"}).success
    assert "nothing is being played" in recorded.bus.call("/replay_stop").message
    assert list(recorded.bus.call("/list", {"kind": "recordings"}).names)[-1] in ("now.mcap", "broken.mcap")
    with pytest.raises(BusError):
        recorded.bus.call("/list", {"kind": "films"})


def test_a_link_that_leads_nowhere_hides_no_recording(tmp_path):
    (tmp_path / "a.mcap").touch()
    (tmp_path / "b.mcap").symlink_to(tmp_path / "gone.mcap")
    assert recordings(tmp_path) == ["a.mcap"]


def test_a_replay_stands_still_while_it_is_paused_and_begins_anywhere(recorded: LiveSession, wall: Wall) -> None:
    x = heard(recorded, "/ground_truth/links", lambda m: float(m.poses[0]))
    states = heard(recorded, "/replay/state", lambda m: (m.position, m.paused))
    assert not recorded.bus.call("/replay_pause", {"data": True}).success  # nothing is played
    assert recorded.bus.call("/replay", {"name": "drive.mcap", "start": 0.7, "paused": True}).success
    play(recorded, wall, 0.5)
    first = states[-1]
    assert first[1]
    assert first[0] == pytest.approx(0.8, abs=0.06)
    assert x[-1] > 0.08  # the picture of that instant
    play(recorded, wall, 0.5)
    assert states[-1] == first
    assert recorded.bus.call("/replay_pause", {"data": False}).success
    play(recorded, wall, 0.15)
    assert states[-1][0] > first[0]
    assert not states[-1][1]
