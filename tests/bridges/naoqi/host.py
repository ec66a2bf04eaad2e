"""A session with its NAOqi bridge, for tests: told by lines on standard input, answers with one JSON line each.

state            -> the simulator's truth, joints, lights, words
press NAME SECS  -> a finger on a switch
"""

import json
import math
import queue
import sys
import threading

from andante.bridges.server.start import start_server
from andante.session import LiveSession
from andante.session.launch_run import BridgeProcess
from andante.session.naoqi import free_port

world, pace = sys.argv[1], float(sys.argv[2])
lines: queue.SimpleQueue[str] = queue.SimpleQueue()
threading.Thread(target=lambda: [lines.put(line) for line in sys.stdin] and lines.put("end"), daemon=True).start()


def answer(value: object) -> None:
    print(json.dumps(value), flush=True)


def state() -> dict[str, object]:
    stage = session.stage
    x, y, z, qx, qy, qz, qw = (float(v) for v in stage.sim.base_pose)
    yaw = math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz))
    joints = dict(zip(stage.robot.joint_names, stage.sim.joints.position.tolist(), strict=True))
    stiffness = dict(zip(stage.sim.servos.names, stage.sim.servos.fraction.tolist(), strict=True))
    return {"pose": [x, y, yaw], "height": z, "joints": joints, "stiffness": stiffness, "fallen": stage.sim.fallen,
            "leds": leds, "said": said, "time": session.time, "behaviour": session.behaviour, "fell": fell}  # fmt: skip


leds: dict[str, list[float]] = {}
said: list[str] = []
fell = 0
session = LiveSession("nao", world)
session.bus.subscribe("/speech/said", "std_msgs/msg/String", lambda m: said.append(str(m.data)))
session.bus.subscribe("/leds", "andante_msgs/msg/Leds", lambda m: leds.update(
    {str(name): [c.r, c.g, c.b] for name, c in zip(m.names, m.colors, strict=True)}))  # fmt: skip
server = start_server(session.bus)
session.inbound.append(server.poll)
port = free_port()
bridge = BridgeProcess(session, "naoqi", server.url, {"port": port, "sound": False})
answer({"port": port, "url": server.url})
try:
    while True:
        session.run(0.05, pace=pace)
        fell += session.stage.sim.fallen
        if not bridge.alive:
            break
        while not lines.empty():
            words = lines.get().split()
            if not words or words[0] == "end":
                raise SystemExit
            if words[0] == "state":
                answer(state())
            elif words[0] == "press":
                answer(session.bus.call("/press_switch", {"name": words[1], "seconds": float(words[2])}).success)
finally:
    bridge.stop()
    server.stop()
    session.close()
