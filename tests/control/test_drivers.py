"""How robots are driven by velocity: the wave gait under any command, names, and robots that cannot go anywhere."""

import numpy as np
import pytest

from andante.control.drivers import NOTHING, again, drive_names, make_ready
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
