"""How quick calls over NAOqi are: setAngles, and pictures while the robot walks; a session in real time.

    python benchmarks/naoqi_calls.py

Session, server, bridge and client are processes of their own on the loopback.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import json, qi, statistics, time
session = qi.Session()
session.connect("tcp://nao:9559")
motion, video, dcm = (session.service(name) for name in ("ALMotion", "ALVideoDevice", "DCM"))
times = []
for k in range(500):
    begin = time.perf_counter()
    motion.setAngles("HeadYaw", 0.2 if k % 2 else -0.2, 0.1)
    times.append(time.perf_counter() - begin)
found = {"set_angles_ms": 1e3 * statistics.median(times), "set_angles_most_ms": 1e3 * max(times)}
motion.moveToward(0.5, 0.0, 0.0)
for name, resolution in (("QVGA", 1), ("VGA", 2)):
    handle = video.subscribeCamera("figure", 0, resolution, 11, 30)
    video.getImageRemote(handle)
    begin, clock, seen = time.perf_counter(), dcm.getTime(0), set()
    while time.perf_counter() - begin < 5.0:
        seen.add(tuple(video.getImageRemote(handle)[4:6]))  # a picture that is told twice counts once
    passed = time.perf_counter() - begin
    found["image_%s_hz" % name.lower()] = len(seen) / passed
    found["pace_%s" % name.lower()] = (dcm.getTime(0) - clock) / (1e3 * passed)
    video.unsubscribe(handle)
found["walks"] = motion.moveIsActive()
motion.stopMove()
print("FOUND " + json.dumps(found))
"""


def main() -> None:
    """Run the program and print what it found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "calls.py"
        file.write_text(PROGRAM, encoding="utf-8")
        words = [sys.executable, "-m", "andante", "naoqi", "run", str(file)]
        done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("FOUND "))[6:])
    if asked.json:
        print(json.dumps(found))
        return
    print(f"setAngles {found['set_angles_ms']:.2f} ms median, {found['set_angles_most_ms']:.2f} ms at most")
    for name in ("qvga", "vga"):
        print(
            f"getImageRemote {name.upper()} {found[f'image_{name}_hz']:.1f} Hz while the robot walks, "
            f"the session at {found[f'pace_{name}']:.2f} of real time"
        )


if __name__ == "__main__":
    main()
