"""From control points to joint motions, and what the checker says before anything moves."""

import re

import numpy as np
import pytest

from andante.errors import BadInput, UnknownName
from andante.locomotion.gaits import Request, prepare
from andante.motion import (
    MotionLimits,
    SelfCollision,
    bind,
    check_action,
    check_keyframes,
    check_motion,
    check_set,
    parse_actions,
    plan_step,
    transition,
)
from andante.motion.io.library import ActionChoice, PoseChoice, find_motion, library_motions
from andante.motion.keyframes import Key, Keyframes

LEG = "group leg = lower_coxa_1 -> lower_foot_1\n"


def plan(robot, text, start, name="a", parameters=None):
    actions = parse_actions(text, "t.action")
    bound = bind(actions, name, parameters)
    out, here = [], robot.complete(robot.pose(start))
    for step in bound.steps:
        out.append(plan_step(robot, actions, step, here))
        here = out[-1].end
    return out


def tip(robot, base, end, positions):
    chain = robot.chain(base, end)
    return chain.coordinates(chain.vector(positions))


def test_the_tip_passes_through_the_control_points(shell):
    text = LEG + "action a\nstep\nleg in 1.0 to 0.25 0.03 -0.1 ; 0.26 -0.04 -0.08 ; 0.24 0 -0.09"
    (planned,) = plan(shell, text, "stand")
    assert planned.problems == ()
    assert planned.motion.names == ("q112", "q113", "q114")
    assert planned.motion.duration == pytest.approx(1.0)
    t = np.linspace(0, 1, 1001)
    chain = shell.chain("lower_coxa_1", "lower_foot_1")
    path = chain.coordinates(planned.motion.evaluate(t))[:, :3]
    for point in ([0.25, 0.03, -0.1], [0.26, -0.04, -0.08], [0.24, 0, -0.09]):
        assert np.linalg.norm(path - point, axis=1).min() < 3e-4
    assert path[-1] == pytest.approx([0.24, 0, -0.09], abs=1e-5)
    assert path[0] == pytest.approx(tip(shell, "lower_coxa_1", "lower_foot_1", shell.pose("stand"))[:3], abs=1e-9)
    assert planned.motion.evaluate([0.0, 1.0], 1) == pytest.approx(np.zeros((2, 3)), abs=1e-9)


def test_relative_points_and_free_coordinates(shell):
    text = LEG + "action a\nstep\nleg in 0.5 by _ 0.02 0.01"
    (planned,) = plan(shell, text, "stand")
    before = tip(shell, "lower_coxa_1", "lower_foot_1", shell.pose("stand"))
    after = tip(shell, "lower_coxa_1", "lower_foot_1", planned.end)
    assert after[1:3] == pytest.approx(before[1:3] + np.array([0.02, 0.01]), abs=1e-5)
    assert planned.places.atomics[0].relative is False
    assert planned.places.atomics[0].points[0][2] == pytest.approx(before[2] + 0.01)


def test_orientation_of_a_hand_is_followed(nao):
    text = "group arm = torso -> r_gripper\naction a\nstep\narm in 1 to _ _ _ _ 0.1 _ ; _ _ 0.02 _ -0.2 _"
    (planned,) = plan(nao, text, "StandInit")
    assert planned.problems == ()
    assert tip(nao, "torso", "r_gripper", planned.end)[[2, 4]] == pytest.approx([0.02, -0.2], abs=1e-4)


def test_held_joints_stay_and_the_shared_folding_joint_is_respected(shell):
    text = "group leg = base_link -> lower_foot_2 hold q111\naction a\nstep\nleg in 1 by 0.01 0.01 0.01"
    (planned,) = plan(shell, text, "stand")
    assert planned.motion.names == ("q122", "q123", "q124")
    assert planned.problems == ()


def test_atomics_run_together_and_the_longest_counts(shell):
    text = (
        LEG
        + "group other = lower_coxa_4 -> lower_foot_4\naction a\nstep\nleg in 0.3 by 0 0.01 0.01\n"
        + "other in 0.8 by 0 0 0.01\njoint q211 in 0.5 by 0.1 ; 0\nwait 0.2"
    )
    (planned,) = plan(shell, text, "stand")
    assert planned.motion.duration == pytest.approx(0.8)
    assert len(planned.motion.names) == 7
    column = planned.motion.names.index("q112")
    assert planned.motion.evaluate(0.3)[column] == pytest.approx(planned.motion.evaluate(0.8)[column], abs=1e-9)
    q211 = planned.motion.names.index("q211")
    assert planned.motion.evaluate(0.25)[q211] == pytest.approx(shell.pose("stand")["q211"] + 0.1, abs=1e-6)


@pytest.mark.parametrize("speed", [0.2, 0.6])
def test_without_a_time_it_is_as_fast_as_the_limits_allow(shell, nao, speed):
    for robot, text, start in (
        (shell, LEG + f"action a\nstep\nleg at {speed} to 0.25 0.03 -0.1 ; 0.26 -0.04 -0.08", "stand"),
        (nao, f"action a\nstep\npose Stand at {speed}", "StandInit"),
        (nao, f"action a\nstep\njoint HeadYaw at {speed} to 1 ; -1", "StandInit"),
    ):
        (planned,) = plan(robot, text, start)
        limits = MotionLimits.of(robot, planned.motion.names, speed)
        t = np.linspace(0, planned.motion.duration, 2000)
        use = np.abs(planned.motion.evaluate(t, 1)).max(axis=0) / limits.velocity
        push = np.abs(planned.motion.evaluate(t, 2)).max(axis=0) / limits.acceleration
        assert use.max() <= 1.02
        assert push.max() <= 1.35  # cubics through samples every 10 ms round the corners of the profile
        assert max(use.max(), push.max()) > 0.8


def test_poses_and_joints(nao):
    text = "action a\nstep\npose crouch in 1.5\nstep\njoint HeadYaw in 1 to 0.5 ; -0.5"
    crouch, head = plan(nao, text, "StandInit")
    assert crouch.end["LKneePitch"] == pytest.approx(2.11)
    assert crouch.end["RHipYawPitch"] == pytest.approx(crouch.end["LHipYawPitch"])
    assert head.end["HeadYaw"] == pytest.approx(-0.5)
    assert head.end["LKneePitch"] == pytest.approx(2.11)


# ---- what the checker says ------------------------------------------------------------------------------------
def said(robot, text, start="stand", name="a", parameters=None):
    return check_action(robot, parse_actions(text, "t.action"), name, robot.pose(start), parameters)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("leg in 1 to 0.6 0 -0.1", "cannot reach control point 1 .* out of reach"),
        ("leg in 1 by 0 0 0.05", "joint 'q113' would be at .* its limits are -2.200 to 1.100"),
        ("leg in 0.05 by 0 0.05 0", "times its top speed; give this at least"),
        ("tail in 1 by 0 0 0.01", "no group 'tail'"),
        ("joint q121 in 1 to 0.5", "follows 'q111'"),
        ("joint tail in 1 to 0.5", "no joint 'tail'"),
        ("joint q113 in 1 to 9", "beyond its limits"),
        ("pose lying in 1", "no pose 'lying'"),
        ("leg in 1 by 0 0 0.01\njoint q112 in 1 to 0.1", "already moved by line 4"),
        ("leg in 1 by 0 0 high", "'high' is not defined"),
    ],
)
def test_problems_name_the_line(shell, line, words):
    problems = said(shell, LEG + "action a\nstep\n" + line)
    assert len(problems) == 1
    assert problems[0].source.line == 3 + len(line.splitlines())
    assert str(problems[0]).startswith(f"t.action:{3 + len(line.splitlines())}:")
    assert re.search(words, str(problems[0]))


def test_bad_groups_are_told_by_the_set_check(shell):
    text = "group a = nowhere -> lower_foot_1\ngroup b = lower_coxa_1 -> lower_foot_1 hold q211\naction x\nstep\nwait 1"
    told = [str(p) for p in check_set(shell, parse_actions(text, "t.action"), shell.pose("stand"))]
    assert len(told) == 2
    assert told[0].startswith("t.action:1: error: group 'a': no link 'nowhere'")
    assert "q112, q113, q114" in told[1]


def test_self_collision_is_told_with_time_and_links(nao):
    text = "action a\nstep\njoint LShoulderRoll in 1 to -0.3\njoint LElbowRoll in 1 to -1.5\njoint LElbowYaw in 1 to 0"
    told = said(nao, text, "StandInit")
    assert any("run into each other" in str(problem) for problem in told)
    assert all(problem.source.line == 2 for problem in told)
    keys = Keyframes("m", (Key(1.0, {"LShoulderRoll": -0.3, "LElbowRoll": -1.5, "LElbowYaw": 0.0}),))
    assert any("run into each other" in str(p) for p in check_keyframes(nao, keys, nao.pose("StandInit")))


def test_shallow_contact_is_only_a_warning(nao):
    told = check_motion(nao, transition(nao, nao.pose("StandInit"), "Crouch"), nao.pose("StandInit"))
    assert [problem.severity.value for problem in told] == ["warning"]
    assert "brush" in str(told[0])


def test_self_collision_leaves_neighbors_and_masked_pairs_alone(nao, shell):
    assert SelfCollision(nao).at(nao.pose("StandInit")) == []
    assert SelfCollision(shell).at(shell.pose("stand")) == []
    (hit,) = SelfCollision(nao).at(nao.pose("Crouch"))
    assert hit.links == {"l_ankle", "r_ankle"}


def stance_of(robot):
    """Where a walk leaves it: kicks begin there, with bent knees."""
    return dict(prepare(robot, Request("")).pose)


# ---- the library ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "start"), [("nao", "StandInit"), ("shell", "stand")])
def test_every_motion_of_the_library_passes_its_check(request, name, start):
    robot = request.getfixturevalue(name)
    motions = library_motions(robot)
    assert motions
    for motion in motions:
        choice = find_motion(robot, motion)
        if isinstance(choice, Keyframes):
            assert check_keyframes(robot, choice, robot.pose(start)) == ()
        else:
            assert () in [check_set(robot, choice.actions, pose) for pose in (robot.pose(start), stance_of(robot))]


def test_names_files_and_actions_are_found(nao, shell, tmp_path):
    assert find_motion(nao, "standinit") == PoseChoice("StandInit")
    assert find_motion(nao, "wave_hand").name == "wave_hand"
    choice = find_motion(shell, "wave_leg:shake")
    assert isinstance(choice, ActionChoice)
    assert choice.name == "shake"
    path = tmp_path / "my.action"
    path.write_text("action one\nstep\nwait 1\naction two\nstep\nwait 1")
    assert find_motion(nao, str(path)).name == "one"
    assert find_motion(nao, f"{path}:two").name == "two"
    with pytest.raises(UnknownName, match="one, two"):
        find_motion(nao, f"{path}:three")
    with pytest.raises(UnknownName, match=r"Crouch.*wave_hand.*\.toml"):
        find_motion(nao, "tango")
    with pytest.raises(BadInput, match=r"no\.toml"):
        find_motion(nao, str(tmp_path / "no.toml"))
    with pytest.raises(BadInput, match=r"ending in \.toml"):
        find_motion(nao, str(tmp_path / "motion.xyz"))
    (tmp_path / "k.csv").write_text("time,HeadYaw\n1,0.2")
    assert find_motion(nao, str(tmp_path / "k.csv")).interpolation == "cubic"
    with pytest.raises(BadInput, match="only action files"):
        find_motion(nao, f"{tmp_path / 'k.csv'}:x")
