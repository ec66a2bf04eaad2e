"""The geometry of old programs."""

import math

import pytest

from andante.bridges.naoqi.shims import almath, motion, vision_definitions


def test_poses_in_the_plane():
    a, b = almath.Pose2D(1.0, 2.0, math.pi / 2), almath.Pose2D([1.0, 0.0, 0.1])
    assert (a * b).toVector() == pytest.approx([1.0, 3.0, math.pi / 2 + 0.1])
    assert (almath.pose2DInverse(a) * a).isNear(almath.Pose2D(0.0, 0.0, 0.0))
    assert almath.pose2DFromTransform(almath.transformFromPose2D(a)).isNear(a)
    assert (2.0 * b).x == 2.0
    assert (a - a).norm() == 0.0


def test_transforms():
    place = almath.Position6D(0.1, 0.2, 0.3, 0.4, -0.5, 0.6)
    pose = almath.transformFromPosition6D(place)
    assert almath.position6DFromTransform(pose).isNear(place)
    assert (pose * almath.transformInverse(pose)).isNear(almath.Transform())
    assert almath.Transform(pose.toVector()) == pose
    assert almath.Transform(0.1, 0.2, 0.3).r2_c4 == 0.2
    turn = almath.Transform_from3DRotation(0.0, 0.0, 0.5)
    assert turn.r1_c2 == pytest.approx(-math.sin(0.5))
    turn.r1_c4 = 2.0
    assert turn.toVector()[3] == 2.0
    assert (almath.rotationFromRotZ(math.pi / 2) * almath.Position3D(1.0, 0.0, 0.0)).isNear(almath.Position3D(0, 1, 0))
    assert almath.transformMean(almath.Transform(), turn).r1_c4 == pytest.approx(1.0)
    with pytest.raises(RuntimeError, match="has 16 numbers"):
        almath.Transform([1.0, 2.0])


@pytest.mark.parametrize(("angle", "wanted"), [(4.0, 4.0 - 2 * math.pi), (math.pi, math.pi), (-7.0, 2 * math.pi - 7.0)])
def test_angles(angle, wanted):
    assert almath.modulo2PI(angle) == pytest.approx(wanted)


def test_numbers_by_their_old_names():
    assert (motion.FRAME_ROBOT, motion.AXIS_MASK_VEL, motion.AXIS_MASK_ALL) == (2, 7, 63)
    assert (vision_definitions.kVGA, vision_definitions.kRGBColorSpace, vision_definitions.kCameraSelectID) == (
        2,
        11,
        18,
    )
    assert pytest.approx(180.0) == almath.TO_DEG * almath.PI


def test_footsteps():
    step = almath.Pose2D(0.1, 0.0, 0.0)
    assert almath.clipFootWithEllipse(0.04, 0.04, step)
    assert step.x == pytest.approx(0.04)
    assert not almath.clipFootWithEllipse(0.04, 0.04, step)
