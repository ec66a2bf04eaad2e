"""A recording replayed on a physics engine: how far its joints are from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import numpy as np

from andante.description import Robot
from andante.geometry import SE3, so3
from andante.physics import Mode
from andante.simulation.simulation import simulate

from .recording import JointRecording, at_states

HEIGHT = 1.0  # above the ground at which the robot hangs [m]


def replayed(
    robot: Robot, recording: JointRecording, joints: Sequence[str], engine: str, tilt: Sequence[float] = (0.0, 0.0, 0.0)
) -> float:
    """Root mean square of measured less simulated positions of some joints [rad or m].

    The robot hangs; wheels count by their way between two samples.
    """
    told = at_states(recording)
    known = [name for name in told.names if name in robot.joint_names and told.told(name)]
    index = [told.names.index(name) for name in known]
    where = [robot.joint_names.index(name) for name in known]
    start = {name: float(told.positions[0, k]) for name, k in zip(known, index, strict=True)}
    speed = np.array([told.told(name) == "velocity" for name in known])
    rows = []
    with closing(simulate(robot, engine=engine, pose=robot.complete(start), drop=HEIGHT, fixed=True)) as sim:
        base = sim.base_pose
        sim.engine.set_base(sim.model, SE3.from_parts(so3.from_rpy(tilt), base[:3]).vector)
        periods = [*np.diff(told.times).tolist(), 0.0]
        for i, period in enumerate(periods):
            rows.append(sim.engine.joint_positions(sim.model)[where])
            both = np.where(speed, told.speeds[i, index], told.targets[i, index])
            for mode, chosen in ((Mode.POSITION, ~speed), (Mode.VELOCITY, speed)):
                chosen = chosen & np.isfinite(both)
                if chosen.any():
                    sim.engine.command(sim.model, both[chosen], mode, np.array(where)[chosen])
            sim.advance(period)
    q, measured = np.array(rows), told.positions[:, index]
    gaps = []
    for k, name in enumerate(known):
        if name in joints:
            gap = q[:, k] - (np.unwrap(measured[:, k]) if speed[k] else measured[:, k])
            gaps.append(np.diff(gap) if speed[k] else gap)
    return float(np.sqrt(np.mean(np.concatenate(gaps) ** 2)))
