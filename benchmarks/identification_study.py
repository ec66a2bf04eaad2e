"""Identification of a disguised robot: hidden parameters, recorded on one engine, found again by another.

    python benchmarks/identification_study.py                          # robots and seeds of the page
    python benchmarks/identification_study.py --case nao-arm --seeds 3 --engine bullet
    python benchmarks/identification_study.py --case nao-leg --torques # with torques
    python benchmarks/identification_study.py --case nao-leg --masses  # what can be told with and without torques

For every case and seed stiffness, damping, dry friction, delay and play of the servos are drawn. The robot hangs in
DART (even seeds) or MuJoCo (odd ones), or `--engine`; its servos are torques with that delay and play
(`TorqueServoDrive`, `ActuatorDrive`) at steps of 0.25 ms (at 1 ms the engine's own error was as large as the noise, and
light legs chattered). It is excited for 30 s, positions get noise and are rounded to encoder counts, 100 times a
second. The fit sees that table and the robot's own file; its model is the compiled replay of `andante.experiments`, its
result is replayed on MuJoCo. Afterwards what it found is compared with what was hidden. Finished runs are lines of
DIR/runs.jsonl (`--out`), so that a study that was stopped goes on; recordings lie beside them, by the code that made
them, and serve the runs without and with torques.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from journal import Journal, code_now

from andante.control.body import Body, BodyCommand, BodyState
from andante.description import Robot, load_robot
from andante.experiments.identification.excite import excite_body
from andante.experiments.identification.identify import IdentifyJob, identify
from andante.experiments.identification.model import ReplaySettings
from andante.experiments.identification.recording import (
    JointRecording,
    read_joint_recording,
    write_joint_recording,
)
from andante.experiments.identification.result import Identification
from andante.physics import ActuatorDrive, RobotParameters, TorqueServoDrive, default_gains
from andante.physics.actuators import Actuator
from andante.physics.commands import outboard_inertia
from andante.simulation import Simulation, simulate

SECONDS, RATE = 30.0, 100.0
FINE = 0.00025  # step of the recording engine [s]; at 1 ms its own error reaches the encoders' noise
TICK = 0.001  # of hidden delays [s]
NOISE, COUNT = 3e-4, 2 * math.pi / 4096  # deviation of the encoders' noise, and a count of theirs [rad]
TORQUE_NOISE = 0.02  # of the effort limit
ENGINES = ("dart", "mujoco")  # that record, by turns of the seed
ZOO = Path(os.environ.get("ANDANTE_ZOO", Path(__file__).resolve().parents[2] / "shared" / "zoo"))
A1 = "unitreerobotics+unitree_ros/robots/a1_description/urdf/a1.urdf"
ANYMAL = "leggedrobotics+legged_gym/resources/robots/anymal_c/urdf/anymal_c.urdf"
MINI = "OpenQuadruped+spot_mini_mini/mini_ros/urdf/spot.urdf"
MASSES = ("stiffness", "damping", "friction", "delay", "backlash", "mass")
GOAL = {"stiffness": 0.10, "velocity_gain": 0.10, "friction": 0.10, "delay": 0.10}


@dataclass(frozen=True)
class Case:
    """A robot and joints of it."""

    name: str
    robot: str
    joints: tuple[str, ...]
    torques: bool = False  # whether torques are recorded, where nothing hangs on the joints that would bend a servo


CASES = (
    Case("nao-arm", "nao", ("LShoulder*", "LElbow*")),
    Case("nao-leg", "nao", ("LHipRoll", "LHipPitch", "LKneePitch", "LAnkle*")),
    Case("shell-leg", "shell", ("q21?",)),
    Case("rover", "rover", ("*steering_joint", "rear_*_wheel_joint"), torques=True),
    Case("zoo-leg", f"zoo:{A1}", ("FL_*",)),
    Case("zoo-heavy", f"zoo:{ANYMAL}", ("LF_*",)),
    Case("zoo-light", f"zoo:{MINI}", ("motor_front_left_*",)),
)


def robot_of(name: str) -> Robot:
    """A robot by its name, or from the zoo."""
    if not name.startswith("zoo:"):
        return load_robot(name)
    return load_robot(ZOO / name.removeprefix("zoo:"))


@dataclass(frozen=True)
class Hidden:
    """What is hidden, by kind and joint."""

    values: dict[tuple[str, str], float]

    @staticmethod
    def drawn(robot: Robot, joints: Sequence[str], seed: int, wheels: Sequence[str]) -> Hidden:
        """Gains by factors, friction as a fraction of the effort limit, delay and play outright."""
        rng = np.random.default_rng((0x1DE, seed))
        gains, values = default_gains(robot), dict[tuple[str, str], float]()
        for name in joints:
            k = robot.joint_names.index(name)
            factor, damping, rub, late, play = rng.uniform(
                (-0.5, -0.4, 0.03, 0.004, 0.001), (0.5, 0.4, 0.09, 0.04, 0.01)
            )
            if name in wheels:
                values["velocity_gain", name] = float(gains.kv[k] * math.exp(factor))
            else:
                values["stiffness", name] = float(gains.kp[k] * math.exp(factor))
                values["damping", name] = float(gains.kd[k] * math.exp(damping))
                values["backlash", name] = float(play)
            most = float(gains.effort[k])
            if name not in wheels or not math.isfinite(most):
                most = min(most, float(gains.kp[k]) * 0.05)  # what bends a servo by 0.05 rad
            values["friction", name] = float(rub * most)
            values["delay", name] = TICK * round(late / TICK)
        return Hidden(values)

    def on(self, robot: Robot) -> Robot:
        """The robot with hidden gains and friction."""
        servos: dict[str, dict[str, float]] = {}
        losses: dict[str, dict[str, float]] = {}
        for (kind, joint), value in self.values.items():
            key = {"stiffness": "kp", "damping": "kd", "velocity_gain": "kv"}.get(kind)
            if key:
                servos.setdefault(joint, {})[key] = value
            elif kind == "friction":
                losses.setdefault(joint, {})["friction"] = value
        return RobotParameters(servos, losses).on(robot)

    def drives(self, robot: Robot) -> tuple[ActuatorDrive, TorqueServoDrive]:
        """Delay and play of the servos, and the servos as torques."""
        joints = dict.fromkeys(joint for _, joint in self.values)
        motors = {
            joint: Actuator(
                math.inf,
                math.inf,
                delay=self.values["delay", joint],
                backlash=self.values.get(("backlash", joint), 0.0),
            )
            for joint in joints
        }
        moved = outboard_inertia(robot) + np.array([joint.dynamics.armature for joint in robot.movable])
        return ActuatorDrive(robot, motors), TorqueServoDrive(moved)


class Bare(Body):
    """A simulation whose joints are read as they are; noise and counts are added afterwards.

    Engines go on by the speed that a step h ends with, q' = q + h dq', which under a constant acceleration brings a
    joint h / 2 ahead of its time; it is read where it would be without that, q - h dq / 2.
    """

    simulated = True

    def __init__(self, sim: Simulation) -> None:
        self.sim, self.robot = sim, sim.robot

    def read(self) -> BodyState:
        """The joints."""
        here = self.sim.joints
        ahead = 0.5 * self.sim.engine.dt * np.asarray(here.velocity)
        return BodyState(self.sim.time, here.position - ahead, here.velocity, effort=here.effort)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.sim.time

    def write(self, command: BodyCommand) -> None:
        """Targets of some joints."""
        self.sim.write(command)

    def follow(self, targets: Any, modes: Any = None, stiffness: Any = None) -> None:
        """Targets of all joints."""
        self.sim.follow(targets, modes, stiffness)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.sim.advance(seconds)

    def stop(self) -> None:
        """Hold still."""
        self.sim.stop()

    def close(self) -> None:
        """Free the engine."""
        self.sim.close()


def moved(robot: Robot, joints: Sequence[str], hidden: Hidden, engine: str) -> JointRecording:
    """30 s of the disguised robot as it is."""
    disguised = hidden.on(robot)
    sim = Bare(simulate(disguised, engine=engine, fixed=True, drop=1.0, dt=FINE))
    try:
        sim.sim.engine.set_drives(sim.sim.model, *hidden.drives(disguised))
        return excite_body(sim, joints, SECONDS, RATE).recording
    finally:
        sim.close()


def measured(told: JointRecording, robot: Robot, seed: int, torques: bool) -> JointRecording:
    """A recording with noise and encoder counts."""
    rng = np.random.default_rng((0x401, seed))
    q = told.positions + NOISE * rng.standard_normal(told.positions.shape)
    efforts = np.full_like(q, math.nan)
    if torques:
        limit = np.minimum(default_gains(robot).effort, 1e3)
        efforts = told.efforts + TORQUE_NOISE * limit * rng.standard_normal(q.shape)
    return replace(told, positions=COUNT * np.round(q / COUNT), efforts=efforts)


def replay_for(engine: str) -> ReplaySettings:
    """DART, Bullet and ODE have no rotor inertia of their own and let it turn with the links."""
    return ReplaySettings(rotors="joint" if engine == "mujoco" else "link")


def chosen(robot: Robot, patterns: Sequence[str]) -> list[str]:
    """Joints of a case."""
    return [j.name for j in robot.independent if any(fnmatchcase(j.name, p) for p in patterns)]


@dataclass(frozen=True)
class Disguised:
    """A case with its hidden values."""

    case: Case
    seed: int
    robot: Robot
    joints: tuple[str, ...]
    hidden: Hidden

    @staticmethod
    def drawn(case: Case, seed: int) -> Disguised:
        """By seed."""
        robot = robot_of(case.robot)
        joints = chosen(robot, case.joints)
        wheels = [name for name in joints if not math.isfinite(robot.joint(name).limits.upper)]
        return Disguised(case, seed, robot, tuple(joints), Hidden.drawn(robot, joints, seed, wheels))

    def recorded(self, engine: str, keep: Path | None) -> JointRecording:
        """What its joints do; read from the folder `keep` where it is there already."""
        file = None if keep is None else keep / f"{self.case.name}-{self.seed}-{engine}.csv"
        if file is not None and file.exists():
            return read_joint_recording(file)
        told = moved(self.robot, self.joints, self.hidden, engine)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_joint_recording(file, told)
        return told


def study(
    one: Disguised, told: JointRecording, engine: str, torques: bool, kinds: Sequence[str] = ()
) -> dict[str, Any]:
    """One disguised robot, measured and identified."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "recording.csv"
        write_joint_recording(file, measured(told, one.robot, one.seed, torques))
        started = time.process_time()
        job = IdentifyJob((file,), one.robot, tuple(one.case.joints), tuple(kinds), replay=replay_for(engine))
        found = identify(job)
        seconds = time.process_time() - started
    return {"case": one.case.name, "seed": one.seed, "engine": engine, "torques": torques, "seconds": round(seconds, 1),
            "rows": compared(one.hidden, found), "warnings": list(found.warnings), "before": found.error_before,
            "after": found.error_after}  # fmt: skip


def compared(hidden: Hidden, found: Identification) -> list[dict[str, Any]]:
    """Every hidden value beside what was found."""
    rows = []
    for (kind, joint), true in hidden.values.items():
        try:
            each = found[kind, joint]
        except StopIteration:
            continue
        error = each.value - true
        good = abs(error) <= GOAL[kind] * true if kind in GOAL else None
        if kind == "delay":
            good = abs(error) <= max(GOAL[kind] * true, 0.5 / RATE)
        rows.append({"kind": kind, "joint": joint, "true": true, "found": each.value, "low": each.low,
                     "high": each.high, "start": each.start, "error": error / true if true else math.nan, "good": good,
                     "covered": each.low <= true <= each.high, "determined": each.determined})  # fmt: skip
    return rows


def say(words: str) -> None:
    """A line for people."""
    print(words, file=sys.stderr, flush=True)


def say_run(run: dict[str, Any], verbose: bool) -> None:
    """Print a run."""
    for row in run["rows"] if verbose else ():
        mark = {True: "", False: "  MISSED", None: ""}[row["good"]]
        sure = "" if row["determined"] else " (not determined)"
        say(f"  {row['joint']:26} {row['kind']:13} {row['true']:9.4g} found {row['found']:9.4g} "
              f"[{row['low']:.4g}, {row['high']:.4g}] {100 * row['error']:+6.1f} %{sure}{mark}")  # fmt: skip
    parts = []
    for kind in GOAL:
        judged = [row for row in run["rows"] if row["kind"] == kind]
        if judged:
            told = [row["good"] for row in judged if row["determined"]]
            parts.append(f"{kind} {sum(r['good'] for r in judged)}/{len(judged)} (told {sum(told)}/{len(told)})")
    covered = sum(row["covered"] for row in run["rows"])
    say(f"{run['case']} seed {run['seed']} recorded on {run['engine']}{' with torques' if run['torques'] else ''}: "
          f"{', '.join(parts)} within 10 %; {covered}/{len(run['rows'])} in their intervals; {run['seconds']} s; "
          f"replay on MuJoCo {1e3 * run['before']:.1f} -> {1e3 * run['after']:.1f} mrad")  # fmt: skip
    for words in run["warnings"] if verbose else ():
        say(f"    {words}")


def summary(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Counts over all runs."""
    out: dict[str, Any] = {}
    for kind in GOAL:
        judged = [row for run in runs for row in run["rows"] if row["kind"] == kind]
        if judged:
            errors = sorted(abs(row["error"]) for row in judged)
            told = [row for row in judged if row["determined"]]
            out[kind] = {"good": sum(row["good"] for row in judged), "of": len(judged),
                         "told_good": sum(row["good"] for row in told), "told": len(told),
                         "median": errors[len(errors) // 2], "worst": errors[-1]}  # fmt: skip
    rows = [row for run in runs for row in run["rows"]]
    out["covered"] = {"good": sum(row["covered"] for row in rows), "of": len(rows)}
    out["seconds"] = max(run["seconds"] for run in runs)
    return out


def carried_out(job: dict[str, Any]) -> dict[str, Any]:
    """One run: a disguised robot is recorded and identified."""
    case = next(each for each in CASES if each.name == job["case"])
    one = Disguised.drawn(case, job["seed"])
    told = one.recorded(job["engine"], None if job["keep"] is None else Path(job["keep"]))
    return study(one, told, job["engine"], job["torques"], MASSES if job["masses"] else ())


def jobs(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """The runs that are asked for; recordings of code that is committed serve the runs without and with torques."""
    code = code_now()
    keep = None if asked.keep is None and code.endswith("+") else str(asked.keep or asked.out / "recordings" / code)
    return [
        {"case": case.name, "seed": seed, "engine": engine, "torques": torques, "masses": asked.masses, "keep": keep}
        for case in CASES
        if not asked.case or case.name in asked.case
        for seed in range(asked.first, asked.first + asked.seeds)
        for engine in asked.engine or [ENGINES[seed % len(ENGINES)]]
        for torques in ((False, True) if asked.masses else (asked.torques or case.torques,))
    ]


def main(words: Sequence[str] | None = None) -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", action="append", choices=[case.name for case in CASES])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--engine", action="append", help=f"that records; without: {' and '.join(ENGINES)} by turns")
    parser.add_argument("--keep", type=Path, help="where recordings are kept and found again; OUT/recordings/CODE")
    parser.add_argument("--torques", action="store_true")
    parser.add_argument("--masses", action="store_true", help="identify masses too, without and with torques")
    parser.add_argument("--out", type=Path, default=Path("out/identification_study"), help="where runs are kept")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--verbose", "-v", action="store_true")
    parser.add_argument("--json", action="store_true", help="print one JSON object; words go to stderr")
    asked = parser.parse_args(words)
    done = Journal(asked.out / "runs.jsonl").carry_out(
        carried_out, jobs(asked), asked.workers,
        lambda count, of, job, run: say_run(run, asked.verbose or asked.masses),
    )  # fmt: skip
    runs = [run for _, run in done]
    total = summary(runs)
    for kind, counts in total.items():
        say(f"{kind}: {counts}")
    if asked.json:
        print(json.dumps({"summary": total, "runs": runs}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
