"""What is wrong with a machine is told with its line, and only that."""

import pytest

from andante.control.machines import check_machine
from andante.control.machines.io.files import machine_of_text, read_machine
from andante.control.machines.skills import skill_of
from andante.errors import AndanteError


def work(name, periods=2):
    yield


def note(text):
    pass


SKILLS = {skill.name: skill for skill in (skill_of(work), skill_of(note))}
FACTS = frozenset({"ball"})


def told(text):
    return [str(problem) for problem in check_machine(machine_of_text(text, ".toml", "m.toml"), SKILLS, FACTS)]


def test_a_sound_machine_has_no_problems():
    text = """
        [variables]
        n = 0
        [states.a]
        do = "work('x', periods=n + 1)"
        entry = "n = min(n + 1, 3)"
        transitions = [{to = "b", when = "ball.seen and elapsed > 1"}, {to = "b", on = "done"}]
        [states.b]
        transitions = [{to = "a", after = 1.0}]
    """
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[states.a]\n[[states.a.transitions]]\nto = 'b'\non = 'x'", 2, "leads to 'b', which is no state"),
        ("[states.a]\n[states.b]\n", 2, "nothing leads to state 'b'"),
        ("[states.a]\ndo = 'fly()'", 1, "no skill 'fly'"),
        ("[states.a]\ndo = 'work()'", 1, "it is called as work(name, periods=2)"),
        ("[states.a]\nentry = \"work('x')\"", 1, "takes time; call it under do"),
        ("[states.a]\nentry = 'n = 1'", 1, "'n' is no variable"),
        ("[states.a]\nentry = 'note(bal.x)'", 1, "nothing is called bal"),
        ("[states.a]\nentry = 'import os'", 1, "is no action"),
        ("[states.a]\n[[states.a.transitions]]\nto = 'a'\nwhen = 'ball.seen and'", 2, "is not an expression"),
        ("[states.a]\n[[states.a.transitions]]\nto = 'a'\nwhen = '__import__(1)'", 2, "nothing is called __import__()"),
        ("[states.a]\n[[states.a.transitions]]\nto = 'b'\n[states.b]\n[[states.b.transitions]]\nto = 'a'", 2,
         "a -> b -> a goes round without waiting"),
        ("[states.a]\n[[states.a.transitions]]\nto = 'a'", 2, "goes round without waiting"),
        ("[states.a]\n[[states.a.transitions]]\nto = 'b'\nafter = -1\n[states.b]", 2, "after must be a time"),
        ("[states.a]\n[[states.a.transitions]]\non = 'x'", 2, "neither a target nor an action"),
        ("[states.a]\ninitial = 'b'\n[states.b]", 1, "which is no child"),
        ("[states.a]\nkind = 'history'\ninitial = 'b'\n[states.b]", 1, "a history lies in a state"),
        ("[states.a]\nkind = 'final'\ndo = \"work('x')\"", 1, "a final state has neither"),
        ("[states.a]\nkind = 'parallel'\n[states.b]\nparent = 'a'", 1, "two children or more"),
        ("[states.a]\n[[states.a.transitions]]\nto='a'\non='x'\n[[states.a.transitions]]\nto='a'\non='x'", 5,
         "never taken"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(text, line, words):
    found = told(text)
    assert any(words in each and each.startswith(f"m.toml:{line}:") for each in found), found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "at least one state"),
        ("[states.a]\nparent = 'b'", "m.toml:1: state 'a' lies in 'b', which is not there"),
        ("[states.a]\nparent = 'b'\n[states.b]\nparent = 'a'", "lies in itself"),
        ("[states.a]\nkind = 'magic'", "m.toml:1: state 'a' is of kind 'magic'; kinds: state, parallel"),
        ("[states.a]\ncolor = 'red'", "no entry 'color' in m.toml:1: state a"),
        ("[states.a]\ndo = 5", "do should be a text"),
        ("[states.a]\n[[states.a.transitions]]\nafter = 'soon'", "m.toml:2: after should be a time"),
        ("[states.'a b']", "without blanks"),
        ("[variables]\nx = {a = 1}\n[states.a]", "variables are names with numbers"),
        ("states = 5", "states must be tables"),
        ("[states", "not valid TOML"),
    ],
)
def test_what_cannot_be_a_machine_is_refused_in_one_line(text, words):
    with pytest.raises(AndanteError) as error:
        machine_of_text(text, ".toml", "m.toml")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(AndanteError, match=r"none\.toml"):
        read_machine(tmp_path / "none.toml")
