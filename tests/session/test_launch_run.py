import math
import time
from pathlib import Path

import pytest

from andante.errors import BadInput
from andante.session import LiveSession
from andante.session.launch_file import launch_plan, read_launch
from andante.session.launch_run import BridgeProcess, bridge_words, run_launch


def plan(tmp_path: Path, **table):
    base = {"robot": "waffle", "seconds": 0.3, "realtime": False, "folder": str(tmp_path)}
    return launch_plan({**base, **table}, "run.toml")


class Ending:
    url = "http://here"

    def __init__(self) -> None:
        self.stopped = 0

    def stop(self) -> None:
        self.stopped += 1


def test_everything_starts_and_everything_ends(tmp_path: Path) -> None:
    server, bridge, told = Ending(), Ending(), []
    made = plan(
        tmp_path,
        server={"port": 0},
        bridges={"mine": {"port": 3}},
        record={"name": "run", "topics": ["/clock"]},
        parameters={"/waffle/pgain": 3.0},
        then=[{"at": 0.1, "do": "drive 0.2 0 0 2"}],
        start=[1.0, 2.0, 90.0],
    )

    def ready(session: LiveSession, url: str) -> None:
        told.append((url, session.bus.parameters.get("/waffle/pgain"), session.stage.sim.base_pose[:2].tolist()))

    outcome = run_launch(made, lambda session, p: server, lambda session, name, url, options: bridge, ready)
    assert told == [("http://here", 3.0, [pytest.approx(1.0), pytest.approx(2.0)])]
    assert (server.stopped, bridge.stopped) == (1, 1)
    assert outcome.seconds == pytest.approx(0.3)
    assert outcome.behaviour == "drive"
    assert (tmp_path / "run.mcap").is_file()


def test_the_rules_of_falls_are_those_of_the_file(tmp_path: Path) -> None:
    assert not run_launch(plan(tmp_path)).fallen
    assert run_launch(plan(tmp_path, falls={"height_fraction": 1.1})).fallen


def test_all_ends_when_something_fails(tmp_path: Path) -> None:
    server = Ending()

    def broken(session: LiveSession, name: str, url: str, options: dict) -> Ending:
        raise BadInput("no such port")

    with pytest.raises(BadInput, match="no such port"):
        run_launch(plan(tmp_path, server=True, bridges={"mine": True}), lambda session, p: server, broken)
    assert server.stopped == 1


@pytest.mark.parametrize(
    ("table", "fragment"),
    [
        ({"parameters": {"/waffle/speed": 1.0}}, r"run.toml: \[parameters\] no parameter '/waffle/speed'"),
        ({"behaviour": "dance"}, "no behaviour 'dance'"),
        ({"navigation": {"map": "none.yaml"}}, "none.yaml"),
        ({"robot": "nobody"}, "no robot 'nobody'"),
    ],
)
def test_refuses(tmp_path: Path, table, fragment) -> None:
    with pytest.raises(Exception, match=fragment):
        run_launch(plan(tmp_path, **table))


def test_options_become_words() -> None:
    options = {"master": "http://here:1", "out": ["/tf", "/odom"], "sim_time": False, "domain": 3}
    assert bridge_words(options) == [
        "--master", "http://here:1", "--out", "/tf", "--out", "/odom", "--no-sim-time", "--domain", "3",
    ]  # fmt: skip


def test_a_bridge_that_ends_is_told_and_the_session_goes_on(waffle: LiveSession) -> None:
    lines: list[str] = []
    waffle.bus.subscribe("/rosout", None, lambda m: lines.append(m.msg), 100)
    with pytest.raises(BadInput, match="no bridge 'carrier_pigeon'"):
        BridgeProcess(waffle, "carrier_pigeon", "", {})
    bridge = BridgeProcess(waffle, "ros1", "nowhere", {"seconds": 1})
    end = time.monotonic() + 60
    while bridge.alive and time.monotonic() < end:
        time.sleep(0.05)
    waffle.run(0.05)
    assert any("bridge ros1 exited (session 'nowhere' should be a port" in line for line in lines)
    bridge.stop()


def test_a_launch_begins_with_a_goal_or_paused(tmp_path: Path) -> None:
    seen = []
    outcome = run_launch(
        plan(tmp_path, navigation={"goal": [0.5, 0.0]}), None, None, lambda session, url: seen.append(session.paused)
    )
    assert outcome.behaviour == "drive"
    run_launch(plan(tmp_path, paused=True, seconds=0.1), None, None, lambda session, url: seen.append(session.paused))
    assert seen == [False, True]


def test_a_goal_that_cannot_be_is_told_with_its_table(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"run.toml: \[navigation\] "):
        run_launch(plan(tmp_path, navigation={"goal": [math.nan, 0.0]}), None, None, lambda session, url: None)


def test_errors_of_a_launch_are_told_to_who_started_it(tmp_path: Path) -> None:
    """A bridge that has died above all: the log of the session reaches a terminal only by way of a client."""
    file = tmp_path / "plan.toml"
    file.write_text('robot = "waffle"\nseconds = 0.2\nrealtime = false\n[bridges.ros1]\n')
    told: list[str] = []

    class Dead:
        def __init__(self, session: LiveSession, name: str, *_: object) -> None:
            session.inbound.append(lambda: session.log(f"bridge {name} exited", "error") if not told else None)

        def stop(self) -> None:
            pass

    outcome = run_launch(read_launch(str(file), []), bridge=Dead, say=told.append)
    assert told[0] == "bridge ros1 exited"
    assert outcome.errors == tuple(told)


BODY = """
import andante as an
from andante.control import Body


class Real(Body):
    address = "the yard"

    def __init__(self, robot):
        self.robot, self.sim = robot, an.simulate(robot, sensors=True)

    time = property(lambda self: self.sim.time)

    def read(self):
        return self.sim.read()

    def write(self, command):
        self.sim.write(command)

    def advance(self, seconds):
        self.sim.advance(seconds)

    def stop(self):
        self.sim.stop()

    def close(self):
        self.sim.stop()
"""


def test_a_launch_file_moves_a_real_robot(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text(BODY)
    table = {
        "robot": "waffle", "realtime": False, "seconds": 1.5, "body": f"{tmp_path / 'real.py'}:Real",
        "then": [{"at": 0.1, "do": "drive 0.2 0 0 2"}],
    }  # fmt: skip
    outcome = run_launch(launch_plan(table, str(tmp_path / "run.toml")))
    assert outcome.engine == "the yard"
    assert outcome.position[0] > 0.1
