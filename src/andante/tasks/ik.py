"""`an.ik`: joint positions that bring a link of a robot to a pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from andante import viz
from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.kinematics import Chain

from .inputs import RobotLike, as_robot
from .result import HIDDEN, Result


@dataclass(frozen=True)
class IkResult(Result):
    """Joint positions, and how near they bring the link."""

    converged: bool
    q: dict[str, float]  # joint to position [rad, m]
    error: float  # norm of what is left to the target [m, rad]
    iterations: int
    base: str
    tip: str
    held: dict[str, float]  # joints that stood still [rad, m]
    reached: Array  # x y z yaw pitch roll in the base frame [m, rad]
    notes: tuple[str, ...]
    target: Array = field(metadata=HIDDEN, repr=False)
    chain: Chain = field(metadata=HIDDEN, repr=False)

    def __str__(self) -> str:
        state = "reached" if self.converged else "out of reach, nearest solution"
        return f"{self.base} to {self.tip}: {state}, error {self.error:.3g}, {self.iterations} iterations"

    def plot(self) -> viz.Figure:
        """The chain as it was solved, with the target."""
        return viz.preview_chain(self.chain, [list(self.q.values())], self.target)


def ik(
    robot: RobotLike,
    *,
    tip: str,
    target: Sequence[float],
    base: str | None = None,
    pose: str | None = None,
    hold: Mapping[str, float] | None = None,
    axes: str = "base",
    limits: bool = True,
    restarts: int = 300,
    arguments: Mapping[str, str] | None = None,
    seed: int = 0,
) -> IkResult:
    """Solve inverse kinematics for any link of a robot. `robot.chain(base, tip).ik` solves many targets at once.

    Args:
        robot: a `Robot`, a name or a path.
        tip: link that has to reach the target.
        target: `x y z yaw pitch roll` in the base frame [m, rad]; nan: free.
        base: link where the chain begins; the root by default.
        pose: named pose to begin from.
        hold: joints that stand still [rad, m].
        axes: whose axes free coordinates are meant in, base or tool.
        limits: keep joints within their limits.
        restarts: attempts from random joint positions.
        arguments: `name:=value` arguments of the robot's file.
        seed: random seed of the restarts.

    Returns:
        The joint positions; `converged` says whether they reach the target.
    """
    made = as_robot(robot, arguments)
    chain = made.chain(base or made.root, tip)
    if hold:
        chain = chain.hold(dict(hold))
    wanted = np.asarray(target, dtype=float)
    if wanted.shape != (6,):
        raise BadInput(f"target {list(target)}: expected six numbers (x y z yaw pitch roll, nan = free)")
    begin, notes = _start(made, chain, pose, limits)
    found = chain.ik(wanted, begin, axes=axes, limits=limits, restarts=restarts, seed=seed)
    return IkResult(
        converged=bool(found.converged),
        q=dict(zip(chain.joint_names, found.q.tolist(), strict=True)),
        error=float(found.error),
        iterations=int(found.iterations),
        base=chain.base,
        tip=chain.tip,
        held=dict(chain.held),
        reached=chain.coordinates(found.q),
        notes=tuple(notes),
        target=wanted,
        chain=chain,
    )


def _start(robot: Robot, chain: Chain, pose: str | None, limited: bool) -> tuple[Array | None, list[str]]:
    """Joint positions of a named pose, cut at the limits with a note."""
    if pose is None:
        return None, []
    q = chain.vector(robot.complete(robot.pose(pose)))
    lower, upper = chain.limits
    inside = np.clip(q, lower, upper)
    notes = [
        f"pose: {name} at {value:.4g} is outside {low:.4g} to {high:.4g}; begins at {cut:.4g}"
        for name, value, low, high, cut in zip(chain.joint_names, q, lower, upper, inside, strict=True)
        if limited and value != cut
    ]
    return (inside if limited else q), notes
