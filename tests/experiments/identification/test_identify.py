"""Parameters found again, intervals, warnings, and the file that carries them."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace

import numpy as np
import pytest

import andante as an
from andante.experiments.identification import (
    IdentifyJob,
    JointRecording,
    ReplaySettings,
    identify,
    read_joint_recording,
)
from andante.experiments.identification.estimate import Problem
from andante.experiments.identification.model import Replay, held_limbs
from andante.experiments.identification.parameters import make_parameter
from andante.experiments.identification.recording import write_joint_recording
from andante.physics import RobotParameters, default_gains

TRUE = {"stiffness": 85.0, "damping": 1.5, "friction": 0.25, "delay": 0.018, "backlash": 0.008}


@pytest.fixture(scope="module")
def disguised(arms) -> JointRecording:
    """8 s of an arm whose servo is not as its file says."""
    hidden = RobotParameters({"*": {"kp": 85.0, "kd": 1.5}}, {"*": {"friction": 0.25}}).on(arms.arm(1))
    return arms.recorded(hidden, 8.0, delay=0.018, backlash=0.008, efforts=True)


@pytest.fixture(scope="module")
def positions(disguised: JointRecording) -> JointRecording:
    """The same without torques."""
    return replace(disguised, efforts=np.full_like(disguised.efforts, np.nan))


@pytest.fixture(scope="module")
def found(arms, positions: JointRecording):
    return identify(IdentifyJob((positions,), arms.arm(1)))


@pytest.mark.parametrize("joint", ["hinge0"])
@pytest.mark.parametrize(("kind", "within"), [("stiffness", 0.1), ("friction", 0.1), ("damping", 0.1)])
def test_hidden_parameters_are_found_again(found, joint, kind, within):
    each = found[kind, joint]
    assert each.determined
    assert each.value == pytest.approx(TRUE[kind], rel=within)


@pytest.mark.parametrize("joint", ["hinge0"])
def test_delay_and_play_are_found_again(found, joint):
    assert found["delay", joint].value == pytest.approx(TRUE["delay"], abs=0.002)
    assert found["backlash", joint].value == pytest.approx(TRUE["backlash"], abs=0.003)


def test_the_result_prints_plots_and_names_what_it_found(found):
    assert "stiffness" in str(found)
    assert "replayed on mujoco" in str(found)
    assert found.error_after < 0.5 * found.error_before
    assert found.plot().axes
    told = json.loads(json.dumps(found.as_dict()))
    assert told["parameters"]["servos"]["hinge0"]["kp"] == pytest.approx(found["stiffness", "hinge0"].value, rel=1e-4)
    for each in found.estimates:
        assert each.low <= each.value <= each.high


def test_masses_and_stiffness_are_told_apart_by_torques_only(arms):
    light = replace(arms.arm(1, armature=0.0), servos={"*": {"kp": 85.0, "kd": 1.5}})
    told = arms.recorded(RobotParameters({}, {"*": {"friction": 0.2}}).on(light), 6.0, efforts=True)
    blind = replace(told, efforts=np.full_like(told.efforts, np.nan))
    kinds = ("stiffness", "damping", "friction", "delay", "mass")
    without = identify(IdentifyJob((blind,), light, parameters=kinds, engine="", mass_range=0.5))
    words = " ".join(without.warnings)
    assert "cannot tell apart" in words
    assert "record efforts" in words
    assert "stiffness of hinge0" in words
    assert "mass of rod0" in words
    assert not without["mass", "rod0"].determined
    assert "rod0" not in without.parameters.masses
    by_torque = identify(IdentifyJob((told,), light, parameters=kinds, engine="", mass_range=0.5))
    assert not any("mass" in each for each in by_torque.warnings)
    assert by_torque["mass", "rod0"].value == pytest.approx(0.8, rel=0.05)
    assert by_torque["stiffness", "hinge0"].value == pytest.approx(85.0, rel=0.05)


def test_servo_damping_and_viscous_friction_only_show_as_a_sum(arms, positions):
    kinds = ("stiffness", "damping", "viscous", "friction", "delay")
    told = identify(IdentifyJob((positions,), arms.arm(1), ("hinge0",), kinds, engine=""))
    assert any("damping of hinge0" in each and "viscous of hinge0" in each for each in told.warnings)


def test_joints_that_share_a_parameter_get_one(arms):
    two = arms.recorded(arms.arm(2, friction=0.2), 6.0)
    told = identify(IdentifyJob((two,), arms.arm(2), parameters=("stiffness", "friction"), share=("*",), engine=""))
    assert len(told.estimates) == 2
    assert told["stiffness", "hinge1"].of == ("hinge0", "hinge1")
    assert told["friction", "hinge0"].value == pytest.approx(0.2, rel=0.1)


def test_currents_give_a_torque_constant(arms, disguised):
    amps = replace(disguised, efforts=np.full_like(disguised.efforts, np.nan), currents=disguised.efforts / 1.7)
    told = identify(IdentifyJob((amps,), arms.arm(1), ("hinge0",), engine=""))
    assert told["torque_constant", "hinge0"].value == pytest.approx(1.7, rel=0.05)


def test_what_a_recording_does_not_tell_is_said_and_left_out(arms):
    """One step to and fro of a joint that carries nothing: its friction and play may be anything."""
    robot = arms.arm(1)
    told = arms.recorded(robot, 8.0)
    still = np.where(np.arange(len(told.times)) < 650, told.targets[150], told.targets[700])[:, None] * np.ones((1, 1))
    flat = replace(told, targets=np.where(np.isfinite(still), still, 0.0))
    quiet = arms.replayed(robot, flat)
    quiet = replace(quiet, positions=quiet.positions + 1e-3 * np.random.default_rng(5).standard_normal(still.shape))
    found = identify(IdentifyJob((quiet,), robot, engine=""))
    unknown = [each for each in found.estimates if not each.determined]
    assert unknown
    for each in unknown:
        assert any(f"{each.kind} of hinge0" in words for words in found.warnings)
        assert each.kind != "friction" or "hinge0" not in found.parameters.joints


def test_servos_of_mujoco_are_found_as_their_file_has_them(arms):
    """Its own servos, at its own step, are damped by the implicit Euler rule; fitted so, they are those of the file."""
    robot = arms.arm(1, friction=0.1)
    told = arms.engine_recorded(robot, 6.0)
    kinds = ("stiffness", "damping", "delay")
    found = identify(
        IdentifyJob((told,), robot, parameters=kinds, engine="mujoco", replay=ReplaySettings.recorded_on("mujoco"))
    )
    assert found["stiffness", "hinge0"].value == pytest.approx(60.0, rel=0.02)
    assert found["damping", "hinge0"].value == pytest.approx(2.0, rel=0.02)
    assert found["delay", "hinge0"].value == pytest.approx(0.0, abs=5e-4)
    assert found.error_after < 2e-4


def test_the_command_line_writes_a_file_that_simulations_take(arms, tmp_path, positions, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_joint_recording("arm.mcap", positions)
    back = read_joint_recording("arm.mcap")
    assert back.positions == pytest.approx(positions.positions)
    assert back.targets == pytest.approx(positions.targets)
    told = an.experiment.fit("arm.mcap", "out", robot=arms.arm(1), joints=["hinge0"], parameters=["stiffness", "delay"])
    assert (tmp_path / "out" / "fit.png").is_file()
    changed = RobotParameters.of(tomllib.loads((tmp_path / "out" / "robot.toml").read_text())["robot"])
    gains = default_gains(changed.on(arms.arm(1)))
    assert gains.kp[0] == pytest.approx(told["stiffness", "hinge0"].value, rel=1e-4)
    model = an.experiments.read_model(tmp_path / "out" / "robot.toml")
    assert model["robot.servos.hinge0.kp"] == pytest.approx(gains.kp[0])


def test_a_torque_at_the_edge_of_a_step_counts_little(arms, disguised):
    """A target that reaches the servo when its torque is read: what is read says when, not how stiff."""
    (limb,), _ = held_limbs(arms.arm(1), disguised, ["hinge0"])
    replay = Replay(limb, disguised, ReplaySettings())
    values = {(kind, "hinge0"): value for kind, value in TRUE.items()} | {("delay", "hinge0"): 0.02}
    problem = Problem([replay], [make_parameter("stiffness", ("hinge0",), 60.0, 1.0)], values, ["hinge0"])
    problem.weigh_torques(np.log([85.0 / 60.0]))
    weights, count = problem._trust[0, 0], len(replay.times)
    told = replay.targets[np.minimum((replay.times / 0.00025).astype(int), replay.steps - 1), 0]
    jumps = np.flatnonzero(np.abs(np.diff(told)) > 0.02)
    edges = np.unique(np.clip(jumps + 2, 0, count - 1))  # the samples 20 ms after the target began to change
    assert len(edges) >= 4
    assert np.median(weights[edges]) < 0.3
    assert np.percentile(weights, 90) > 0.8


def test_what_was_found_is_kept_after_ctrl_c(arms, positions, monkeypatch):
    """The user stops in the last stage: the best so far with wider intervals, and words in the result."""
    settled = Problem.jacobian

    def stopping(self, z, weights, before=None):
        if self.fine and not stopped:
            stopped.append(1)
            raise KeyboardInterrupt
        return settled(self, z, weights, before)

    stopped = list[int]()
    monkeypatch.setattr(Problem, "jacobian", stopping)
    found = identify(IdentifyJob((positions,), arms.arm(1)))
    assert stopped
    assert "stopped by the user while hinge0 were fitted" in found.warnings[0]
    assert found["stiffness", "hinge0"].value == pytest.approx(85.0, rel=0.15)
    assert found.engine == ""  # no replay: the user does not want to wait
    stopped.clear()
    monkeypatch.setattr(Problem, "gaps", lambda self, z: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        identify(IdentifyJob((positions,), arms.arm(1)))


def test_a_joint_that_the_model_does_not_explain_is_named(arms, positions):
    away = replace(positions, positions=positions.positions + 0.3)
    found = identify(IdentifyJob((away,), arms.arm(1), parameters=("stiffness", "delay"), engine=""))
    assert any("hinge0: the simulation stays" in words and "zero and units" in words for words in found.warnings)


@pytest.mark.drill
@pytest.mark.parametrize("engine", ["mujoco", "dart", "bullet"])
def test_another_engine_than_that_of_the_fit_is_identified(arms, engine):
    hidden = RobotParameters({"*": {"kp": 85.0, "kd": 1.5}}, {"*": {"friction": 0.25}}).on(arms.arm(2))
    told = arms.recorded(hidden, 12.0, engine, delay=0.018, backlash=0.008)
    rotors = ReplaySettings(rotors="joint" if engine == "mujoco" else "link")
    found = identify(IdentifyJob((told,), arms.arm(2), replay=rotors, engine=""))
    for joint in ("hinge0", "hinge1"):
        for kind in ("stiffness", "friction"):
            assert found[kind, joint].value == pytest.approx(TRUE[kind], rel=0.1)
        assert found["delay", joint].value == pytest.approx(TRUE["delay"], abs=0.0018)
