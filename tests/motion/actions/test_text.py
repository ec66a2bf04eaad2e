"""The text format of actions, and from expressions to numbers."""

from math import inf, isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import AndanteError, BadInput, UnknownName
from andante.motion import ActionSet, Call, Reach, Step, Take, Turn, Wait, bind, parse_actions

FULL = """
robot shell   # for whom
group front = base_link -> lower_foot_1 hold q111
group leg.{1..3} = lower_coxa_{} -> lower_foot_{}

action greet priority 2 loop 3 preempted resume
  parameter height = 0.04
  parameter twice = 2 * height
  step up repeat 2
    leg.{1,3} in 0.6 by 0 0 height
    front at 0.3 to 0.2 0 -0.05 ; 0.22 0 _ nan (twice + 0.1) free
    joint q211 in 0.5 to 0.4 ; -height
  do rest beat=height*10
action rest loop 2
  parameter beat = 1
  step
    pose stand in beat
  step wait
    wait beat/2
"""


def test_everything_that_can_be_written():
    actions = parse_actions(FULL, "a.action")
    assert actions.robot == "shell"
    assert actions.first == "greet"
    assert list(actions.groups) == ["front", "leg.1", "leg.2", "leg.3"]
    assert actions.groups["front"].hold == ("q111",)
    assert (actions.groups["leg.2"].base, actions.groups["leg.2"].tip) == ("lower_coxa_2", "lower_foot_2")
    greet = actions.action("greet")
    assert (greet.priority, greet.preempted) == (2, "resume")
    step, call = greet.steps
    assert isinstance(step, Step)
    assert isinstance(call, Call)
    assert [type(atomic) for atomic in step.atomics] == [Reach, Reach, Reach, Turn]
    assert step.atomics[0].group == "leg.1"
    assert step.atomics[1].group == "leg.3"
    assert str(step.atomics[2].source) == "a.action:11"


def test_binding_fills_in_parameters_and_writes_out_calls():
    actions = parse_actions(FULL, "a.action")
    bound = bind(actions, "greet", {"height": 0.1})
    assert bound.loop == 3
    assert bound.parameters == {"height": 0.1, "twice": 0.2}
    assert [step.name for step in bound.steps] == ["up", "up", "step 1", "wait", "step 1", "wait"]
    lift, _, front, turn = bound.steps[0].atomics
    assert lift.points[0][:3] == (0, 0, 0.1)
    assert all(isnan(v) for v in lift.points[0][3:])
    assert lift.duration == 0.6
    assert front.duration is None
    assert front.speed == 0.3
    assert front.points[1][4] == pytest.approx(0.3)
    assert isnan(front.points[1][2])
    assert turn.positions == {"q211": (0.4, -0.1)}
    take, wait = bound.steps[2].atomics[0], bound.steps[3].atomics[0]
    assert isinstance(take, Take)
    assert take.duration == pytest.approx(1.0)
    assert isinstance(wait, Wait)
    assert wait.duration == pytest.approx(0.5)
    assert bind(parse_actions("action a loop forever\nstep\nwait 1"), "a").loop == inf


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "there is no action"),
        ("group a", r"x.action:1: a group looks like"),
        ("group a = b -> c hold", "hold needs"),
        ("group a = b -> c\ngroup a = b -> d", r"x.action:2: group 'a' is defined twice"),
        ("group pose = b -> c", "cannot name a group"),
        ("group a.{3..1} = b -> c", "count up"),
        ("group a.{} = b -> c", "range"),
        ("step up", "outside an action"),
        ("action", "needs a name"),
        ("action a\naction a", "defined twice"),
        ("action a priority high", "whole number"),
        ("action a speed 3", "expected priority VALUE"),
        ("action a preempted maybe", "end or resume"),
        ("action a\nparameter x 3", "a parameter looks like"),
        ("action a\nparameter x = 1\nparameter x = 2", "defined twice"),
        ("action a\nstep\nwait 1\nparameter x = 1", "before the first step"),
        ("action a\nleg in 1 to 0 0 0", r"x.action:2: 'leg' stands outside a step"),
        ("action a\nstep\nleg 0 0 0", "should go on with"),
        ("action a\nstep\nleg in 1 to", "should go on with"),
        ("action a\nstep\nleg in 1 to 1 2 3 ; ; 1 2 3", "without a point"),
        ("action a\nstep\njoint", "needs a name"),
        ("action a\nstep\njoint q in 1 to 1 2", "one number per point"),
        ("action a\nstep\npose stand in 1 to 3", "a pose looks like"),
        ("action a\nstep\nwait", "takes one word"),
        ("action a\nstep\nleg in (1 to 0 0 0", "bracket is not closed"),
        ("action a\nstep\nleg in 1) to 0 0 0", "closed that was not opened"),
        ("action a\ndo", "name of an action"),
        ("action a\ndo b x 3", "NAME=VALUE"),
    ],
)
def test_bad_text(text, words):
    with pytest.raises(BadInput, match=words) as caught:
        parse_actions(text, "x.action")
    assert "x.action" in str(caught.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", "is empty"),
        ("step up", r"x.action:2: step 'up' is empty"),
        ("step\nleg in 1 to 1 2", "3: a control point is x y z"),
        ("step\nleg in 1 to _ _ _", "every coordinate"),
        ("step\nleg in 1 to 1 2 1e300", "more than 1000 m away"),
        ("step\nleg in 1 to 1 2 high", "'high' is not defined"),
        ("step\nleg in 0 to 1 2 3", "between 0 and 3600"),
        ("step\nleg in nan to 1 2 3", "."),
        ("step\nleg at 3 to 1 2 3", "fraction of the joint limits"),
        ("step\nleg in 1 to 1 2 1/0", "divides by zero"),
        ("step\nleg in 1 to 1 2 __import__('os')", "."),
        ("step\nleg in 1 to 1 2 'a'", "should be a number"),
        ("step repeat 0\nwait 1", "whole number from 1"),
        ("step repeat 1.5\nwait 1", "whole number from 1"),
        ("step repeat 999999\nwait 1", "more than 10000 steps"),
        ("do a", "calls itself"),
        ("do b", "no action 'b'"),
        ("do a x=1", "no parameter 'x'"),
        ("do endless\naction endless loop forever\nstep\nwait 1", "loops without end"),
    ],
)
def test_bad_values(body, words):
    actions = parse_actions(f"action a\n{body}", "x.action")
    with pytest.raises(AndanteError, match=words):
        bind(actions, "a")


def test_unknown_names_list_the_choices():
    actions = parse_actions(FULL, "a.action")
    with pytest.raises(UnknownName, match="greet, rest"):
        bind(actions, "dance")
    with pytest.raises(UnknownName, match="height, twice"):
        bind(actions, "greet", {"speed": 1.0})
    with pytest.raises(UnknownName, match=r"front, leg\.1"):
        actions.group("tail")
    with pytest.raises(BadInput, match="no action"):
        ActionSet({})


@given(st.text(alphabet="abcdeghijloprstuwn0123456789 .;=_-+*/(){}#\n>", max_size=300))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_or_refused(text):
    message = ""
    try:
        actions = parse_actions("action a\nstep\n" + text, "x.action")
        bind(actions, "a")
    except AndanteError as error:
        message = str(error)
    assert "\n" not in message
