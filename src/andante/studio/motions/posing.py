"""What the drag of a link means for the joints: inverse kinematics on any robot, with the feet where they are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion.biped.standing import StandFilter

PERIOD, PERIODS = 0.1, 40  # in which the balance filter is led to the wanted posture [s]
NEAR = 0.005  # a link this near to where it was dragged is there [m]


@dataclass(frozen=True)
class Posture:
    """Joint positions after a drag [rad or m]."""

    positions: dict[str, float]
    reached: bool
    words: str = ""  # what is in the way


def feet_of(robot: Robot) -> tuple[str, ...]:
    """Links with load cells, on which a robot stands; empty: nobody knows."""
    return tuple(dict.fromkeys(spec.link for spec in robot.sensors if spec.kind == "force"))


def reach(
    robot: Robot, link: str, position: Array, start: Mapping[str, float], balance: StandFilter | None = None
) -> Posture:
    """Bring the origin of a link to a position (3,) in axes of the root [m], from a posture.

    A foot keeps its orientation, the root moves over its feet, all other links turn as they like. balance: then the
    legs follow as far as the robot stays up; feet are left alone by it.
    """
    if not (np.shape(position) == (3,) and np.isfinite(position).all()):
        raise BadInput("a link is dragged to three finite numbers [m]")
    robot.link(link)
    here = robot.complete(start)
    feet = feet_of(robot)
    if link == robot.root:
        return _shift_root(robot, feet, np.asarray(position, dtype=float), here)
    foot = next((each for each in feet if link in robot.welded(each) or link == each), None)
    found = _solve(robot, link, position, here, whole=foot is not None)
    if balance is None or foot is not None:
        return found
    return _balanced(robot, link, position, here, found, balance)


def _solve(robot: Robot, link: str, position: Array, here: Mapping[str, float], whole: bool = False) -> Posture:
    chain = robot.chain(robot.root, link)
    chain = chain.hold({name: here[name] for name in _shared(robot, chain.joint_names, link)})
    if not chain.joint_names:
        raise BadInput(f"no joint moves link {link!r} alone; drag another one")
    lower, upper = chain.limits
    begin = np.clip(chain.vector(here), lower, upper)
    now = chain.coordinates(begin)
    target = np.array([*position, *(now[3:] if whole else [math.nan] * 3)])
    found = chain.ik(target, begin, restarts=0)
    gap = float(np.linalg.norm(chain.fk(found.q)[:3, 3] - position))
    return Posture({**here, **dict(zip(chain.joint_names, found.q.tolist(), strict=True))}, gap < NEAR)


def _shared(robot: Robot, names: tuple[str, ...], link: str) -> list[str]:
    """Joints of a chain that also move links elsewhere, because others mimic them."""
    own = {joint.name for joint in robot.ancestors(link)}
    followed = {j.mimic.joint for j in robot.movable if j.mimic is not None and j.name not in own}
    mimics = {j.mimic.joint for j in robot.movable if j.mimic is not None and j.name in own}
    return [name for name in names if name in followed or (name in mimics and name not in own)]


def _shift_root(robot: Robot, feet: tuple[str, ...], shift: Array, here: Mapping[str, float]) -> Posture:
    """Move the root while its feet stay: the feet go the other way, seen from it."""
    if not feet:
        raise BadInput("nobody knows what this robot stands on; drag its limbs instead of its body")
    poses = robot.link_poses(here)
    positions, there = dict(here), True
    for foot in feet:
        found = _solve(robot, foot, poses[foot].translation - shift, positions, whole=True)
        positions, there = found.positions, there and found.reached
    return Posture(positions, there)


def _balanced(
    robot: Robot, link: str, position: Array, here: Mapping[str, float], found: Posture, balance: StandFilter
) -> Posture:
    """The posture that the balance filter makes of another one."""
    names = robot.joint_names
    if not balance.begin(np.array([here[name] for name in names])):
        return Posture(found.positions, found.reached, "it does not stand on both feet in this posture")
    wanted = np.array([found.positions[name] for name in names])
    for _ in range(PERIODS):
        out = balance.limit(wanted, PERIOD)
    balance.end()
    moved = set(robot.chain(robot.root, link).joint_names)
    kept = {name: float(out[k]) for k, name in enumerate(names)}
    kept |= {name: found.positions[name] for name in moved if not balance.carrying[names.index(name)]}
    return Posture(kept, found.reached)
