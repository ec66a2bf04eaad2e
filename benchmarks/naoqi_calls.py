"""How quick calls over NAOqi are: setAngles, and pictures while the robot walks; a session in real time.

    python benchmarks/naoqi_calls.py

Session, server, bridge and client are processes of their own on the loopback.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import qi, statistics, time
session = qi.Session()
session.connect("tcp://nao:9559")
motion, video = session.service("ALMotion"), session.service("ALVideoDevice")
times = []
for k in range(500):
    begin = time.perf_counter()
    motion.setAngles("HeadYaw", 0.2 if k % 2 else -0.2, 0.1)
    times.append(time.perf_counter() - begin)
print("setAngles %.2f ms median, %.2f ms at most" % (1e3 * statistics.median(times), 1e3 * max(times)))
motion.moveToward(0.5, 0.0, 0.0)
for name, resolution in (("QVGA", 1), ("VGA", 2)):
    handle = video.subscribeCamera("figure", 0, resolution, 11, 30)
    video.getImageRemote(handle)
    begin, count = time.perf_counter(), 0
    while time.perf_counter() - begin < 5.0:
        video.getImageRemote(handle)
        count += 1
    print("getImageRemote %s %.1f Hz while walking" % (name, count / (time.perf_counter() - begin)))
    video.unsubscribe(handle)
motion.stopMove()
"""


def main() -> None:
    """Run the program and print what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "calls.py"
        file.write_text(PROGRAM, encoding="utf-8")
        subprocess.run([sys.executable, "-m", "andante", "naoqi", "run", str(file)], check=True)


if __name__ == "__main__":
    main()
