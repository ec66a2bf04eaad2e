"""Whole-robot calls: the same numbers as leg by leg."""

import numpy as np
import pytest

import andante as an
from andante.errors import AndanteError
from andante.geometry import SE3, so3
from andante.kinematics import Legs, solve_legs

from .reference import random_positions
from .robots import FEET, quadruped


def shell_legs():
    shell = an.robot("shell")
    lower = [shell.chain("base_link", f"lower_foot_{k}") for k in range(1, 7)]
    lower[0] = lower[0].hold({"q111": 0.0})
    return [*lower, *(shell.chain("base_link", f"upper_tip_{k}") for k in range(1, 7))]


def test_twelve_shell_legs_of_two_sizes_in_one_call():
    chains = shell_legs()
    rng = np.random.default_rng(4)
    start = np.concatenate([random_positions(chain, 1, rng)[0] for chain in chains])
    targets = np.array([chain.coordinates(random_positions(chain, 1, rng)[0]) for chain in chains])
    targets[:, 3:] = np.nan
    targets[2] += 1.0  # one out of reach
    found = solve_legs(chains, targets, start)
    assert Legs(tuple(chains)).joint_names[:4] == ("q112", "q113", "q114", "q122")
    assert found.converged.tolist() == [i != 2 for i in range(12)]
    begin = 0
    for i, (chain, target) in enumerate(zip(chains, targets, strict=True)):
        end = begin + len(chain.joint_names)
        one = chain.ik(target, start[begin:end])
        np.testing.assert_array_equal(found.q[begin:end], one.q)
        assert (found.error[i], found.iterations[i]) == (one.error, one.iterations)
        begin = end


def test_legs_start_in_the_middle_of_their_limits():
    chains = [quadruped().chain("body", foot) for foot in FEET]
    targets = np.array([chain.coordinates(chain.middle) for chain in chains])
    found = solve_legs(chains, targets)
    assert found.converged.all()
    np.testing.assert_array_equal(found.q, np.concatenate([chain.middle for chain in chains]))


def test_options_reach_every_leg():
    chains = shell_legs()[6:]
    targets = np.array([chain.coordinates([-2.0, 1.5]) for chain in chains])  # beyond the limits
    assert not solve_legs(chains, targets).converged.any()
    assert solve_legs(chains, targets, limits=False).converged.all()


@pytest.mark.parametrize(
    ("chains", "targets", "start", "words"),
    [
        ([], np.zeros((0, 6)), None, "without legs"),
        (["foot_1", "foot_1"], np.zeros((2, 6)), None, "hold it in one of them, or use Parallel"),
        (["foot_2"], np.zeros(6), None, r"targets of shape \(1, 6\)"),
        (["foot_2"], np.full((1, 6), np.nan), None, "NaN in all"),
        (["foot_2"], np.zeros((1, 6)), np.zeros(5), "3 joint positions .q122, q123, q124."),
    ],
)
def test_bad_input_is_named(chains, targets, start, words):
    shell = an.robot("shell")
    with pytest.raises(AndanteError, match=words):
        solve_legs([shell.chain("base_link", f"lower_{name}") for name in chains], targets, start)


def test_tips_of_all_legs_in_a_common_frame():
    chains = shell_legs()
    rng = np.random.default_rng(5)
    parts = [random_positions(chain, 1, rng)[0] for chain in chains]
    q = np.concatenate(parts)
    own = np.array([chain.fk(part) for chain, part in zip(chains, parts, strict=True)])
    np.testing.assert_allclose(Legs(tuple(chains)).fk(q), own, atol=1e-12)
    bases = SE3.from_parts(so3.exp(rng.normal(size=(len(chains), 3))), rng.normal(size=(len(chains), 3))).matrix
    mounted = Legs(tuple(chains), bases)
    np.testing.assert_allclose(mounted.fk(q), bases @ own, atol=1e-12)
    targets = np.full((len(chains), 6), np.nan)
    targets[:, :3] = (bases @ own)[:, :3, 3]
    found = mounted.ik(targets)
    assert found.converged.all()
    np.testing.assert_allclose(mounted.fk(found.q)[:, :3, 3], targets[:, :3], atol=1e-6)


def test_bases_and_positions_must_fit():
    chains = tuple(shell_legs())
    with pytest.raises(AndanteError, match=r"12 legs need bases of shape \(12, 4, 4\)"):
        Legs(chains, np.eye(4))
    with pytest.raises(AndanteError, match="joint positions are needed, got shape"):
        Legs(chains).fk(np.zeros(3))
