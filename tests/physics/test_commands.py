"""Commands of one model: the short way does what the long way does, and arrays given away are never written to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.description.world import Placement, World
from andante.errors import BadInput
from andante.geometry import Array
from andante.physics import Mode, Settings
from andante.physics.checks import specimens
from andante.physics.commands import JointCommands, ServoGains, followed
from andante.physics.mujoco.engine import MujocoEngine

DT = 0.002
inside = st.floats(-3, 3).map(lambda x: round(x, 9))  # a nanoradian is the least that counts
numbers = st.floats(-10, 10).map(lambda x: round(x, 9)) | st.sampled_from([0.0, np.inf, -np.inf, 1e300])
speeds = st.floats(0, 1000) | st.sampled_from([0.0, np.inf, 1e-300])


def commands(references: Array, velocity: Array, reach: float = 3.0) -> JointCommands:
    """Position servos that stand at their references."""
    count = len(references)
    ones = np.ones(count)
    gains = ServoGains(ones, ones, ones, 5 * ones, velocity)
    made = JointCommands(np.zeros(count, np.int8), np.zeros(count), np.zeros(count), gains, -reach * ones, reach * ones)
    made.command(references, Mode.POSITION, None)
    return made


def slewed_once(made: JointCommands, dt: float) -> tuple[Array, bool]:
    """The reference of `slewed` for one step, in numpy."""
    gap = made.targets - made.references
    stride, per_stride = made.strides(dt)
    far = (np.abs(gap * per_stride) > 1.0) & (made.modes == Mode.POSITION)
    return np.where(far, made.references + np.clip(gap, -stride, stride), made.targets), not far.any()


@pytest.mark.filterwarnings("error")
@given(st.lists(st.tuples(inside, numbers, speeds), min_size=1, max_size=8))
def test_the_short_way_does_what_the_long_way_does(joints: list[tuple[float, float, float]]) -> None:
    start, target, velocity = (np.array(column) for column in zip(*joints, strict=True))
    short, long = commands(start, velocity), commands(start, velocity)
    newly = long.command(target, Mode.POSITION, None)
    there = long.slew(DT)
    assert len(newly) == 0
    assert short.follow(target, DT) == there
    np.testing.assert_array_equal(short.targets, long.targets)
    np.testing.assert_array_equal(short.references, long.references if there else start)


def test_the_short_way_is_taken_for_small_changes_of_many_joints() -> None:
    made = commands(np.zeros(40), np.ones(40))
    assert made.follow(np.full(40, 0.0019), DT)  # the sum of squares exceeds 1, no single gap does
    assert not made.follow(np.full(40, 0.01), DT)
    np.testing.assert_array_equal(made.references, 0.0019)


def test_the_short_way_is_not_taken_by_nan_other_modes_or_new_gains() -> None:
    made = commands(np.zeros(2), np.full(2, 100.0))
    assert made.follow([0.1, 0.1], DT)
    assert made.follow([np.nan, 0.1], DT) is None
    np.testing.assert_array_equal(made.targets, 0.1)
    with pytest.raises(BadInput, match="NaN"):
        made.command([np.nan, 0.1], Mode.POSITION, None)
    made.gains = made.gains.changed(velocity=1.0)
    assert made.follow([0.2, 0.2], DT) is False
    made.command([1.0], Mode.VELOCITY, [1])
    assert made.uniform is None
    assert made.follow([0.1, 0.1], DT) is None
    made.command([0.1, 0.1], Mode.POSITION, None)
    assert made.copy().follow([0.1, 0.1], DT)


@pytest.mark.parametrize("joints", [None, [0, 1], [1]])
def test_arrays_given_away_stay_as_they_are(joints: list[int] | None) -> None:
    made = commands(np.zeros(2), np.full(2, 10.0))
    made.follow([0.01, 0.01], DT)
    given_away = made.modes, made.targets, made.references
    before = [array.copy() for array in given_away]
    values = np.full(2 if joints is None else len(joints), 0.5)
    made.command(values, Mode.POSITION, joints)
    made.slew(DT)
    made.command(values, Mode.TORQUE, joints)
    made.refer(np.array([0]), np.array([9.0]))
    for array, was in zip(given_away, before, strict=True):
        np.testing.assert_array_equal(array, was)


def test_a_target_of_the_caller_may_change_afterwards() -> None:
    placement = Placement("arm", specimens.mimic_pair(), fixed=True)
    scene = MujocoEngine(World("empty"), (placement,), Settings(dt=DT))
    target = np.zeros(2)
    for _ in range(2):  # the long way, then the short one
        scene.command(0, target)
        target[:] = 1e-4
    target[:] = 2.0
    np.testing.assert_array_equal(scene.references[0], 1e-4)
    np.testing.assert_array_equal(scene.commands[0].targets, 1e-4)


def test_many_commands_in_a_row_follow_the_velocity_limit() -> None:
    made = commands(np.zeros(1), np.ones(1))
    path = []
    for k in range(1, 11):
        if not made.follow([0.001 * k**2], DT):
            made.slew(DT)
        path.append(float(made.references[0]))
    expected = [0.001, *(0.001 + 0.002 * k for k in range(1, 10))]
    np.testing.assert_allclose(path, expected, atol=1e-12)


@pytest.mark.parametrize("parts", [[7], [1] * 7, [3, 4]])
def test_the_reference_moves_one_stride_per_step_and_none_before(parts: list[int]) -> None:
    scene = MujocoEngine(World("empty"), (Placement("arm", specimens.mimic_pair(), fixed=True),), Settings(dt=DT))
    scene.set_gains(0, scene.gains[0].changed(velocity=1.0))
    scene.command(0, [0.0, 0.0])
    scene.step()
    start = scene.references[0].copy()
    scene.command(0, [0.5, 0.5])
    np.testing.assert_array_equal(scene.references[0], start)
    for steps in parts:
        scene.step(steps)
    np.testing.assert_allclose(scene.references[0] - start, 7 * DT * 1.0, atol=1e-12)
    np.testing.assert_array_equal(scene.data.ctrl, scene.references[0])


def test_repeated_commands_do_not_hurry_the_reference() -> None:
    scene = MujocoEngine(World("empty"), (Placement("arm", specimens.mimic_pair(), fixed=True),), Settings(dt=DT))
    scene.set_gains(0, scene.gains[0].changed(velocity=1.0))
    scene.command(0, [0.0, 0.0])
    scene.step()
    for k in range(20):
        scene.command(0, [0.5 + 0.01 * k, 0.5])
        scene.step()
    assert scene.references[0][0] == pytest.approx(20 * DT * 1.0, abs=1e-12)


@given(st.lists(st.tuples(inside, inside, speeds, st.booleans()), min_size=1, max_size=6), st.integers(1, 30))
def test_slewing_ahead_is_slewing_step_by_step(joints: list[tuple[float, float, float, bool]], steps: int) -> None:
    start, target, velocity, servo = (np.array(column) for column in zip(*joints, strict=True))
    made = commands(start, velocity)
    made.targets = target
    made.modes = np.where(servo, np.int8(Mode.POSITION), np.int8(Mode.TORQUE))
    made.uniform = None
    rows, there = made.ahead(DT, steps)
    for row in rows:
        expected, last = slewed_once(made, DT)
        assert made.slew(DT) == last
        np.testing.assert_array_equal(row, expected)
        np.testing.assert_array_equal(row, made.references)
    assert there == last
    assert there or len(rows) == steps


def test_two_models_slew_at_once() -> None:
    arms = [Placement(name, specimens.mimic_pair(), fixed=True) for name in ("a", "b")]
    scene = MujocoEngine(World("empty"), arms, Settings(dt=DT))
    for model, speed in ((0, 1.0), (1, 2.0)):
        scene.set_gains(model, scene.gains[model].changed(velocity=speed))
        scene.command(model, [0.0, 0.1])
    scene.step()
    scene.command(0, [0.4, 0.1])
    scene.command(1, [0.01, 0.1])
    scene.step(10)
    assert scene.references[0][0] == pytest.approx(10 * DT * 1.0)
    assert scene.references[1][0] == 0.01


@given(st.lists(st.tuples(inside, numbers, speeds), min_size=1, max_size=8), st.booleans())
def test_the_compiled_way_is_the_short_way(joints: list[tuple[float, float, float]], broken: bool) -> None:
    start, target, velocity = (np.array(column) for column in zip(*joints, strict=True))
    if broken:
        target[-1] = np.nan
    made = commands(start, velocity)
    wanted = target.copy()
    far = followed(wanted, made.lower, made.upper, made.references, made.strides(DT)[1])
    cut = np.clip(target, made.lower, made.upper)
    gap = np.abs((cut - start) * made.strides(DT)[1])
    assert far == (-1 if np.isnan(gap).any() else int((gap > 1.0).any()))
    assert {0: True, 1: False, -1: None}[far] is made.follow(target, DT)
    if far >= 0:
        np.testing.assert_array_equal(wanted, cut)
        np.testing.assert_array_equal(wanted, made.targets)


def test_bad_targets_leave_everything_as_it_was() -> None:
    scene = MujocoEngine(World("empty"), (Placement("arm", specimens.mimic_pair(), fixed=True),), Settings(dt=DT))
    scene.command(0, [0.1, 0.1])
    scene.step(100)
    before = scene.data.ctrl.copy()
    with pytest.raises(BadInput, match="NaN"):
        scene.command(0, [np.nan, 0.0])
    with pytest.raises(ValueError, match="shape"):
        scene.command(0, [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(scene.data.ctrl, before)
    np.testing.assert_array_equal(scene.commands[0].targets, before)


def test_a_scalar_goes_to_all_joints_and_targets_stay_within_limits() -> None:
    scene = MujocoEngine(World("empty"), (Placement("arm", specimens.chain(3)),), Settings(dt=DT))
    for _ in range(2):
        scene.command(0, 0.2)
        scene.step(500)
    np.testing.assert_array_equal(scene.references[0], 0.2)
