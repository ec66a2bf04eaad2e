"""Compiled forward kinematics of whole trees, with joints that turn and joints that slide, against the plain one."""

from __future__ import annotations

import numpy as np
import pytest

from andante.description import Inertia, Joint, JointType, Limits, Link, Robot
from andante.errors import BadInput
from andante.geometry import SE3, so3
from andante.locomotion.rigs.balance import frames, mass_tree, points_of, sliding_frames, weigh

WIDE = Limits(-3.0, 3.0, 10.0, 10.0)


def random_pose(rng: np.random.Generator) -> SE3:
    return SE3.from_parts(so3.from_rpy(rng.uniform(-2, 2, 3)), rng.uniform(-0.5, 0.5, 3))


def unit(rng: np.random.Generator) -> tuple[float, float, float]:
    x, y, z = rng.normal(size=3)
    size = float(np.sqrt(x * x + y * y + z * z))
    return x / size, y / size, z / size


def random_tree(rng: np.random.Generator, kinds: tuple[JointType, ...], count: int = 9) -> Robot:
    """Links that hang on any link before them; some have no mass."""
    links = [
        Link(
            f"l{k}",
            Inertia(float(rng.uniform(0.1, 2)), tuple(rng.uniform(-0.2, 0.2, 3).tolist()), (0.01, 0, 0, 0.01, 0, 0.01))
            if k % 4 != 1
            else None,
        )
        for k in range(count)
    ]
    joints = [
        Joint(
            f"j{k}",
            kinds[int(rng.integers(len(kinds)))],
            f"l{int(rng.integers(k))}",
            f"l{k}",
            pose=random_pose(rng),
            axis=unit(rng),
            limits=WIDE,
        )
        for k in range(1, count)
    ]
    return Robot("tree", tuple(links), tuple(joints))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "kinds",
    [(JointType.REVOLUTE, JointType.FIXED), (JointType.REVOLUTE, JointType.PRISMATIC, JointType.FIXED)],
    ids=["turning", "sliding"],
)
def test_every_link_is_where_the_robot_says(seed: int, kinds: tuple[JointType, ...]) -> None:
    rng = np.random.default_rng(seed)
    robot = random_tree(rng, kinds)
    tree, place = mass_tree(robot)
    q = rng.uniform(-2, 2, len(robot.joint_names))
    poses = robot.link_poses(dict(zip(robot.joint_names, q.tolist(), strict=True)))
    turns, at = np.empty((len(tree.parent), 3, 3)), np.empty((len(tree.parent), 3))
    sliding_frames(q, tree, turns, at)
    for name, (body, body_from_link) in place.items():
        made = SE3.from_parts(turns[body], at[body]) @ body_from_link
        np.testing.assert_allclose(made.matrix, poses[name].matrix, atol=1e-12)
    if not tree.slides.any():  # the same from the kernel for joints that turn
        again = np.empty_like(turns), np.empty_like(at)
        frames(q, tree, *again)
        np.testing.assert_array_equal(again[0], turns)
        np.testing.assert_array_equal(again[1], at)

    center = np.empty(3)
    weigh(tree, turns, at, center)
    parts = [(link.inertia.mass, poses[link.name] @ np.array(link.inertia.com)) for link in robot.links if link.inertia]
    np.testing.assert_allclose(center, sum(m * p for m, p in parts) / sum(m for m, _ in parts), atol=1e-12)

    bodies = rng.integers(0, len(tree.parent), 5)
    points = rng.normal(size=(5, 3))
    wanted = [SE3.from_parts(turns[b], at[b]) @ p for b, p in zip(bodies, points, strict=True)]
    np.testing.assert_allclose(points_of(turns, at, bodies, points), wanted, atol=1e-12)


def test_a_tree_without_mass_is_refused() -> None:
    with pytest.raises(BadInput, match="robot 'air' has no mass; give its links inertials"):
        mass_tree(Robot("air", (Link("a"),), ()))
