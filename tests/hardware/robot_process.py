"""A robot that stands in for a real one: a live session in a process of its own, reached over rosbridge or ROS 1 only.

python robot_process.py ROBOT WORLD SEED PACE LOG [MASTER]: prints the addresses of its server once it lives. Every line
of LOG is an instant of its truth, as /ground_truth/pose and the session tell it, or a line of its log.
"""

import json
import math
import sys
from pathlib import Path

from andante.bags import messages
from andante.bridges import start_server
from andante.session import LiveSession
from andante.session.bridge_process import BridgeProcess
from andante.session.nodes import NODES
from andante.session.pace import Pacer

LEFT_OUT = ("CameraNode", "SearchNode", "ReplayNode", "TerminalNode", "RecordingNode", "NavigationNode")


def main(robot: str, world: str, seed: str, pace: str, log: str, master: str = "") -> None:
    nodes = [node for node in NODES if node.__name__ not in LEFT_OUT]
    start = (0.0, 0.0, 0.0)
    with (
        LiveSession(robot, world, seed=int(seed), start=start, folder=Path(log).parent, nodes=nodes) as session,
        start_server(session.bus) as server,
        open(log, "w", buffering=1) as lines,
    ):
        session.inbound.append(server.poll)
        session.pacer = Pacer(behind=0.0)  # as a real robot, it never hurries to catch up
        bridge = BridgeProcess(session, "ros1", server.ws_url, {"master": master}) if master else None

        def truth(message) -> None:
            p, q = message.pose.position, message.pose.orientation
            yaw = math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))
            row = {"time": messages.seconds(message.header.stamp), "x": p.x, "y": p.y, "z": p.z, "yaw": yaw}
            row |= {"told": told[0], "fallen": session.stage.sim.fallen, "activity": session.behaviour}
            lines.write(json.dumps({**row, "detail": session.stage.activities.present.detail}) + "\n")

        def heard(message) -> None:
            told[0] = session.time

        told = [0.0]  # when the last command came [s]
        session.bus.subscribe("/ground_truth/pose", None, truth, queue=100)
        session.bus.subscribe("/joint_targets", None, heard, queue=100)
        session.bus.subscribe("/cmd_vel", "geometry_msgs/msg/Twist", heard, queue=100)
        session.bus.subscribe("/rosout", None, lambda m: lines.write(json.dumps({"log": m.msg}) + "\n"), queue=100)
        session.run(0.5)
        print(json.dumps({"url": server.ws_url, "server": server.pid}), flush=True)
        try:
            session.run(pace=float(pace))
        finally:
            if bridge is not None:
                bridge.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
