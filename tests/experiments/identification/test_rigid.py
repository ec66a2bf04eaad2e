"""Joints that hold still become rigid only where that does not show; joined bodies move as the separate ones did."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from andante.experiments.identification.model import Replay, ReplaySettings, held_limbs
from andante.experiments.identification.rigid import joined, locked, simplified

SETTINGS = ReplaySettings(step=0.001)


@pytest.fixture(scope="module")
def told(arms):
    """3 s of three rods of which the first is told to move."""
    recording = arms.recorded(arms.arm(3), 3.6, noise=0.0)
    still = recording.targets.copy()
    still[:, 1:] = [0.4, 0.4]
    flat = replace(recording, targets=still, positions=np.where(np.arange(3) > 0, 0.4, recording.positions))
    return flat


def test_joined_bodies_move_as_the_separate_ones(arms, told):
    (held,), _ = held_limbs(arms.arm(3), told, ["hinge0"])
    fewer = locked(held, told, ["hinge1", "hinge2"])
    one = joined(fewer)
    assert (len(fewer.limb.parent), len(one.limb.parent)) == (3, 1)
    assert one.limb.mass == pytest.approx(fewer.limb.mass.sum())
    q = [Replay(each, told, SETTINGS).simulate({})[0] for each in (fewer, one)]
    assert q[1] == pytest.approx(q[0], abs=1e-9)


def test_a_joint_that_gives_stays_and_a_stiff_one_becomes_rigid(arms, told):
    soft = arms.arm(3)
    stiff = replace(soft, servos={"*": {"kp": 60.0, "kd": 2.0}, "hinge2": {"kp": 4e5, "kd": 400.0}})
    (held,), _ = held_limbs(soft, told, ["hinge0"])
    assert simplified(held, told, ["hinge0"], SETTINGS).joints == ("hinge0", "hinge1", "hinge2")
    (held,), _ = held_limbs(stiff, told, ["hinge0"])
    fewer = simplified(held, told, ["hinge0"], SETTINGS)
    assert fewer.joints == ("hinge0", "hinge1")
    assert len(fewer.limb.parent) == 2
