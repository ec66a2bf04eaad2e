"""Real falls under physics: felt before the robot lies, and it stands again."""

import math

import pytest

import andante as an
from andante.control.loop import ControlLoop
from andante.errors import BadInput
from andante.experiments.trials.fall import FallPush, run_fall
from andante.locomotion import Command
from andante.locomotion.behaviour import HoldPose
from andante.locomotion.falls.detector import FallRules
from andante.locomotion.falls.get_up import GetUp, Phase
from andante.locomotion.falls.manager import FallManager
from andante.locomotion.io.fall_library import fall_motions

NAO = an.robot("nao")


@pytest.mark.parametrize(("degrees", "felt"), [(0.0, "front"), (180.0, "back"), (80.0, "left")])
def test_after_a_fall_it_stands_again(degrees, felt):
    outcome = run_fall(FallPush(6.5, math.radians(degrees), 0.7), robot=NAO, seed=3)
    assert outcome.fell
    assert outcome.stands, [str(event) for event in outcome.events]
    assert outcome.warning > 0.05  # felt before the body lay
    assert (outcome.events[0].what, outcome.events[0].where) == ("falling", felt)
    assert outcome.events[-1].what == "up"
    assert outcome.seconds < 40
    told = outcome.as_dict()
    assert told["direction"] == pytest.approx(degrees)
    assert told["stands"] is True


@pytest.mark.parametrize("degrees", [0.0, 90.0, 180.0, 225.0])
def test_a_push_that_it_stands_is_no_fall(degrees):
    outcome = run_fall(FallPush(0.7, math.radians(degrees), 0.5), robot=NAO)
    assert not outcome.fell
    assert outcome.stands
    assert outcome.events == ()


def test_walking_is_no_fall_and_goes_on_after_one():
    """The closed-loop walk under the manager: a small push is its own affair, a hard one is not."""
    ahead = Command(vx=0.08)
    calm = run_fall(FallPush(0.5, math.pi / 2, 1.5), robot=NAO, gait="walk", command=ahead)
    assert (calm.fell, calm.events) == (False, ())
    hard = run_fall(FallPush(6.5, math.pi, 1.5), robot=NAO, gait="walk", command=ahead, seed=2)
    assert hard.fell
    assert hard.stands
    assert hard.events[-1].what == "up"


def test_whoever_cannot_get_up_says_so():
    """Servos at a tenth of their strength: three tries, then it gives up and lies limp."""
    sim = an.simulate(NAO, pose="LyingBack", sensors=True)
    gains = sim.engine.commands[sim.model].gains
    sim.engine.set_gains(sim.model, gains.changed(effort=0.1 * gains.effort))
    robot = GetUp(NAO, fall_motions(NAO))
    loop = ControlLoop(sim, robot)
    for _ in range(60):
        loop.run(1.0)
        if robot.phase is Phase.FAILED:
            break
    assert robot.phase is Phase.FAILED
    assert robot.failures == 3
    assert sim.fallen


def test_same_seed_same_fall():
    first, second = (run_fall(FallPush.random(5), robot=NAO, seed=5, longest=1.5) for _ in range(2))
    assert first.events == second.events
    assert FallPush.random(5) == FallPush.random(5) != FallPush.random(6)


def test_standing_still_it_feels_nothing():
    """With sensor noise, for a second."""
    sim = an.simulate(NAO, sensors=True)
    manager = FallManager(HoldPose(NAO, "StandInit"), NAO, fall_motions(NAO), FallRules(step_reach=0.0))
    loop = ControlLoop(sim, manager)
    loop.run(1.0)
    assert manager.events == []
    assert manager.balance is not None
    assert manager.balance.outside < -0.05


@pytest.mark.parametrize("push", [FallPush(math.nan, 0.0), FallPush(1.0, math.inf), FallPush(1.0, 0.0, -1.0)])
def test_bad_pushes_are_told(push):
    with pytest.raises(BadInput, match="finite impulse"):
        run_fall(push, robot=NAO)
