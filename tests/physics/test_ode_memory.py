"""What the solver of ODE remembers from step to step."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("panda3d")

from andante.description.world import Placement
from andante.geometry import SE3
from andante.gravity import GRAVITY
from andante.physics import Settings
from andante.physics.checks import specimens
from andante.physics.ode import memory
from andante.physics.ode.engine import OdeEngine

pytestmark = pytest.mark.engine("ode")


def hanging(iterations: int, count: int = 8) -> OdeEngine:
    """A chain that hangs from a fixed base."""
    settings = Settings(dt=0.002, iterations=iterations)
    chain = Placement("chain", specimens.chain(count), SE3.from_xyz_rpy((0, 0, 5)))
    return OdeEngine(specimens.world(), [chain], settings)


def stretch(scene: OdeEngine) -> float:
    """How far the last rod of a straight chain hangs below where it belongs [m]."""
    return 5.0 - 0.3 * 7 - float(scene.body_poses(0)[-1][2])


def test_a_chain_holds_with_few_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for kept in (True, False):
        if not kept:
            monkeypatch.setattr(memory.Memory, "act", lambda self: None)
            monkeypatch.setattr(memory.Memory, "recall", lambda self: None)
        scene = hanging(8)
        scene.step(500)
        found[kept] = abs(stretch(scene))
        scene.close()
    assert found[True] < 1e-4
    assert found[False] > 5 * found[True]


def test_remembered_forces_of_hinges_carry_the_weight() -> None:
    scene = hanging(20, 3)
    scene.step(1000)
    known = scene._drives[0].memory.save()
    weight = 0.5 * GRAVITY
    np.testing.assert_allclose(known.force[:, 2], weight * np.array([3, 2, 1]), rtol=0.05)
    np.testing.assert_allclose(known.force[:, :2], 0.0, atol=0.02 * weight)
    scene.close()


def test_what_is_remembered_has_no_net_force_or_torque() -> None:
    rng = np.random.default_rng(3)
    position = rng.normal(size=(3, 3)).astype(np.float32)
    quaternion = rng.normal(size=(3, 4)).astype(np.float32)
    quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
    ends = np.array([[1, 0], [2, 1]])
    local = rng.normal(size=(2, 2, 3))
    local[:, 1] /= np.linalg.norm(local[:, 1], axis=1, keepdims=True)
    force, torque, effort = rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), rng.normal(size=2)
    now, out = np.zeros((2, 2, 3)), np.zeros((3, 6))
    memory.wrenches(position, quaternion, ends, local, force, torque, effort, now, out)
    np.testing.assert_allclose(out[:, :3].sum(axis=0), 0.0, atol=1e-12)
    about_origin = out[:, 3:] + np.cross(position.astype(float), out[:, :3])
    np.testing.assert_allclose(about_origin.sum(axis=0), 0.0, atol=1e-6)
    # the last body feels one hinge alone: its torque along the axis is the effort of the servo
    lever, axis = now[1]
    assert axis @ (out[2, 3:] - np.cross(lever, out[2, :3])) == pytest.approx(effort[1])


def test_folding_adds_what_the_solver_gave() -> None:
    rng = np.random.default_rng(4)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    lever, force, across = rng.normal(size=(3, 3))
    across -= axis * (axis @ across)
    kept_force, kept_torque, kept_effort = np.ones((1, 3)), np.zeros((1, 3)), np.array([0.3])
    torque = np.cross(lever, force) + across + 7.0 * axis  # friction along the axis is not remembered
    now = np.array([[lever, axis]])
    memory.fold(
        force[None], torque[None], (0.5 * axis)[None], now, np.array([0.6]), kept_force, kept_torque, kept_effort
    )
    np.testing.assert_allclose(kept_force[0], memory.KEPT * (1 + force))
    np.testing.assert_allclose(kept_torque[0], memory.KEPT * across, atol=1e-12)
    assert kept_effort[0] == pytest.approx(0.6)  # 0.8 KEPT, cut at its share of the limit


def test_a_servo_at_its_limit_pulls_with_no_more() -> None:
    scene = OdeEngine(specimens.world(), [Placement("arm", specimens.hinge(along=(1.0, 0, 0)))], Settings(dt=0.002))
    scene.set_gains(0, scene.gains[0].changed(kp=200.0, kd=5.0, effort=1.5))
    scene.command(0, [-0.8])
    pulls = []
    for _ in range(300):
        scene.step(1)
        pulls.append(abs(float(scene.joint_efforts(0)[0])))
    assert max(pulls) <= 1.5 * 1.001
    assert max(pulls) > 1.4
    scene.close()
