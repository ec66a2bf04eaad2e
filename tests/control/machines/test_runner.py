"""The algorithm of SCXML on small machines, against what the recommendation says."""

import pytest

from andante.control.machines import MachineRunner, Skill, SkillFailed, StateMachine, check_machine, skill, to
from andante.control.machines.author import State
from andante.control.machines.io.plain import machine_of
from andante.control.machines.skills import skill_of
from andante.errors import BadInput


class Story:
    """Skills that write down what happens."""

    def __init__(self):
        self.lines, self.left, self.speed = [], {}, []

        def note(text):
            self.lines.append(text)

        def work(name, periods=2, fail=False):
            """Takes some periods."""
            self.lines.append(f"begin {name}")
            try:
                for _ in range(periods):
                    yield
            except GeneratorExit:
                self.lines.append(f"cancel {name}")
                raise
            if fail:
                raise SkillFailed("no luck")
            self.lines.append(f"end {name}")

        def drive(v):
            self.speed.append(v)

        self.skills = {s.name: s for s in (skill_of(note), skill_of(work))}
        self.skills["drive"] = Skill("drive", drive, live=True, stop=lambda: self.lines.append("stop"))


def runner(states, facts=None, **top):
    story = Story()
    machine = machine_of({"name": "m", "states": states, **top})
    made = MachineRunner(machine, story.skills, facts or {}, story.lines.append)
    made.start(0.0)
    return made, story


def step(made, *events, seconds=1.0):
    for event in events:
        made.send(event)
    made.step(made.now + seconds)
    return made.active


def test_events_lead_from_state_to_state_and_others_are_ignored():
    made, _ = runner({"a": {"transitions": [{"to": "b", "on": "go"}]}, "b": {}})
    assert made.active == ("a",)
    assert step(made, "stay") == ("a",)
    assert step(made, "go.now") == ("b",)  # a prefix matches by words


def test_a_word_that_only_begins_alike_is_another_event():
    made, _ = runner({"a": {"transitions": [{"to": "b", "on": "go"}]}, "b": {}})
    assert step(made, "gone") == ("a",)


def test_entry_actions_and_exit_come_in_the_order_of_the_recommendation():
    made, story = runner(
        {
            "a": {"exit": "note('a out')"},
            "a1": {"parent": "a", "exit": "note('a1 out')",
                   "transitions": [{"to": "b1", "on": "go", "actions": "note('way')"}]},
            "b": {"entry": "note('b in')"},
            "b1": {"parent": "b", "entry": "note('b1 in')"},
        }
    )  # fmt: skip
    assert step(made, "go") == ("b", "b1")
    assert story.lines == ["a1 out", "a out", "way", "b in", "b1 in"]


def test_the_inner_state_goes_first_and_the_outer_one_catches_the_rest():
    made, _ = runner(
        {
            "a": {"transitions": [{"to": "out", "on": "x y"}]},
            "a1": {"parent": "a", "transitions": [{"to": "a2", "on": "x"}]},
            "a2": {"parent": "a"},
            "out": {},
        }
    )
    assert step(made, "x") == ("a", "a2")
    assert step(made, "y") == ("out",)


def test_regions_run_side_by_side_and_are_done_together():
    made, _ = runner(
        {
            "both": {"kind": "parallel", "transitions": [{"to": "end", "on": "done"}]},
            "l": {"parent": "both"},
            "l1": {"parent": "l", "transitions": [{"to": "l2", "on": "left"}]},
            "l2": {"parent": "l", "kind": "final"},
            "r": {"parent": "both"},
            "r1": {"parent": "r", "transitions": [{"to": "r2", "on": "right"}]},
            "r2": {"parent": "r", "kind": "final"},
            "end": {"kind": "final"},
        }
    )
    assert made.active == ("both", "l", "l1", "r", "r1")
    assert step(made, "left") == ("both", "l", "l2", "r", "r1")
    step(made, "right")
    assert not made.running
    assert made.outcome == "end"


def test_of_two_regions_that_want_out_one_wins():
    made, _ = runner(
        {
            "both": {"kind": "parallel"},
            "l": {"parent": "both", "transitions": [{"to": "x", "on": "go"}]},
            "r": {"parent": "both", "transitions": [{"to": "y", "on": "go"}]},
            "x": {},
            "y": {},
        }
    )
    assert step(made, "go") == ("x",)


@pytest.mark.parametrize(("kind", "expected"), [("history", ("a", "h2", "h2a")), ("deep_history", ("a", "h2", "h2b"))])
def test_history_comes_back_to_where_it_was(kind, expected):
    made, _ = runner(
        {
            "a": {"transitions": [{"to": "b", "on": "out"}]},
            "h": {"parent": "a", "kind": kind, "initial": "h1"},
            "h1": {"parent": "a", "transitions": [{"to": "h2", "on": "next"}]},
            "h2": {"parent": "a"},
            "h2a": {"parent": "h2", "transitions": [{"to": "h2b", "on": "next"}]},
            "h2b": {"parent": "h2"},
            "b": {"transitions": [{"to": "h", "on": "back"}]},
        }
    )
    step(made, "out")
    assert step(made, "back") == ("a", "h1")  # nothing was before
    step(made, "next")
    step(made, "next")
    assert made.active == ("a", "h2", "h2b")
    step(made, "out")
    assert step(made, "back") == expected


def test_time_and_guards():
    facts = {"ball": {"seen": False}}
    made, _ = runner(
        {
            "look": {
                "transitions": [{"to": "go", "when": "ball.seen and elapsed > 1"}, {"to": "give_up", "after": 5.0}]
            },
            "go": {},
            "give_up": {},
        },
        facts,
    )
    step(made, seconds=1.0)
    facts["ball"]["seen"] = True
    assert step(made, seconds=0.0) == ("look",)
    assert step(made, seconds=0.5) == ("go",)
    made, _ = runner({"a": {"transitions": [{"to": "b", "after": 5.0}]}, "b": {}})
    assert step(made, seconds=4.9) == ("a",)
    assert step(made, seconds=0.1) == ("b",)


def test_what_a_state_does_ends_with_done_or_failed_and_is_called_off():
    states = {
        "a": {"do": "work('w', fail=bad)", "transitions": [{"to": "b", "on": "done"}, {"to": "c", "on": "failed"},
                                                           {"to": "d", "on": "enough"}]},
        "b": {}, "c": {}, "d": {},
    }  # fmt: skip
    made, story = runner(states, variables={"bad": False})
    assert [step(made), step(made), step(made)] == [("a",), ("a",), ("b",)]
    assert story.lines == ["begin w", "end w"]
    made, story = runner(states, variables={"bad": True})
    assert [step(made), step(made), step(made)][-1] == ("c",)
    assert "a: no luck" in story.lines
    made, story = runner(states, variables={"bad": False})
    step(made)
    assert step(made, "enough") == ("d",)
    assert story.lines == ["begin w", "cancel w"]


def test_a_live_skill_gets_its_arguments_anew_every_period():
    facts = {"x": 1.0}
    made, story = runner({"a": {"do": "drive(2 * x)", "transitions": [{"to": "b", "on": "go"}]}, "b": {}}, facts)
    step(made)
    facts["x"] = 3.0
    step(made)
    step(made, "go")
    assert story.speed[:2] == [2.0, 6.0]
    assert story.lines == ["stop"]


def test_variables_count_and_delayed_events_come():
    made, _ = runner(
        {
            "a": {
                "entry": ["n = n + 1", "send('tick', 2)"],
                "transitions": [{"to": "a", "on": "tick", "when": "n < 3"}],
            },
        },
        variables={"n": 0},
    )
    for _ in range(10):
        step(made)
    assert made.variables["n"] == 3
    assert [round(each.time) for each in made.taken] == [2, 4]


def test_a_state_that_stays_only_acts():
    made, story = runner({"a": {"entry": "note('in')", "transitions": [{"on": "x", "actions": "note(event.name)"}]}})
    step(made, "x.y")
    assert story.lines == ["in", "x.y"]
    assert made.active == ("a",)


def test_a_guard_that_cannot_be_evaluated_does_not_hold_and_is_told_once():
    made, story = runner({"a": {"transitions": [{"to": "b", "when": "1 / zero > 0"}]}, "b": {}}, {"zero": 0})
    step(made)
    step(made)
    assert made.active == ("a",)
    assert len([line for line in story.lines if "divides by zero" in line]) == 1


def test_running_in_circles_is_stopped_with_a_word():
    made, _ = runner(
        {"a": {"transitions": [{"to": "b", "when": "on"}]}, "b": {"transitions": [{"to": "a", "when": "on"}]}},
        facts := {"on": False},
    )
    facts["on"] = True
    with pytest.raises(BadInput, match="more than 200 transitions at one instant"):
        step(made)


class Greet(StateMachine):
    """Waves at whoever touches its head."""

    waves = 0

    class wait(State):
        transitions = (to("busy", on="touch.head"),)

    class busy(State):
        transitions = (to("wait", on="enough"),)

        class wave(State):
            do = "wave(2)"
            exit = "waves = waves + 1"
            transitions = (to("wait", on="done failed"),)

    def __init__(self):
        self.calls = []

    @skill
    def wave(self, times):
        """Waves."""
        for k in range(times):
            self.calls.append(k)
            yield


def test_a_class_is_a_machine_with_skills_of_its_own():
    greet = Greet()
    machine = greet.machine()
    assert [s.name for s in machine.states] == ["wait", "busy", "wave"]
    assert machine["wave"].parent == "busy"
    assert machine.variables == {"waves": 0}
    assert machine["wave"].transitions[0].source.file == __file__
    assert not check_machine(machine, greet.skills(), frozenset())
    made = MachineRunner(machine, greet.skills())
    made.start(0.0)
    for event in ("touch.head", "", "", ""):
        if event:
            made.send(event)
        made.step(made.now + 1)
    assert made.active == ("wait",)
    assert made.variables["waves"] == 1
    assert greet.calls == [0, 1]


def test_deep_history_of_regions_comes_back_to_all_of_them():
    made, _ = runner(
        {
            "a": {"transitions": [{"to": "b", "on": "out"}]},
            "h": {"parent": "a", "kind": "deep_history", "initial": "p"},
            "p": {"parent": "a", "kind": "parallel"},
            "l": {"parent": "p"},
            "l1": {"parent": "l", "transitions": [{"to": "l2", "on": "next"}]},
            "l2": {"parent": "l"},
            "r": {"parent": "p"},
            "r1": {"parent": "r", "transitions": [{"to": "r2", "on": "next"}]},
            "r2": {"parent": "r"},
            "b": {"transitions": [{"to": "h", "on": "back"}]},
        }
    )
    step(made, "next")
    step(made, "out")
    assert step(made, "back") == ("a", "p", "l", "l2", "r", "r2")


def test_a_way_from_one_region_to_another_leaves_and_enters_both():
    made, story = runner(
        {
            "p": {"kind": "parallel"},
            "l": {"parent": "p", "entry": "note('l')"},
            "l1": {"parent": "l", "transitions": [{"to": "r2", "on": "go"}]},
            "r": {"parent": "p", "entry": "note('r')"},
            "r1": {"parent": "r"},
            "r2": {"parent": "r"},
        }
    )
    assert step(made, "go") == ("p", "l", "l1", "r", "r2")
    assert story.lines == ["l", "r", "l", "r"]
