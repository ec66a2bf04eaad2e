"""Legs of two halves: one half is the leg, the other follows it, by the hinge that joins them or side by side."""

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.locomotion.legged.samples import upright

import andante as an
from andante.description import Joint, JointType
from andante.errors import BadInput
from andante.geometry import SE3
from andante.locomotion.rigs.halves import halves
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.legs import find_legs
from andante.locomotion.rigs.rig import LegSolver, free_joints
from andante.motion import vector_of


@pytest.fixture
def doubled(tmp_path):
    """As in files that leave halves of parallel legs open: motors on one axis, the other chain points up at rest."""
    text = upright(roll=False)
    parts = re.findall(r'<link name="(?!trunk).*?</link>|<joint .*?</joint>', text)
    inner = [re.sub(r'"([abcd])_', r'"\1i_', part).replace('0.16 0"', '0.12 0" rpy="3.1416 0 0"') for part in parts]
    path = tmp_path / "doubled.urdf"
    path.write_text(text.replace("</robot>", "".join(inner) + "</robot>"))
    return an.robot(path)


def joined(robot):
    """The same robot with a hinge at the ends of the halves."""
    hinge = SE3.from_parts(np.eye(3), (0.0, 0.0, -0.2))
    loops = [
        Joint(f"{name}_hinge", JointType.CONTINUOUS, f"{name}_shin", f"{name}i_shin", pose=hinge,
              axis=(0.0, 1.0, 0.0), joint_from_child=SE3.from_parts(np.eye(3), (0.0, aside, 0.2)))
        for name, aside in (("a", 0.04), ("b", -0.04), ("c", 0.04), ("d", -0.04))
    ]  # fmt: skip
    return replace(robot, loops=tuple(loops))


def gaps(robot, rig, q):
    """How far the ends of the second halves are from where the first hold them [m]."""
    poses = robot.link_poses(dict(zip(robot.joint_names, q, strict=True)))
    return [
        np.linalg.norm(poses[rig.legs[h.leg].foot] @ np.array(h.anchor) - poses[h.foot] @ np.array(h.point))
        for h in halves(robot, rig.legs)
    ]


def test_open_halves_follow_side_by_side(doubled):
    assert [leg.foot for leg in find_legs(doubled)] == ["a_shin", "b_shin", "c_shin", "d_shin"]
    rig = infer_rig(doubled)
    assert max(gaps(doubled, rig, vector_of(doubled, rig.stance))) < 1e-3
    knees = [rig.stance["a_knee"], rig.stance["ai_knee"]]
    assert min(abs(knee) for knee in knees) > 0.3
    assert not free_joints(doubled, rig)
    assert {"ai_swing", "ai_knee"} <= set(rig.servos)
    solver, q = LegSolver(doubled, rig), vector_of(doubled, rig.stance)
    places = solver.feet(q)[:, :3, 3] + np.array([0.03, 0.0, 0.02])
    moved, error = solver.joints(places, q)
    assert error.max() < 1e-4
    assert max(gaps(doubled, rig, moved)) < 1e-3


def test_halves_that_a_stance_leaves_apart_stay(doubled):
    rig = infer_rig(doubled)
    apart = replace(rig, stance={**rig.stance, **{n: 0.0 for n in doubled.joint_names if n[1] == "i"}})
    solver, q = LegSolver(doubled, apart), vector_of(doubled, apart.stance)
    moved, _ = solver.joints(solver.feet(q)[:, :3, 3] + np.array([0.03, 0.0, 0.02]), q)
    assert all(moved[doubled.joint_names.index(n)] == 0.0 for n in doubled.joint_names if n[1] == "i")


def test_a_hinge_may_join_the_ends_of_halves(doubled):
    robot = joined(doubled)
    rig = infer_rig(robot)
    assert len(rig.legs) == 4
    q = vector_of(robot, rig.stance)
    solver = LegSolver(robot, rig)
    moved, _ = solver.joints(solver.feet(q)[:, :3, 3] + np.array([0.02, 0.0, 0.02]), q)
    assert max(gaps(robot, rig, moved)) < 1e-3
    welded = replace(robot, loops=(replace(robot.loops[0], type=JointType.FIXED),))
    with pytest.raises(BadInput, match="its legs close loops"):
        find_legs(welded)
