"""Does a studio that simply runs keep its memory? python benchmarks/studio_memory.py [--minutes 10] [--json]

`andante studio nao --world lab` as a user starts it; three clients listen to the busiest topics and one makes the robot
walk forwards and backwards. Every two seconds the resident memory of the session and of all that it started is read
from /proc. `slope` is the median of the slopes between all pairs of samples of the second half (Theil and Sen), that of
the whole in MB a minute; `growth` is the median of the last minute less that of the second. Linux only.
`benchmarks/studio_soak.py` does the same for half an hour with clients that come, go and misbehave.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from itertools import combinations
from pathlib import Path

TOPICS = ("/ground_truth/links", "/joint_states", "/tf", "/status", "/imu/data")
LISTENERS = 3
EVERY = 2.0  # between two samples [s]
LEG = 10.0  # in one direction [s]
PATIENCE = 60.0  # until a client is served [s]


def listen(url: str, here: threading.Barrier, ending: threading.Event) -> None:
    """A client that reads everything."""
    from websockets.sync.client import connect

    with connect(url, max_size=None, proxy=None, open_timeout=PATIENCE) as line:
        for topic in TOPICS:
            line.send(json.dumps({"op": "subscribe", "topic": topic, "compression": "cbor"}))
        line.recv(timeout=PATIENCE)
        here.wait()
        while not ending.is_set():
            line.recv(timeout=PATIENCE)


def drive(url: str, here: threading.Barrier, ending: threading.Event) -> None:
    """A client that walks the robot to and fro."""
    from websockets.sync.client import connect

    with connect(url, max_size=None, proxy=None, open_timeout=PATIENCE) as line:
        line.send(json.dumps({"op": "advertise", "topic": "/cmd_vel", "type": "geometry_msgs/msg/Twist"}))
        here.wait()
        while not ending.wait(0.1):
            speed = 0.05 if time.monotonic() % (2 * LEG) < LEG else -0.05
            line.send(json.dumps({"op": "publish", "topic": "/cmd_vel", "msg": {"linear": {"x": speed}}}))


def family(process: int) -> list[int]:
    """A process and all that it started."""
    found = [process]
    for number in found:
        for children in Path(f"/proc/{number}/task").glob("*/children"):
            found += [int(word) for word in children.read_text().split()]
    return found


def resident(process: int) -> float:
    """Memory of a process and all that it started [MB]."""
    pages = 0
    for number in family(process):
        try:
            pages += int(Path(f"/proc/{number}/statm").read_text().split()[1])
        except (OSError, IndexError):
            continue  # it has just ended
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def slope(samples: list[tuple[float, float]]) -> float:
    """Median of the slopes between all pairs [MB/min]."""
    return statistics.median((b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(samples, 2))


def main() -> None:
    """Run and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    words = [sys.executable, "-m", "andante", "studio", "nao", "--world", "lab", "--no-browser", "--port", "0"]
    ending = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        studio = subprocess.Popen([*words, "--json", "--folder", folder], stdout=subprocess.PIPE, text=True)
        try:
            assert studio.stdout is not None
            url = json.loads(studio.stdout.readline())["url"].replace("http", "ws", 1) + "rosbridge"
            here = threading.Barrier(LISTENERS + 2)
            work = [*[listen] * LISTENERS, drive]
            clients = [threading.Thread(target=each, args=(url, here, ending), daemon=True) for each in work]
            for client in clients:
                client.start()
            here.wait(2 * PATIENCE)
            samples = watched(studio, asked.minutes)
        finally:
            ending.set()
            studio.send_signal(signal.SIGINT)
            studio.wait(30)
    first = [memory for minute, memory in samples if asked.minutes * 0.1 <= minute < asked.minutes * 0.2]
    last = [memory for minute, memory in samples if minute >= asked.minutes * 0.9]
    told = {
        "minutes": asked.minutes,
        "slope": slope([sample for sample in samples if sample[0] >= asked.minutes / 2]),
        "growth": statistics.median(last) - statistics.median(first),
        "memory": [round(memory, 1) for _, memory in samples[:: max(1, len(samples) // 20)]],
    }
    if asked.json:
        print(json.dumps(told))
        return
    print(f"{asked.minutes:g} minutes: {told['growth']:+.2f} MB from the second tenth to the last, second half")
    print(f"{told['slope']:+.3f} MB a minute; memory {told['memory']} MB")


def watched(studio: subprocess.Popen[str], minutes: float) -> list[tuple[float, float]]:
    """Minutes since the start and memory [MB]."""
    begin, samples = time.monotonic(), []
    while (now := (time.monotonic() - begin) / 60) < minutes:
        if studio.poll() is not None:
            sys.exit(f"the studio ended by itself with code {studio.returncode}")
        samples.append((now, resident(studio.pid)))
        time.sleep(EVERY)
    return samples


if __name__ == "__main__":
    main()
