"""How robots are driven by velocity: the wave gait under any command, names, and robots that cannot go anywhere."""

from dataclasses import replace

import numpy as np
import pytest
from tests.locomotion.biped.box_biped import biped, stance
from tests.locomotion.legged.samples import walker as legged

from andante.control.drivers import NOTHING, again, drive_names, make_ready, start_of
from andante.description import load_robot
from andante.errors import UnknownName
from andante.locomotion import Command, Readings
from andante.locomotion.wave.gait import WaveGait

DT = 0.01


def test_the_wave_gait_walks_ahead_and_stands_otherwise(nao):
    ready = make_ready(nao, "wave")
    walker = ready.walker
    assert isinstance(walker, WaveGait)
    assert walker.max_speed > 0
    assert walker.max_turn == 0
    assert walker.stopping_time > 0
    still = np.zeros(len(ready.robot.joint_names))
    readings = Readings(0.0, still, still)  # the waves feel nothing
    for command in (Command(vx=-0.1), Command(wz=0.5), Command(vy=0.1)):  # the bare gait refuses these
        walker.update(readings, command, DT)
        assert walker.standing
    for _ in range(100):
        walker.update(readings, Command(vx=walker.max_speed, wz=0.3), DT)
    assert not walker.standing
    assert walker.position[0] > 0
    assert tuple(walker.position[1:]) == (0, 0)
    for _ in range(round(walker.stopping_time / DT) + 2):
        walker.update(readings, Command(), DT)
    assert walker.standing
    fresh = again(ready)
    assert fresh.walker is not walker
    assert fresh.walker.position[0] == 0


def test_only_known_ways_to_drive(nao):
    assert "wave" in drive_names(nao)
    with pytest.raises(UnknownName, match="'trott'"):
        make_ready(nao, "trott")


def test_a_robot_without_legs_and_wheels_holds_its_pose(tmp_path):
    file = tmp_path / "post.urdf"
    file.write_text(
        "<robot name='post'><link name='post'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>"
    )
    post = load_robot(file)
    assert drive_names(post) == ()
    ready = make_ready(post)
    assert ready.gait == NOTHING
    assert again(ready).gait == NOTHING
    with pytest.raises(UnknownName, match="'walk'"):
        make_ready(post, "walk")


@pytest.fixture
def loaded(tmp_path):
    def load(text):
        path = tmp_path / "sample.urdf"
        path.write_text(text)
        return load_robot(path)

    return load


def test_a_robot_starts_as_it_can_stand(loaded, nao):
    """A given pose, a named one, positions of the file, what its legs allow, and zero; and it says which."""
    box = loaded(biped())
    assert start_of(nao).words == "pose 'StandInit'"
    assert start_of(box, {"left_knee": 0.3}).words == "given pose"
    named = replace(box, poses={"Home": stance()})
    assert start_of(named).words == "pose 'Home'"
    assert start_of(named).positions["left_knee"] == stance()["left_knee"]
    begun = replace(box, joints=tuple(replace(j, initial=0.1) if j.name == "left_knee" else j for j in box.joints))
    assert start_of(begun).words == "initial positions of the file"
    found = start_of(box)
    assert found.words == "inferred stance"
    assert found.positions["left_knee"] > 0.2
    assert found.held["left_knee"] != found.positions["left_knee"]  # the sag is made up for
    assert "rig_imu" in {spec.name for spec in found.robot.sensors}
    sprawled = start_of(loaded(legged((45, 135, 225, 315))))
    assert sprawled.words == "inferred stance"
    waffle = start_of(load_robot("waffle"))
    assert waffle.words == "zero pose of the file"
    assert not waffle.held


def test_legs_that_cannot_walk_still_stand(loaded):
    ready = make_ready(loaded(biped(ankle_roll=False)))
    assert (ready.gait, ready.start) == (NOTHING, "inferred stance")
    assert "no ankle roll" in ready.hindrance
    assert ready.pose["left_knee"] > 0.2
