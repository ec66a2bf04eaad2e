"""Dry runs: what each command would send in its first period, with the tables of its parameters, and nothing opened."""

import numpy as np
import pytest

import andante as an
from andante.errors import BadInput, UnknownName
from andante.locomotion.gaits import Request, prepare
from andante.tasks.dry_run import dry_drive, dry_play, dry_studio, dry_walk

ROBOT = "ws://192.0.2.1:9090"  # an address that answers nobody


def sent(lines):
    """The messages, by topic."""
    return {line["topic"]: line["msg"] for line in lines if "msg" in line}


def limits(lines):
    return next(line["limits"] for line in lines if "limits" in line)


def test_a_walk_would_begin_in_its_own_pose():
    lines = dry_walk("nao", ROBOT)
    assert lines[0] == {"body": ROBOT, "robot": "nao", "rate": 100.0}
    first = sent(lines)["/joint_targets"]
    told = dict(zip(first["name"], first["position"], strict=True))
    pose = prepare(an.robot("nao"), Request("walk")).pose
    assert max(abs(told[name] - value) for name, value in pose.items() if name in told) < 0.05
    assert all(low <= told[name] <= high for name, (low, high, _) in limits(lines).items() if name in told)


def test_the_tables_of_its_parameters_are_heeded_and_checked(tmp_path):
    file = tmp_path / "params.toml"
    file.write_text('[body]\ntargets_topic = "/mine"\n[walk]\nsettle = 1.0\n')
    assert "/mine" in {line.get("sends") for line in dry_walk("nao", ROBOT, params=file)}
    file.write_text("[walk]\nstride = 1.0\n")
    with pytest.raises(UnknownName, match="stride"):
        dry_walk("nao", ROBOT, params=file)


def test_a_motion_would_begin_where_the_robot_stands():
    lines = dry_play("nao", "wave_hand", ROBOT)
    first = sent(lines)["/joint_targets"]
    stand = an.robot("nao").poses["StandInit"]
    told = dict(zip(first["name"], first["position"], strict=True))
    assert max(abs(told[name] - stand[name]) for name in stand if name in told) < 0.1
    with pytest.raises((BadInput, UnknownName), match="somersault"):
        dry_play("nao", "somersault", ROBOT)


@pytest.mark.parametrize("dry", [dry_drive, dry_studio])
def test_a_base_would_stand_still(dry):
    lines = dry("waffle", "http://192.0.2.1:11311")
    twist = sent(lines)["/cmd_vel"]
    assert np.allclose([twist["linear"]["x"], twist["linear"]["y"], twist["angular"]["z"]], 0.0)
    assert {line["hears"] for line in lines if "hears" in line} >= {"/joint_states", "/scan"}


def test_a_rover_at_a_serial_port_would_be_told_a_twist():
    assert dry_drive("rover", "serial:/dev/none")[-1] == {"twist": (0.0, 0.0, 0.0)}


def test_who_has_no_wheels_cannot_be_driven():
    with pytest.raises(Exception, match="wheel"):
        dry_drive("nao", ROBOT)
