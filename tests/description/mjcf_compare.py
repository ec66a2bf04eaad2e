"""Compares a `Robot` with what MuJoCo itself makes of a file: masses, tensors, ranges, poses."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from andante.description.inertia import Inertia
from andante.description.io.mjcf.reader import read_mjcf_robot
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import parse_xml
from andante.description.joint import JointType
from andante.description.robot import Robot
from andante.geometry import SE3, so3


def read(text: str, path: Path = Path("test.xml")) -> Robot:
    return read_mjcf_robot(parse_xml(text.encode(), str(path)), path, Resolver())


def compiled(text: str, path: Path | None = None) -> mujoco.MjModel:
    """MuJoCo's own model of the text; with a path, of a file written there (so that relative names resolve)."""
    if path is None:
        return mujoco.MjModel.from_xml_string(text)
    path.write_text(text)
    return mujoco.MjModel.from_xml_path(str(path))


def body_inertia(model: mujoco.MjModel, body: int) -> Inertia:
    w, x, y, z = model.body_iquat[body]
    R = so3.from_quaternion([x, y, z, w])
    return Inertia.from_matrix(
        model.body_mass[body], model.body_ipos[body], R @ np.diag(model.body_inertia[body]) @ R.T
    )


def assert_same_as_mujoco(robot: Robot, model: mujoco.MjModel, *, tolerance: float = 1e-6, seed: int = 0) -> None:
    """Every body of the model is a link of the robot with the same inertia, and moves the same with the joints."""
    names = [model.body(i).name for i in range(1, model.nbody)]
    for i, name in enumerate(names, start=1):
        if not name:
            continue
        mine, theirs = robot.link(name).inertia or Inertia(0.0), body_inertia(model, i)
        np.testing.assert_allclose(mine.mass, theirs.mass, rtol=tolerance, atol=1e-12, err_msg=name)
        if theirs.mass > 0:
            np.testing.assert_allclose(mine.com, theirs.com, rtol=0, atol=tolerance, err_msg=name)
        scale = max(float(np.abs(theirs.matrix).max()), 1e-12)
        np.testing.assert_allclose(mine.matrix, theirs.matrix, rtol=0, atol=tolerance * scale, err_msg=name)
    _assert_same_joints(robot, model, tolerance)
    data = mujoco.MjData(model)
    generator = np.random.default_rng(seed)
    for _ in range(5):
        q: dict[str, float] = {}
        mujoco.mj_resetData(model, data)
        for k in range(model.njnt):
            if model.jnt_type[k] in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
                value = float(generator.uniform(-1, 1))
                data.qpos[model.jnt_qposadr[k]] = value
                if model.joint(k).name:
                    q[model.joint(k).name] = value
        free = [joint for joint in robot.movable if joint.mimic is None]
        complete = robot.complete({joint.name: q[joint.name] for joint in free if joint.name in q})
        for name, value in complete.items():  # MuJoCo's couplings are forces; put the followers where they belong
            data.qpos[model.jnt_qposadr[model.joint(name).id]] = value
        mujoco.mj_kinematics(model, data)
        mine_poses = robot.link_poses(complete)
        root = next(n for n in names if n == robot.root) if robot.root in names else None
        base = _pose(data, model.body(root).id) if root else SE3.identity()
        for i, name in enumerate(names, start=1):
            if name:
                expected = base.inverse() @ _pose(data, i)
                np.testing.assert_allclose(mine_poses[name].matrix, expected.matrix, atol=1e-6, err_msg=name)


def _pose(data: mujoco.MjData, body: int) -> SE3:
    return SE3.from_parts(data.xmat[body].reshape(3, 3), data.xpos[body])


def _assert_same_joints(robot: Robot, model: mujoco.MjModel, tolerance: float) -> None:
    for k in range(model.njnt):
        name = model.joint(k).name
        if not name or model.jnt_type[k] not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            continue
        joint = robot.joint(name)
        slide = model.jnt_type[k] == mujoco.mjtJoint.mjJNT_SLIDE
        assert (joint.type is JointType.PRISMATIC) == slide
        if model.jnt_limited[k]:
            np.testing.assert_allclose((joint.limits.lower, joint.limits.upper), model.jnt_range[k], atol=tolerance)
        else:
            assert np.isinf([joint.limits.lower, joint.limits.upper]).all()
        if model.jnt_actfrclimited[k]:
            assert joint.limits.effort <= np.abs(model.jnt_actfrcrange[k]).max() + 1e-9
        dof = model.jnt_dofadr[k]
        mine = joint.dynamics
        assert np.allclose(
            (mine.damping, mine.friction, mine.armature, mine.stiffness, mine.reference),
            (
                np.ravel(model.dof_damping[dof])[0],
                model.dof_frictionloss[dof],
                model.dof_armature[dof],
                np.ravel(model.jnt_stiffness[k])[0],
                model.qpos_spring[model.jnt_qposadr[k]],
            ),
            atol=1e-9,
        )
        assert np.isclose(joint.initial, model.qpos0[model.jnt_qposadr[k]])
