import numpy as np
import pytest

from andante.description import load_robot
from andante.geometry import SE3
from andante.session.tree_frames import JointFrames


@pytest.mark.parametrize("name", ["nao", "shell", "rover"])
def test_frames_make_up_the_link_poses(name: str) -> None:
    robot = load_robot(name)
    rng = np.random.default_rng(3)
    q = robot.complete({joint.name: rng.uniform(-0.5, 0.5) for joint in robot.independent})
    frames = JointFrames(robot)
    table = frames.at(np.array([q[joint] for joint in robot.joint_names]))
    local = {child: (parent, SE3.from_vector(pose)) for parent, child, pose in frames.fixed}
    local |= {
        child: (parent, SE3.from_vector(pose))
        for parent, child, pose in zip(frames.parents, frames.children, table, strict=True)
    }
    wanted = robot.link_poses(q)
    assert set(local) | {robot.root} == set(wanted)
    for link, pose in wanted.items():
        made, at = SE3.identity(), link
        while at != robot.root:
            parent, step = local[at]
            made, at = step @ made, parent
        np.testing.assert_allclose(made.matrix, pose.matrix, atol=1e-9)
