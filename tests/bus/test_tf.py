"""Transforms: against matrices, interpolation, every error."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from andante.bags import messages
from andante.bus import Bus, TfBuffer, TfError
from andante.bus import _poses as poses
from andante.errors import BadInput
from andante.geometry import SE3

HALF = math.sqrt(0.5)
unit = st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1)
place = st.tuples(*[st.floats(-10, 10)] * 3)


def pose(xyz: tuple[float, ...], q: list[float]) -> tuple[float, ...]:
    return (*xyz, *(np.array(q) / np.linalg.norm(q)))


def close(a: object, b: object) -> bool:
    """The same pose, whichever sign the quaternion has."""
    return bool(np.allclose(SE3.from_vector(a).matrix, SE3.from_vector(b).matrix, atol=1e-9))


@settings(max_examples=80, deadline=None)
@given(p=place, q=unit, r=place, s=unit)
def test_composition_and_inverse_against_matrices(p: tuple, q: list, r: tuple, s: list) -> None:
    a, b = poses.checked(pose(p, q)), poses.checked(pose(r, s))
    assert a is not None
    assert b is not None
    assert close(poses.compose(a, b), (SE3.from_vector(a) @ SE3.from_vector(b)).vector)
    assert close(poses.inverse(a), SE3.from_vector(a).inverse().vector)


@settings(max_examples=80, deadline=None)
@given(p=place, q=unit, r=place, s=unit, fraction=st.floats(0, 1))
def test_interpolation_against_slerp_of_scipy(p: tuple, q: list, r: tuple, s: list, fraction: float) -> None:
    a, b = poses.checked(pose(p, q)), poses.checked(pose(r, s))
    assert a is not None
    assert b is not None
    turned = Slerp([0, 1], Rotation.from_quat([a[3:], b[3:]]))(fraction)
    gap = (Rotation.from_quat(a[3:]).inv() * Rotation.from_quat(b[3:])).magnitude()
    found = poses.between(a, b, fraction)
    assert np.allclose(found[:3], np.array(a[:3]) + fraction * (np.array(b[:3]) - np.array(a[:3])))
    if gap < math.pi - 1e-3:  # at a half turn both ways round are right
        assert (Rotation.from_quat(found[3:]).inv() * turned).magnitude() < 1e-6


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_lookup_in_random_trees_against_matrices(data: st.DataObject) -> None:
    """Any tree, any pair of frames: the product of matrices along the way."""
    buffer = TfBuffer()
    world = {"f0": np.eye(4)}
    for k in range(1, data.draw(st.integers(1, 8))):
        parent = f"f{data.draw(st.integers(0, k - 1))}"
        put = pose(data.draw(place), data.draw(unit))
        buffer.set_pose(parent, f"f{k}", 1.0, put, static=data.draw(st.booleans()))
        world[f"f{k}"] = world[parent] @ SE3.from_vector(put).matrix
    names = [name for name in world if name in buffer.frames()]
    for target in names:
        for source in names:
            found = SE3.from_vector(buffer.lookup(target, source)).matrix
            assert np.allclose(found, np.linalg.inv(world[target]) @ world[source], atol=1e-8)


def test_a_point_moves_from_source_to_target() -> None:
    buffer = TfBuffer()
    buffer.set_pose("map", "base", 0.0, (1, 2, 0, 0, 0, HALF, HALF), static=True)
    buffer.set_pose("base", "laser", 0.0, (0.5, 0, 0, 0, 0, 0, 1), static=True)
    moved = SE3.from_vector(buffer.lookup("map", "laser")) @ np.array([1.0, 0.0, 0.0])
    assert np.allclose(moved, [1.0, 3.5, 0.0])


def test_times_between_messages_are_interpolated() -> None:
    buffer = TfBuffer()
    buffer.set_pose("odom", "base", 1.0, (0, 0, 0, 0, 0, 0, 1))
    buffer.set_pose("odom", "base", 2.0, (2, 0, 0, 0, 0, math.sin(0.5), math.cos(0.5)))
    buffer.set_pose("base", "eye", 0.0, (0, 0, 1, 0, 0, 0, 1), static=True)
    assert buffer.lookup("odom", "eye", 1.25) == pytest.approx((0.5, 0, 1, 0, 0, math.sin(0.125), math.cos(0.125)))
    assert buffer.lookup("odom", "base", 2.0) == pytest.approx((2, 0, 0, 0, 0, math.sin(0.5), math.cos(0.5)))
    assert buffer.lookup("odom", "eye")[0] == 2.0
    assert buffer.newest("odom", "eye") == 2.0


def test_newest_is_the_newest_that_all_know() -> None:
    buffer = TfBuffer()
    for t in (1.0, 2.0, 3.0):
        buffer.set_pose("map", "odom", t, (t, 0, 0, 0, 0, 0, 1))
    for t in (1.0, 2.5):
        buffer.set_pose("odom", "base", t, (0, t, 0, 0, 0, 0, 1))
    assert buffer.lookup("map", "base")[:2] == pytest.approx((2.5, 2.5))
    assert buffer.lookup("base", "map")[:2] == pytest.approx((-2.5, -2.5))


@pytest.mark.parametrize(
    ("target", "source", "time", "fragment"),
    [
        ("map", "nose", None, "no frame 'nose'; frames: base, left, map, odom, other"),
        (
            "map",
            "left",
            None,
            "'map' and 'left' do not hang together: 'map' is in the tree of 'map', 'left' in that of",
        ),
        ("map", "base", 0.5, "0.500000 s before the first transform odom -> base, known from 1.000000 to 2.000000 s"),
        ("map", "base", 2.25, "0.250000 s after the last transform odom -> base"),
        ("base", "map", 9.0, "after the last transform odom -> base"),
    ],
)
def test_what_cannot_be_told_says_why(target: str, source: str, time: float | None, fragment: str) -> None:
    buffer = TfBuffer()
    buffer.set_pose("map", "odom", 0.0, (0, 0, 0, 0, 0, 0, 1), static=True)
    for t in (1.0, 2.0):
        buffer.set_pose("odom", "base", t, (0, 0, 0, 0, 0, 0, 1))
    buffer.set_pose("other", "left", 1.0, (0, 0, 0, 0, 0, 0, 1))
    with pytest.raises(TfError, match=re.escape(fragment)):
        buffer.lookup(target, source, time)
    assert not buffer.can(target, source, time)
    assert buffer.can("map", "base", 1.5)


def test_an_empty_buffer_says_so() -> None:
    with pytest.raises(TfError, match="no frame 'map'; frames: none yet"):
        TfBuffer().lookup("map", "base")


def test_old_transforms_are_let_go() -> None:
    buffer = TfBuffer(keep=1.0)
    for k in range(2000):
        buffer.set_pose("odom", "base", k * 0.01, (k, 0, 0, 0, 0, 0, 1))
    assert len(buffer._tracks["base"].times) < 250
    assert buffer.lookup("odom", "base", 19.0)[0] == pytest.approx(1900)
    buffer.set_pose("odom", "base", 3.0, (0, 0, 0, 0, 0, 0, 1))
    assert not buffer.can("odom", "base", 3.0)


def test_transforms_may_come_late_and_twice() -> None:
    buffer = TfBuffer()
    for t in (1.0, 3.0, 2.0, 2.0):
        buffer.set_pose("odom", "base", t, (t * t, 0, 0, 0, 0, 0, 1))
    buffer.set_pose("odom", "base", 2.0, (7, 0, 0, 0, 0, 0, 1))
    assert buffer.lookup("odom", "base", 2.0)[0] == 7
    assert buffer.lookup("odom", "base", 2.5)[0] == pytest.approx(8)


def test_a_frame_may_change_its_parent_but_not_close_a_loop() -> None:
    buffer = TfBuffer()
    buffer.set_pose("a", "b", 1.0, (1, 0, 0, 0, 0, 0, 1))
    buffer.set_pose("b", "c", 1.0, (1, 0, 0, 0, 0, 0, 1))
    with pytest.raises(BadInput, match="c -> a would close a loop: c hangs below a"):
        buffer.set_pose("c", "a", 1.0, (0, 0, 0, 0, 0, 0, 1))
    buffer.set_pose("a", "c", 2.0, (5, 0, 0, 0, 0, 0, 1))
    assert buffer.frames() == {"a": "", "b": "a", "c": "a"}
    assert buffer.lookup("a", "c")[0] == 5


@pytest.mark.parametrize(
    ("parent", "child", "numbers", "fragment"),
    [
        ("a", "a", (0, 0, 0, 0, 0, 0, 1), "cannot be its own parent"),
        ("", "a", (0, 0, 0, 0, 0, 0, 1), "needs two frames"),
        ("a", "b", (0, 0, 0, 0, 0, 0, 0), "no rotation"),
        ("a", "b", (math.nan, 0, 0, 0, 0, 0, 1), "not finite"),
        ("a", "b", (0, 0, 0, 0, 0, math.inf, 1), "not finite"),
    ],
)
def test_bad_transforms_are_refused(parent: str, child: str, numbers: tuple, fragment: str) -> None:
    with pytest.raises(BadInput, match=fragment):
        TfBuffer().set_pose(parent, child, 0.0, numbers)


def test_other_objects_are_refused() -> None:
    with pytest.raises(BadInput, match="a TransformStamped or TFMessage is wanted, got int"):
        TfBuffer().set(3)
    with pytest.raises(BadInput, match="above 0 s"):
        TfBuffer(keep=0.0)


def test_messages_of_topics_fill_the_buffer_and_a_jump_of_time_clears_what_moves() -> None:
    bus = Bus()
    bus.listen_tf()
    stamped = messages.make(
        "geometry_msgs/TransformStamped",
        header={"stamp": {"sec": 3}, "frame_id": "/odom"},
        child_frame_id="base",
        transform={"translation": {"x": 1.0}, "rotation": {"w": 2.0}},
    )
    static = messages.make("geometry_msgs/TransformStamped", header={"frame_id": "base"}, child_frame_id="eye")
    static.transform.rotation.w = 1.0
    bus.advertise("/tf", "tf2_msgs/msg/TFMessage").publish(messages.make("tf2_msgs/TFMessage", transforms=[stamped]))
    bus.advertise("/tf_static", "tf2_msgs/msg/TFMessage", latched=True).publish(
        messages.make("tf2_msgs/TFMessage", transforms=[static])
    )
    bus.spin()
    assert bus.tf.lookup("odom", "eye", 3.0) == (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    bus.clock.reset(0.0)
    assert bus.tf.frames() == {"base": "", "eye": "base"}
    bus.tf.clear(static=True)
    assert bus.tf.frames() == {}
