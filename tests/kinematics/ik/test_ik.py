"""Inverse kinematics: reachable targets, masks, limits, weights, targets out of reach, batches, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares
from tests.kinematics.reference import differences, gap, jacobian, lm_step, random_positions
from tests.kinematics.robots import mixed, planar, quadruped

import andante as an
from andante.description import robot_names
from andante.errors import AndanteError, BadInput, UnknownName
from andante.kinematics import load_dh
from andante.kinematics.ik.step import EPSILON, FLOOR, damped_step

NAN = np.nan


def masked(coordinates, keep):
    """Targets with the coordinates that are not named in `keep` set free; letters x y z, Y P R."""
    target = np.array(coordinates)
    target[..., [letter not in keep for letter in "xyzYPR"]] = NAN
    return target


def arms_and_legs():
    shell, nao = an.robot("shell"), an.robot("nao")
    yield "panda", load_dh("panda_like"), "xyzYPR"
    yield "ur5", load_dh("ur5_like"), "xyzYPR"
    for k in (1, 2, 5):
        yield f"shell lower {k}", shell.chain("base_link", f"lower_foot_{k}"), "xyz"
        yield f"shell upper {k}", shell.chain("base_link", f"upper_tip_{k}"), "xz"
    yield "shell upper full", shell.chain("base_link", "upper_tip_4"), "xyz"
    for side in "lr":
        yield f"nao {side} leg", nao.chain("torso", f"{side}_sole"), "xyzYPR"
        yield f"nao {side} leg point", nao.chain("torso", f"{side}_sole"), "xyz"
        yield f"nao {side} hand", nao.chain("torso", f"{side}_gripper").hold({f"{side.upper()}Hand": 0.0}), "xyz"
        yield (
            f"nao {side} hand pose",
            nao.chain("torso", f"{side}_gripper").hold({f"{side.upper()}Hand": 0.0}),
            "xyzYPR",
        )
    yield "nao right leg with the shared hip", nao.chain("torso", "r_sole").release("LHipYawPitch"), "xyzYPR"
    yield "foot to foot", nao.chain("l_sole", "r_sole"), "xyzYPR"
    yield "mixed", mixed().chain("tip", "side"), "xyz"
    yield "quadruped", quadruped().chain("body", "fl_foot"), "xyz"


CASES = list(arms_and_legs())


@pytest.mark.parametrize(("chain", "keep"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_every_reachable_target_is_found(chain, keep):
    rng = np.random.default_rng(5)
    targets = masked(chain.coordinates(random_positions(chain, 400, rng)), keep)
    found = chain.ik(targets)
    assert found.converged.all()
    assert found.error.max() <= 1e-6
    lower, upper = chain.limits
    assert np.all((found.q >= lower) & (found.q <= upper))
    for q, target, error in zip(found.q[:20], targets, found.error, strict=False):
        assert np.linalg.norm(gap(chain, q, target)) == pytest.approx(error, abs=1e-12)


@pytest.mark.parametrize("name", robot_names())
def test_reachable_targets_of_every_robot(name):
    robot = an.robot(name)
    rng = np.random.default_rng(8)
    for link in robot.links:
        chain = robot.chain(robot.root, link.name)
        if chain.joint_names:
            targets = chain.coordinates(random_positions(chain, 4, rng))
            assert chain.ik(targets).converged.all(), link.name


@given(st.floats(0.051, 0.549), st.floats(-np.pi, np.pi))
@settings(max_examples=100, deadline=None)
def test_rr_leg_by_the_law_of_cosines(reach, direction):
    a, b = 0.3, 0.25
    chain = planar((a, b)).chain("l0", "tip")
    x, y = reach * np.cos(direction), reach * np.sin(direction)
    found = chain.ik([x, y, NAN, NAN, NAN, NAN])
    assert found.converged
    knee = np.arccos((reach**2 - a**2 - b**2) / (2 * a * b))
    signed = np.copysign(knee, found.q[1])
    hip = direction - np.arctan2(b * np.sin(signed), a + b * np.cos(signed))
    slack = 4e-6 / (np.sin(knee) * min(a, b))  # a gap of 1e-6 m turns the knee by this much at most
    assert found.q[1] == pytest.approx(signed, abs=slack)
    assert (found.q[0] - hip + np.pi) % (2 * np.pi) - np.pi == pytest.approx(0.0, abs=slack + 4e-6 / reach)


MASKS = ["x", "z", "xy", "yz", "xzP", "Y", "P", "R", "YP", "YR", "PR", "xyzY", "xyzYP", "xyzPR", "xyzYR", "xYPR", "YPR"]


@pytest.mark.parametrize("axes", ["base", "tool"])
@pytest.mark.parametrize("keep", MASKS)
def test_masks_in_both_axes(keep, axes):
    chain = load_dh("panda_like")
    rng = np.random.default_rng(17)
    coordinates = chain.coordinates(random_positions(chain, 40, rng))
    if axes == "tool":
        # a free angle counts as 0 in the target's rotation, so build targets that are reachable in that sense
        coordinates[:, [letter not in keep for letter in "xyzYPR"]] = 0.0
        if set(keep) & set("YPR"):
            coordinates[:, :3] = [0.45, 0.1, 0.4]
    targets = masked(coordinates, keep)
    found = chain.ik(targets, axes=axes)
    assert found.converged.all()
    for q, target in zip(found.q, targets, strict=True):
        assert np.linalg.norm(gap(chain, q, target, axes)) <= 1.0001e-6


@pytest.mark.parametrize("keep", ["xy", "xyzPR", "xyzYP", "z", "YR"])
def test_jacobian_rows_of_masked_goals_are_exact(keep):
    """A solve out of reach stops where the true gradient vanishes, which takes exact rows also in tool axes."""
    chain = load_dh("ur5_like").hold({"q1": 0.3, "q4": 0.2})
    target = masked([1.6, 0.9, 1.7, 0.4, -0.3, 0.8], keep)
    for axes in ("base", "tool"):
        found = chain.ik(target, axes=axes, restarts=20, max_iterations=3000)
        cost = differences(lambda x, axes=axes: [np.sum(gap(chain, each, target, axes) ** 2) for each in x], found.q)
        if not found.converged:
            lower, upper = chain.limits
            inside = (found.q > lower) & (found.q < upper)
            np.testing.assert_allclose(cost[inside], 0.0, atol=2e-6)


def test_a_free_roll_in_tool_axes_is_a_turn_about_the_tool():
    """Screwdriver: the tool's z axis and the point count, the turn about it does not."""
    chain = load_dh("panda_like")
    found = chain.ik([0.5, 0.1, 0.3, NAN, 0.2, np.pi - 0.1], axes="tool")
    assert found.converged
    expected = chain.fk(chain.ik([0.5, 0.1, 0.3, 0.0, 0.2, np.pi - 0.1]).q)
    np.testing.assert_allclose(chain.fk(found.q)[:3, 2:], expected[:3, 2:], atol=4e-6)


def test_pitch_beyond_a_right_angle_names_the_same_rotation():
    chain = load_dh("panda_like")
    plain = chain.ik([NAN, NAN, NAN, 0.3, np.pi - 0.4, NAN])
    assert plain.converged
    x_axis = chain.fk(plain.q)[:3, 0]
    expected = [np.cos(0.3) * np.cos(np.pi - 0.4), np.sin(0.3) * np.cos(np.pi - 0.4), -np.sin(np.pi - 0.4)]
    np.testing.assert_allclose(x_axis, expected, atol=3e-6)


def bounded_optimum(chain, target, weights, rng, starts=6):
    """The least cost that scipy finds from many starts."""
    lower, upper = chain.limits
    given = ~np.isnan(target)
    scale = np.sqrt(np.where(np.arange(6) < 3, *weights))[given]
    best = np.inf
    for start in random_positions(chain, starts, rng):
        fit = least_squares(
            lambda q: scale * gap(chain, q, target), start, bounds=(lower, upper), xtol=1e-10, ftol=1e-10, gtol=1e-10
        )
        best = min(best, 2 * fit.cost)
    return best


@pytest.mark.parametrize(
    ("chain", "target", "weights"),
    [
        (planar().chain("l0", "tip"), [1.0, 0.5, NAN, NAN, NAN, NAN], (1, 1)),
        (planar((0.3, 0.2, 0.2), 0.9).chain("l0", "tip"), [-0.3, 0.2, NAN, 0.5, NAN, NAN], (1, 1)),
        (planar((0.3, 0.2, 0.2), 0.9).chain("l0", "tip"), [-0.3, 0.2, NAN, 0.5, NAN, NAN], (10, 0.1)),
        (an.robot("shell").chain("base_link", "lower_foot_2"), [0.5, 0.5, -0.3, NAN, NAN, NAN], (1, 1)),
        (an.robot("nao").chain("torso", "l_sole"), [0.1, 0.2, -0.4, 0.8, 0.1, -0.2], (1, 1)),
        (an.robot("nao").chain("torso", "l_gripper").hold({"LHand": 0.0}), [0.1, 0.1, 0.1, 0, 0, 0], (3, 0.2)),
        (load_dh("ur5_like"), [2.0, 1.0, 0.5, 0.1, 0.2, 0.3], (1, 1)),
    ],
)
def test_out_of_reach_ends_at_the_optimum(chain, target, weights):
    target = np.array(target, dtype=float)
    found = chain.ik(target, weights=weights, max_iterations=2000)
    assert not found.converged
    e = gap(chain, found.q, target)
    assert found.error == pytest.approx(np.linalg.norm(e), rel=1e-12)
    cost = np.sum(np.where(np.arange(6) < 3, *weights)[~np.isnan(target)] * e**2)
    best = bounded_optimum(chain, target, weights, np.random.default_rng(4))
    assert cost <= best * (1 + 1e-9)


def test_limits_bind_only_when_asked():
    chain = planar((0.3, 0.25), 0.5).chain("l0", "tip")
    target = [0.1, 0.3, NAN, NAN, NAN, NAN]
    bound, free = chain.ik(target), chain.ik(target, limits=False)
    assert free.converged
    assert np.abs(free.q).max() > 0.5
    assert not bound.converged
    assert np.abs(bound.q).max() == 0.5


def test_start_a_little_outside_the_limits_is_cut():
    chain = planar((0.3, 0.25), 0.5).chain("l0", "tip")
    target = chain.coordinates([0.4, -0.3])
    assert chain.ik(target, start=[0.54, -0.54]).q == pytest.approx([0.4, -0.3], abs=1e-4)


def test_limits_that_exclude_the_start_are_named():
    chain = planar((0.3, 0.25), 0.5).chain("l0", "tip")
    target = chain.coordinates([0.4, -0.3])
    expected = f"joint '{chain.joint_names[1]}' at -3, outside its limits -0.5 to 0.5"
    with pytest.raises(BadInput, match=expected):
        chain.ik(target, start=[0.2, -3.0])
    with pytest.raises(BadInput, match=expected):
        chain.ik(np.stack([target, target]), start=[[0.2, 0.1], [0.2, -3.0]])
    assert chain.ik(target, start=[0.2, -3.0], limits=False).converged


def test_singular_start_is_left():
    chain = planar().chain("l0", "tip")
    found = chain.ik([0.3, 0.0, NAN, NAN, NAN, NAN], start=[0.0, 0.0])  # straight toward the target: no gradient
    assert found.converged
    stuck = chain.ik([0.3, 0.0, NAN, NAN, NAN, NAN], start=[0.0, 0.0], restarts=0)
    assert not stuck.converged
    assert stuck.error == pytest.approx(0.25)


def test_warm_start_stays_near():
    chain = an.robot("nao").chain("torso", "l_sole")
    q = chain.vector(an.robot("nao").pose("StandInit"))
    target = chain.coordinates(q) + np.array([0.005, 0.0, 0.005, 0.01, 0, 0])
    found = chain.ik(target, start=q)
    assert found.converged
    assert found.iterations <= 5
    assert np.abs(found.q - q).max() < 0.2


def test_continuous_joints_end_in_the_turn_of_the_start():
    chain = mixed().chain("b", "c")
    assert np.isinf(chain.limits[0]).all()
    target = chain.coordinates([0.5])
    for turns in (-3, 0, 2):
        start = 2 * np.pi * turns + 1.0
        assert chain.ik(target, start=[start]).q[0] == pytest.approx(2 * np.pi * turns + 0.5, abs=1e-5)


def test_batch_threads_and_single_give_the_same_bits():
    chain = load_dh("panda_like")
    rng = np.random.default_rng(23)
    targets = chain.coordinates(random_positions(chain, 60, rng))
    targets[::7, 0] += 3.0  # some out of reach
    starts = random_positions(chain, 60, rng)
    batch = chain.ik(targets, starts, restarts=10)
    again = chain.ik(targets, starts, restarts=10, threads=3)
    for part in ("q", "converged", "error", "iterations"):
        np.testing.assert_array_equal(getattr(batch, part), getattr(again, part))
    for i, (target, start) in enumerate(zip(targets, starts, strict=True)):
        one = chain.ik(target, start, restarts=10)
        np.testing.assert_array_equal(one.q, batch.q[i])
        assert (one.converged, one.error, one.iterations) == (batch.converged[i], batch.error[i], batch.iterations[i])
    assert batch.converged.sum() < 60


def test_seed_decides_where_restarts_go():
    chain = load_dh("ur5_like")
    target = chain.coordinates([1.0, -2.0, 2.5, 1.0, -1.5, 0.5])
    start = np.zeros(6)  # straight: the first attempt fails
    runs = [chain.ik(target, start, seed=seed) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    assert all(run.converged for run in runs)


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 10))
@settings(max_examples=30, deadline=None)
def test_step_of_the_kernel_is_the_formula(seed, damping):
    rng = np.random.default_rng(seed)
    chain = load_dh("panda_like")
    q = random_positions(chain, 1, rng)[0]
    J, e, weights = jacobian(chain, q), rng.normal(size=6), rng.uniform(0.1, 5, 6)
    H, g = J.T @ (weights[:, None] * J), J.T @ (weights * e)
    dq, free = np.empty(7), np.arange(7)
    assert damped_step(np.tril(H), g, free, 7, damping, np.empty((7, 7)), dq)
    np.testing.assert_allclose(dq, lm_step(J, e, weights, damping, FLOOR, EPSILON), rtol=1e-6, atol=1e-9)
    # the active set: only some variables move
    some = np.array([1, 3, 4, 6, 0, 0, 0])
    assert damped_step(np.tril(H), g, some, 4, damping, np.empty((7, 7)), dq)
    expected = lm_step(J[:, some[:4]], e, weights, damping, FLOOR, EPSILON)
    np.testing.assert_allclose(dq[:4], expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("target", "options", "kind", "words"),
    [
        ([NAN] * 6, {}, BadInput, "NaN in all of x y z yaw pitch roll"),
        ([[0.1] * 6, [NAN] * 6], {}, BadInput, "target 1 of 2 is NaN"),
        ([np.inf, 0, 0, 0, 0, 0], {}, BadInput, "infinite coordinate"),
        ("abc", {}, BadInput, "6 numbers, NaN = free.*'abc'"),
        ([1, 2, 3], {}, BadInput, r"6 numbers.*shape \(3,\)"),
        ([[[1.0] * 6]], {}, BadInput, "shape"),
        ([0.1] * 6, {"start": [0, 0, 0]}, BadInput, r"2 joint positions \(j0, j1\)"),
        ([0.1] * 6, {"start": [0, NAN]}, BadInput, "not finite"),
        ([[0.1] * 6] * 3, {"start": np.zeros((2, 2))}, BadInput, "starts from 2 joint positions"),
        ([0.1] * 6, {"axes": "world"}, UnknownName, "choices: base, tool"),
        ([0.1] * 6, {"weights": (1.0, 0.0)}, BadInput, "two numbers > 0"),
        ([0.1] * 6, {"tolerance": 0.0}, BadInput, "tolerance > 0"),
        ([0.1] * 6, {"restarts": -1}, BadInput, "restarts must be >= 0"),
        ([0.1] * 6, {"seed": -1}, BadInput, "seed"),
    ],
)
def test_bad_input_is_named(target, options, kind, words):
    with pytest.raises(AndanteError, match=words) as caught:
        planar().chain("l0", "tip").ik(target, **options)
    assert isinstance(caught.value, kind)
