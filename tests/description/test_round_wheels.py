"""Wheels whose collision shape is the box around them roll on what is seen of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.kinematics.wheels.samples import ACROSS, robot, wheel

from andante.description import Box, Collision, Cylinder, Robot
from andante.description.link import Visual
from andante.description.round_wheels import with_round_wheels
from andante.geometry import SE3
from andante.kinematics import find_drive


def boxed(across: float = 0.1) -> Robot:
    """A cart on two wheels of 0.05 m, seen as cylinders, that touch as boxes of this width."""
    made = robot("cart", [wheel("l", 0.0, 0.2), wheel("r", 0.0, -0.2)])
    box = Collision(Box((across, 0.03, across)), SE3.identity())
    seen = Visual(Cylinder(0.05, 0.03), ACROSS)
    links = tuple(
        replace(link, collisions=(box,), visuals=(seen,)) if link.name != "base" else link for link in made.links
    )
    return replace(made, links=links)


def test_boxes_become_the_cylinders_that_are_seen() -> None:
    made = with_round_wheels(boxed())
    shape = made.link("l_link").collisions[0].geometry
    assert isinstance(shape, Cylinder)
    assert shape.radius == pytest.approx(0.05, rel=0.01)
    assert find_drive(made).kind == "differential"
    assert any("is a box around it, which does not roll" in problem.message for problem in made.problems)


def test_boxes_that_are_not_around_what_is_seen_stay() -> None:
    other = boxed(across=0.3)
    assert with_round_wheels(other) is other


def test_wheels_without_looks_stay() -> None:
    bare = boxed()
    bare = replace(bare, links=tuple(replace(link, visuals=()) for link in bare.links))
    assert with_round_wheels(bare) is bare
