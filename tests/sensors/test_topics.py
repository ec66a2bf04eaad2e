"""Names of robots, joints and sensors as parts of topics."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.bridges.encoding import absolute
from andante.sensors.topics import distinct, plain


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("nao", "nao"),
        ("l_foot/front", "l_foot/front"),
        ("my robot-2.0", "my_robot_2_0"),
        ("Käfer", "Kafer"),
        ("3rd/1st", "n_3rd/n_1st"),
        ("机器人", "___"),
        ("", "sensor"),
        ("/a//b/", "a/b"),
    ],
)
def test_what_ros_does_not_take_is_replaced(name, legal):
    assert plain(name) == legal


def test_long_names_stay_apart():
    a, b = plain("x" * 300 + "a"), plain("x" * 300 + "b")
    assert a != b
    assert len(a) == len(b) == 60


@given(st.lists(st.text(max_size=80), max_size=8, unique=True))
def test_any_names_are_legal_and_distinct(names):
    found = distinct(names)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    for legal in found.values():
        assert absolute(f"/{legal}") == f"/{legal}"
        assert re.fullmatch(r"([A-Za-z_][A-Za-z0-9_]*/)*[A-Za-z_][A-Za-z0-9_]*", legal)
