"""A rover that stands in for a real one: physics and firmware in a process of its own, at the end of a pseudo terminal.

python rover_process.py FOLDER PACE [WORLD]: prints the name of its port once it lives; FOLDER/rover.jsonl tells its
truth. With a world it has an RPLIDAR and two Pozyx tags at pseudo terminals too, FOLDER/anchors.txt tells where its
anchors are. A file FOLDER/blocked holds the motor of the lidar, FOLDER/rubbish garbles its line.
"""

import json
import math
import os
import sys
import time
from pathlib import Path

import numpy as np

import andante as an
from andante.geometry import SE3, so3
from andante.hardware.serial.board import FirmwareOnBoard
from andante.mobile.sensing import world_from_uwb

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / part) for part in ("serial", "rplidar", "pozyx")]
import lidar_stand_in  # noqa: E402
import pozyx_stand_in  # noqa: E402
from lines import PtyCable  # noqa: E402

TAGS = ("tag0", "tag1")


class Peripherals:
    """What hangs on the computer of a car: a lidar and UWB tags that tell what the simulated ones measure."""

    def __init__(self, sim, folder):
        self.sim, self.folder, self.newest, self.scan = sim, folder, -1.0, None
        self.rng = np.random.default_rng(1)
        cables = {}
        for name in ("lidar", *TAGS):
            (folder / name).mkdir()
            cables[name] = PtyCable(folder / name)
        self.paths = {name: cable.path for name, cable in cables.items()}
        self.lidar = lidar_stand_in.StandIn(cables["lidar"].master, True, self.distance)
        self.anchors = {name: np.array(place) for name, place in sim.sensors.anchors.items()}
        self.tags = [pozyx_stand_in.StandIn(cables[name].master, {}) for name in TAGS]
        self._write_anchors(folder / "anchors.txt")
        self.update()

    def _write_anchors(self, file):
        frame = world_from_uwb(self.sim.sensors)
        yaw = math.atan2(frame.rotation[1, 0], frame.rotation[0, 0])
        poses = self.sim.robot.link_poses()
        lines = [f"map {frame.translation[0]} {frame.translation[1]} {yaw}"]
        for name, place in self.anchors.items():
            lines.append(f"{name} " + " ".join(f"{value:.4f}" for value in frame.inverse() @ place))
        lines += [f"tag {name} " + " ".join(f"{value:.4f}" for value in poses[name].translation) for name in TAGS]
        file.write_text("\n".join(lines) + "\n")

    def distance(self, angle):
        """Of the echo at an angle of the lidar, clockwise in degrees [m]; 0: none."""
        if (scan := self.scan) is None:
            return 0.0
        turn = (-math.radians(angle) - scan.angle_min) % (2 * math.pi)
        value = scan.ranges[round(turn / scan.angle_increment) % len(scan.ranges)]
        return float(value) if np.isfinite(value) else 0.0

    def update(self):
        """What is measured now."""
        for scan in self.sim.scans(self.newest):
            self.newest, self.scan = scan.time, scan
        self.lidar.turns = not (self.folder / "blocked").exists()
        self.lidar.rubbish = os.urandom(200) if (self.folder / "rubbish").exists() else b""
        x, y, z, *q = self.sim.base_pose
        base = SE3.from_parts(so3.from_quaternion(np.array(q)), (x, y, z))
        poses = self.sim.robot.link_poses()
        for tag, name in zip(self.tags, TAGS, strict=True):
            at = base @ poses[name].translation
            tag.ranges = {
                int(anchor, 16): float(np.linalg.norm(place - at) + self.rng.normal(0.0, 0.04))
                for anchor, place in self.anchors.items()
            }


def main(folder: str, pace: str, world: str = "") -> None:
    cable = PtyCable(Path(folder))
    sim = an.simulate("rover", world=world or "empty", sensors=True)
    board = FirmwareOnBoard(sim, lambda: cable)
    sim.observers.append(board)
    more = Peripherals(sim, Path(folder)) if world else None
    ports = more.paths if more is not None else {}
    print(json.dumps({"url": f"serial:{cable.path}", "server": 0, **ports}), flush=True)
    due = time.monotonic()
    with open(Path(folder) / "rover.jsonl", "w", buffering=1) as lines:
        while True:
            sim.run(0.02)
            if more is not None:
                more.update()
            x, y = sim.base_pose[:2].tolist()
            yaw = float(so3.to_rpy(so3.from_quaternion(sim.base_pose[3:]))[2])
            speed = math.hypot(*sim.base_velocity[:2].tolist())
            state = board.board.firmware.state.name
            lines.write(
                json.dumps({"time": sim.time, "x": x, "y": y, "yaw": yaw, "speed": speed, "state": state}) + "\n"
            )
            due = max(due + 0.02 / float(pace), time.monotonic() - 0.1)
            time.sleep(max(0.0, due - time.monotonic()))


if __name__ == "__main__":
    main(*sys.argv[1:])
