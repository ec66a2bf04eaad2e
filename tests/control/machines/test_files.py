"""Every form gives the machine back, and foreign SCXML is read or refused by name."""

import pytest

from andante.control.machines import MachineRunner
from andante.control.machines.io.files import find_machine, machine_of_text, machine_text, read_machine, write_machine
from andante.control.machines.io.scxml import scxml_machine
from andante.description import load_robot
from andante.errors import AndanteError

WHOLE = """
name = "whole"
robot = "nao"
note = "Every entry that there is: <&> 'quoted' \\"twice\\""
initial = "a"
[variables]
n = 1
speed = 0.25
word = "ball's \\"end\\""
on = true
places = [1.0, 2.0]
[states.a]
kind = "parallel"
[[states.a.transitions]]
to = "end"
on = "done failed x.*"
when = "n < 3 and 'b' != \\"c\\""
after = 1.5
actions = ["n = n + 1", "log('<&>')"]
[states.l]
parent = "a"
initial = "l2"
place = [10.5, -20.0]
[states.l1]
parent = "l"
do = ["wait(1)", "drive(0.1, wz=0.2)"]
exit = "n = 0"
[states.l2]
parent = "l"
note = "second"
[states.h]
kind = "history"
parent = "l"
initial = "l1"
[states.deep]
kind = "deep_history"
parent = "l"
initial = "l1"
[states.r]
parent = "a"
transitions = [{on = "tick", actions = "send('tock', 0.5)"}]
[states.end]
kind = "final"
entry = ["say('bye')", "emit('over')"]
"""


@pytest.mark.parametrize("suffix", [".toml", ".json", ".scxml"])
def test_every_form_gives_the_machine_back(suffix, tmp_path):
    machine = machine_of_text(WHOLE, ".toml", "whole.toml")
    write_machine(machine, tmp_path / f"m{suffix}")
    again = read_machine(tmp_path / f"m{suffix}")
    assert again == machine
    assert machine_text(again, ".json") == machine_text(machine, ".json")
    assert again["l1"].source.line > 0 or suffix == ".json"


FOREIGN = b"""<?xml version="1.0"?>
<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="off">
  <datamodel><data id="count" expr="0"/></datamodel>
  <state id="off"><transition event="switch" target="on"/></state>
  <state id="on">
    <onentry><assign location="count" expr="count + 1"/><send event="timeout" delay="500ms"/>
      <log label="on" expr="count"/></onentry>
    <initial><transition target="dim"/></initial>
    <transition event="timeout" target="off"><raise event="was.on"/></transition>
    <state id="bright"/>
    <state id="dim"><transition event="more" cond="count &lt; 5 and In == 0" target="bright"/></state>
  </state>
</scxml>
"""


def test_scxml_of_others_runs():
    machine = scxml_machine(FOREIGN, "lamp.scxml")
    lines = []
    runner = MachineRunner(machine, {}, {"In": 0}, lines.append)
    runner.start(0.0)
    runner.send("switch")
    runner.send("more")
    runner.step(0.1)
    assert runner.active == ("on", "bright")
    assert lines == ["on: 1"]
    runner.step(0.5)
    assert runner.active == ("on", "bright")
    runner.step(0.61)
    assert runner.active == ("off",)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (b"<state id='a'><onentry><foreach/></onentry></state>", "x.scxml:2: <foreach> is not read here"),
        (b"<state/>", "x.scxml:2: <state> needs the attribute id"),
        (b"<state id='a'><transition target='a b'/></state>", "has one target here"),
        (b"<state id='a'><onentry><script>import os</script></onentry></state>", "is no action"),
        (b"<state id='a'><onentry><send event='e' delay='soon'/></onentry></state>", "delay should look like"),
        (b"<script>x</script>", "a script at the top is not run"),
        (b"<banana/>", "<banana> is not read here"),
        (b"<state id='a'><final id='f'><donedata/></final></state>", "donedata"),
    ],
)
def test_scxml_that_has_no_counterpart_is_refused_by_name(part, words):
    with pytest.raises(AndanteError) as error:
        scxml_machine(b"<scxml xmlns='http://www.w3.org/2005/07/scxml'>\n" + part + b"</scxml>", "x.scxml")
    assert words in str(error.value)


def test_a_name_of_the_library_or_a_clear_line():
    nao = load_robot("nao")
    assert find_machine(nao, "Greet")[0].name == "greet"
    with pytest.raises(AndanteError, match=r"no state machine 'nothing' for robot 'nao'; choices: .*greet"):
        find_machine(nao, "nothing")
