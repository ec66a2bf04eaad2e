"""Every command of the terminal, on a real session: what it answers, what it does, and what it refuses."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from andante.session import LiveSession
from andante.session.nodes.terminal import COMMANDS, FIXED

Say = Callable[[str], str]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSession]:
    with LiveSession("waffle", folder=Path(tmp_path_factory.mktemp("waffle"))) as session:
        yield session


@pytest.fixture
def session(live: LiveSession) -> LiveSession:
    """The waffle at the origin, with time going on."""
    live.resume()
    live.reset()
    live.run(0.1)
    return live


@pytest.fixture
def say(session: LiveSession) -> Say:
    """Type a line that must be understood; what it answers."""

    def typed(line: str) -> str:
        answer = session.bus.call("/terminal", {"line": line})
        assert answer.success, answer.text
        return str(answer.text)

    return typed


def refused(session: LiveSession, line: str) -> str:
    answer = session.bus.call("/terminal", {"line": line})
    assert not answer.success
    assert "\n" not in answer.text
    return str(answer.text)


@pytest.mark.parametrize("name", COMMANDS)
def test_too_many_words_are_told_the_usage(live: LiveSession, name: str) -> None:
    known = {"walker": "numbers like T=0.6", "on": "no robot '1'; choices: waffle"}  # they take any number of words
    wanted = known.get(name, f"usage: {COMMANDS[name].usage}")
    assert wanted in refused(live, name + " 1" * 9)


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if re.search(r" [A-Za-z]", command.usage)])
def test_too_few_words_are_told_the_usage(live: LiveSession, name: str) -> None:
    wanted = "numbers like T=0.6" if name == "walker" else f"usage: {COMMANDS[name].usage}"
    assert wanted in refused(live, name)


def test_a_word_on_every_command(say: Say, session: LiveSession) -> None:
    for name, command in COMMANDS.items():
        assert say(f"help {name}") == f"{command.usage}\n  {command.help}"
    assert "no command 'helm'" in refused(session, "help helm")


def test_lists_of_every_kind(say: Say) -> None:
    assert tuple(say("list kinds").split()) == FIXED["kinds"]
    for kind in FIXED["kinds"]:
        assert say(f"list {kind}"), kind


def test_completion_of_every_kind_of_word(session: LiveSession) -> None:
    session.run(0.1)
    for line, wanted in (
        ("help pa", "help pause"), ("list cl", "list clips"), ("engine bu", "engine bullet"), ("world la", "world lab"),
        ("robot sh", "robot shell"), ("spawn ro", "spawn rover"), ("push 1 le", "push 1 left"),
        ("push 1 left base_l", "push 1 left base_link"), ("behave ho", "behave hold"),
        ("tf odom base_l", "tf odom base_link"), ("record st", "record stop"), ("search re", "search replay"),
        ("walker sta", "walker stats"),
    ):  # fmt: skip
        assert wanted in session.bus.call("/terminal", {"line": line, "complete": True}).completions, line
    for line in ("dance ", "pause x", "push ", "engine mujoco x"):
        assert session.bus.call("/terminal", {"line": line, "complete": True}).completions == []


def test_time(say: Say, session: LiveSession) -> None:
    say("pause")
    assert "paused" in say("status")
    before = session.time
    say("step 5")
    for _ in range(8):  # the last three stand still
        session.step()
    assert session.time - before == pytest.approx(5 * 0.01)
    say("resume")
    session.run(0.1)
    assert session.time > before + 0.1
    assert session.bus.call("/terminal", {"line": "step -1"}).success is False


def test_driving_speed_and_stop(say: Say, session: LiveSession) -> None:
    assert say("drive 0.2 0 0 30") == "drives for 30 s"
    session.run(0.5)
    assert session.behaviour == "drive"
    say("stop")
    session.run(0.5)
    gone = session.stage.sim.base_pose[0]
    session.run(0.5)
    assert session.stage.sim.base_pose[0] == pytest.approx(gone, abs=2e-3)
    assert "50" in say("speed 50")
    assert "a drive lasts up to 60 s" in refused(session, "drive 0.1 0 0 61")
    assert "is not a number" in refused(session, "speed much")


def test_places_goals_and_where_it_stands(say: Say, session: LiveSession) -> None:
    say("place 0.5 -0.25 90")
    assert session.stage.sim.base_pose[:2] == pytest.approx([0.5, -0.25], abs=1e-3)
    assert say("at 0.5 -0.25 90") == "stands at 0.5 -0.25"
    assert say("goto 0.5 0.1") == "goal 0.5 0.1"
    session.run(0.3)
    assert session.behaviour == "drive"
    say("stop")
    assert say("goto 0.5 0.1 90") == "goal 0.5 0.1"
    assert "is not a number" in refused(session, "goto here there")


def test_frames_topics_services_and_nodes(say: Say, session: LiveSession) -> None:
    session.bus.subscribe("/tf", None, lambda message: None)
    session.run(0.1)
    assert re.fullmatch(r"(-?\d+\.\d{3} ){3}m, roll pitch yaw (-?\d+\.\d ?){3} ?deg", say("tf odom base_link"))
    assert re.search(r"^/odom +nav_msgs/msg/Odometry$", say("topics"), re.MULTILINE)
    assert re.search(r"^/reset +\S+/srv/\S+$", say("services"), re.MULTILINE)
    assert re.search(r"^terminal: publishes .*; subscribes to ", say("nodes"), re.MULTILINE)


@pytest.mark.engine("bullet")
def test_the_scene_is_exchanged_by_parts(say: Say, session: LiveSession) -> None:
    say("engine bullet")
    assert session.stage.sim.engine.name == "bullet"
    say("world lab")
    assert session.choice.world_name == "lab"
    say("spawn rover 2 0.5 45")
    assert [other.name for other in session.choice.robots] == ["rover"]
    say("robot rover")
    assert session.stage.robot.name == "rover"
    say("engine mujoco")
    say("world empty")
    say("robot waffle")
    for line, told in (("engine x", "no engine 'x'"), ("world x", "x"), ("robot x", "no robot 'x'")):
        assert told in refused(session, line)
    assert session.stage.robot.name == "waffle"


def test_files_are_recorded(say: Say, session: LiveSession) -> None:
    say("record start run")
    session.run(0.3)
    assert "run" in say("record stop")
    assert "run" in say("list recordings")
    assert "no record command 'pause'" in refused(session, "record pause")
    assert "no search command 'stop'" in refused(session, "search stop")
    assert "is not a number" in refused(session, "clip long")


def test_behaviours_pushes_and_strength(say: Say, session: LiveSession) -> None:
    say("behave hold")
    session.run(0.1)
    assert session.behaviour == "hold"
    say("behave drive")
    session.run(0.1)
    say("push 3 left")
    session.run(0.05)
    assert session.stage.sim.engine.link_velocities(session.stage.sim.model)[0, 1] > 0
    assert say("stiffness 0.5").strip()
    assert "no behaviour 'sleep'" in refused(session, "behave sleep")
    assert "no gait" in refused(session, "gait gallop")
    assert "has no wave gait" in refused(session, "walker start")


def test_parameters_keep_their_kind(say: Say, session: LiveSession) -> None:
    names = {p.name: p.value for p in session.bus.parameters.list()}
    for name, value in names.items():
        if isinstance(value, bool):
            assert say(f"set {name} {'off' if value else 'on'}").endswith(str(not value))
            assert "is true or false" in refused(session, f"set {name} maybe")
            say(f"set {name} {value}")
        elif isinstance(value, float) and math.isfinite(value):
            assert np.isclose(float(say(f"set {name} {value!r}").split(" = ")[1]), value)
    assert "no parameter matches" in refused(session, "get /nothing*")
