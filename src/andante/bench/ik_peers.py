"""The peers of `andante bench ik`: the same chain in roboticstoolbox and in Pinocchio, one target per call."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from andante.geometry import Array
from andante.kinematics import Chain

Solver = Callable[[Array], tuple[bool, Array]]  # (4, 4) pose -> whether it says that it arrived, q

SEARCHES = 1000  # restarts, so that speed and not patience is compared
STEPS = 30  # of one search of the Pinocchio loop, as many as ik_LM takes by default
GAIN = 0.1  # of ik_LM's damping: the quickest of the range that its pages advise, on these chains
HALF_SQUARE = 5e-13  # ik_LM's tolerance is on half the squared error: 1e-6 on the error


def missing(package: str) -> bool:
    """Whether a peer is not installed."""
    return importlib.util.find_spec(package) is None


def toolbox(chain: Chain, mask: Array) -> Solver:
    """`ik_LM` (C++) of roboticstoolbox with joint limits, from the middle of the limits."""
    roboticstoolbox: Any = importlib.import_module("roboticstoolbox")
    ET = roboticstoolbox.ET
    lower, upper = chain.limits
    sequence: Any = roboticstoolbox.ETS()
    for row in chain.table:
        sequence = sequence * ET.SE3(_pose(row))
        if row[12] != 2.0:
            index = int(row[13])
            sequence = sequence * ET.Rz(jindex=index, qlim=[lower[index], upper[index]])
    start = np.array(chain.middle)

    def solve(pose: Array) -> tuple[bool, Array]:
        found = sequence.ik_LM(pose, q0=start, slimit=SEARCHES, tol=HALF_SQUARE, mask=mask, k=GAIN)
        return bool(found.success), found.q

    return solve


def pinocchio(chain: Chain, mask: Array, tolerance: float = 1e-6) -> Solver:
    """The damped loop of Pinocchio's pages with ik_LM's damping, limits by cutting and random restarts within them."""
    import pinocchio as pin

    lower, upper = chain.limits
    model = pin.Model()
    parent = 0
    for row in chain.table[:-1]:
        placement = pin.SE3(_pose(row))
        parent = model.addJoint(parent, pin.JointModelRZ(), placement, f"j{parent}")
    tip = model.addFrame(pin.Frame("tip", parent, pin.SE3(_pose(chain.table[-1])), pin.FrameType.OP_FRAME))
    data = model.createData()
    rows = np.flatnonzero(mask)
    positions_only = not mask[3:].any()
    rng = np.random.default_rng(0)
    unit = np.eye(len(rows))
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED if positions_only else pin.ReferenceFrame.LOCAL

    def solve(pose: Array) -> tuple[bool, Array]:
        goal = pin.SE3(pose)
        q = np.array(chain.middle)
        for _ in range(SEARCHES):
            for _ in range(STEPS):
                pin.forwardKinematics(model, data, q)
                placed = pin.updateFramePlacement(model, data, tip)
                if positions_only:
                    error = (goal.translation - placed.translation)[rows]
                else:
                    error = pin.log6(placed.actInv(goal)).vector
                square = error @ error
                if square < tolerance * tolerance:
                    return True, q
                J = pin.computeFrameJacobian(model, data, q, tip, axes)[rows]
                step = J.T @ np.linalg.solve(J @ J.T + 0.5 * GAIN * square * unit, error)
                q = np.clip(pin.integrate(model, q, step), lower, upper)
            q = rng.uniform(lower, upper)
        return False, q

    return solve


def _pose(row: Array) -> Array:
    """(4, 4) matrix of a kernel row, exactly orthonormal."""
    pose = np.eye(4)
    u, _, vt = np.linalg.svd(row[:9].reshape(3, 3))
    pose[:3, :3], pose[:3, 3] = u @ vt, row[9:12]
    return pose
