"""Left and right changed about: mates of joints by geometry, and motions."""

from __future__ import annotations

import numpy as np
import pytest

from andante.description import load_robot
from andante.motion.keyframes import Key, Keyframes
from andante.motion.mirror import mates, mirrored, mirrored_motion

NAO = load_robot("nao")


def test_mates_of_the_nao_are_those_of_its_names() -> None:
    found = mates(NAO)
    assert {joint.name for joint in NAO.independent} - set(found) == set()
    for name, mate in found.items():
        other = {"L": "R", "R": "L"}.get(name[0], name[0]) + name[1:]
        assert mate.joint in (other, "LHipYawPitch" if name == "LHipYawPitch" else other)
    signs = {"HeadYaw": -1.0, "HeadPitch": 1.0, "LShoulderPitch": 1.0, "LShoulderRoll": -1.0, "LHipYawPitch": 1.0}
    assert {name: found[name].sign for name in signs} == pytest.approx(signs)


@pytest.mark.parametrize("seed", range(3))
def test_a_mirrored_posture_is_the_mirror_image(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = {j.name: float(rng.uniform(j.limits.lower, j.limits.upper)) for j in NAO.independent}
    here, there = NAO.link_poses(q), NAO.link_poses(mirrored(q, mates(NAO)))
    for left, right in (("l_wrist", "r_wrist"), ("r_sole", "l_sole"), ("l_ankle", "r_ankle")):
        image = here[left].translation * [1.0, -1.0, 1.0]
        np.testing.assert_allclose(there[right].translation, image, atol=2e-3)


def test_twice_mirrored_is_the_motion_itself() -> None:
    motion = Keyframes("m", (Key(0.5, {"LShoulderRoll": 0.4, "HeadYaw": 0.2}), Key(1.0, {"RKneePitch": 0.3})))
    once = mirrored_motion(motion, NAO)
    assert once.keys[0].positions == pytest.approx({"RShoulderRoll": -0.4, "HeadYaw": -0.2})
    assert [dict(k.positions) for k in mirrored_motion(once, NAO).keys] == [dict(k.positions) for k in motion.keys]


def test_a_robot_without_a_mate_keeps_its_joints() -> None:
    assert mirrored({"x": 1.0}, {}) == {"x": 1.0}
