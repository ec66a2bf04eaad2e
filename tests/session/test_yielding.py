"""What robots intend goes over the bus as it is, and what is no intent is passed over."""

import numpy as np
import pytest

from andante.bags import messages
from andante.navigation.right_of_way import Intent
from andante.session.yielding import Yielding

WAY = np.array([[0.0, 0.0, 1.5], [1.0, 0.5, np.inf], [2.0, 0.5, 0.4]])


def told(**changes):
    intent = Intent("waffle_2", np.array([0.1, -0.2, 0.3]), 0.25, WAY, ("waffle", "rover"), True)
    message = Yielding.message_of(intent, messages.make("std_msgs/msg/Header", frame_id="map"))
    for name, value in changes.items():
        setattr(message, name, value)
    return message


def test_an_intent_goes_over_the_bus_as_it_is():
    message = told()
    assert message.header.frame_id == "map"
    back = Yielding.intent_of(messages.from_cdr(message.__msgtype__, messages.to_cdr(message)))
    assert back is not None
    assert (back.name, back.radius, back.before, back.stuck) == ("waffle_2", 0.25, ("waffle", "rover"), True)
    np.testing.assert_allclose(back.pose, [0.1, -0.2, 0.3])
    np.testing.assert_allclose(back.way, np.minimum(WAY, 1e6), rtol=1e-6)


@pytest.mark.parametrize(
    "changes",
    [{"x": [0.0]}, {"radius": -1.0}, {"room": [np.nan] * 3}, {"pose": messages.make("geometry_msgs/Pose2D", x=np.inf)}],
)
def test_what_is_no_intent_is_passed_over(changes):
    assert Yielding.intent_of(told(**changes)) is None
