"""Messages and waiting that the tests of bodies behind ROS share."""

import time

from andante.bags import messages

JOINT_STATE, TWIST = "sensor_msgs/msg/JointState", "geometry_msgs/msg/Twist"
TRAJECTORY = "trajectory_msgs/msg/JointTrajectory"


def until(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s in vain"
        time.sleep(0.01)


def joint_state(names, position=(), velocity=(), effort=(), stamp=0.0):
    return messages.make(
        JOINT_STATE, header=messages.header(stamp), name=list(names),
        position=list(position), velocity=list(velocity), effort=list(effort),
    )  # fmt: skip
