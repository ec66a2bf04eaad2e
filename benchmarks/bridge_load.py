"""What clients cost the loop: processor time per cycle with 0, 1 and 20 clients, and the time from a key to the bus.

    python benchmarks/bridge_load.py [--seconds S] [--json]

The loop runs at 100 Hz and publishes what a NAO session does: joint states and tf at 50 Hz, IMU at 100 Hz, link poses
at 30 Hz, pictures of 40 kB at 5 Hz. Half of the clients take CBOR, half JSON. One more client never reads.
"""

import argparse
import json
import math
import resource
import socket
import statistics
import subprocess
import sys
import threading
import time

import numpy as np

from andante.bags import messages
from andante.bridges import Limits, start_server
from andante.bus import Bus

TOPICS = ("/joint_states", "/tf", "/imu/data", "/ground_truth/links", "/image")
READER = """
import json, sys, time
from websockets.sync.client import connect
url, count = sys.argv[1], int(sys.argv[2])
import threading
def read(n):
    with connect(url, proxy=None, legacy=True, compression=None, max_size=None) as socket:
        for topic in sys.argv[3:]:
            socket.send(json.dumps({"op": "subscribe", "topic": topic, "compression": "cbor" if n % 2 else "none"}))
        print("ready", flush=True)
        for _ in socket:
            got[n] += 1
got = [0] * count
threads = [threading.Thread(target=read, args=(n,), daemon=True) for n in range(count)]
for thread in threads: thread.start()
sys.stdin.readline()
print(json.dumps(got), flush=True)
"""


def build(bus):
    """Publishers of the session, each with a function that makes its message."""
    names = [f"joint_{n}" for n in range(26)]
    frames = [f"link_{n}" for n in range(30)]
    picture = np.random.default_rng(0).integers(0, 255, 40000, np.uint8)

    def joints():
        return messages.make(
            "sensor_msgs/msg/JointState", header=messages.header(bus.clock.now), name=names, position=np.zeros(26),
            velocity=np.zeros(26), effort=np.zeros(26),
        )  # fmt: skip

    def tf():
        header = messages.header(bus.clock.now, "base")
        return messages.make(
            "tf2_msgs/msg/TFMessage", transforms=[{"header": header, "child_frame_id": f} for f in frames]
        )

    return [
        (bus.advertise("/joint_states", "sensor_msgs/msg/JointState", rate=50), joints),
        (bus.advertise("/tf", "tf2_msgs/msg/TFMessage", rate=50), tf),
        (bus.advertise("/imu/data", "sensor_msgs/msg/Imu", rate=100), lambda: messages.make("sensor_msgs/msg/Imu")),
        (
            bus.advertise("/ground_truth/links", "andante_msgs/msg/LinkPoses", rate=30),
            lambda: messages.make("andante_msgs/msg/LinkPoses", names=frames, poses=np.zeros(210)),
        ),
        (
            bus.advertise("/image", "sensor_msgs/msg/CompressedImage", rate=5),
            lambda: messages.make("sensor_msgs/msg/CompressedImage", format="jpeg", data=picture),
        ),
    ]


def run(clients, seconds, sleeper=False):
    """Processor time of the loop per cycle [ms], of the server [fraction of one core], latency [ms], drops."""
    bus = Bus()
    publishers = build(bus)
    arrivals = {}
    bus.subscribe("/cmd_vel", "geometry_msgs/msg/Twist", lambda m: arrivals.setdefault(m.linear.x, time.perf_counter()))
    with start_server(bus, limits=Limits(stall=2.0)) as server:
        ending, sent, cycles = threading.Event(), {}, 0
        reader = None
        if clients:
            words = [sys.executable, "-c", READER, server.ws_url, str(clients), *TOPICS]
            reader = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        def press():
            from websockets.sync.client import connect

            with connect(server.ws_url, proxy=None, legacy=True) as keys:
                if sleeper:
                    idle = connect(server.ws_url, proxy=None, legacy=True, max_queue=1, compression=None)
                    idle.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                    for topic in TOPICS:
                        idle.send(json.dumps({"op": "subscribe", "topic": topic}))
                number = 0.0
                while not ending.is_set():
                    number += 1.0
                    sent[number] = time.perf_counter()
                    keys.send(json.dumps({"op": "publish", "topic": "/cmd_vel", "msg": {"linear": {"x": number}}}))
                    time.sleep(0.05)

        thread = threading.Thread(target=press)
        thread.start()
        spent, late, due = 0.0, 0, time.perf_counter()
        warm = 1.0
        start = due + warm
        while (now := time.perf_counter()) < start + seconds:
            before = time.thread_time()
            server.poll()
            for publisher, make in publishers:
                if publisher.wanted():
                    publisher.publish(make())
            bus.spin()
            bus.clock.advance_to(bus.clock.now + 0.01)
            if now > start:
                spent += time.thread_time() - before
                cycles += 1
            due += 0.01
            late += due < time.perf_counter() - 0.05
            time.sleep(max(0.0, due - time.perf_counter()))
        connected = server.clients
        ending.set()
        thread.join()
        received = 0
        if reader is not None:
            received = sum(json.loads([*reader.communicate("\n")[0].splitlines()][-1]))
        dropped, alive = server.dropped, server.alive
    latencies = [1e3 * (arrivals[number] - begun) for number, begun in sent.items() if number in arrivals]
    latency = statistics.median(latencies) if latencies else math.nan
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "clients": clients, "loop_ms_per_cycle": 1e3 * spent / cycles, "cycles_per_second": cycles / seconds,
        "key_to_bus_ms": latency, "frames_received_per_second": received / (seconds + warm),
        "connected": connected, "packets_dropped": dropped, "alive": alive,
        "children_seconds": used.ru_utime + used.ru_stime,
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = []
    for clients, sleeper in ((0, False), (1, False), (20, False), (20, True)):
        row = run(clients, asked.seconds, sleeper)
        rows.append({**row, "sleeper": sleeper})
        words = ", ".join(f"{name} {value:.4g}" for name, value in row.items())
        print(f"{words}{', one sleeper' if sleeper else ''}", file=sys.stderr if asked.json else sys.stdout, flush=True)
    if asked.json:
        print(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
