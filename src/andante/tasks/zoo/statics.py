"""`python -m andante.tasks.zoo.statics FILE [NAME:=VALUE ...]`: can a legged robot carry itself in its stance?

The dynamics are MuJoCo's own: the robot is written as MJCF, put on a plane, and `mj_inverse` at rest tells the forces
that its degrees of freedom need against gravity and springs. A linear program shares them between the ground and the
joints: the contacts that MuJoCo finds press within their friction, closed loops hold, and the joint that is loaded most
for its effort limit is loaded as little as it can be,

    min s   so that   g = S^T tau + sum_i J_i^T f_i + J_loop^T lambda,   |tau_j| <= s limit_j,   f_i in its pyramid

with the mirrored half of a symmetric robot free to differ. s <= 1: the robot can stand. Joints whose file states no
limit are strong enough. A file that gives no link a mass or a shape describes no body that could stand. Nothing of the
gaits, their gains or their own test of strength takes part.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.description import load_robot
from andante.description.io.mjcf.writer import write_mjcf
from andante.description.stand_ins import made_solid
from andante.errors import AndanteError, BadInput
from andante.geometry import Array
from andante.locomotion.io.rig_file import rig_for

if TYPE_CHECKING:
    from andante.description import Robot
    from andante.locomotion import Rig

FRICTION = 0.7  # that contacts may count on
INTO = 2e-3  # the lowest point is put so deep into the plane, so that all feet of the stance touch it [m]


@dataclass(frozen=True)
class Carrying:
    """What a robot needs to stand."""

    able: bool
    part: float  # of its effort limit that the joint which is loaded most needs at least; 0: nobody states a limit
    joint: str  # that one
    needs: float  # [N m, N]
    has: float
    contacts: int
    limits: int  # joints whose file states one

    def __str__(self) -> str:
        if self is SKELETON:
            return "a skeleton: none of its links has a mass or a shape"
        if not self.limits:
            return "no effort limits"
        if not math.isfinite(self.part):
            return f"its {self.contacts} contacts cannot hold it whatever its joints do"
        return f"{self.joint!r} needs {self.needs:.3g} of {self.has:.3g}"


SKELETON = Carrying(False, math.inf, "", math.inf, 0.0, 0, 0)  # frames and joints without bodies


def carrying(robot: Robot, rig: Rig) -> Carrying:
    """Whether the joints of a robot can hold it in the stance of a rig."""
    import mujoco

    bare = replace(robot, links=tuple(replace(link, visuals=()) for link in robot.links))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        path.write_text(write_mjcf(bare, path, Path(folder) / "meshes"), encoding="utf-8")
        spec = mujoco.MjSpec.from_file(str(path))
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=-1, conaffinity=-1)
        model = spec.compile()
    data = mujoco.MjData(model)
    _stand(model, data, rig.stance, rig.body)
    limits = {j.name: j.limits.effort for j in robot.movable if 0 < j.limits.effort < math.inf}
    return _shared(model, data, limits)


def _stand(model: Any, data: Any, stance: Mapping[str, float], body: str) -> None:
    """Put the robot into its stance, its body level, its lowest point a little into the plane."""
    import mujoco

    for name, value in stance.items():
        joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
        if joint >= 0:
            data.qpos[model.jnt_qposadr[joint]] = value
    if not model.njnt or model.jnt_type[0] != mujoco.mjtJoint.mjJNT_FREE:
        raise BadInput("its base is not free")
    data.qpos[:7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    mujoco.mj_kinematics(model, data)
    link = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, body)
    if link >= 0:
        level = np.zeros(4)
        mujoco.mju_mat2Quat(level, data.xmat[link].reshape(3, 3).T.flatten())
        data.qpos[3:7] = level
    data.qpos[2] = 10.0
    mujoco.mj_forward(model, data)
    plane = model.ngeom - 1 if model.geom_bodyid[-1] == 0 else int(np.flatnonzero(model.geom_bodyid == 0)[-1])
    touching = [
        i for i in range(model.ngeom) if model.geom_bodyid[i] and (model.geom_contype[i] or model.geom_conaffinity[i])
    ]
    gaps = [mujoco.mj_geomDistance(model, data, plane, i, 100.0, None) for i in touching]
    if not gaps:
        raise BadInput("nothing of it can touch the ground")
    data.qpos[2] -= min(gaps) + INTO
    mujoco.mj_forward(model, data)


def _shared(model: Any, data: Any, limits: Mapping[str, float]) -> Carrying:
    """Share what the degrees of freedom need between ground, loops and joints."""
    import mujoco
    from scipy.optimize import linprog

    ground = [i for i in range(data.ncon) if 0 in model.geom_bodyid[data.contact.geom[i]]]
    pushes = [_edges(model, data, i) for i in ground]
    loops = _loops(model, data)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data.qvel[:], data.qacc[:] = 0.0, 0.0
    mujoco.mj_inverse(model, data)
    needed = np.array(data.qfrc_inverse)
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, i) or "" for i in range(model.njnt)]
    turning = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    motors = [i for i in range(model.njnt) if int(model.jnt_type[i]) in turning]
    effort = np.array([limits.get(names[i], math.inf) for i in motors])
    known = np.isfinite(effort)
    torque = np.zeros((model.nv, len(motors)))
    for k, i in enumerate(motors):
        torque[model.jnt_dofadr[i], k] = 1.0
    forces = np.concatenate(pushes, axis=1) if pushes else np.zeros((model.nv, 0))
    equal = np.concatenate([torque, forces, loops, np.zeros((model.nv, 1))], axis=1)
    bounds = (
        [(None, None)] * len(motors) + [(0, None)] * forces.shape[1] + [(None, None)] * loops.shape[1] + [(0, None)]
    )
    chosen = np.flatnonzero(known)
    rows = np.zeros((2 * len(chosen), equal.shape[1]))
    for r, k in enumerate(chosen):
        rows[2 * r, k], rows[2 * r + 1, k] = 1.0, -1.0
        rows[2 * r : 2 * r + 2, -1] = -effort[k]
    cost = np.zeros(equal.shape[1])
    cost[-1] = 1.0
    found = linprog(cost, rows, np.zeros(len(rows)), equal, needed, bounds) if len(chosen) else None
    if found is None:
        return Carrying(True, 0.0, "", 0.0, math.inf, len(ground), 0)
    if not found.success:
        return Carrying(False, math.inf, "", math.inf, 0.0, len(ground), len(chosen))
    used = np.abs(found.x[chosen]) / effort[chosen]
    most = int(chosen[int(np.argmax(used))])
    return Carrying(
        bool(found.x[-1] <= 1.0), float(found.x[-1]), names[motors[most]], abs(float(found.x[most])),
        float(effort[most]), len(ground), len(chosen),
    )  # fmt: skip


def _edges(model: Any, data: Any, index: int) -> Array:
    """(nv, 4) what pushes along the edges of a contact's friction pyramid do to the degrees of freedom."""
    import mujoco

    contact = data.contact[index]
    bodies = model.geom_bodyid[contact.geom]
    body = int(bodies[1] if bodies[0] == 0 else bodies[0])
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, jacobian, None, np.array(contact.pos), body)
    ways = np.array([[x, y, 1.0] for x, y in ((FRICTION, 0), (-FRICTION, 0), (0, FRICTION), (0, -FRICTION))])
    return np.asarray(jacobian.T @ ways.T)


def _loops(model: Any, data: Any) -> Array:
    """(nv, rows) of the constraints that close loops or couple joints."""
    import mujoco

    kinds = np.array(data.efc_type)
    rows = np.array(data.efc_J)
    if mujoco.mj_isSparse(model):
        dense = np.zeros((data.nefc, model.nv))
        mujoco.mju_sparse2dense(dense, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
        rows = dense
    rows = rows.reshape(-1, model.nv)[: data.nefc]
    return np.asarray(rows[kinds[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY].T)


def main(path: str, *arguments: str) -> int:
    """Print a JSON object; exit 2 with a line where the robot has no stance or cannot be read."""
    try:
        robot = made_solid(load_robot(Path(path), dict(word.split(":=", 1) for word in arguments)))
        if not robot.mass > 0 and not any(link.collisions for link in robot.links):
            found = SKELETON
        else:
            found = carrying(robot, rig_for(robot))
    except (AndanteError, ValueError) as error:
        sys.stderr.write(" ".join(str(error).split()) + "\n")
        return 2
    sys.stdout.write(json.dumps({**asdict(found), "said": str(found)}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
