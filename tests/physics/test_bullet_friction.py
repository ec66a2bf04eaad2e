"""Factors of friction that Bullet multiplies, and the skin of its meshes."""

from __future__ import annotations

import pytest

pytest.importorskip("andante.physics.bullet.api", reason="pybullet is not installed", exc_type=ImportError)

from andante.description.inertia import Inertia
from andante.description.joint import Joint, JointType
from andante.description.link import Collision, Link, Surface
from andante.description.robot import Robot
from andante.description.shapes import Box, Ellipsoid, Geometry
from andante.description.world import Placement
from andante.geometry import SE3
from andante.physics.bullet.engine import BulletEngine
from andante.physics.bullet.friction import friction_factors
from andante.physics.checks import specimens

ROUND = Inertia(1.0, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))


def block(mu: float) -> Robot:
    shape = Collision(Box((1.0, 1.0, 1.0)), surface=Surface(mu=mu))
    return Robot("block", (Link("block", ROUND, collisions=(shape,)),))


def factors(standing: list[float], moving: list[float]) -> dict[tuple[bool, float], float]:
    """Those of a scene with one body for each coefficient."""
    placements = [
        Placement(f"{kind}{k}", block(mu), fixed=kind == "standing")
        for kind, values in (("standing", standing), ("moving", moving))
        for k, mu in enumerate(values)
    ]
    engine = BulletEngine(specimens.world(), placements)
    return dict(friction_factors(engine.models, 1.0))


@pytest.mark.parametrize(
    ("standing", "moving"),
    [([0.5], [0.5]), ([0.3], [0.7]), ([0.8, 0.3, 0.02], [1.0, 0.8]), ([1.0], [0.6, 0.1]), ([0.8], [1e15])],
)
def test_the_smaller_coefficient_holds_between_what_stands_and_what_moves(
    standing: list[float], moving: list[float]
) -> None:
    found = factors(standing, moving)
    for s in standing:
        for m in moving:
            assert found[True, s] * found[False, m] == pytest.approx(min(s, m), rel=0.01)


def test_alike_things_that_move_keep_their_coefficient_beside_any_ground() -> None:
    found = factors([0.8, 0.3], [0.9])
    assert found[False, 0.9] ** 2 == pytest.approx(0.9, rel=0.01)


def test_what_cannot_be_met_is_met_nearly() -> None:
    """A foot that is smoother than the rougher of two grounds: every pair within a tenth of the smaller coefficient."""
    found = factors([0.8, 0.3], [1.0, 0.6])
    for s in (0.8, 0.3):
        for m in (1.0, 0.6):
            assert found[True, s] * found[False, m] == pytest.approx(min(s, m), rel=0.1)


def test_nothing_rubs_on_what_is_slick() -> None:
    assert factors([0.0, 0.5], [0.0, 0.5])[False, 0.0] == 0.0


def jointed(geometry: Geometry) -> Robot:
    """A body with a shape on a link of its own, which a hinge holds."""
    links = (Link("body", ROUND), Link("arm", ROUND, collisions=(Collision(geometry),)))
    return Robot("robot", links, (Joint("hinge", JointType.REVOLUTE, "body", "arm"),))


def test_meshes_of_links_lie_in_a_thin_skin() -> None:
    """Where a link of a robot rests shows its skin: 0.1 mm, not the 1 mm that Bullet has."""
    engine = BulletEngine(
        specimens.world(specimens.ground()),
        [Placement("egg", jointed(Ellipsoid((0.1, 0.1, 0.1))), SE3.from_xyz_rpy((0, 0, 0.102)))],
    )
    engine.step(500)
    assert engine.base_pose(1)[2] == pytest.approx(0.1001, abs=2e-4)
