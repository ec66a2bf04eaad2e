"""Random postures of arms and legs commanded while a robot stands: falls, and which joints reach their targets.

    python benchmarks/balance_study.py                     # 200 postures of the NAO on MuJoCo
    python benchmarks/balance_study.py --off --postures 20 # without the balance filter

Postures follow each other without a rest in the stance, each by a way on which no part goes through another one. A
third has the legs anywhere near the stance, a third both legs bent alike, a third a trunk that is shifted, turned,
lowered and tilted over fixed feet; arms and head go anywhere. Whether a posture is stable is told by forward kinematics
and masses of the file alone: both soles as they stand, the center of mass inside them.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass

import numpy as np

from andante.control.joints.joint_moves import JointMoves
from andante.geometry import Array
from andante.geometry.hull import convex_hull
from andante.locomotion.biped.figure import BipedFigure
from andante.locomotion.rigs.soles import foot_corners
from andante.motion.actions.check import SelfCollision
from andante.session import LiveSession
from andante.simulation.simulation import Simulation

REACHED = math.radians(2.0)
INSIDE = 0.010  # of the soles: a center of mass so far from their edge is stable [m]
STAYS, LEVEL = 0.005, math.radians(2.0)  # of soles that stand as they stood [m, rad]
SPREAD, BENT = 0.5, 0.6  # of the joints of legs [rad]
SHIFT, LOWER, LEAN = 0.04, 0.06, 0.3  # of the trunk [m, m, rad]
WAY = 9  # points of a way that are looked at
SENT = 1e-4  # change of a target in a period that counts as none [rad]
LONGEST, REST = 12.0, 1.5  # of a posture [s]


class CenterOfMassTest:
    """Tells from the robot's file alone whether it stands in a posture with its feet as they are."""

    def __init__(self, robot: object, feet: tuple[str, str], stance: dict[str, float]) -> None:
        self.robot, self.feet = robot, feet
        self.soles = []
        for foot in feet:
            corners = foot_corners(robot, foot)
            self.soles.append(corners[corners[:, 2] < corners[:, 2].min() + 3e-3])
        self.between = self._between(robot.link_poses(stance))

    def _between(self, poses: dict) -> object:
        return poses[self.feet[0]].inverse() @ poses[self.feet[1]]

    def stable(self, posture: dict[str, float]) -> bool:
        """Whether soles are where they stand and the center of mass is over them."""
        poses = self.robot.link_poses(posture)
        moved = self.between.inverse() @ self._between(poses)
        turn = math.acos(max(-1.0, min(1.0, (float(np.trace(moved.rotation)) - 1.0) / 2.0)))
        if float(np.linalg.norm(moved.translation)) > STAYS or turn > LEVEL:
            return False
        foot = poses[self.feet[0]].inverse()
        parts = [
            (link.inertia.mass, poses[link.name] @ np.array(link.inertia.com))
            for link in self.robot.links
            if link.inertia
        ]
        whole = sum(mass for mass, _ in parts)
        center = foot @ (sum(mass * at for mass, at in parts) / whole)
        corners = np.concatenate([foot @ poses[f] @ sole for f, sole in zip(self.feet, self.soles, strict=True)])
        hull = convex_hull(corners[:, :2])
        return hull is not None and float((hull.equations[:, :2] @ center[:2] + hull.equations[:, 2]).max()) < -INSIDE


@dataclass
class Postures:
    """Draws postures of a robot on two legs."""

    session: LiveSession
    rng: np.random.Generator

    def __post_init__(self) -> None:
        walker = self.session.stage.walker
        assert isinstance(walker, BipedFigure)
        self.body, self.robot = walker.body, self.session.stage.robot
        self.names = self.robot.joint_names
        self.free = [n for n in self.names if n in walker.free_joints]
        self.stance = dict(zip(self.names, self.body.stance.tolist(), strict=True))
        self.limits = {n: (self.robot.joint(n).limits.lower, self.robot.joint(n).limits.upper) for n in self.names}
        feet = tuple(leg.foot for leg in self.body.rig.legs)
        self.legs = [
            [j.name for j in self.robot.ancestors(f) if j.name in self.names and j.name not in self.free] for f in feet
        ]
        self.shapes = SelfCollision(self.robot)
        self.known = [hit.links for hit in self.shapes.at(self.stance)]
        self.test = CenterOfMassTest(self.robot, feet, self.stance)

    def draw(self, kind: int, here: dict[str, float]) -> dict[str, float]:
        """A posture in which, and on the straight way to which, no part goes through another one."""
        known = [*self.known, *(hit.links for hit in self.shapes.at(here))]
        while True:
            made = self._draw(kind)
            ways = ({n: here[n] + s * (made[n] - here[n]) for n in made} for s in np.linspace(1.0, 0.0, WAY))
            if not any(self.shapes.at(way, known) for way in ways):
                return made

    def _draw(self, kind: int) -> dict[str, float]:
        """A posture; kind 0: legs anywhere, 1: both bent alike, 2: the trunk moved over its feet."""
        rng = self.rng
        posture = {n: float(rng.uniform(*self.limits[n])) for n in self.free}
        legs = {n: self.stance[n] for n in self.names if n not in self.free}
        if kind == 0:
            legs = {n: v + float(rng.uniform(-SPREAD, SPREAD)) for n, v in legs.items()}
        elif kind == 1:
            pitch = self._alike()
            for left, right in pitch:
                bend = float(rng.uniform(-BENT, BENT))
                legs[left] += bend
                legs[right] += bend
        else:
            legs |= self._trunk()
        for name in legs:
            mimic = self.robot.joint(name).mimic
            if mimic is not None:
                legs[name] = mimic.multiplier * legs[mimic.joint] + mimic.offset
        clipped = {n: min(max(v, self.limits[n][0]), self.limits[n][1]) for n, v in legs.items()}
        return posture | clipped

    def _alike(self) -> list[tuple[str, str]]:
        """Joints of both legs that turn about the axis across."""
        pairs = []
        for leg in zip(*self.legs, strict=True):
            axes = [np.asarray(self.robot.joint(name).axis, dtype=float) for name in leg]
            if all(abs(axis[1]) > 0.99 for axis in axes):
                pairs.append(leg)
        return pairs

    def _trunk(self) -> dict[str, float]:
        """Leg joints for a trunk that is moved over fixed feet, by the walk's inverse kinematics of one leg each."""
        rng, body = self.rng, self.body
        q = body.stance.copy()
        width = body.stance_width
        soles = np.array([[0.0, 0.5 * width, 0.0], [0.0, -0.5 * width, 0.0]])
        roll, pitch = rng.uniform(-LEAN, LEAN, 2) * (0.5, 1.0)
        tilt = _rotation(roll, pitch) @ body.upright
        com = np.array([rng.uniform(-SHIFT, SHIFT), rng.uniform(-SHIFT, SHIFT)])
        height = body.stance_height - float(rng.uniform(0.0, LOWER))
        _, left, _ = body.reach(q, 0.0, soles, np.array([np.eye(3)] * 2), com, height, tilt, 0.0, 60)
        if left > 1e-4:
            return self._trunk()
        return {n: float(v) for n, v in zip(self.names, q, strict=True) if n not in self.free}


def _rotation(roll: float, pitch: float) -> Array:
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    return np.array([[cp, sp * sr, sp * cr], [0.0, cr, -sr], [-sp, cp * sr, cp * cr]])


def study(robot: str, engine: str, count: int, seed: int, on: bool, progress: bool) -> dict[str, float]:
    """Command the postures one after the other."""
    lines: list[str] = []
    session = LiveSession(robot, "empty", engine, seed=seed, nodes=[])
    session.run(1.0)
    postures = Postures(session, np.random.default_rng(seed))
    falls = free_missed = blocked = stable = reached = untold = 0
    worst = 0.0
    for k in range(count):
        stage = session.stage
        goal = postures.draw(k % 3, dict(zip(postures.names, stage.sim.read().position.tolist(), strict=True)))
        stage.balance.on = on
        stage.log = lines.append
        stage.balance._log = lines.append
        mark = len(lines)
        names = [n for n in goal if postures.robot.joint(n).mimic is None]
        session.command_api.joint_angles(names, [goal[n] for n in names], float(postures.rng.uniform(0.1, 1.0)))
        fell = _settle(session)
        if fell:
            falls += 1
            if progress:
                print(k, k % 3, "fell", {n: round(v, 2) for n, v in goal.items()}, flush=True)
            session.reset()
            session.run(1.0)
            continue
        felt = dict(zip(postures.names, stage.sim.read().position.tolist(), strict=True))
        off = {n: abs(felt[n] - goal[n]) for n in goal}
        free = max(off[n] for n in postures.free)
        legs = max(off[n] for n in off if n not in postures.free)
        if free > REACHED and touches_itself(stage.sim):
            blocked += 1  # an arm has met another part on its way
        else:
            worst, free_missed = max(worst, free), free_missed + (free > REACHED)
        told = any("balance filter" in line for line in lines[mark:])
        untold += legs > REACHED and bool(stage.balance.refused) and not told
        if postures.test.stable(goal):
            stable += 1
            reached += max(free, legs) <= REACHED
        if progress:
            named = max(off, key=lambda n: off[n])
            print(k, k % 3, "stable" if postures.test.stable(goal) else "", named, f"{math.degrees(off[named]):.1f}",
                  f"free {math.degrees(free):.2f}", f"t {session.time:.1f}", flush=True)  # fmt: skip
    session.close()
    return {
        "robot": robot, "engine": engine, "postures": count, "falls": falls, "free_joints_missed": free_missed,
        "arms_blocked_by_the_body": blocked,
        "worst_free_joint_deg": round(math.degrees(worst), 2), "stable": stable, "stable_reached": reached,
        "stable_reached_percent": round(100.0 * reached / max(stable, 1), 1), "refused_untold": untold,
    }  # fmt: skip


def touches_itself(sim: Simulation) -> bool:
    """Whether parts of the robot press on each other, by the simulator's truth."""
    contacts = sim.engine.contacts_of(sim.model)
    return bool((contacts.model_b == sim.model).any())


def _settle(session: LiveSession) -> bool:
    """Go on until the commands rest and no joint is sent anywhere any more; whether the robot fell."""
    stage, still, end = session.stage, 0.0, session.time + LONGEST
    before = stage.activities.sent
    while session.time < end and still < REST:
        session.step()
        if stage.sim.fallen or (stage.supervisor is not None and stage.supervisor.busy):
            return True
        rests = isinstance(stage.activities.present, JointMoves) and stage.activities.present.resting
        rests = rests and float(np.abs(stage.activities.sent - before).max()) < SENT
        still, before = (still + 0.01 if rests else 0.0), stage.activities.sent
    return False


def main() -> None:
    """Print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="nao")
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--postures", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--off", action="store_true", help="without the filter")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--progress", action="store_true")
    asked = parser.parse_args()
    found = study(asked.robot, asked.engine, asked.postures, asked.seed, not asked.off, asked.progress)
    if asked.json:
        print(json.dumps(found))
    else:
        print("\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
