"""Parameters found again, intervals, warnings, and the file that carries them."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace

import numpy as np
import pytest

import andante as an
from andante.experiments.identification import IdentifyJob, JointRecording, identify, read_joint_recording
from andante.experiments.identification.identify import _reversals
from andante.experiments.identification.recording import write_joint_recording
from andante.physics import RobotParameters, default_gains

TRUE = {"stiffness": 85.0, "damping": 1.5, "friction": 0.25, "delay": 0.018, "backlash": 0.008}


@pytest.fixture(scope="module")
def disguised(arms) -> JointRecording:
    """12 s of an arm whose first and second servo are not as its file says."""
    hidden = RobotParameters({"*": {"kp": 85.0, "kd": 1.5}}, {"*": {"friction": 0.25}}).on(arms.arm(2))
    return arms.recorded(hidden, 12.0, delay=0.018, backlash=0.008, efforts=True)


@pytest.fixture(scope="module")
def positions(disguised: JointRecording) -> JointRecording:
    """The same without torques."""
    return replace(disguised, efforts=np.full_like(disguised.efforts, np.nan))


@pytest.fixture(scope="module")
def found(arms, positions: JointRecording):
    return identify(IdentifyJob((positions,), arms.arm(2)))


@pytest.mark.parametrize("joint", ["hinge0", "hinge1"])
@pytest.mark.parametrize(("kind", "within"), [("stiffness", 0.1), ("friction", 0.1), ("damping", 0.1)])
def test_hidden_parameters_are_found_again(found, joint, kind, within):
    each = found[kind, joint]
    assert each.determined
    assert each.value == pytest.approx(TRUE[kind], rel=within)


@pytest.mark.parametrize("joint", ["hinge0", "hinge1"])
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
    told = identify(IdentifyJob((positions,), arms.arm(2), ("hinge1",), kinds, engine=""))
    assert any("damping of hinge1" in each and "viscous of hinge1" in each for each in told.warnings)


def test_joints_that_share_a_parameter_get_one(arms, positions):
    told = identify(
        IdentifyJob((positions,), arms.arm(2), parameters=("stiffness", "friction", "delay"), share=("*",), engine="")
    )
    assert len(told.estimates) == 3
    assert told["stiffness", "hinge1"].of == ("hinge0", "hinge1")


def test_currents_give_a_torque_constant(arms, disguised):
    amps = replace(disguised, efforts=np.full_like(disguised.efforts, np.nan), currents=disguised.efforts / 1.7)
    told = identify(IdentifyJob((amps,), arms.arm(2), ("hinge0",), engine=""))
    assert told["torque_constant", "hinge0"].value == pytest.approx(1.7, rel=0.05)


def test_a_joint_that_never_turns_back_does_not_excite_friction():
    assert _reversals(np.linspace(0, 1, 50)) == 0
    assert _reversals(np.sin(np.linspace(0, 6 * np.pi, 500))) == 6


def test_the_command_line_writes_a_file_that_simulations_take(arms, tmp_path, positions, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_joint_recording("arm.mcap", positions)
    back = read_joint_recording("arm.mcap")
    assert back.positions == pytest.approx(positions.positions)
    assert back.targets == pytest.approx(positions.targets)
    told = an.experiment.fit("arm.mcap", "out", robot=arms.arm(2), joints=["hinge1"], parameters=["stiffness", "delay"])
    assert (tmp_path / "out" / "fit.png").is_file()
    changed = RobotParameters.of(tomllib.loads((tmp_path / "out" / "robot.toml").read_text())["robot"])
    gains = default_gains(changed.on(arms.arm(2)))
    assert gains.kp[1] == pytest.approx(told["stiffness", "hinge1"].value, rel=1e-4)
    assert gains.kp[0] == 60.0
    model = an.experiments.read_model(tmp_path / "out" / "robot.toml")
    assert model["robot.servos.hinge1.kp"] == pytest.approx(gains.kp[1])
