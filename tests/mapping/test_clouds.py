"""Clouds of bags: where their sensors were, by the frames of the log."""

import numpy as np

from andante.bags import BagTopic, BagWriter, messages
from andante.geometry import SE3
from andante.mapping.io.bags import TF, FrameTree
from andante.mapping.io.clouds import ROOTS, clouds_of
from andante.simulation.clouds import cloud_message

POINTS = np.array([[1.0, 0.0, 0.0], [1.0, 2.0, 0.5]])


def test_frames_are_found_from_the_outermost_one():
    frames = FrameTree()
    assert frames.outermost("map", ROOTS) is not None
    assert frames.outermost("nowhere", ROOTS) is None
    frames.set("odom", "/base", SE3.from_xyz_quaternion([1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]))
    frames.set("/map", "odom", SE3.from_xyz_quaternion([0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 1.0]))
    found = frames.outermost("base", ROOTS)
    assert found is not None
    np.testing.assert_allclose(found.translation, [1.0, 2.0, 0.0])


def test_a_cloud_is_told_in_the_map_and_transforms_without_numbers_are_passed_over(tmp_path):
    def tf(x, child):
        transform = {"translation": {"x": x}, "rotation": {"w": 1.0}}
        return {"header": {"frame_id": "map"}, "child_frame_id": child, "transform": transform}

    with BagWriter(tmp_path / "look.mcap") as writer:
        for topic, type_ in (("/tf", TF), ("/points", "sensor_msgs/msg/PointCloud2")):
            writer.add(BagTopic(topic, type_, definition=messages.definition(type_)))
        told = messages.make(TF, transforms=[tf(float("nan"), "broken"), tf(0.5, "lidar")])
        writer.write("/tf", 0, messages.to_cdr(told))
        for k, frame in enumerate(("lidar", "broken")):
            header = messages.make("std_msgs/msg/Header", frame_id=frame)
            writer.write("/points", k + 1, messages.to_cdr(cloud_message(header, POINTS)))
    ((origin, points),) = clouds_of(tmp_path / "look.mcap")
    np.testing.assert_allclose(origin, [0.5, 0.0, 0.0])
    np.testing.assert_allclose(points, POINTS + np.array([0.5, 0.0, 0.0]))
