"""A small arm with known masses, and recordings of it on an engine with servos as torques: the fixture `arms`."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from andante.control.body import BodyState
from andante.description.joint import Dynamics, Joint, JointType, Limits
from andante.description.robot import Robot
from andante.experiments.identification import JointRecording, ReplaySettings, excitation, excite_body
from andante.experiments.identification.model import Replay, held_limbs
from andante.geometry import SE3
from andante.physics import ActuatorDrive, TorqueServoDrive
from andante.physics.actuators import Actuator
from andante.physics.checks.specimens import Y, rod_link
from andante.simulation import simulate

LENGTH, MASS = 0.3, 0.8


def arm(joints: int = 2, **dynamics: float) -> Robot:
    """Rods that hang from each other on hinges about y, at rest pointing 0.6 rad from the vertical."""
    links = [replace(rod_link("base", 0.05, 1.0), collisions=())]
    links += [rod_link(f"rod{k}", LENGTH, MASS) for k in range(joints)]
    hinges = tuple(
        Joint(
            f"hinge{k}", JointType.REVOLUTE, links[k].name, links[k + 1].name,
            SE3.from_xyz_rpy((0.0, 0.0, -LENGTH if k else 0.0)), Y, Limits(-2.0, 2.0, 8.0, 6.0),
            Dynamics(**{"armature": 0.004, **dynamics}), initial=0.6 if k == 0 else 0.4,
        )
        for k in range(joints)
    )  # fmt: skip
    return Robot("arm", tuple(links), hinges, servos={"*": {"kp": 60.0, "kd": 2.0}}, fixed_base=True)


def recorded(
    robot: Robot, seconds: float = 12.0, engine: str = "", delay: float = 0.0, backlash: float = 0.0,
    noise: float = 2e-4, efforts: bool = False, seed: int = 0,
) -> JointRecording:  # fmt: skip
    """An excitation of the arm, positions with noise and in counts.

    On an engine its servos are torques with a delay and play at steps of 0.5 ms; without one it is the model of the fit
    itself, at a quarter of its step.
    """
    told = _on_engine(robot, seconds, engine or "mujoco", delay, backlash) if engine else None
    if told is None:
        told = _by_model(robot, seconds, delay, backlash)
    rng = np.random.default_rng(seed)
    q = told.positions + noise * rng.standard_normal(told.positions.shape)
    count = 2 * math.pi / 16384
    torque = told.efforts + 0.02 * rng.standard_normal(q.shape) if efforts else np.full_like(q, math.nan)
    return replace(told, positions=count * np.round(q / count), efforts=torque)


def _on_engine(robot: Robot, seconds: float, engine: str, delay: float, backlash: float) -> JointRecording:
    sim = simulate(robot, engine=engine, fixed=True, drop=1.0, dt=0.0005)
    motors = {"*": Actuator(math.inf, math.inf, delay=delay, backlash=backlash)}
    sim.engine.set_drives(sim.model, ActuatorDrive(robot, motors), TorqueServoDrive())
    sim.read = lambda: BodyState(sim.time, sim.joints.position, sim.joints.velocity, effort=sim.joints.effort)
    try:
        return excite_body(sim, (), seconds, 100.0).recording
    finally:
        sim.close()


def engine_recorded(robot: Robot, seconds: float) -> JointRecording:
    """An excitation of the arm on MuJoCo with its own servos and step, read without noise."""
    sim = simulate(robot, fixed=True, drop=1.0)
    sim.read = lambda: BodyState(sim.time, sim.joints.position, sim.joints.velocity, effort=sim.joints.effort)
    try:
        told = excite_body(sim, (), seconds, 100.0).recording
    finally:
        sim.close()
    return replace(told, efforts=np.full_like(told.efforts, math.nan))


def replayed(robot: Robot, told: JointRecording, delay: float = 0.0, backlash: float = 0.0) -> JointRecording:
    """A recording with what the model of the fit does at its targets, at a quarter of the fit's step."""
    (limb,), _ = held_limbs(robot, told, robot.joint_names)
    values = {(kind, n): value for n in robot.joint_names for kind, value in (("delay", delay), ("backlash", backlash))}
    q, efforts = Replay(limb, told, ReplaySettings(step=0.00025)).simulate(values)
    return replace(told, positions=q, efforts=efforts)


def _by_model(robot: Robot, seconds: float, delay: float, backlash: float) -> JointRecording:
    start = np.array([joint.initial for joint in robot.movable])
    motion = excitation(robot, start, (), seconds, 100.0)
    times, none = np.arange(len(motion.rows)) * motion.period, np.full_like(motion.rows, math.nan)
    first = np.repeat(start[None], len(times), axis=0)
    told = JointRecording(robot.joint_names, times, first, times, motion.rows, none, none, none)
    return replayed(robot, told, delay, backlash)


@pytest.fixture(scope="session")
def arms():
    return SimpleNamespace(
        arm=arm, recorded=recorded, engine_recorded=engine_recorded, replayed=replayed, length=LENGTH, mass=MASS
    )
