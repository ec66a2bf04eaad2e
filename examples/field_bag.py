"""A field bag as engineers bring it home: python examples/field_bag.py [field.bag|field.mcap] [--no-tf].

A robot of another team drives around a made-up office floor: rosbag1 or MCAP with topics of its own naming, laser scans
by a lidar that is mounted ahead of the axle and turned around, wheel odometry that drifts, tf. `truth.txt` beside it
is where it really was (TUM lines), of which the bag knows nothing.
"""

import argparse
import math
from pathlib import Path

import numpy as np

import andante as an

messages = an.bags.messages
synthetic = an.mapping.synthetic

LIDAR = (0.18, 0.0, math.pi)  # x, y, yaw on the base: ahead of the axle, looking back
FLOOR = synthetic.rooms(
    [(0, 0), (12, 0), (12, 8), (0, 8)],
    (0, 3.4, 3.2, 0.2), (4.6, 3.4, 4.4, 0.2), (10.4, 3.4, 1.6, 0.2),  # a wall with two doors
    (6.0, 3.6, 0.2, 3.0), (2.2, 5.6, 0.8, 0.8), (8.0, 1.2, 1.2, 0.5), (9.4, 6.2, 0.6, 0.6),
)  # fmt: skip
WAY = [
    (1.2, 1.4),
    (5, 1.6),
    (9.6, 2.2),
    (9.7, 4.6),
    (7.6, 5.2),
    (7.4, 7.1),
    (5.0, 7.2),
    (4.2, 5.0),
    (3.9, 2.4),
    (1.4, 1.6),
]


def quaternion(yaw: float) -> dict[str, float]:
    return {"x": 0.0, "y": 0.0, "z": math.sin(yaw / 2), "w": math.cos(yaw / 2)}


def transform(time: float, parent: str, child: str, pose: tuple[float, ...]) -> dict[str, object]:
    x, y, yaw = pose
    placed = {"translation": {"x": x, "y": y, "z": 0.0}, "rotation": quaternion(yaw)}
    stamp = messages.to_dict(messages.header(time, parent))
    return {"header": stamp, "child_frame_id": child, "transform": placed}


parser = argparse.ArgumentParser(description="Write a field bag to try things with.")
parser.add_argument("bag", nargs="?", default="field.bag")
parser.add_argument("--no-tf", action="store_true", help="as bags come whose recorder forgot tf")
options = parser.parse_args()

noise = synthetic.DriveNoise(range_sigma=0.015, way_scale=1.03, turn_scale=1.02, drift=0.01)
lidar = {"beams": 270, "field": 1.5 * math.pi, "range_max": 10.0, "sensor": LIDAR}
run = synthetic.drive(FLOOR, synthetic.smooth_path(WAY, 0.06), seed=7, noise=noise, dt=0.1, **lidar)

bus = an.bus.Bus()
scans = bus.advertise("/robot7/lidar/front", "sensor_msgs/msg/LaserScan")
wheels = bus.advertise("/robot7/wheels", "nav_msgs/msg/Odometry")
tf = bus.advertise("/tf", "tf2_msgs/msg/TFMessage")
fixed = bus.advertise("/tf_static", "tf2_msgs/msg/TFMessage", latched=True)
with an.bus.Recorder(bus, options.bag) as recorder:
    if not options.no_tf:
        mount = [transform(0.0, "robot7/base", "robot7/lidar", LIDAR)]
        fixed.publish(messages.from_dict("tf2_msgs/TFMessage", {"transforms": mount}))
    for scan, odometry in zip(run.log.scans, run.log.odometry, strict=True):
        now = scan.time
        bus.clock.advance_to(now)
        x, y, yaw = odometry.pose
        pose = {"pose": {"position": {"x": x, "y": y, "z": 0.0}, "orientation": quaternion(yaw)}}
        wheels.publish(
            messages.from_dict(
                "nav_msgs/Odometry",
                {
                    "header": messages.to_dict(messages.header(now, "robot7/odom")),
                    "child_frame_id": "robot7/base",
                    "pose": pose,
                },
            )
        )
        if not options.no_tf:
            moved = [transform(now, "robot7/odom", "robot7/base", odometry.pose)]
            tf.publish(messages.from_dict("tf2_msgs/TFMessage", {"transforms": moved}))
        scans.publish(
            messages.make(
                "sensor_msgs/LaserScan",
                header=messages.header(now, "robot7/lidar"),
                angle_min=scan.angle_min,
                angle_max=scan.angle_min + scan.angle_increment * (len(scan.ranges) - 1),
                angle_increment=scan.angle_increment,
                range_min=scan.range_min,
                range_max=scan.range_max,
                ranges=np.asarray(scan.ranges, dtype=np.float32),
            )
        )
        bus.spin()
an.mapping.write_trajectory(run.truth, Path("truth.txt"))
print(f"{options.bag}: {recorder.count} messages, {run.truth.times[-1]:.0f} s; truth.txt: where it really was")
