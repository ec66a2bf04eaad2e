"""Ways from one standing pose to another that keep the center of mass over the soles.

The way is straight in joint space where that is safe at every point of it, else it goes by another pose of the robot.
A robot stands in a configuration when both soles lie in one plane, the body is upright over it, and the center of
mass projects into the hull of the soles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion.rigs.balance import Balance, margin
from andante.motion.joint_motion import Chained, Positions, positions_of, transition, vector_of, within_limits

SAFE = 0.015  # margin of the center of mass inside the soles along a way [m]
STEADY = 0.01  # and in a pose that counts as standing [m]
PLANE = 0.012  # how far the corners of both soles may lie from one plane [m]
UPRIGHT = math.radians(35.0)
SAMPLES = 33
VIA = ("StandInit", "init", "Crouch")  # tried first when the straight way is not safe


@dataclass(frozen=True, eq=False)
class PoseRoute(Chained):
    """A joint motion of one move or several, resting in the poses between."""

    via: tuple[str, ...]  # names of the poses between
    margin: float  # smallest distance of the center of mass from the border of the soles on the way [m]


def two_feet(robot: Robot) -> bool:
    """Whether a robot has two feet with force sensors, so that these ways are for it."""
    return len({spec.link for spec in robot.sensors if spec.kind == "force"}) == 2


def static_margin(balance: Balance, q: Array) -> float:
    """Distance of the center of mass from the border of the soles [m], standing still at q; -inf: it does not stand."""
    foot = balance.foot_poses(q)[0]
    center, soles = balance.at(q)
    ground = np.concatenate([foot.inverse() @ points for points in soles])
    lean = math.acos(max(-1.0, min(1.0, float(foot.rotation[2, 2]))))
    if lean > UPRIGHT or float(np.ptp(ground[:, 2])) > PLANE:
        return -math.inf
    return margin(ground[:, :2], (foot.inverse() @ center)[:2])


def standing_poses(robot: Robot, balance: Balance | None = None) -> tuple[str, ...]:
    """Names of the poses in which a robot stands on its feet."""
    model = balance or Balance(robot)
    return tuple(name for name in robot.poses if static_margin(model, vector_of(robot, robot.pose(name))) > STEADY)


def pose_route(
    robot: Robot, start: Positions, goal: Positions, speed: float = 0.4, balance: Balance | None = None
) -> PoseRoute:
    """The way from where a robot stands to a pose in which it stands, at a fraction of the joints' speed.

    Raises BadInput when it stands in neither, or when no way over its own poses is safe.
    """
    model = balance or Balance(robot)
    here = robot.complete(positions_of(robot, start))
    inside, _ = within_limits(robot, positions_of(robot, goal))
    there = robot.complete({**here, **inside})
    name = goal if isinstance(goal, str) else "the goal"
    if static_margin(model, vector_of(robot, here)) <= 0:
        raise BadInput(f"robot {robot.name!r} does not stand on its feet; it must get up before it can take a pose")
    if static_margin(model, vector_of(robot, there)) <= STEADY:
        raise BadInput(
            f"pose {name!r} is no standing pose: the center of mass is not over level soles; standing ones are "
            f"{', '.join(standing_poses(robot, model))}"
        )
    straight = way_margin(model, vector_of(robot, here), vector_of(robot, there))
    if straight >= SAFE:
        return PoseRoute((transition(robot, here, there, speed),), (), straight)
    known = {pose.casefold(): pose for pose in robot.poses}
    order = dict.fromkeys([*(known[v.casefold()] for v in VIA if v.casefold() in known), *robot.poses])
    for via in order:
        between = robot.complete({**here, **within_limits(robot, robot.pose(via))[0]})
        q = [vector_of(robot, each) for each in (here, between, there)]
        if static_margin(model, q[1]) <= STEADY:
            continue
        least = min(way_margin(model, q[0], q[1]), way_margin(model, q[1], q[2]))
        if least >= min(SAFE, 0.9 * static_margin(model, q[0])):
            moves = (transition(robot, here, between, speed), transition(robot, between, there, speed))
            return PoseRoute(moves, (via,), least)
    raise BadInput(f"robot {robot.name!r} finds no way to pose {name!r} that keeps it over its feet")


def way_margin(balance: Balance, start: Array, goal: Array) -> float:
    """Smallest static margin on the straight way from one configuration to another [m]."""
    return min(static_margin(balance, start + s * (goal - start)) for s in np.linspace(0.0, 1.0, SAMPLES))
