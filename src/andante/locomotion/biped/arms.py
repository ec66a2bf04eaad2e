"""Arms that swing against the legs, and how far they may without touching legs or trunk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from andante.locomotion.behaviour import Command, Readings
from andante.motion.actions.check import SelfCollision

if TYPE_CHECKING:
    from .walk import BipedWalk

INSTANTS, STEPS = 4, 3  # of a step that are looked at, and steps from a stand
ROOM = 1.25  # swings this much wider than the walk's have to be clear
PARTS = (1.0, 0.75, 0.5, 0.25)  # of the usual swing that are tried, then none


def clear_swing(walk: BipedWalk) -> float:
    """Swing of the arms per meter between the feet [rad/m]: as wide as usual, or as hands keep clear.

    The fastest steps ahead and back are made in thought with arms that swing a quarter wider, and the collision shapes
    of the arms are held against those of legs and trunk. Shapes that overlap in the stance are left out.
    """
    usual = walk.measures.arms
    if not walk.body.arms or not usual:
        return usual
    shapes = SelfCollision(walk.body.robot, arm_links(walk))
    names = walk.body.names
    known = {hit.links for hit in shapes.at(dict(zip(names, walk.body.stance.tolist(), strict=True)))}
    for part in PARTS:
        if not any(shapes.at(pose, known) for pose in _poses(walk, part * usual * ROOM)):
            return part * usual
    return 0.0


def arm_links(walk: BipedWalk) -> frozenset[str]:
    """Links of the arms that swing."""
    robot = walk.body.robot
    out = {robot.joint(walk.body.names[joint]).child for joint, _ in walk.body.arms}
    for joint in robot.topological:
        if joint.parent in out:
            out.add(joint.child)
    return frozenset(out)


def _poses(walk: BipedWalk, swing: float) -> Iterator[dict[str, float]]:
    """Joint positions of the fastest steps ahead and back, from a stand."""
    m, names = walk.measures, walk.body.names
    readings = Readings(0.0, walk.body.stance, np.zeros(len(names)))
    for way in (1.0, -1.0):
        thought = walk.ahead()
        thought.measures = replace(m, arms=swing)
        velocity = (way * m.max_speed, 0.0, 0.0)
        thought.begin(velocity)
        steps, stance = 0, thought.stance
        while steps < STEPS:
            targets = thought.update(readings, Command(*velocity), m.step_time / INSTANTS)
            steps, stance = steps + (thought.stance != stance), thought.stance
            yield dict(zip(names, targets.tolist(), strict=True))
