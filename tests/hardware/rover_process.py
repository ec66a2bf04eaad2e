"""A rover that stands in for a real one: physics and firmware in a process of its own, at the end of a pseudo terminal.

python rover_process.py FOLDER PACE: prints the name of its port once it lives; FOLDER/rover.jsonl tells its truth.
"""

import json
import math
import sys
import time
from pathlib import Path

import andante as an
from andante.geometry import so3
from andante.hardware.serial.board import FirmwareOnBoard

sys.path.insert(0, str(Path(__file__).parent / "serial"))
from lines import PtyCable


def main(folder: str, pace: str) -> None:
    cable = PtyCable(Path(folder))
    sim = an.simulate("rover", sensors=True)
    board = FirmwareOnBoard(sim, lambda: cable)
    sim.observers.append(board)
    print(json.dumps({"url": f"serial:{cable.path}", "server": 0}), flush=True)
    due = time.monotonic()
    with open(Path(folder) / "rover.jsonl", "w", buffering=1) as lines:
        while True:
            sim.run(0.02)
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
