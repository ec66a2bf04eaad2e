"""A car whose motors hang on a microcontroller at a serial port, as a body.

A thread keeps the line: it reads, says hello, sends heartbeats, notices when the port vanishes and opens it again.
Calls of the user only put messages into the outbox or look at the newest ones: none of them waits for the line.
"""

from __future__ import annotations

import math
import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Self

import numpy as np

from andante.control.body import BodyCommand, BodyState, Health, LinkState, Power
from andante.description import Robot
from andante.errors import BadInput, Unsupported
from andante.geometry import se2
from andante.hardware.pozyx.reader import PozyxTags, TagRanges
from andante.hardware.remote import RemoteBody, measured
from andante.hardware.rplidar.reader import KEPT, RpLidar
from andante.localization.uwb import UwbSetup
from andante.mapping import Scan
from andante.simulation.scans import mounted_scan

from . import messages as wire
from .car import NUMBERS, Car, PwmChannel, checked, defaults
from .endpoint import LineCounters
from .firmware import TELEMETRY_PERIOD
from .host import HostLink, Line
from .messages import Fault, Message, State, int32
from .ports import WAIT, OpenPort, SerialPort, serial_ports

FAULT_WORDS = {
    Fault.LINK: "the microcontroller lost the line and must be started again",
    Fault.POSE: "the microcontroller holds: it has no fresh pose",
    Fault.COMMAND: "the microcontroller holds: it has no fresh command",
    Fault.VOLTAGE: "the battery is low; charge it and start again",
    Fault.VERSION: "the microcontroller speaks another protocol version",
    Fault.SENSOR: "a sensor of the microcontroller gives no numbers; check its wiring and start again",
}
LONGEST_STEP = 2.0  # between two messages that still tell the speed of the wheels [s]
HELD = (Fault.POSE, Fault.COMMAND)  # it goes on with the next pose or command; all others need a new start


class SerialBody(RemoteBody):
    """A car at a serial port (a name, or a function that opens any other `Port`).

    What follows from the robot file (wheelbase, full lock, top speed, turning radius) and the `parameters` given here
    are told to the firmware at each connection. threaded=False leaves the line to `poll`, called by the user's loop:
    with a simulated `clock` a run is repeatable, byte by byte where the `session` number is given too.
    """

    def __init__(
        self,
        port: str | OpenPort,
        robot: Robot | str,
        *,
        baud: int = 115200,
        ticks_per_turn: int = 1200,
        parameters: Mapping[str, float] | None = None,
        say: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        threaded: bool = True,
        session: int | None = None,
        lidar: RpLidar | None = None,
        uwb: PozyxTags | None = None,
        setup: UwbSetup | None = None,
    ) -> None:
        super().__init__(robot, say)
        if lidar is not None and not any(spec.kind == "lidar" for spec in self.robot.sensors):
            raise BadInput(f"the file of robot {self.robot.name!r} does not say where its lidar sits; add a ray sensor")
        self.lidar = lidar  # that sits where the robot's file has its lidar, and is closed with the body
        self.uwb, self.setup = uwb, setup  # its UWB tags, closed with the body, and where anchors and tags are
        self._scans: deque[Scan] = deque(maxlen=KEPT)
        self._scanned = -math.inf  # when the newest of them was taken, by the lidar's clock [s]
        self.car = Car.of(self.robot)
        self.ticks_per_turn = ticks_per_turn
        told = self.car.parameters | dict(parameters or {})
        self.parameters = defaults(told)
        self._port_name = port if isinstance(port, str) else ""
        wait = WAIT if threaded else 0.0
        opener: OpenPort = (lambda: SerialPort(port, baud, wait)) if isinstance(port, str) else port
        self._link = HostLink(secrets.randbelow(1 << 16) if session is None else session, self._say)
        self._line = Line(opener, self._link, self._say, clock, self._port_name or "the port")
        self._waypoints = 0
        self.late = 0  # control periods whose telemetry was older than usual
        self.unheeded = 0  # ... in which the firmware had no fresh command although it was to move
        self._moves = False  # whether the last twist was one that moves it
        self._time = 0.0
        for name in told:
            self._post(wire.SetParameter(NUMBERS[name], self.parameters[name]))
        if threaded:
            self._line.start()

    # ---- the line --------------------------------------------------------------------------------
    def connect(self, timeout: float = 5.0, step: Callable[[], None] | None = None, *, reach: float = math.inf) -> Self:
        """Wait until the microcontroller answers; refused in words when it does not within a time [s, wall clock].

        step: what lets the rest of a lock-step run go on meanwhile; without it a short sleep.
        reach: how long a port that cannot be opened is tried [s].
        """
        began = time.monotonic()
        deadline = began + timeout
        while not self.connected:
            if self._link.endpoint.refused:
                raise Unsupported(self._link.endpoint.refused)
            now = time.monotonic()
            if now > deadline or (self._line.error and now > began + reach):
                raise BadInput(self._why_not(timeout))
            if step is None:
                time.sleep(0.005)
            else:
                step()
        while step is None and self._link.before(wire.Telemetry) is None and time.monotonic() < deadline:
            time.sleep(0.005)  # its rate is known from the second telemetry on
        self.late, self._due = 0, math.nan
        return self

    def _why_not(self, timeout: float) -> str:
        where = self._line.where
        if self._line.open:
            return f"no microcontroller answered on {where} within {timeout:g} s; check power, cable, firmware, baud"
        named = ", ".join(each.name for each in serial_ports()) or "none"
        return f"{where} cannot be opened: {self._line.error or 'it does not answer'}; serial ports here: {named}"

    @property
    def connected(self) -> bool:
        """Whether the microcontroller answers."""
        return self._link.connected and not self._closed

    @property
    def peer(self) -> str:
        """What the firmware calls itself."""
        return self._link.endpoint.peer

    @property
    def counters(self) -> LineCounters:
        """What has passed over the line."""
        return self._link.counters

    @property
    def logs(self) -> tuple[wire.Log, ...]:
        """The newest words of the firmware."""
        with self._line.lock:
            return tuple(self._link.logs)

    def poll(self) -> None:
        """One pass over the line, for bodies without a thread."""
        self._line.poll()

    def _post(self, message: Message) -> bool:
        self._refuse_closed()
        with self._line.lock:
            return self._link.post(message)

    @property
    def address(self) -> str:
        """Its port."""
        return f"serial:{self._line.where}"

    @property
    def time(self) -> float:
        """Of the microcontroller's clock [s], carried on for a moment from its last telemetry."""
        with self._line.lock:
            told, came = self._link.latest(wire.Telemetry), self._link.came(wire.Telemetry)
        if told is not None:
            now = told.time / 1000.0 + min(self._line.clock() - came, TELEMETRY_PERIOD)
            self._time = now if now < self._time - 1.0 else max(self._time, now)  # it may have started anew
        return self._time

    @property
    def link(self) -> LinkState:
        """How well the microcontroller is heard; the rate is that of its newest telemetry."""
        with self._line.lock:
            age, counters = self._line.clock() - self._link.came(wire.Telemetry), self._link.counters
            told, before = self._link.latest(wire.Telemetry), self._link.before(wire.Telemetry)
        apart = 0 if told is None or before is None else (told.time - before.time) & 0xFFFFFFFF
        return LinkState(1000.0 / apart if apart else 0.0, age, self.late, counters.troubles, self.unheeded)

    def _wait_until(self, due: float) -> None:
        while (left := due - self.time) > 1e-6 and self.connected:
            time.sleep(min(left, 0.01))

    # ---- what the firmware does ------------------------------------------------------------------
    def send_pose(self, x: float, y: float, yaw: float) -> None:
        """Tell the estimated pose in the map; wanted several times a second while driving to a waypoint."""
        self._post(wire.RobotPose(x, y, float(se2.wrap(yaw))))

    def send_tag(self, tag: int, x: float, y: float, z: float = 0.0) -> None:
        """Tell the position of a UWB tag (0 front, 1 rear)."""
        self._post(wire.TagPose(tag, x, y, z))

    def go_to(self, x: float, y: float, radius: float = 0.0) -> int:
        """Name the next waypoint; its number, which the telemetry tells back. `start` sets off."""
        self._waypoints = self._waypoints % 0xFFFF + 1
        self._post(wire.Waypoint(self._waypoints, x, y, radius))
        return self._waypoints

    def start(self) -> None:
        """Let the motors turn."""
        self._post(wire.Run(1))

    def pulses(self, throttle: int, steering: int) -> None:
        """Put out pulse widths [µs] as they are; to be repeated within 0.3 s."""
        self._post(wire.Pulses(throttle, steering))

    def set_parameter(self, name: str, value: float) -> None:
        """Change a parameter of the firmware; told again after each connection."""
        self.parameters[name] = checked(name, value)
        self._post(wire.SetParameter(NUMBERS[name], value))

    @property
    def telemetry(self) -> wire.Telemetry | None:
        """The newest telemetry, None before the first and while nobody is connected."""
        with self._line.lock:
            return self._link.latest(wire.Telemetry)

    @property
    def inertial(self) -> wire.Inertial | None:
        """The newest angular velocity and specific force, None before the first."""
        with self._line.lock:
            return self._link.latest(wire.Inertial)

    @property
    def yaw(self) -> float:
        """The newest heading that the microcontroller has found [rad], NaN before the first."""
        with self._line.lock:
            told = self._link.latest(wire.Yaw)
        return math.nan if told is None else told.yaw

    def arrived(self, number: int) -> bool:
        """Whether the firmware says that it is at the waypoint of that number."""
        told = self.telemetry
        return told is not None and told.waypoint == number and told.state == State.ARRIVED

    # ---- the body --------------------------------------------------------------------------------
    wants_twist = True

    @property
    def has_scans(self) -> bool:
        """Whether it has a lidar beside the microcontroller."""
        return self.lidar is not None

    def scans(self, since: float) -> tuple[Scan, ...]:
        """Scans of its lidar, by the microcontroller's clock: both clocks are read when a scan is first seen."""
        if self.lidar is None:
            return ()
        spec = next(spec for spec in self.robot.sensors if spec.kind == "lidar")
        for told in self.lidar.scans(self._scanned):
            self._scanned = told.time
            stamped = replace(told, time=told.time + self.time - self.lidar.clock())
            self._scans.append(mounted_scan(self.robot, spec.link, spec.pose, stamped))
        return tuple(scan for scan in self._scans if scan.time > since)

    def ranges(self, since: float) -> tuple[TagRanges, ...]:
        """Ranges of its UWB tags, by the microcontroller's clock, measured after a time of it [s]; oldest first."""
        if self.uwb is None:
            return ()
        shift = self.time - self.uwb.clock()
        return tuple(replace(told, time=told.time + shift) for told in self.uwb.ranges(since - shift))

    def read(self) -> BodyState:
        """The newest that the microcontroller told; NaN for all that it does not measure."""
        with self._line.lock:
            told, before = self._link.latest(wire.Telemetry), self._link.before(wire.Telemetry)
            felt, yaw = self._link.latest(wire.Inertial), self._link.latest(wire.Yaw)
        position, velocity, effort = (np.full(len(self.joint_names), np.nan) for _ in range(3))
        if told is not None:
            self._fill_wheels(told, before, position, velocity)
            fraction = PwmChannel.of("steering", self.parameters).fraction(told.steering)
            for joint, angle in self.car.steering_angles(fraction * self.parameters["full_lock"]).items():
                position[self.joint_names.index(joint)] = angle
        values = np.full(6, np.nan)
        if felt is not None:
            values[:] = felt.gyro_x, felt.gyro_y, felt.gyro_z, felt.acc_x, felt.acc_y, felt.acc_z
        at = self.time
        if told is not None and at - told.time / 1000.0 >= TELEMETRY_PERIOD:
            self.late += 1
        self.unheeded += self._moves and told is not None and told.fault == Fault.COMMAND
        return BodyState(
            at, position, velocity, **measured(values[:3], values[3:]), effort=effort,
            measured_at=math.nan if told is None else told.time / 1000.0,
            yaw=yaw.yaw if yaw is not None else math.nan,
            power=Power(told.voltage / 1000.0 if told is not None else math.nan),
            health=self._health(told),
        )  # fmt: skip

    def _fill_wheels(
        self, told: wire.Telemetry, before: wire.Telemetry | None, position: np.ndarray, velocity: np.ndarray
    ) -> None:
        wheels = [self.joint_names.index(joint) for joint in (self.car.left, self.car.right)]
        position[wheels] = np.array([told.ticks_left, told.ticks_right]) * 2 * math.pi / self.ticks_per_turn
        passed, speeds = self.wheel_speeds(before or told, told)
        if 0 < passed < LONGEST_STEP:
            velocity[wheels] = list(speeds.values())

    def wheel_speeds(self, before: wire.Telemetry, told: wire.Telemetry) -> tuple[float, dict[str, float]]:
        """Time between two messages [s], and how fast the driven wheels turned in it [rad/s] by their joints."""
        passed = ((told.time - before.time) & 0xFFFFFFFF) / 1000.0
        ticks = int32(told.ticks_left - before.ticks_left), int32(told.ticks_right - before.ticks_right)
        per_tick = 2 * math.pi / self.ticks_per_turn / passed if passed else 0.0
        return passed, {self.car.left: ticks[0] * per_tick, self.car.right: ticks[1] * per_tick}

    def _health(self, told: wire.Telemetry | None) -> Health:
        if self._closed:
            return Health(False, "the body is closed", lost=True)
        if not self._line.open:
            why = self._line.error or "not opened yet"
            return Health(False, f"{self._line.where} is not available: {why}", lost=True)
        if self._link.endpoint.refused:
            return Health(False, self._link.endpoint.refused, lost=True)
        if not self.connected or told is None:
            return Health(False, "the microcontroller does not answer", lost=True)
        fault = Fault(told.fault)
        return Health(fault is Fault.NONE, FAULT_WORDS.get(fault, ""), lost=fault not in (Fault.NONE, *HELD))

    def write(self, command: BodyCommand) -> None:
        """Drive by a twist (vx, 0, wz); to be repeated within 0.3 s. Single joints cannot be commanded."""
        command.known_to(self)
        if command.joints:
            joint = next(iter(command.joints))
            raise Unsupported(
                f"body {self.name!r} is driven as a whole: give a twist instead of a target for {joint!r}"
            )
        if command.twist is not None and command.twist[1]:
            raise Unsupported(f"body {self.name!r} cannot move sideways: vy must be 0, got {command.twist[1]}")
        if command.twist is not None:
            self._moves = any(command.twist)
            self._post(wire.Velocity(command.twist[0], command.twist[2]))
        else:
            self._refuse_closed()

    def stop(self) -> None:
        """Motors neutral, at once, until `start`."""
        if not self._closed:
            self._post(wire.Run(0))

    def close(self) -> None:
        """Stop the motors, end the thread and let the port go; a port that hangs is left behind after a second."""
        if self._closed:
            return
        self.stop()
        self._closed = True
        if self.lidar is not None:
            self.lidar.close()
        if self.uwb is not None:
            self.uwb.close()
        if not self._line.close():
            self._say(f"{self._line.where} does not respond; its thread is abandoned")
