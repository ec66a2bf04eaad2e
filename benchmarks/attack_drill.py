"""Attacks on a live studio over the loopback, one after the other, with a bystander who listens all the while.

    python benchmarks/attack_drill.py [--only WORD...] [--report] [--json]

A `waffle` with odd names of robot and joints in the lab, navigation on. After each attack the session has to live and
a new client has to be served within 2 s; told are the longest silence of /clock (100 Hz) that the bystander heard
meanwhile, and the processor time that session and server took beyond the simulated rest. All attacks are bounded and
go to 127.0.0.1 alone. `--report` writes benchmarks/reports/attacks.md.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cbor2
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

ROOT = Path(__file__).resolve().parents[1]
ADDRESS = re.compile(r"http://[\w.:]+")
SERVED = 2.0  # longest wait of a new client [s]
SILENT = 1.0  # silence that counts as frozen [s]
POSE, PATH_KIND = "geometry_msgs/msg/PoseWithCovarianceStamped", "geometry_msgs/msg/PoseStamped"
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Outcome:
    """One attack."""

    attack: str
    alive: bool
    served: float  # until a new client had an answer [s]; inf: never
    silence: float  # longest of the bystander [s]
    processor: float  # of session and server during the attack, by the wall clock of it [s/s]

    @property
    def held(self) -> bool:
        """Whether nothing got through."""
        return self.alive and self.served < SERVED and self.silence < SILENT


class Victim:
    """A running studio and its bystander."""

    def __init__(self, home: Path, robot: str, *more: str) -> None:
        words = [sys.executable, "-P", "-m", "andante", "studio", robot, "--world", "lab", "--port", "0",
                 "--no-browser", *more]  # fmt: skip
        self.process = subprocess.Popen(words, cwd=home, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert self.process.stdout is not None
        lines: list[str] = []
        for line in self.process.stdout:
            lines.append(line)
            if found := ADDRESS.findall(line):
                break
        else:
            raise SystemExit(f"the studio did not start: {''.join(lines)[-500:]}")
        self.said: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()
        self.port = int(found[0].rsplit(":", 1)[1])
        self.silence, self.over = 0.0, threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()
        self.wait_for("/clock", 120.0)

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.said.extend(self.process.stdout)

    def client(self) -> ClientConnection:
        """A new client."""
        return connect(
            f"ws://127.0.0.1:{self.port}/rosbridge", max_size=None, compression=None, open_timeout=10.0,
            close_timeout=0.2, proxy=None,
        )  # fmt: skip

    def _listen(self) -> None:
        while not self.over.is_set():
            with suppress(OSError, WebSocketException), self.client() as line:
                line.send(json.dumps({"op": "subscribe", "topic": "/clock"}))
                last = time.monotonic()
                while not self.over.is_set():
                    with suppress(TimeoutError):
                        line.recv(0.2)
                        self.silence = max(self.silence, time.monotonic() - last)
                        last = time.monotonic()
                    self.silence = max(self.silence, time.monotonic() - last)

    def wait_for(self, topic: str, patience: float) -> float:
        """Until a new client hears a topic [s]; inf: it never does."""
        began = time.monotonic()
        while time.monotonic() - began < patience:
            with suppress(OSError, WebSocketException, TimeoutError), self.client() as line:
                line.send(json.dumps({"op": "subscribe", "topic": topic}))
                line.recv(2.0)
                return time.monotonic() - began
            time.sleep(0.05)
        return math.inf

    def processor(self) -> float:
        """Of the session and all its children [s]."""
        pids, spent = [self.process.pid], 0.0
        while pids:
            pid = pids.pop()
            with suppress(OSError, IndexError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                spent += (int(fields[11]) + int(fields[12])) / TICKS
                pids += [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        return spent

    def close(self) -> None:
        """End it."""
        self.over.set()
        self.process.terminate()
        self.process.wait(60.0)


def say(line: ClientConnection, **message: Any) -> None:
    """One message in JSON."""
    line.send(json.dumps(message))


def publish(victim: Victim, *messages: tuple[str, str, dict[str, Any]]) -> None:
    """Messages on topics, and a second for them to act."""
    with victim.client() as line:
        for topic, kind, fields in messages:
            say(line, op="advertise", topic=topic, type=kind)
            say(line, op="publish", topic=topic, msg=fields)
            time.sleep(0.3)
        time.sleep(1.0)


def at(x: float, y: float = 0.0, covariance: float | None = None) -> dict[str, Any]:
    """A pose at a place."""
    pose = {"position": {"x": x, "y": y, "z": 0.0}, "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}}
    if covariance is None:
        return {"header": {"frame_id": "map"}, "pose": pose}
    return {"header": {"frame_id": "map"}, "pose": {"pose": pose, "covariance": [covariance] * 36}}


def far_pose(victim: Victim) -> None:
    """/initialpose at 1e308."""
    publish(victim, ("/initialpose", POSE, at(1e308, -1e308, 0.1)))


def far_pose_and_goal(victim: Victim) -> None:
    """/initialpose at 1e8, then a goal; another far away."""
    publish(victim, ("/initialpose", POSE, at(1e8, 1e8, 0.1)), ("/goal_pose", PATH_KIND, at(1.0)),
            ("/goal_pose", PATH_KIND, at(1e8)), ("/goal_pose", PATH_KIND, at(1e308)))  # fmt: skip
    publish(victim, ("/initialpose", POSE, at(0.0, 0.0, 0.05)))


def numbers(victim: Victim) -> None:
    """Velocities, pushes and spawns that are no numbers or too large, as JSON allows them."""
    with victim.client() as line:
        say(line, op="advertise", topic="/cmd_vel", type="geometry_msgs/msg/Twist")
        for value in (math.nan, 1e308, math.inf, -1e308, 1e9):  # Python's JSON has all of them
            say(line, op="publish", topic="/cmd_vel", msg={"linear": {"x": value}, "angular": {"z": value}})
            far = {"model": "waffle", "name": "far", "pose": "", "x": value, "y": 0.0, "yaw": 0.0, "height": 0.0}
            say(line, op="call_service", service="/spawn", args=far)
            say(line, op="publish", topic="/push", msg={"point": {"x": value}, "force": {"x": value}})
        time.sleep(1.0)
    publish(victim, ("/cmd_vel", "geometry_msgs/msg/Twist", {}))


def tags(victim: Victim) -> None:
    """CBOR tags 35 (regular expression) and 36 (MIME), 16 kB each, nested lists, and numbers of a million digits."""
    with victim.client() as line:
        texts = (35, "(" * 4000 + "a*)*" * 3000), (36, "Content-Type: x;" + "a=b;" * 4000), (35, "x" * 16000)
        for tag, text in texts:
            line.send(cbor2.dumps(cbor2.CBORTag(tag, text)))
            line.send(cbor2.dumps({"op": cbor2.CBORTag(tag, text)}))
        line.send(b"\x81" * 200_000)
        line.send(b"\xc2\x5a\x00\x03\x00\x00" + b"\xff" * 0x30000)
        line.send(b'{"op":"publish","topic":"/x","msg":' + b"[" * 100_000)
        time.sleep(1.0)


def fragments(victim: Victim) -> None:
    """A subscription in fragments of one byte."""
    with victim.client() as line:
        for topic in ("/map", "/robot_description", "/joint_states", "/scan", "/tf"):
            say(line, op="subscribe", topic=topic, fragment_size=1)
        end = time.monotonic() + 3.0
        with suppress(TimeoutError, WebSocketException):
            while time.monotonic() < end:
                line.recv(0.5)


def identifiers(victim: Victim) -> None:
    """Ten thousand subscriptions under names of their own."""
    with victim.client() as line, suppress(WebSocketException):
        for number in range(10_000):
            say(line, op="subscribe", topic="/clock", id=f"{number}" * 20)
        time.sleep(1.0)


def pings(victim: Victim) -> None:
    """Fifty thousand pings."""
    with victim.client() as line, suppress(WebSocketException, OSError):
        for number in range(50_000):
            line.ping(number.to_bytes(4, "big"))


def half_open(victim: Victim) -> None:
    """Twelve hundred sockets that send half a request."""
    with ExitStack() as stack:
        for number in range(1200):
            with suppress(OSError):
                line = stack.enter_context(socket.create_connection(("127.0.0.1", victim.port), timeout=2.0))
                line.sendall(b"GET / HTTP/1.1\r\nHost: " if number % 2 else b"")
        waited = victim.wait_for("/clock", 30.0)
        if waited > SERVED:
            raise RuntimeError(f"a new client waited {waited:.1f} s")


def deaf(victim: Victim) -> None:
    """Six hundred connections that ask for the page's script again and again and read none of it."""
    with urllib.request.urlopen(f"http://127.0.0.1:{victim.port}/", timeout=10.0) as answer:
        script = re.findall(r'src="\.?/?([^"]+\.js)"', answer.read().decode())[0]
    ask = f"GET /{script} HTTP/1.1\r\nHost: 127.0.0.1:{victim.port}\r\n\r\n".encode() * 50
    with ExitStack() as stack:
        for _ in range(600):
            with suppress(OSError):
                line = stack.enter_context(socket.create_connection(("127.0.0.1", victim.port), timeout=2.0))
                line.sendall(ask)
        time.sleep(2.0)
        waited = victim.wait_for("/clock", 30.0)
        if waited > SERVED:
            raise RuntimeError(f"a new client waited {waited:.1f} s")


def idle(victim: Victim) -> None:
    """Two hundred WebSockets that say nothing."""
    with ExitStack() as stack:
        for _ in range(200):
            with suppress(OSError, WebSocketException):
                stack.enter_context(victim.client())
        waited = victim.wait_for("/clock", 30.0)
        if waited > SERVED:
            raise RuntimeError(f"a new client waited {waited:.1f} s")


def flood(victim: Victim) -> None:
    """Messages as fast as they go, for two seconds."""
    with victim.client() as line, suppress(WebSocketException, OSError):
        end = time.monotonic() + 2.0
        while time.monotonic() < end:
            say(line, op="call_service", service="/list", args={"kind": "poses"})


ATTACKS: dict[str, Callable[[Victim], None]] = {
    "initial pose at 1e308": far_pose, "initial pose at 1e8 and goals": far_pose_and_goal,
    "numbers that are none": numbers, "CBOR tags 35 and 36": tags, "fragments of one byte": fragments,
    "10,000 subscription ids": identifiers, "50,000 pings": pings, "1200 half-open sockets": half_open,
    "600 clients that read no answer": deaf, "200 WebSockets that say nothing": idle,
    "flood of calls": flood,
}  # fmt: skip


def carry_out(victim: Victim, name: str, attack: Callable[[Victim], None]) -> Outcome:
    """One attack, and how session and bystander fare."""
    victim.silence, before, began = 0.0, victim.processor(), time.monotonic()
    late = 0.0
    try:
        attack(victim)
    except (OSError, WebSocketException) as error:
        print(f"  {name}: the attacker was cut off: {error}", file=sys.stderr)
    except RuntimeError as error:
        late = math.inf
        print(f"  {name}: {error}", file=sys.stderr)
    spent = (victim.processor() - before) / max(0.1, time.monotonic() - began)
    served = max(late, victim.wait_for("/clock", 20.0))
    return Outcome(name, victim.process.poll() is None, served, victim.silence, spent)


def odd(folder: Path) -> Path:
    """A waffle whose robot and joints have odd names."""
    done = subprocess.run(
        [sys.executable, "-m", "andante", "convert", "waffle", str(folder / "plain.urdf")], capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr)
    text = (folder / "plain.urdf").read_text(encoding="utf-8")
    text = re.sub(r'<robot name="[^"]*"', '<robot name="1 my-röbot.v2 ' + "x" * 300 + '"', text)
    for number, joint in enumerate(sorted(set(re.findall(r'<joint name="([^"]*)"', text)))):
        text = text.replace(f'"{joint}"', f'"{number}. ä-{joint} rad"')
    path = folder / "odd.urdf"
    path.write_text(text, encoding="utf-8")
    return path


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="words of the attacks to make")
    parser.add_argument("--report", action="store_true", help="write benchmarks/reports/attacks.md")
    parser.add_argument("--json", action="store_true", help="one object with all rows")
    asked = parser.parse_args()
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="andante_attack_") as folder:
        victim = Victim(Path(folder), str(odd(Path(folder))))
        try:
            time.sleep(2.0)
            outcomes.append(carry_out(victim, "none, for comparison", lambda _: time.sleep(3.0)))
            for name, attack in ATTACKS.items():
                if not asked.only or any(word in name for word in asked.only):
                    outcomes.append(carry_out(victim, name, attack))
                    print(words(outcomes[-1]), file=sys.stderr, flush=True)
                    if not outcomes[-1].alive:
                        print("".join(victim.said[-20:]), file=sys.stderr)
                        break
        finally:
            victim.close()
    if asked.report:
        (ROOT / "benchmarks/reports/attacks.md").write_text(report(outcomes), encoding="utf-8")
    through = sum(not each.held for each in outcomes)
    if asked.json:
        print(json.dumps({"rows": [{**asdict(each), "held": each.held} for each in outcomes], "through": through}))
    else:
        print(f"{len(outcomes) - 1} attacks, {through} got through")


def words(outcome: Outcome) -> str:
    """A line for people."""
    return (
        f"{outcome.attack:32} {'held' if outcome.held else 'GOT THROUGH'}: alive {outcome.alive}, a new client waits "
        f"{outcome.served:.2f} s, silence {outcome.silence:.2f} s, processor {outcome.processor:.2f}"
    )


def report(outcomes: list[Outcome]) -> str:
    """The page."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    rows = [
        f"| {each.attack} | {'yes' if each.held else '**no**'} | {each.served:.2f} | {each.silence:.2f} | "
        f"{each.processor:.2f} |"
        for each in outcomes
    ]
    load = os.getloadavg()[0]
    return "\n".join([
        "# Attacks on a live studio", "", "    python benchmarks/attack_drill.py --report", "",
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {commit.stdout.strip()}, load {load:.1f} on {os.cpu_count()} "
        f"cores. **{sum(not each.held for each in outcomes)} of {len(outcomes) - 1} got through.**", "",
        "A wheeled robot whose robot and joints have odd names, in the lab. Held: the session lives, a new client is "
        f"served within {SERVED:g} s, and a bystander's /clock (100 Hz) was never silent for {SILENT:g} s. Processor: "
        "of session and server, seconds a second, physics included.", "",
        "| attack | held | a new client waits [s] | longest silence [s] | processor |", "|---|---|---|---|---|", *rows,
        "",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
