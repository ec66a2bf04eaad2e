"""The motion editor's services: postures by inverse kinematics, checks, saving, playing, rehearsing, captures."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from andante.description import load_robot
from andante.errors import BadInput
from andante.locomotion.biped.body import BipedBody
from andante.locomotion.biped.standing import StandFilter
from andante.locomotion.io.rig_file import rig_for
from andante.session import LiveSession
from andante.studio.motions.node import MotionEditNode
from andante.studio.motions.posing import reach

NAO = load_robot("nao")
STAND = NAO.complete(NAO.pose("StandInit"))


def text(*keys: dict[str, float], **more: Any) -> str:
    return json.dumps({"name": "mine", "keys": list(keys), **more})


NOD = text({"time": 0.5, "HeadPitch": 0.2}, {"time": 1.0, "HeadPitch": 0.0})


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSession]:
    made = LiveSession("nao", world="empty", folder=tmp_path_factory.mktemp("motions"))
    made.nodes.append(MotionEditNode(made))
    made.run(0.5)
    yield made
    made.close()


def call(session: LiveSession, verb: str, **fields: Any) -> Any:
    return session.bus.call(f"/motion/{verb}", fields)


def test_a_hand_goes_where_it_is_dragged() -> None:
    here = NAO.link_poses(STAND)["l_wrist"].translation
    found = reach(NAO, "l_wrist", here + np.array([0.02, 0.01, 0.05]), STAND)
    assert found.reached
    np.testing.assert_allclose(
        NAO.link_poses(found.positions)["l_wrist"].translation, here + np.array([0.02, 0.01, 0.05]), atol=1e-4
    )
    assert found.positions["RShoulderPitch"] == STAND["RShoulderPitch"]
    far = reach(NAO, "l_wrist", here + np.array([2.0, 0.0, 0.0]), STAND)
    assert not far.reached


def test_the_body_moves_over_its_feet_and_a_foot_keeps_its_sole_level() -> None:
    low = reach(NAO, NAO.root, np.array([0.0, 0.0, -0.02]), STAND)
    before, after = NAO.link_poses(STAND), NAO.link_poses(low.positions)
    for foot in ("l_ankle", "r_ankle"):
        moved = after[foot].translation - before[foot].translation
        np.testing.assert_allclose(moved, [0.0, 0.0, 0.02], atol=2e-4)
        np.testing.assert_allclose(after[foot].rotation, before[foot].rotation, atol=2e-3)
    lifted = reach(NAO, "r_ankle", before["r_ankle"].translation + np.array([0.0, 0.0, 0.03]), STAND)
    assert lifted.reached
    assert lifted.positions["LHipYawPitch"] == STAND["LHipYawPitch"]


def test_with_balance_the_legs_make_up_for_the_arms() -> None:
    balance = StandFilter(BipedBody(NAO, rig_for(NAO)))
    here = NAO.link_poses(STAND)["l_wrist"].translation
    found = reach(NAO, "l_wrist", here + np.array([0.1, 0.1, 0.1]), STAND, balance)
    q = np.array([found.positions[name] for name in NAO.joint_names])
    assert balance.stands(q)
    assert any(abs(found.positions[name] - STAND[name]) > 1e-4 for name in ("LHipRoll", "LAnkleRoll", "LAnklePitch"))


@pytest.mark.parametrize("where", [[np.nan, 0.0, 0.0], [0.0, 0.0]])
def test_places_that_are_none_are_refused(where: list[float]) -> None:
    with pytest.raises(BadInput, match="three finite numbers"):
        reach(NAO, "l_wrist", np.array(where), STAND)


def test_the_editor_learns_about_the_robot_and_opens_motions(session: LiveSession) -> None:
    answer = call(session, "open")
    about = json.loads(answer.about)
    assert about["feet"] == ["l_ankle", "r_ankle"]
    assert about["mates"]["LShoulderRoll"] == ["RShoulderRoll", -1.0, 0.0]
    assert "RHipYawPitch" not in about["limits"]
    name = session.bus.call("/list", {"kind": "editable"}).names[0]
    opened = call(session, "open", name=name)
    assert opened.success
    assert json.loads(opened.motion)["keys"]
    assert not call(session, "open", name="nobody").success


def test_limits_speed_and_balance_are_told(session: LiveSession) -> None:
    assert list(call(session, "check", motion=NOD).problems) == []
    fast = call(session, "check", motion=text({"time": 0.05, "HeadYaw": 1.5})).problems
    assert any("per second" in line for line in fast)
    beyond = call(session, "check", motion=text({"time": 2.0, "HeadYaw": 9.0})).problems
    assert any("beyond its limits" in line for line in beyond)
    leans = call(session, "check", motion=text({"time": 2.0, "LAnklePitch": -0.9, "RAnklePitch": -0.9})).problems
    assert any("does not stand" in line for line in leans)
    assert not call(session, "check", motion=text({"time": 1.0, "Nose": 0.1})).success
    assert not call(session, "check", motion="{").success


def test_a_saved_motion_is_played_by_its_name(session: LiveSession) -> None:
    answer = call(session, "save", motion=NOD, name="My-Nod")
    assert answer.success, answer.message
    assert (Path(session.folder) / "motions" / "my_nod.toml").is_file()
    assert "my_nod" in session.bus.call("/list", {"kind": "motions"}).names
    assert session.bus.call("/play", {"name": "my_nod"}).success
    session.run(0.7)
    assert session.stage.activities.present.detail == "my_nod"
    for name in ("../up", "StandInit"):
        assert not call(session, "save", motion=NOD, name=name).success
    assert call(session, "play", motion=text({"time": 0.4, "HeadYaw": 0.3})).success
    session.run(1.5)
    assert session.stage.sim.joints["HeadYaw"] == pytest.approx(0.3, abs=0.05)


def test_forms_to_take_along(session: LiveSession) -> None:
    assert "angleInterpolation" in call(session, "export", motion=NOD, name="choregraphe").motion
    assert call(session, "export", motion=NOD, name="python").message == "mine.py"
    assert not call(session, "export", motion=NOD, name="word").success


def test_keys_of_a_recording(session: LiveSession) -> None:
    assert session.bus.call("/record_start", {"name": "take"}).success
    session.run(1.0)
    assert session.bus.call("/record_stop", {}).success
    answer = call(session, "capture", name="take.mcap", rate=5.0)
    assert answer.success, answer.message
    keys = json.loads(answer.motion)["keys"]
    assert 4 <= len(keys) <= 6
    assert not call(session, "capture", name="take.mcap", rate=500.0).success
    assert not call(session, "capture", name="../take.mcap").success


def test_a_rehearsal_tells_of_a_fall(session: LiveSession) -> None:
    """In a process of its own, while the session goes on."""
    told: list[Any] = []
    session.bus.subscribe("/motion/rehearsal", "andante_msgs/msg/Rehearsal", told.append)
    falls = text({"time": 0.6, "LAnklePitch": -1.1, "RAnklePitch": -1.1})
    assert call(session, "rehearse", motion=falls).success
    end = time.monotonic() + 100
    while time.monotonic() < end and not (told and not told[-1].running and told[-1].time > 0):
        session.step()
        time.sleep(0.02)
    assert told[-1].fallen, told[-1].message
    assert 0.3 < told[-1].time < 2.0
    assert "falls at" in told[-1].message
