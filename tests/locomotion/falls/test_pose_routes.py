"""Ways from pose to pose: static margins by hand, routes over a third pose, refusals."""

import math

import numpy as np
import pytest

import andante as an
from andante.errors import BadInput
from andante.locomotion.falls.pose_routes import (
    PLANE,
    SAFE,
    pose_route,
    standing_poses,
    static_margin,
    two_feet,
    way_margin,
)
from andante.locomotion.rigs.balance import Balance
from andante.motion.joint_motion import within_limits

NAO = an.robot("nao")
MODEL = Balance(NAO)
STANDING = ("Stand", "StandInit", "StandZero", "Crouch", "ros_init", "ros_zero", "init", "zero")


def vector(positions):
    whole = NAO.complete(positions)
    return np.array([whole[name] for name in NAO.joint_names])


def test_who_stands_in_which_pose():
    assert standing_poses(NAO) == STANDING
    assert two_feet(NAO)
    assert not two_feet(an.robot("rover"))


def test_margin_shrinks_by_what_the_body_leans():
    """Bending both ankles by a moves the center of mass by h sin a over the soles, to the front border."""
    q = NAO.pose("StandZero")
    center, soles = MODEL.at(vector(q))
    height = center[2] - soles[0][:, 2].min() - 0.04511  # over the ankles
    front = np.concatenate(soles)[:, 0].max()
    lean = 0.3
    leaning = vector({**q, "LAnklePitch": -lean, "RAnklePitch": -lean})
    ahead = height * math.sin(lean) + center[0] * math.cos(lean)
    assert static_margin(MODEL, leaning) == pytest.approx(front - ahead, abs=2e-3)
    assert static_margin(MODEL, vector({**q, "LKneePitch": 0.5})) == -math.inf  # one sole off the plane
    assert PLANE < 0.02


def test_straight_where_it_is_safe():
    route = pose_route(NAO, "StandInit", "Crouch", 0.3)
    assert route.via == ()
    assert route.margin == pytest.approx(way_margin(MODEL, vector(NAO.pose("StandInit")), vector(NAO.pose("Crouch"))))
    assert route.margin >= SAFE
    wanted, _ = within_limits(NAO, NAO.pose("Crouch"))
    np.testing.assert_allclose(route.evaluate(route.duration), [wanted[name] for name in route.names], atol=1e-12)


def test_over_another_pose_where_the_straight_way_is_not(monkeypatch):
    start, goal = NAO.pose("StandZero"), "Crouch"
    between = vector(NAO.pose("StandInit"))
    real = way_margin

    def no_straight_way(model, a, b):
        direct = np.allclose(a, vector(start)) and not np.allclose(b, between)
        return -0.01 if direct else real(model, a, b)

    monkeypatch.setattr("andante.locomotion.falls.pose_routes.way_margin", no_straight_way)
    route = pose_route(NAO, "StandZero", goal, 0.3)
    assert route.via == ("StandInit",)
    assert len(route.parts) == 2
    first = route.parts[0]
    np.testing.assert_allclose(route.evaluate(first.duration), first.goal, atol=1e-9)
    np.testing.assert_allclose(route.evaluate(first.duration, 1), 0.0, atol=1e-6)  # rests in between
    times = np.linspace(0.0, route.duration, 200)
    steps = np.abs(np.diff(route.evaluate(times), axis=0)).max()
    assert steps < 0.1  # no jump
    np.testing.assert_allclose(route.evaluate(times[:3] - 10.0)[0], first.start)


def test_no_way_is_told(monkeypatch):
    monkeypatch.setattr("andante.locomotion.falls.pose_routes.way_margin", lambda *_: -1.0)
    with pytest.raises(BadInput, match="no way to pose 'Crouch'"):
        pose_route(NAO, "StandInit", "Crouch")


@pytest.mark.parametrize(
    ("start", "goal", "said"),
    [
        ("StandInit", "Sit", "'Sit' is no standing pose.*StandInit"),
        ("StandInit", "LyingBack", "no standing pose"),
        ("LyingBelly", "StandInit", "must get up"),
    ],
)
def test_poses_on_the_ground_are_refused(start, goal, said):
    with pytest.raises(BadInput, match=said):
        pose_route(NAO, start, goal)
