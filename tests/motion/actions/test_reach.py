"""Bodies over feet that stay where they are."""

import numpy as np
import pytest

from andante.geometry import SE3
from andante.kinematics import parallel
from andante.motion import ActionRunner, bind, check_action, parse_actions, plan_step

SHELL = "group body = base_link on lower_foot_{1..6} hold q111\naction a preempted resume\nstep\n"
FEET = [f"lower_foot_{k}" for k in range(1, 7)]


def planned(robot, text, start):
    actions = parse_actions(text, "t.action")
    return plan_step(robot, actions, bind(actions, "a").steps[0], robot.complete(robot.pose(start)))


def feet_of(robot, feet, positions):
    poses = robot.link_poses(positions)
    return np.stack([poses[foot].matrix for foot in feet])


def test_feet_stand_still_while_the_body_rises_tilts_and_turns(shell):
    plan = planned(shell, SHELL + "body in 1.0 by 0.01 0 0.02 0.05 0.1 _ ; 0 0.01 0.02 0 0 0.05", "stand")
    assert plan.problems == ()
    assert len(plan.motion.names) == 18
    assert "q111" not in plan.motion.names
    legs = parallel(shell, FEET, "base_link", {"q111": 0.0})
    before = feet_of(shell, FEET, shell.pose("stand"))[:, :3, 3]
    for t in np.linspace(0, 1, 21):
        q = dict(zip(plan.motion.names, plan.motion.evaluate(t).tolist(), strict=True))
        base = legs.forward(legs.vector(q), before)
        assert base.error < 5e-4  # the feet fit one rigid motion of the body: none slips [m]
    end = SE3(legs.forward(legs.vector(plan.end), before).pose)
    assert end.translation == pytest.approx([0, 0.01, 0.02], abs=1e-4)
    assert end.rpy == pytest.approx([0.05, 0, 0], abs=1e-3)


def test_two_feet_keep_their_directions_and_share_the_hip(nao):
    text = "group body = torso on l_sole r_sole\naction a\nstep\nbody in 1.0 by 0 0 -0.03 0 0.1 0"
    plan = planned(nao, text, "StandInit")
    assert plan.problems == ()
    assert plan.motion.names.count("LHipYawPitch") == 1
    assert "RHipYawPitch" not in plan.motion.names
    moved = SE3(feet_of(nao, ["l_sole", "r_sole"], plan.end))
    still = SE3(feet_of(nao, ["l_sole", "r_sole"], nao.pose("StandInit")))
    apart = moved[0].inverse() @ moved[1]
    assert apart.close_to(still[0].inverse() @ still[1], 1e-4)
    torso = nao.link_poses(plan.end)["torso"], nao.link_poses(nao.pose("StandInit"))["torso"]
    drop = (torso[0].inverse() @ moved[0]).translation - (torso[1].inverse() @ still[0]).translation
    assert drop[2] > 0.015  # the sole comes nearer to the torso


def test_a_body_resumes_towards_the_same_place(shell):
    text = SHELL + "body in 0.8 by 0 0 0.02\naction nod priority 3\nstep\njoint q211 in 0.4 by -0.1 ; 0"
    runner = ActionRunner(shell, parse_actions(text))
    runner.start("a")
    joints = shell.complete(shell.pose("stand"))
    for k in range(250):
        if k == 40:
            runner.start("nod")
        joints = shell.complete({**joints, **runner.targets(k * 0.01, joints)})
    assert runner.idle
    legs = parallel(shell, FEET, "base_link", {"q111": 0.0})
    before = feet_of(shell, FEET, shell.pose("stand"))[:, :3, 3]
    assert legs.forward(legs.vector(joints), before).pose[2, 3] == pytest.approx(0.02, abs=2e-4)


@pytest.mark.parametrize(
    ("group", "line", "words"),
    [
        (
            "base_link on lower_foot_{1..6} hold q111",
            "body in 1 by 0 0 -0.1",
            "feet would slip .* joint 'q1.3' is at its limit",
        ),
        ("base_link on lower_foot_{1..6}", "body in 1 to 0 0 0.1", "write: by"),
        ("base_link on lower_foot_{1..6} tail", "body in 1 by 0 0 0", "no link 'tail'"),
        ("base_link on lower_foot_1 lower_foot_2 hold tail", "body in 1 by 0 0 0", "no joint 'tail'"),
        ("base_link on lower_foot_1 lower_foot_1 lower_foot_2", "body in 1 by 0 0 0", "stand in a line"),
    ],
)
def test_what_cannot_be_is_told(shell, group, line, words):
    import re

    actions = parse_actions(f"group body = {group}\naction a\nstep\n{line}", "t.action")
    told = check_action(shell, actions, "a", shell.pose("stand"), collisions=False)
    assert told
    assert re.search(words, str(told[0]))
    assert told[0].source.file == "t.action"
