"""Bare loops of the four engines, as one writes them by hand: raw handles, the engine's own servos, nothing else.

Each takes a scene that `simulate` has made, so that shapes, masses, step size, solver and servo gains are those of the
other side, and gives a function that plays a table of joint targets (n, joints), one row per `steps` steps. The
functions keep no reference to Andante's stepping and do none of its work: no checks, no limits, no slewing, no memory
for snapshots, contacts or readings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from andante.geometry import Array

Play = Callable[[Array], None]


def bare_mujoco(engine: Any, model: int, steps: int) -> Play:
    """`ctrl` and `mj_step`."""
    import mujoco

    model, data, mj_step = engine.mj_model, engine.data, mujoco.mj_step
    first, last = engine._index[model].actuators.start, engine._index[model].actuators.stop

    def play(targets: Array) -> None:
        for target in targets:
            data.ctrl[first:last] = target
            mj_step(model, data, steps)

    return play


def bare_bullet(engine: Any, model: int, steps: int) -> Play:
    """One `setJointMotorControlArray` per command, then `stepSimulation`."""
    from andante.physics.bullet.api import pybullet

    client, mode = engine._client.number, pybullet.POSITION_CONTROL
    (group,) = engine._servos[model]._groups
    body, links, chosen = group.uid, list(group.links), group.joints
    forces, near, keen = list(group.forces), list(group.near), list(group.keen)

    def play(targets: Array) -> None:
        for target in targets[:, chosen].tolist():
            pybullet.setJointMotorControlArray(
                body, links, mode, targetPositions=target, forces=forces, positionGains=near, velocityGains=keen,
                physicsClientId=client,
            )  # fmt: skip
            for _ in range(steps):
                pybullet.stepSimulation(physicsClientId=client)

    return play


def bare_dart(engine: Any, model: int, steps: int) -> Play:
    """A proportional velocity command to the SERVO joints before every step; a mimic joint follows its leader."""
    world, servos = engine._world, engine._servos[model]
    skeleton, dofs, ties, dt = servos._skeleton, servos._dofs, servos.followers, engine.dt
    rate, top = servos._rate.copy(), servos._top.copy()
    leader, follower = ties.leader.copy(), ties.follower.copy()
    ratio, offset = ties.ratio.copy(), ties.offset.copy()
    reference = np.zeros(skeleton.getNumDofs())

    def play(targets: Array) -> None:
        for target in targets:
            reference[dofs] = target
            for _ in range(steps):
                q = skeleton.getPositions()
                command = np.minimum(np.maximum(rate * (reference - q), -top), top)
                if len(leader):
                    gap = ratio * q[leader] + offset - q[follower]
                    command[follower] = ratio * skeleton.getVelocities()[leader] + gap / dt
                skeleton.setCommands(command)
                world.step(False)

    return play


def bare_ode(engine: Any, model: int, steps: int) -> Play:
    """A speed for every motor, `autoCollide` and `quickStep`; a mimic joint's motor gets its leader's speed.

    All pairs of shapes are met by ODE itself; a hull is a triangle mesh there.
    """
    from andante.physics.ode.drive import MIMIC_ERP
    from andante.physics.ode.filter import pair_bits

    world, space, dt = engine._ode, engine._space, engine.dt
    drive, collider = engine._drives[model], engine._collider
    allowed = collider._allowed.copy()
    for a, b in collider.own.pairs:
        allowed[a, b] = allowed[b, a] = True
    free = np.array([owner is not None for owner in collider.owner], dtype=bool)
    pair_bits(allowed, collider.model, collider.body, free).set(collider.geoms)
    group, center = collider.group, drive.center.copy()
    held = [(i, read, write, key, drive.stiff[i]) for read, write, key, i in drive._held]
    led = [
        (drive.read[i], drive.read[source], drive.rate[source], drive.motors[i].set_velocity, m, offset)
        for i, source, m, offset in drive.mimics
    ]
    pull = MIMIC_ERP / dt

    def play(targets: Array) -> None:
        for target in (targets - center).tolist():
            for _ in range(steps):
                for i, read, write, key, stiff in held:
                    write(key, stiff * (target[i] - read()))
                for read, read_leader, leader_rate, write, m, offset in led:
                    write(0, m * leader_rate() + pull * (m * read_leader() + offset - read()))
                space.autoCollide()
                world.quickStep(dt)
                group.empty()

    return play


BARE: dict[str, Callable[[Any, int, int], Play]] = {
    "mujoco": bare_mujoco,
    "bullet": bare_bullet,
    "dart": bare_dart,
    "ode": bare_ode,
}
