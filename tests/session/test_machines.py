"""State machines in a live session: its services, what a page hears, and an.behave."""

import json

import pytest

import andante as an
from andante.bags import messages
from andante.errors import AndanteError
from andante.session import LiveSession

LOOK = """
name = "look"
[variables]
looks = 0
[states.wait]
transitions = [{to = "left", on = "touch.Head"}, {to = "left", on = "go"}]
[states.left]
do = "joints(HeadYaw=0.4, speed=0.5)"
exit = "looks = looks + 1"
transitions = [{to = "walk", on = "done"}]
[states.walk]
do = "drive(0.1)"
transitions = [{to = "end", when = "pose.x > 0.02"}]
[states.end]
kind = "final"
entry = "say('there')"
"""


@pytest.fixture
def session(tmp_path):
    made = LiveSession("nao", "empty", folder=tmp_path)
    yield made
    made.close()


def ask(session, service, **fields):
    answer = session.bus.call(service, fields)
    session.step()
    return answer


def test_a_page_can_load_watch_edit_and_save_a_machine(session, tmp_path):
    heard = []
    session.bus.subscribe("/machine/state", "andante_msgs/msg/MachineState", heard.append)
    assert not ask(session, "/machine/start").success
    assert ask(session, "/machine/load", name="greet").success
    assert "no files" in ask(session, "/machine/load", name="../greet").message
    definition = json.loads(ask(session, "/machine/get").definition)
    definition["states"]["wait"]["transitions"][1]["after"] = 0.05
    definition["states"]["invite"]["do"] = "play('no_such_motion')"
    checked = ask(session, "/machine/check", definition=json.dumps(definition))
    assert any("no pose or motion 'no_such_motion'" in each for each in checked.problems)
    assert not ask(session, "/machine/check", definition="{").success
    refused = ask(session, "/machine/set", definition=json.dumps(definition))
    assert not refused.success
    assert any("no pose or motion 'no_such_motion'" in each for each in refused.problems)
    assert "after" in json.loads(ask(session, "/machine/get").definition)["states"]["wait"]["transitions"][1]
    del definition["states"]["invite"]["do"]
    assert ask(session, "/machine/set", definition=json.dumps(definition)).success
    assert ask(session, "/machine/start").success
    session.run(0.3)
    assert heard[-1].running
    assert list(heard[-1].active) == ["life", "body", "wait", "face", "glow"]
    assert any(message.source == "invite" for message in heard)
    assert ask(session, "/machine/save", name="mine").success
    assert (tmp_path / "machines" / "mine.toml").is_file()
    assert "mine" in ask(session, "/list", kind="machines").names
    assert "drive" in ask(session, "/list", kind="skills").names
    assert "touch" in ask(session, "/list", kind="facts").names
    assert ask(session, "/machine/stop").success
    session.run(0.1)
    assert not heard[-1].running
    assert ask(session, "/machine/load", name="mine").success


def test_switches_joints_walks_and_speech(session, tmp_path):
    (tmp_path / "machines").mkdir()
    (tmp_path / "machines" / "look.toml").write_text(LOOK)
    said, state = [], []
    session.bus.subscribe("/speech/said", "std_msgs/msg/String", said.append)
    session.bus.subscribe("/machine/state", "andante_msgs/msg/MachineState", state.append)
    assert ask(session, "/machine/load", name="look").success
    assert ask(session, "/machine/start").success
    session.run(0.2)
    assert list(state[-1].active) == ["wait"]
    switch = next(name for name in session.stage.state.pressed if name.startswith("Head"))
    assert ask(session, "/press_switch", name=switch, seconds=0.1).success
    for _ in range(100):
        session.run(0.1)
        if not state[-1].running:
            break
    assert state[-1].outcome == "end"
    assert json.loads(state[-1].variables) == {"looks": 1}
    assert [message.data for message in said] == ["there"]
    yaw = session.stage.robot.joint_names.index("HeadYaw")
    assert session.stage.state.position[yaw] == pytest.approx(0.4, abs=0.02)
    session.run(2.0)
    assert session.stage.walker.standing  # the velocity ended with its state


def test_events_from_the_bus_and_a_rebuilt_scene(session, tmp_path):
    (tmp_path / "machines").mkdir()
    (tmp_path / "machines" / "look.toml").write_text(LOOK)
    state = []
    session.bus.subscribe("/machine/state", "andante_msgs/msg/MachineState", state.append)
    ask(session, "/machine/load", name="look")
    ask(session, "/machine/start")
    events = session.bus.advertise("/machine/event", "std_msgs/msg/String")
    events.publish(messages.make("std_msgs/msg/String", data="go"))
    session.run(0.05)
    assert list(state[-1].active) == ["left"]
    session.reset()
    session.run(0.05)
    assert not state[-1].running
    assert ask(session, "/machine/start").success


def test_behave_runs_a_file_to_its_end_and_twice_alike(tmp_path):
    file = tmp_path / "look.toml"
    file.write_text(LOOK.replace('{to = "left", on = "go"}', '{to = "left", after = 0.5}'))
    first, second = (an.behave("nao", str(file), seconds=20.0) for _ in range(2))
    assert first.finished
    assert first.outcome == "end"
    assert not first.fallen
    assert [each.target for each in first.story] == ["left", "walk", "end"]
    assert first.story == second.story
    assert [state for state, _, _ in first.spans][1:] == ["left", "walk"]
    assert all(begin <= end <= first.seconds for _, begin, end in first.spans)
    assert len(first.plot().axes) == 1
    assert any('"there"' in line for line in first.log)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LOOK.replace("HeadYaw", "HatYaw"), "look.toml:7: error: left: no joint 'HatYaw'"),
        (LOOK.replace("pose.x", "truth.x"), "nothing is called truth"),
    ],
)
def test_behave_refuses_before_anything_moves(text, words, tmp_path):
    file = tmp_path / "look.toml"
    file.write_text(text)
    with pytest.raises(AndanteError) as error:
        an.behave("nao", str(file), seconds=1.0)
    assert words in str(error.value)
