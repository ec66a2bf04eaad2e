"""Made-up robots for the tests of kinematics."""

import numpy as np

from andante.description import Joint, JointType, Limits, Link, Mimic, Robot
from andante.geometry import SE3

R, P, F, C = JointType.REVOLUTE, JointType.PRISMATIC, JointType.FIXED, JointType.CONTINUOUS


def joint(name, kind, parent, child, xyz=(0, 0, 0), rpy=(0, 0, 0), axis=(0, 0, 1), lower=-2.0, upper=2.0, **more):
    """A joint with limits, unless it is continuous or fixed."""
    bounded = kind in (R, P)
    limits = Limits(lower, upper) if bounded else Limits()
    return Joint(name, kind, parent, child, SE3.from_xyz_rpy(xyz, rpy), axis, limits, **more)


def mixed():
    """A tree with every kind of joint: two branches, a mimic on its source's branch, one on the other branch."""
    links = [Link(n) for n in ("root", "a", "b", "c", "d", "tip", "e", "f", "side")]
    tilted = (0.6, 0.0, 0.8)
    return Robot(
        "mixed",
        tuple(links),
        (
            joint("turn", R, "root", "a", (0.1, 0, 0.2), (0.1, 0.2, 0.3), tilted),
            joint("slide", P, "a", "b", (0.2, 0.1, 0), (0, 0.5, 0), (0, 1, 0), -0.2, 0.3),
            joint("spin", C, "b", "c", (0, 0, 0.2), (0.4, 0, 0), (1, 0, 0)),
            joint("echo", R, "c", "d", (0.1, 0, 0.1), axis=(0, 1, 0), mimic=Mimic("turn", -0.5, 0.1)),
            joint("weld", F, "d", "tip", (0.05, 0.02, 0.1), (0.3, 0.2, 0.1)),
            joint("other", R, "root", "e", (-0.1, 0, 0.1), (0, 0, 1), (0, 0, -1)),
            joint(
                "follow", P, "e", "f", (0, 0.1, 0.1), axis=(0, 0, 1), mimic=Mimic("slide", 2.0, 0.05), lower=-1, upper=1
            ),
            joint(
                "last", R, "f", "side", (0, 0.1, 0.2), axis=(1, 0, 0), joint_from_child=SE3.from_xyz_rpy((0, 0, 0.1))
            ),
        ),
    )


def quadruped(knees=1):
    """Four legs of hip roll, hip pitch and `knees` knee joints."""
    links, joints = [Link("body")], []
    for side, (x, y) in {"fl": (1, 1), "fr": (1, -1), "rl": (-1, 1), "rr": (-1, -1)}.items():
        names = [f"{side}_{part}" for part in ("hip", "thigh", *(f"shin{i}" for i in range(knees)), "foot")]
        links += [Link(name) for name in names]
        joints.append(
            joint(f"{side}_roll", R, "body", names[0], (0.2 * x, 0.1 * y, 0), axis=(1, 0, 0), lower=-0.8, upper=0.8)
        )
        joints.append(
            joint(f"{side}_pitch", R, names[0], names[1], (0, 0.05 * y, 0), axis=(0, 1, 0), lower=-1.5, upper=1.5)
        )
        for i in range(knees):
            length = -0.25 if i == 0 else -0.15
            joints.append(
                joint(
                    f"{side}_knee{i}",
                    R,
                    names[1 + i],
                    names[2 + i],
                    (0, 0, length),
                    axis=(0, 1, 0),
                    lower=-2.4,
                    upper=-0.1,
                )
            )
        joints.append(joint(f"{side}_ankle", F, names[-2], names[-1], (0, 0, -0.25)))
    return Robot("quadruped", tuple(links), tuple(joints))


def planar(lengths=(0.3, 0.25), limit=np.pi):
    """A planar arm in the xy plane."""
    links = [Link("l0")] + [Link(f"l{i + 1}") for i in range(len(lengths))] + [Link("tip")]
    joints, before = [], 0.0
    for i, length in enumerate(lengths):
        joints.append(joint(f"j{i}", R, f"l{i}", f"l{i + 1}", (before, 0, 0), lower=-limit, upper=limit))
        before = length
    joints.append(joint("end", F, f"l{len(lengths)}", "tip", (before, 0, 0)))
    return Robot("planar", tuple(links), tuple(joints))


FEET = ("fl_foot", "fr_foot", "rl_foot", "rr_foot")
