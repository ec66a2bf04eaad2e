"""`an.naoqi`: a program that was written for a NAO, run with a simulated one."""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante.bridges.naoqi import check_place, require
from andante.bridges.server.start import start_server
from andante.child import Child
from andante.description.load import load_robot
from andante.errors import AndanteError, BadInput, MissingFile
from andante.motion import Keyframes
from andante.motion.io.choregraphe import write_choregraphe
from andante.motion.io.library import find_motion
from andante.settings import DEFAULT_ENGINE, DEFAULT_ROBOT
from andante.tasks.result import HIDDEN, Result

from .launch_run import STOP_TIMEOUT
from .session import LiveSession

WORLD = "empty"
START_TIME = 60.0  # within which the bridge must listen [s of wall time]
FAREWELL = 5.0  # that an interrupted program has to end [s of wall time]


@dataclass(frozen=True)
class ProgramOutcome(Result):
    """What came of a program."""

    program: str
    exit: int  # code; negative: ended by that signal
    interrupted: bool  # by the time limit
    seconds: float  # simulated
    start: tuple[float, float, float]  # x, y [m], yaw [rad] by the simulator's truth
    end: tuple[float, float, float]
    distance: float  # from start to end [m]
    turned: float  # [deg]
    fallen: bool  # at some time
    calls: dict[str, int]  # method -> how often
    stubs: dict[str, int]  # those that were answered by an empty value
    said: tuple[str, ...] = ()
    errors: str = field(default="", metadata=HIDDEN)  # last words of the program

    def __str__(self) -> str:
        how = "was interrupted" if self.interrupted else f"ended with {self.exit}"
        fall = ", fell" if self.fallen else ""
        stubs = f", {sum(self.stubs.values())} by stubs ({', '.join(self.stubs)})" if self.stubs else ""
        return (
            f"{self.program} {how} after {self.seconds:.1f} s: moved {self.distance:.2f} m, "
            f"turned {self.turned:.0f} deg{fall}; {sum(self.calls.values())} calls{stubs}"
        )


def run(
    script: Path | str,
    arguments: Sequence[str] = (),
    *,
    robot: str = DEFAULT_ROBOT,
    world: str = WORLD,
    engine: str = DEFAULT_ENGINE,
    seed: int = 0,
    port: int = 0,
    pace: float = 1.0,
    seconds: float = 600.0,
    folder: Path | str | None = None,
    sound: bool = False,
    quiet: bool = False,
    say: Callable[[str], None] = lambda text: None,
) -> ProgramOutcome:
    """Run a program that was written for a NAO with a simulated one: a session, its NAOqi, the program beside.

    The program is foreign code: it runs in a process of its own, with all rights of the user who starts it. Python 2 is
    converted in memory. All its connections go to this session, whatever address it names.

    Args:
        script: the program, Python 2 or 3.
        arguments: what the program gets as its own arguments.
        robot: built-in name or a file.
        world: built-in name or a file.
        engine: mujoco, bullet, dart or ode.
        seed: random seed of all noise.
        port: port of NAOqi; 0 takes a free one.
        pace: of simulated in wall clock time at most.
        seconds: time after which the program is interrupted, as by Ctrl-C [s].
        folder: folder for files of the robot (pictures, recordings); a temporary one by default.
        sound: speak aloud where espeak-ng is installed.
        quiet: pass on nothing that the program prints.
        say: callback for messages, one line each.

    Returns:
        Exit code of the program, the way of the robot, whether it fell, the calls made and those answered by a stub.
    """
    file = Path(script)
    if not file.is_file():
        raise MissingFile(f"{file}: no such program")
    if not (math.isfinite(seconds) and seconds > 0):
        raise BadInput(f"seconds should be a number above 0, got {seconds:g}")
    if not (math.isfinite(pace) and pace > 0):
        raise BadInput(f"pace should be a number above 0, got {pace:g}")
    require()
    place = port or free_port()
    check_place("127.0.0.1", place)
    with contextlib.ExitStack() as stack:
        kept = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="andante_naoqi_")))
        session = LiveSession(robot, world, engine, seed=seed, folder=kept)
        stack.callback(session.close)
        runner = _Runner(session, place, kept, Path(folder) if folder else kept / "robot", sound, say)
        stack.callback(runner.close)
        return runner.run(file, list(arguments), seconds, pace, quiet)


@dataclass(frozen=True)
class ExportedMotion(Result):
    """A motion as key-frame code."""

    motion: str
    file: Path
    joints: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.file}: {self.motion}, {self.joints} joints, {self.seconds:.1f} s"


def export(motion: str, file: Path | str, *, robot: str = DEFAULT_ROBOT, bezier: bool = False) -> ExportedMotion:
    """Write a motion as Python code with lists of names, times and keys, as Choregraphe exports it, for a real NAO.

    Args:
        motion: name of a motion of the robot, or a file with key-frames (TOML, CSV, Python).
        file: where to; it ends in .py.
        robot: built-in name or a file.
        bezier: keys with handles, for angleInterpolationBezier.

    Returns:
        The file, and how long the motion takes.
    """
    chosen = find_motion(load_robot(robot), motion)
    if not isinstance(chosen, Keyframes):
        raise BadInput(f"{motion} is no motion of key-frames; poses and actions cannot be exported")
    place = Path(file)
    if place.suffix != ".py":
        raise BadInput(f"{place}: key-frame code is Python; give a name that ends in .py")
    write_choregraphe(chosen, place, bezier)
    return ExportedMotion(chosen.name, place, len(chosen.names), chosen.round_duration)


def free_port() -> int:
    """A port of this machine that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class _Runner:
    """A session with its server, the bridge and the program."""

    def __init__(self, session: LiveSession, port: int, kept: Path, folder: Path, sound: bool, say: Any) -> None:
        self._session, self._port, self._say = session, port, say
        self._server = start_server(session.bus, 0)
        session.inbound.append(self._server.poll)
        self._report = kept / "calls.json"
        words = ["bridge", "naoqi", self._server.url, "--port", str(port), "--folder", str(folder)]
        words += ["--report", str(self._report), "--sound" if sound else "--no-sound"]
        self._bridge = Child("andante", *words, heard=True, environment={"QI_LOG_LEVEL": "1"})
        self._program: subprocess.Popen[bytes] | None = None
        self._fallen = False
        self._spoken: list[str] = []
        session.bus.subscribe("/speech/said", "std_msgs/msg/String", lambda m: self._spoken.append(str(m.data)))

    def run(self, file: Path, words: list[str], seconds: float, pace: float, quiet: bool) -> ProgramOutcome:
        """Run a program to its end."""
        self._wait(pace)
        session, start = self._session, self._where()
        begin = session.time
        errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed below)
        self._program = subprocess.Popen(
            [sys.executable, "-P", "-m", "andante.bridges.naoqi.script", str(file), *words],
            stdout=subprocess.DEVNULL if quiet else None,
            stderr=errors,
            env=self._environment(),
        )
        interrupted = self._until_end(begin + seconds, pace)
        code = self._program.wait()
        errors.seek(0)
        told = errors.read()[-8000:].decode(errors="replace").strip()
        errors.close()
        end = self._where()
        self._bridge.end(STOP_TIMEOUT)
        made = json.loads(self._report.read_text(encoding="utf-8")) if self._report.is_file() else {}
        calls = {name: count for name, count in made.get("calls", {}).items() if not name.startswith("Andante")}
        turned = math.degrees(math.remainder(end[2] - start[2], 2 * math.pi))
        return ProgramOutcome(
            file.name, code, interrupted, session.time - begin, start, end, math.dist(start[:2], end[:2]), turned,
            self._fallen, dict(sorted(calls.items())), dict(sorted(made.get("stubs", {}).items())),
            tuple(self._spoken), told,
        )  # fmt: skip

    def _environment(self) -> dict[str, str]:
        package = str(Path(__file__).parents[2])
        path = os.pathsep.join(dict.fromkeys([package, *(entry for entry in sys.path if entry)]))
        address = f"tcp://127.0.0.1:{self._port}"
        usual = {"QI_LOG_LEVEL": "1"}
        return {**usual, **os.environ, "PYTHONPATH": path, "ANDANTE_NAOQI_URL": address, "PYTHONUNBUFFERED": "1"}

    def _where(self) -> tuple[float, float, float]:
        x, y, _, qx, qy, qz, qw = (float(v) for v in self._session.stage.sim.base_pose)
        return x, y, math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz))

    def _wait(self, pace: float) -> None:
        """Run the session until the bridge listens."""
        patience = time.monotonic() + START_TIME
        while True:
            self._session.run(0.1, pace=pace)
            while not self._bridge.said.empty():
                line = self._bridge.said.get().decode(errors="replace").strip()
                if line.startswith("NAOqi at"):
                    self._say(line)
                    return
            if not self._bridge.alive:
                raise BadInput(self._bridge.last_words().removeprefix("andante: ") or "the bridge to NAOqi ended")
            if time.monotonic() > patience:
                raise BadInput(f"NAOqi did not listen within {START_TIME:g} s")

    def _until_end(self, end: float, pace: float) -> bool:
        """Run the session until the program ends; whether it had to be interrupted."""
        assert self._program is not None
        asked = math.inf
        while self._program.poll() is None:
            self._session.run(0.1, pace=pace)
            self._fallen = self._fallen or self._session.stage.sim.fallen
            while not self._bridge.said.empty():
                line = self._bridge.said.get().decode(errors="replace").strip()
                if line:
                    self._say(line)
            if self._session.time >= end and asked == math.inf:
                asked = time.monotonic() + FAREWELL
                self._program.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
            elif time.monotonic() > asked:
                self._program.kill()
                asked = -math.inf
        return asked != math.inf

    def close(self) -> None:
        """End program, bridge and server."""
        if self._program is not None and self._program.poll() is None:
            self._program.kill()
            self._program.wait()
        with contextlib.suppress(AndanteError):
            self._bridge.end(STOP_TIMEOUT)
        self._server.stop()
