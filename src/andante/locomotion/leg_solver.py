"""All legs of a rig at once: joints to feet and feet to joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from andante.description import Robot
from andante.description.robot import Frame
from andante.geometry import SE3, Array
from andante.kinematics import Chain, Legs, chain

from .rig import Rig

TIP = "leg_solver/tip"  # name of the frame at the end of a leg


class LegSolver:
    """Inverse and forward kinematics of every leg, in walking axes with the body's origin."""

    def __init__(self, robot: Robot, rig: Rig) -> None:
        poses = robot.link_poses(rig.stance)
        walking_from_body = SE3.from_parts(rig.walking_from_body, np.zeros(3))
        walking_from_root = walking_from_body @ poses[rig.body].inverse()
        chains = [leg_chain(robot, leg.hip, leg.foot, leg.joints, leg.point, rig.stance) for leg in rig.legs]
        self.legs = Legs(tuple(chains), np.array([(walking_from_root @ poses[leg.hip]).matrix for leg in rig.legs]))
        names = robot.joint_names
        self.index = np.array([names.index(name) for name in self.legs.joint_names])
        self._targets = np.full((len(rig.legs), 6), np.nan)

    def joints(self, points: Array, start: Array, restarts: int = 0) -> tuple[Array, Array]:
        """All joint positions (joints,) that bring the feet to points (legs, 3), and how far each is off [m].

        Joints outside the legs stay as in `start`, which is also where the search begins.
        """
        self._targets[:, :3] = points
        found = self.legs.ik(self._targets, start[self.index], restarts=restarts, tolerance=1e-6, max_iterations=40)
        q = start.copy()
        q[self.index] = found.q
        return q, found.error

    def feet(self, q: Array) -> Array:
        """Poses (legs, 4, 4): the middle of each foot [m] and the rotation of its link."""
        return self.legs.fk(q[self.index])


def leg_chain(
    robot: Robot,
    hip: str,
    foot: str,
    joints: tuple[str, ...],
    point: tuple[float, float, float],
    rest: Mapping[str, float],
) -> Chain:
    """The chain from a hip link to a point of a foot; joints on the way that the leg does not move are held."""
    tip = Frame(TIP, foot, SE3.from_parts(np.eye(3), point))
    made = chain(replace(robot, frames=(*robot.frames, tip)), hip, TIP)
    return made.hold({name: float(rest.get(name, 0.0)) for name in made.variables if name not in joints})
