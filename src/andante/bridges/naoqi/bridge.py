"""`NaoqiBridge`: a session as a NAO: a real qi session whose services move and tell of the session's robot."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from andante.bridges.client import BusClient, Say, quiet
from andante.bridges.server.access import is_loopback
from andante.errors import AndanteError, BadInput, MissingExtra
from andante.extras import how_to_get

from .forms import CallError
from .link import RobotLink
from .robot import NaoqiRobot
from .service import Service, stub_table

PORT = 9559
WATCH = 0.05  # between two looks of the services [s]
NEEDED = ("/walk_to", "/interpolate_joints")  # actions of the session


def require() -> None:
    """Complain where qi is not installed; it tells errors only, unless $QI_LOG_LEVEL says otherwise."""
    os.environ.setdefault("QI_LOG_LEVEL", "1")
    try:
        import qi  # noqa: F401
    except ImportError:
        raise MissingExtra(f"NAOqi needs the package qi: {how_to_get('naoqi')}") from None


def check_place(host: str, port: int) -> None:
    """Refuse an address that is no good."""
    if not 1 <= port <= 65535:
        raise BadInput(f"port {port} is not from 1 to 65535")
    if not host or any(c.isspace() or c in "/:?#" for c in host):
        raise BadInput(f"host {host!r} should be an address such as 127.0.0.1 or 0.0.0.0")


def service_classes() -> tuple[type[Service], ...]:
    """All services that have a counterpart in a session."""
    from .services import (
        audio,
        behaviors,
        film,
        leds,
        life,
        memory,
        motion,
        navigation,
        posture,
        sensors,
        speech,
        system,
        tracker,
        video,
        vision,
    )

    return (
        memory.Memory, motion.Motion, posture.Posture, video.Video, video.PhotoCapture, speech.TextToSpeech,
        speech.AnimatedSpeech, speech.SpeechRecognition, leds.Leds, sensors.Sensors, sensors.Touch, sensors.Sonar,
        sensors.Fsr, sensors.Battery, sensors.BodyTemperature, vision.RedBallDetection, vision.LandMarkDetection,
        tracker.Tracker, tracker.RedBallTracker, tracker.FaceTracker, navigation.Navigation, navigation.Localization,
        life.AutonomousLife, life.AutonomousMoves, life.AutonomousBlinking, life.BackgroundMovement,
        life.ListeningMovement, life.SpeakingMovement, life.BasicAwareness, behaviors.BehaviorManager,
        behaviors.AnimationPlayer, audio.AudioPlayer, audio.AudioDevice, audio.AudioRecorder,
        film.VideoRecorder, behaviors.FrameManager, system.System, system.Model, system.Preferences, system.Dcm,
        system.SessionTools,
    )  # fmt: skip


def make_services(robot: NaoqiRobot) -> None:
    """All services of a robot, those of which only stubs exist included."""
    from .services.devices import provide_devices

    for kind in service_classes():
        robot.services[kind.name] = kind(robot)
    for name in stub_table():
        if name not in robot.services:
            made = type(name, (Service,), {"name": name, "__doc__": "Without a counterpart in simulation."})
            robot.services[name] = made(robot)
    provide_devices(robot)
    for service in robot.services.values():
        service.start()


class NaoqiBridge:
    """Offers a session at tcp://HOST:PORT as NAOqi does.

    Args:
        bus: the session.
        host: address to listen at; beyond the loopback whoever reaches the port moves the robot.
        port: 9559 as on a NAO.
        folder: where files of the robot lie (pictures, recordings); a temporary one by default.
        sound: speak aloud where espeak-ng is installed.
        report: a JSON file that is written in the end: calls by their names, and those that a stub answered.
    """

    def __init__(self, bus: BusClient, host: str = "127.0.0.1", port: int = PORT, *, folder: Path | str | None = None,
                 sound: bool = True, report: Path | str | None = None, say: Say = quiet) -> None:  # fmt: skip
        check_place(host, port)
        require()
        self._bus, self._host, self._port, self._say, self._sound = bus, host, port, say, sound
        self._folder = Path(folder) if folder is not None else None
        self._report = report
        self._stop = threading.Event()
        self._told: dict[str, float] = {}
        self.robot: NaoqiRobot | None = None

    async def run(self) -> None:
        """Serve until cancelled."""
        missing = [name for name in NEEDED if name not in self._bus.graph.actions]
        if missing:
            raise BadInput(f"the session has no action {missing[0]}: it is no session of this version")
        loop = asyncio.get_running_loop()
        link = RobotLink(self._bus, self._quietly)
        ended = loop.create_future()

        def serve() -> None:
            try:
                self._serve(link)
            except Exception as error:
                loop.call_soon_threadsafe(_set, ended, error)
            else:
                loop.call_soon_threadsafe(_set, ended, None)

        thread = threading.Thread(target=serve, name="naoqi", daemon=True)
        thread.start()
        try:
            await ended
        finally:
            self._stop.set()
            if self.robot is not None:
                self.robot.tasks.close()
            while thread.is_alive():
                await asyncio.sleep(0.02)
            link.close()

    def _quietly(self, text: str) -> None:
        """Say a line, the same one once in ten seconds."""
        now = time.monotonic()
        if now - self._told.get(text, -1e9) > 10.0:
            self._told[text] = now
            self._say(text)

    def _serve(self, link: RobotLink) -> None:
        import qi

        with _folder(self._folder) as folder:
            try:
                robot = self.robot = NaoqiRobot(link, self._quietly, folder, self._sound)
                make_services(robot)
            except CallError as error:
                raise BadInput(f"the session cannot be offered as a NAO: {error}") from None
            session = qi.Session()
            try:
                _listen(session, self._host, self._port)
                robot.services["ALMemory"].ask = session.service  # type: ignore[attr-defined]
                published = {name: service.published() for name, service in robot.services.items()}
                for name, made in published.items():
                    session.registerService(name, made)
                where = f"tcp://{self._host}:{self._port}"
                self._say(f"NAOqi at {where}: {len(published)} services")
                if not is_loopback(self._host):
                    self._say("whoever reaches this port can move the robot: NAOqi knows no passwords")
                self._watch(robot)
            finally:
                for service in robot.services.values():
                    service.close()
                if self._report is not None:
                    made = {"calls": dict(robot.calls), "stubs": dict(robot.stubbed)}
                    Path(self._report).write_text(json.dumps(made), encoding="utf-8")
                session.close()

    def _watch(self, robot: NaoqiRobot) -> None:
        services = [service for service in robot.services.values() if type(service).watch is not Service.watch]
        while not self._stop.wait(WATCH):
            for service in services:
                try:
                    service.watch()
                except (AndanteError, CallError) as error:
                    self._quietly(f"{service.name}: {error}")
                except Exception as error:
                    self._quietly(f"{service.name} failed: {type(error).__name__}: {error}")


def _listen(session: Any, host: str, port: int) -> None:
    try:
        session.listenStandalone(f"tcp://{host}:{port}")
    except RuntimeError as error:
        raise BadInput(f"NAOqi cannot listen at {host}:{port}: {str(error).splitlines()[0]}; is it in use?") from None


def _set(future: Any, error: Exception | None) -> None:
    if not future.done():
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)


class _folder:
    """The folder of the robot's files; a temporary one goes in the end."""

    def __init__(self, given: Path | None) -> None:
        self._given = given
        self._made: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Path:
        if self._given is not None:
            self._given.mkdir(parents=True, exist_ok=True)
            return self._given
        self._made = tempfile.TemporaryDirectory(prefix="andante_naoqi_")
        return Path(self._made.name)

    def __exit__(self, *_: object) -> None:
        if self._made is not None:
            self._made.cleanup()
