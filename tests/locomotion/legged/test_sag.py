"""Soft servos of a file get targets that make up for their sag; drives without inertia get some."""

from dataclasses import replace

import numpy as np
import pytest
from tests.locomotion.legged.samples import walker

import andante as an
from andante.locomotion.legged.sag import Sag
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.rig import ROTOR, LegSolver, held_targets, with_rig
from andante.motion import vector_of


@pytest.fixture
def soft(tmp_path):
    path = tmp_path / "four.urdf"
    path.write_text(walker((45, 135, 225, 315)))
    return replace(an.robot(path), servos={"*": {"kp": 4.0, "kd": 0.2}})


def test_a_stated_servo_keeps_its_gains_and_gets_a_rotor(soft):
    rig = infer_rig(soft)
    assert rig.servos["leg0_knee"] == {"armature": pytest.approx(ROTOR * 0.2)}
    ready = with_rig(soft, rig)
    assert dict(ready.servos["*"]) == {"kp": 4.0, "kd": 0.2}
    assert ready.joint("leg0_knee").dynamics.armature == pytest.approx(ROTOR * 0.2)


def test_the_bend_is_torque_over_stiffness_and_learned_while_standing(soft):
    rig = infer_rig(soft)
    sag = Sag(soft, rig, LegSolver(soft, rig))
    q, all_stand = vector_of(soft, rig.stance), np.ones(4, dtype=bool)
    assert sag.needed
    assert sag.made_up(q, all_stand) == pytest.approx(q)  # nothing is known yet
    held = held_targets(soft, rig)
    wanted = vector_of(soft, {**rig.stance, **held})
    for _ in range(100):  # servos that give way as their stiffness says
        sag.learn(sag.made_up(q, all_stand) - (wanted - q), 0.01)
    assert sag.fraction == pytest.approx(1.0, abs=0.05)
    soft_joints = np.abs(wanted - q) > 0.02
    assert sag.made_up(q, all_stand)[soft_joints] == pytest.approx(wanted[soft_joints], abs=5e-3)
    for _ in range(100):  # rigid ones
        sag.learn(sag.made_up(q, all_stand), 0.01)
    assert sag.fraction == pytest.approx(0.0, abs=0.05)


def test_our_own_gains_need_no_help(tmp_path, soft):
    bare = replace(soft, servos={})
    rig = infer_rig(bare)
    ready = with_rig(bare, rig)
    assert not Sag(ready, rig, LegSolver(ready, rig)).needed
