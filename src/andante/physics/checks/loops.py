"""Checks of joints that close loops: four-bar linkages, one motor each, against closed-form angles."""

from __future__ import annotations

import math

import numpy as np

from andante.description.joint import JointType
from andante.errors import Unsupported
from andante.geometry import SE3
from andante.physics.engine import Engine
from andante.physics.state import Settings

from . import specimens
from .joints import alone, named
from .result import Checks, Findings

LOOPS = Checks()


@LOOPS.add
def loop(engine: type[Engine], found: Findings) -> None:
    """A four-bar linkage stays closed within 2 mm while driven, or the engine refuses its loop joint by name."""
    robot = specimens.four_bar()
    try:
        scene = alone(engine, robot, Settings(dt=0.002))
    except Unsupported as refusal:
        found.true(f"the refusal names joint and engine ({refusal})", named(refusal, "closure", engine))
        return
    worst = 0.0
    drive = [robot.joint_names.index("drive")]
    for i in range(100):
        scene.command(0, [0.6 * math.sin(2 * math.pi * i / 50)], joints=drive)
        scene.step(10)
        poses = SE3.from_vector(scene.link_poses(0))
        gap = poses[2] @ np.array([0.4, 0, 0]) - poses[3] @ np.array([0, 0, 0.2])
        worst = max(worst, float(np.linalg.norm(gap)))
    found.at_most("largest gap of the loop [m]", worst, 0.002)
    scene.command(0, [0.5], joints=drive)
    scene.step(500)
    q = scene.joint_positions(0)
    found.close("the rocker follows the crank [rad]", q[robot.joint_names.index("pivot")], q[drive[0]], 0.02)
    found.close("the crank obeys [rad]", q[drive[0]], 0.5, 0.1)


def freudenstein(crank: float, lengths: tuple[float, float, float, float]) -> tuple[float, float]:
    """Angles of coupler and rocker [rad] of a four-bar linkage whose bars do not cross, from that of its crank.

    With a crank, b coupler, c rocker, d ground [m] and angles t2, t3, t4 against the ground,

        d/a cos t4 - d/c cos t2 + (a² - b² + c² + d²) / (2 a c) = cos(t2 - t4)
        d/a cos t3 + d/b cos t2 + (c² - d² - a² - b²) / (2 a b) = cos(t2 - t3)

    (Freudenstein, Trans. ASME 77, 1955; solved as in Norton, Design of Machinery, ch. 4).
    """
    a, b, c, d = lengths
    cosine, k1 = math.cos(crank), d / a
    out = []
    for k2, k3 in (
        (-d / b, (c * c - d * d - a * a - b * b) / (2 * a * b)),
        (d / c, (a * a - b * b + c * c + d * d) / (2 * a * c)),
    ):
        p, q, r = cosine - k1 - k2 * cosine + k3, -2 * math.sin(crank), k1 - (k2 + 1) * cosine + k3
        out.append(2 * math.atan2(-q - math.sqrt(q * q - 4 * p * r), 2 * p))
    return out[0], out[1]


@LOOPS.add
def crank_rocker(engine: type[Engine], found: Findings) -> None:
    """Coupler and rocker of a four-bar, drawn open and driven round by one servo, obey Freudenstein's equation.

    The loop, a hinge and then a ball, stays closed within 1 mm, or the engine refuses its joint by name.
    """
    for kind in (JointType.CONTINUOUS, JointType.BALL):
        lengths = specimens.CRANK_ROCKER
        robot = specimens.crank_rocker(kind, *freudenstein(1.0, lengths))
        try:
            scene = alone(engine, robot, Settings(dt=0.002))
        except Unsupported as refusal:
            found.true(f"the refusal names joint and engine ({refusal})", named(refusal, "closure", engine))
            continue
        drive, wrist, pivot = (robot.joint_names.index(name) for name in ("drive", "wrist", "pivot"))
        gap, coupler_off, rocker_off = 0.0, 0.0, 0.0
        for i in range(110):
            scene.command(0, [1.0 + 2 * math.pi * min(i, 100) / 100], joints=[drive])
            scene.step(10)
            poses, q = SE3.from_vector(scene.link_poses(0)), scene.joint_positions(0)
            tips = poses[2] @ np.array([lengths[1], 0, 0]), poses[3] @ np.array([lengths[2], 0, 0])
            gap = max(gap, float(np.linalg.norm(tips[0] - tips[1])))
            coupler, rocker = freudenstein(float(q[drive]), lengths)
            coupler_off = max(coupler_off, _turn(q[drive] + q[wrist] - coupler))
            rocker_off = max(rocker_off, _turn(q[pivot] - rocker))
        found.at_most(f"{kind}: largest gap of the loop [m]", gap, 0.001)
        found.at_most(f"{kind}: coupler beside its closed form [rad]", coupler_off, 0.01)
        found.at_most(f"{kind}: rocker beside its closed form [rad]", rocker_off, 0.01)
        found.close(f"{kind}: the crank has gone round [rad]", float(q[drive]), 1.0 + 2 * math.pi, 0.1)


def _turn(angle: float) -> float:
    """Size of an angle, whole turns left out [rad]."""
    return abs(math.remainder(float(angle), 2 * math.pi))
