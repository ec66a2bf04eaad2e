"""Activities without physics: motions, actions, and walkers that are led."""

import math

import numpy as np
import pytest

from andante.control.activities import Acting, Driving, GettingUp, Hold, Playing, Waving, lying_pose, plain_name
from andante.errors import BadInput
from andante.locomotion import Command, Readings, Walker
from andante.locomotion.gaits import Request, prepare
from andante.motion import ActionRunner, parse_actions, transition

DT = 0.01


def felt(position, time=0.0):
    return Readings(time, np.asarray(position, dtype=float), np.zeros(len(position)))


def test_holding_is_for_ever_and_may_end_at_once():
    hold = Hold(np.arange(3.0))
    assert hold.resting
    assert not hold.over
    hold.stop()
    assert hold.update(felt(np.zeros(3)), Command(vx=1.0), DT).tolist() == [0.0, 1.0, 2.0]


def test_a_motion_is_played_over_joints_that_are_held(nao):
    names, hold = nao.joint_names, np.full(len(nao.joint_names), 0.1)
    motion = transition(nao, np.zeros(len(names)), {"HeadYaw": 0.5}, 0.5)
    playing = Playing(motion, names, hold, "look", kind="pose")
    assert (playing.name, playing.detail, playing.finished) == ("pose", "look", False)
    steps = 0
    while not playing.over:
        targets = playing.update(felt(hold), Command(), DT)
        steps += 1
    assert steps * DT == pytest.approx(motion.duration, abs=1.5 * DT)
    index = names.index("HeadYaw")
    assert targets[index] == pytest.approx(0.5)
    moved = {names.index(name) for name in motion.names}
    assert all(value == 0.1 for i, value in enumerate(targets) if i not in moved)


ACTION = """
action look
  step
    joint HeadYaw in 0.2 to 0.4
  step
    joint HeadPitch in 0.2 to 0.2
"""


def acted(nao, runner, follows, most=2000):
    """Times [s] at which the steps of an action ended, on joints that follow or are stuck."""
    names = nao.joint_names
    q = np.zeros(len(names))
    acting, ends = Acting(runner, names, q, "look"), []
    for step in range(most):
        targets = acting.update(felt(q), Command(), DT)
        if runner.idle and not ends:
            ends.append(step * DT)
        if acting.over:
            break
        q = targets if follows else q
    return acting, ends, targets


@pytest.mark.parametrize(("follows", "shortest", "longest"), [(True, 0.38, 0.5), (False, 0.9, 60.0)])
def test_whether_a_step_has_settled_is_told_by_the_encoders(nao, follows, shortest, longest):
    runner = ActionRunner(nao, parse_actions(ACTION), settle=0.02)
    runner.start("look")
    acting, ends, targets = acted(nao, runner, follows)
    assert acting.finished
    assert shortest < ends[0] < longest
    assert targets[nao.joint_names.index("HeadYaw")] == pytest.approx(0.4)


def test_actions_begin_at_the_targets_that_were_sent_last(nao):
    """Servos sag: a step that began where the encoders are would jump."""
    names = nao.joint_names
    runner = ActionRunner(nao, parse_actions("action nod\n  step\n    joint HeadPitch in 0.5 by 0.1\n"))
    runner.start("nod")
    hold = np.zeros(len(names))
    sagging = hold - 0.05
    acting, index = Acting(runner, names, hold, "nod"), names.index("HeadPitch")
    track = [0.0, *(acting.update(felt(sagging), Command(), DT)[index] for _ in range(80))]
    assert np.abs(np.diff(track)).max() < 0.01
    assert track[-1] == pytest.approx(0.1)


def test_numb_joints_are_taken_to_follow(nao):
    runner = ActionRunner(nao, parse_actions(ACTION), settle=0.02)
    runner.start("look")
    acting = Acting(runner, nao.joint_names, np.zeros(26))
    for _ in range(60):
        acting.update(felt(np.full(26, math.nan)), Command(), DT)
    assert acting.finished


class Wheel(Walker):
    """Stands unless it is told to move, and needs a settling of its own."""

    base_twist, settled, shape = (1.0, 0.0, 0.0), False, ""

    def __init__(self):
        self.asked = Command()
        self.modes, self.stiffness = np.array([1]), np.array([0.5])

    @property
    def standing(self):
        return not self.asked.moving

    def settle(self):
        self.settled = True

    def update(self, readings, command, dt):
        self.asked = command
        return np.array([command.vx])


def test_driving_passes_on_what_the_walker_says_and_heeds_nothing_once_it_stops():
    wheel = Wheel()
    driving = Driving(wheel, "wheels")
    assert (driving.name, driving.detail, driving.over) == ("balance", "wheels", False)
    assert driving.update(felt([0.0]), Command(vx=0.3), DT).tolist() == [0.3]
    assert (driving.name, driving.resting) == ("drive", False)
    assert driving.stiffness is wheel.stiffness
    assert driving.modes is wheel.modes
    assert driving.base_twist == (1.0, 0.0, 0.0)
    driving.stop()
    assert wheel.settled
    assert driving.update(felt([0.0]), Command(vx=0.3), DT).tolist() == [0.0]
    assert driving.resting
    wheel.shape = "ball"
    assert driving.detail == "wheels (ball)"


def test_the_wave_walks_until_it_is_stopped(nao):
    gait = prepare(nao, Request("wave")).walker
    waving = Waving(gait)
    still = felt(np.zeros(26))
    for _ in range(200):
        waving.update(still, Command(), DT)
    assert (waving.name, waving.detail, waving.resting) == ("wave", "smooth", False)
    waving.stop()
    for _ in range(300):
        waving.update(still, Command(vx=1.0), DT)
    assert waving.over


def test_getting_up_cannot_be_broken_off(nao):
    rising = GettingUp(nao)
    rising.stop()
    assert not rising.resting
    assert not rising.guarded
    assert "from" in rising.detail


def test_names_of_getting_up(nao):
    assert plain_name("Get-Up-Belly") == "get_up_belly"
    assert lying_pose(nao, "get-up") == lying_pose(nao, "GET_UP_BACK") == "LyingBack"
    assert lying_pose(nao, "get_up_belly") == "LyingBelly"
    assert lying_pose(nao, "wave_hand") is None


@pytest.mark.parametrize("speed", [0.0, -1.0, math.nan, math.inf])
def test_speeds_that_cannot_be(nao, speed):
    motion = transition(nao, np.zeros(26), {"HeadYaw": 0.5}, 0.5)
    with pytest.raises(BadInput, match="playback speed must be > 0"):
        Playing(motion, nao.joint_names, np.zeros(26), speed=speed)
    with pytest.raises(BadInput, match="playback speed must be > 0"):
        Acting(ActionRunner(nao, parse_actions(ACTION)), nao.joint_names, np.zeros(26), speed=speed)
