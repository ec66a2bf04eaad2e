"""What a live session tells its user: limits, streams in the log, frames, goals that cannot be, stages of long work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from andante.bags import messages
from andante.session import LiveSession
from andante.session.progress import COMPILING, Progress, watch_compiling


@pytest.fixture(scope="module")
def waffle() -> Any:
    with LiveSession("waffle", "arena") as session:
        session.run(0.05)
        yield session


def say(session: LiveSession, line: str) -> tuple[bool, str]:
    answer = session.bus.call("/terminal", {"line": line})
    return answer.success, answer.text


def logged(session: LiveSession) -> list[str]:
    lines: list[str] = []
    session.bus.subscribe("/rosout", None, lambda m: lines.append(m.msg))
    return lines


def test_a_joint_beyond_its_limit_is_told() -> None:
    with LiveSession("nao", "empty") as session:
        session.run(0.05)
        good, text = say(session, "joint HeadYaw 99")
        assert good
        assert "limit" in text
        assert "2.0" in text
        assert say(session, "joint HeadYaw 0.3") == (True, "HeadYaw to 0.3")
        refusals = session.command_api.pose_refusals()
        assert refusals["Stand"] == ""
        for name, reason in refusals.items():  # what is offered without a reason is taken
            session.command_api.play("Stand")
            if not reason:
                session.command_api.play(name)


def test_a_push_that_goes_on_is_one_line(waffle: Any) -> None:
    lines = logged(waffle)
    push = messages.make("andante_msgs/msg/Push", link="", force={"x": 0.1, "y": 0.0, "z": 0.0}, seconds=0.1)
    publisher = waffle.bus.advertise("/push", "andante_msgs/msg/Push", node="test")
    for _ in range(12):
        publisher.publish(push)
        waffle.run(0.05)
    assert len([line for line in lines if line.startswith("/push")]) == 1
    waffle.run(1.2)
    publisher.publish(push)
    waffle.run(0.05)
    assert len([line for line in lines if line.startswith("/push")]) == 2


def test_frames_are_known_although_nobody_listens(waffle: Any) -> None:
    good, text = say(waffle, "tf odom base_scan")
    assert good, text
    assert "m, roll pitch yaw" in text


def test_a_goal_off_the_map_or_in_a_wall_is_refused_and_one_can_be_called_off(waffle: Any) -> None:
    lines, states = logged(waffle), []
    waffle.bus.subscribe("/navigation/state", None, states.append)
    say(waffle, "goto 500 3")
    waffle.run(0.05)
    assert any("/goal_pose" in line and "outside the map" in line for line in lines)
    live = next(n for n in waffle.nodes if hasattr(n, "the_map")).the_map()
    wall = live.point_of(np.argwhere(live.occupied())[0])
    say(waffle, f"goto {wall[0]} {wall[1]}")
    waffle.run(0.05)
    assert any("lies in a wall" in line for line in lines)
    assert not any(state.active for state in states)
    say(waffle, "goto 0.6 0.0")
    waffle.run(1.2)
    assert states[-1].active
    assert states[-1].state == "driving"
    assert 0 < states[-1].distance <= 0.7
    assert waffle.bus.call("/navigation/cancel").message == "goal canceled"
    waffle.run(0.05)
    assert not states[-1].active


def test_another_engine_takes_the_robot_over_where_it_stands(waffle: Any) -> None:
    waffle.respawn(0.4, 0.2, 0.5)
    waffle.run(0.3)
    before = waffle.stage.sim.base_pose.copy()
    stages: list[str] = []
    waffle.progress.on(lambda words, since: stages.append(words))
    waffle.select(engine="bullet")
    assert waffle.stage.sim.base_pose[:2] == pytest.approx(before[:2], abs=0.01)
    assert "building waffle in arena on bullet" in stages
    assert stages[-1] == ""
    waffle.select(engine="mujoco")


def test_robots_by_file_can_be_chosen_again(waffle: Any, tmp_path: Any) -> None:
    file = tmp_path / "block.urdf"
    file.write_text(
        '<robot name="block"><link name="base_link"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" '
        'izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><box size="0.2 0.2 0.1"/></geometry>'
        "</collision></link></robot>"
    )
    waffle.select(robot=str(file))
    assert waffle.bus.call("/select", {"robot": "waffle"}).success
    assert "block" in waffle.bus.call("/list", {"kind": "robots"}).names
    answer = waffle.bus.call("/select", {"robot": "block"})
    assert answer.success, answer.message
    assert waffle.stage.name == "block"
    assert waffle.bus.call("/select", {"robot": "waffle"}).success


def test_what_is_compiled_is_a_stage() -> None:
    from numba import njit

    told: list[str] = []
    end = watch_compiling(Progress(lambda words, since: told.append(words)))

    @njit
    def a_kernel(x: float) -> float:
        return x + 1.0

    a_kernel(1.0)
    a_kernel(2.0)  # it is there already
    end()
    assert [words for words in told if words] == [f"{COMPILING}: a kernel"]
    assert told[-1] == ""
