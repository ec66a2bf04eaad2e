"""UWB anchors and tags of a simulated robot as localization takes them."""

import numpy as np
import pytest

import andante as an
from andante.errors import BadInput
from andante.mobile.sensing import uwb_setup, world_from_uwb


def test_the_uwb_setup_keeps_the_convention_of_the_source():
    sim = an.simulate("rover", world="lab", sensors=True)
    setup = uwb_setup(sim.robot, sim.sensors)
    p = setup.anchor_positions
    assert p[0] == pytest.approx([0, 0, 0])
    assert p[1, [0, 2]] == pytest.approx([0, 0])
    assert p[2, 1:] == pytest.approx([0, 0])
    assert p[3, 2] > 0
    assert setup.tag_positions == pytest.approx(np.array([[0, 0, 0], [-0.36, 0, 0]]))
    told = world_from_uwb(sim.sensors) @ p
    assert told == pytest.approx(np.array(list(sim.sensors.anchors.values())), abs=1e-9)


def test_a_robot_without_tags_is_told():
    sim = an.simulate("nao", sensors=True)
    with pytest.raises(BadInput, match="has no UWB tag"):
        uwb_setup(sim.robot, sim.sensors)
