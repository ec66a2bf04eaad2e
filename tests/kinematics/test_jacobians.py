"""Jacobians of every chain of every built-in robot, against central differences and against plain numpy."""

from functools import cache

import numpy as np
import pytest

import andante as an
from andante.description import robot_names
from andante.errors import UnknownName
from andante.geometry import so3
from andante.kinematics import load_dh
from andante.kinematics.ik.kernels import sine_cosine, to_zyz

from .reference import differences, fk, jacobian, random_positions
from .robots import mixed, quadruped

FIXED_SEED = 11


def bodies(robot):
    """One link per rigid body: those that a moving joint carries, and the root."""
    return [robot.root, *(joint.child for joint in robot.movable)]


@cache
def chains(name):
    """Every chain between two rigid bodies of a built-in robot."""
    robot = an.robot(name)
    names = bodies(robot)
    made = (robot.chain(base, tip) for base in names for tip in names if base != tip)
    return [chain for chain in made if chain.joint_names]


def twist(chain, q):
    """Numerical geometric Jacobian: dp and vee(dR Rᵀ)."""
    R = chain.fk(q)[:3, :3]
    change = differences(chain.fk, q)
    linear, turning = change[:3, 3], change[:3, :3]
    return np.concatenate([linear, np.stack([so3.vee(turning[..., i] @ R.T) for i in range(len(q))], axis=-1)])


def angle_differences(chain, q, angles):
    """Numerical rates of angles, unharmed by a jump of a whole turn."""
    middle = angles(chain.fk(q)[:3, :3])
    return differences(lambda x: (angles(chain.fk(x)[..., :3, :3]) - middle + np.pi) % (2 * np.pi), q)


@pytest.mark.parametrize("name", robot_names())
def test_geometric_jacobian_of_every_chain(name):
    rng = np.random.default_rng(FIXED_SEED)
    count = 0
    for chain in chains(name):
        q = random_positions(chain, 1, rng)[0]
        numeric = twist(chain, q)
        np.testing.assert_allclose(chain.jacobian(q), numeric, atol=2e-8, err_msg=chain.name)
        R = chain.fk(q)[:3, :3]
        turned = np.concatenate([R.T @ numeric[:3], R.T @ numeric[3:]])
        np.testing.assert_allclose(chain.jacobian(q, axes="tool"), turned, atol=2e-8, err_msg=chain.name)
        count += 1
    assert count >= 2


@pytest.mark.parametrize("name", robot_names())
def test_analytic_jacobians_of_every_chain(name):
    rng = np.random.default_rng(FIXED_SEED)
    for chain in chains(name):
        q = random_positions(chain, 1, rng)[0]
        R = chain.fk(q)[:3, :3]
        for kind, angles, sine in (
            ("rpy", so3.to_rpy, np.hypot(R[0, 0], R[1, 0])),
            ("zyz", to_zyz, np.hypot(R[0, 2], R[1, 2])),
        ):
            if sine < 0.05:  # at the singularity of the angles there is no derivative
                continue
            numeric = angle_differences(chain, q, angles)
            made = chain.analytic_jacobian(q, kind)
            np.testing.assert_allclose(made[3:], numeric, atol=2e-8 / sine**3, err_msg=f"{chain.name} {kind}")
            np.testing.assert_allclose(made[:3], chain.jacobian(q)[:3])


@pytest.mark.parametrize(
    "chain",
    [
        mixed().chain("root", "tip"),
        mixed().chain("tip", "side"),
        mixed().chain("side", "a").release("slide"),
        quadruped().chain("fl_foot", "rr_foot"),
        load_dh("panda_like"),
        load_dh("ur5_like"),
    ],
    ids=lambda chain: f"{chain.base}-{chain.tip}",
)
def test_kernels_agree_with_plain_numpy(chain):
    q = random_positions(chain, 20, np.random.default_rng(FIXED_SEED))
    np.testing.assert_allclose(chain.fk(q), [fk(chain, each) for each in q], atol=1e-12)
    np.testing.assert_allclose(chain.jacobian(q), [jacobian(chain, each) for each in q], atol=1e-12)


def test_sine_and_cosine_of_the_kernels():
    rng = np.random.default_rng(6)
    quarters = np.arange(-8, 9) * np.pi / 4
    for x in (*quarters, *rng.uniform(-7, 7, 300), *rng.uniform(-9e4, 9e4, 300), 3e6, -1e9, 1e-300, 0.0):
        np.testing.assert_allclose(sine_cosine(x), (np.sin(x), np.cos(x)), rtol=0, atol=4e-16)
    assert np.isnan(sine_cosine(np.nan)).all()


def test_batch_axes_are_kept():
    chain = load_dh("panda_like")
    q = random_positions(chain, 12, np.random.default_rng(1)).reshape(3, 4, 7)
    assert chain.fk(q).shape == (3, 4, 4, 4)
    assert chain.jacobian(q).shape == (3, 4, 6, 7)
    assert chain.analytic_jacobian(q, "zyz").shape == (3, 4, 6, 7)
    np.testing.assert_array_equal(chain.jacobian(q)[1, 2], chain.jacobian(q[1, 2]))


def test_unknown_angles_and_axes_list_the_choices():
    chain = load_dh("ur5_like")
    with pytest.raises(UnknownName, match="rpy, zyz"):
        chain.analytic_jacobian(np.zeros(6), "xyx")
    with pytest.raises(UnknownName, match="base, tool"):
        chain.jacobian(np.zeros(6), axes="world")
