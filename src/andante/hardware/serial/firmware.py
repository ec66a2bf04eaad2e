"""The firmware of a car as a pure state machine: bytes and sensor values in, bytes and pulse widths out.

It stands for the microcontroller in simulations and tests, and is the reference for one that is flashed. Motors are
neutral unless it is connected, started, well, and has a fresh command or pose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from andante.geometry import se2
from andante.gravity import GRAVITY
from andante.navigation.controllers.waypoint import WaypointCommand, WaypointSettings, waypoint_command

from . import messages as wire
from .car import PARAMETERS, PwmChannel, defaults
from .endpoint import VERSION, WATCHDOG, Endpoint, Received
from .messages import Answer, Fault, Message, Role, State, int32

TOGETHER = 0.25  # positions of the two tags belong together when they came within this time [s]
LEAST_VECTOR = 0.05  # tags nearer to each other than this tell no heading [m]


class YawFilter:
    """yaw += gyro dt; with each pair of tags yaw += gain (heading of tag1 -> tag0 - yaw). The first pair sets it."""

    def __init__(self) -> None:
        self.yaw = 0.0  # [rad]
        self.known = False  # whether tags have set it
        self._tags: dict[int, tuple[float, float, float]] = {}  # tag -> x, y, when

    def turn(self, rate: float, dt: float) -> None:
        """Turn by the gyro."""
        self.yaw = float(se2.wrap(self.yaw + rate * dt))

    def see_tag(self, tag: int, x: float, y: float, now: float, gain: float) -> None:
        """A tag's position has come; both together correct the heading."""
        self._tags[tag] = (x, y, now)
        if len(self._tags) < 2:
            return
        (x0, y0, t0), (x1, y1, t1) = self._tags[0], self._tags[1]
        if abs(t0 - t1) > TOGETHER:
            return
        self._tags.clear()
        if math.hypot(x0 - x1, y0 - y1) < LEAST_VECTOR:
            return
        error = float(se2.wrap(math.atan2(y0 - y1, x0 - x1) - self.yaw))
        self.yaw = float(se2.wrap(self.yaw + (gain if self.known else 1.0) * error))
        self.known = True


RING = 1024  # bytes that the receiver holds; more are dropped
PER_STEP = 512  # bytes that one step deals with
TELEMETRY_PERIOD = 0.05  # of telemetry and yaw [s]
INERTIAL_PERIOD = 0.02  # [s]
LEAST_GAIN = 1e-9  # a gain of 0 is taken as this
SENSIBLE = 1e6  # no sensor of a car gives more
LATCHED = (Fault.LINK, Fault.VOLTAGE, Fault.SENSOR)  # end only with a new start
WORDS = {
    Fault.LINK: f"no good frame for {WATCHDOG:g} s: motors stopped",
    Fault.POSE: "the pose is too old: motors hold",
    Fault.COMMAND: "the command is too old: motors hold",
    Fault.VOLTAGE: "battery low: motors stopped",
    Fault.SENSOR: "a sensor gives no numbers: motors stopped",
}


@dataclass(frozen=True)
class BoardSensors:
    """What the microcontroller measures itself."""

    gyro: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [rad/s]
    acceleration: tuple[float, float, float] = (0.0, 0.0, GRAVITY)  # specific force [m/s²]
    ticks: tuple[int, int] = (0, 0)  # encoders of the left and right rear wheel
    voltage: float = 7.6  # of the battery [V]

    @property
    def sound(self) -> bool:
        """Whether all are numbers that a sensor can give."""
        return all(abs(value) < SENSIBLE for value in (*self.gyro, *self.acceleration, self.voltage))


@dataclass(frozen=True)
class BoardOutput:
    """What leaves the microcontroller after a step."""

    data: bytes  # for the line
    throttle: int  # pulse width [µs]
    steering: int


class Firmware:
    """Steps at the rate of its caller (50 Hz is usual)."""

    def __init__(
        self, parameters: Mapping[str, float] | None = None, session: int = 1, version: int = VERSION, name: str = "car"
    ) -> None:
        self.endpoint = Endpoint(Role.MICROCONTROLLER, session, name, version)
        self.parameters = defaults(parameters)
        self.state, self.fault = State.WAITING, Fault.NONE
        self.yaw = YawFilter()
        self.steer: WaypointCommand | None = None  # the last decision on the way to a waypoint
        self._ring = bytearray()
        self._out = bytearray()
        self._running = False
        self._waypoint: wire.Waypoint | None = None
        self._pose: tuple[float, wire.RobotPose] | None = None  # when it came, and the pose
        self._command: tuple[float, wire.Velocity | wire.Pulses] | None = None
        self._connections = 0
        self._telemetry_due = self._inertial_due = -math.inf
        self._before = math.nan  # time of the step before

    def step(self, now: float, received: bytes, sensors: BoardSensors) -> BoardOutput:
        """One round of the firmware's loop at a time [s since power-on]."""
        dt = now - self._before if now > self._before else 0.0
        if now < self._before:
            self._set_back(now)
        self._before = now
        if sensors.sound:
            self.yaw.turn(sensors.gyro[2], dt)
        self._take(received, now)
        self._watch(now, sensors)
        throttle, steering = self._drive(now)
        self._out += self.endpoint.due(now)
        self._tell(now, sensors, throttle, steering)
        out, self._out = bytes(self._out), bytearray()
        return BoardOutput(out, throttle, steering)

    def _set_back(self, now: float) -> None:
        """The clock was set back: nothing may seem fresh for longer than it is."""
        self._telemetry_due = self._inertial_due = -math.inf
        if self._pose is not None:
            self._pose = (min(self._pose[0], now), self._pose[1])
        if self._command is not None:
            self._command = (min(self._command[0], now), self._command[1])

    # ---- the line --------------------------------------------------------------------------------
    def _take(self, received: bytes, now: float) -> None:
        fits = received[: RING - len(self._ring)]
        self.endpoint.counters.dropped += len(received) - len(fits)
        self._ring += fits
        chunk = bytes(self._ring[:PER_STEP])
        del self._ring[:PER_STEP]
        messages = self.endpoint.receive(chunk, now)
        if self.endpoint.connections != self._connections:
            self._connections = self.endpoint.connections
            self._halt(State.STOPPED)
            if self.fault is Fault.VERSION:
                self.fault = Fault.NONE
        for each in messages:
            self._obey(each, now)

    def _obey(self, got: Received, now: float) -> None:
        message, answer = got.message, Answer.DONE
        if isinstance(message, wire.Run):
            self._run(bool(message.on))
        elif isinstance(message, wire.Waypoint):
            if self._waypoint is None or self._waypoint != message:
                self._waypoint, self._command, self.steer = message, None, None
                if self.state in (State.ARRIVED, State.COMMANDED):
                    self.state = State.DRIVING
        elif isinstance(message, wire.RobotPose):
            self._pose = (now, message)
        elif isinstance(message, wire.TagPose):
            self.yaw.see_tag(message.tag, message.x, message.y, now, self.parameters["yaw_gain"])
        elif isinstance(message, wire.Velocity | wire.Pulses):
            self._command, self._waypoint = (now, message), None
        elif isinstance(message, wire.SetParameter):
            answer = self._set(message)
        if message.acknowledged:
            self._send(wire.Ack(message.code, got.sequence, int(answer)), now)

    def _set(self, message: wire.SetParameter) -> Answer:
        if message.number >= len(PARAMETERS):
            return Answer.UNKNOWN
        parameter = PARAMETERS[message.number]
        if not parameter.accepts(message.value):
            return Answer.REFUSED
        self.parameters[parameter.name] = message.value
        return Answer.DONE

    def _send(self, message: Message, now: float) -> None:
        if self.endpoint.connected:
            self._out += self.endpoint.send(message, now)[0]

    # ---- when the motors may turn ----------------------------------------------------------------
    def _run(self, on: bool) -> None:
        if not on:
            self._running, self._command, self.state = False, None, State.STOPPED
            return
        self._running = True
        if self.fault in LATCHED:
            self.fault = Fault.NONE
        if self.state is not State.ARRIVED:
            self.state = State.HOLDING

    def _halt(self, state: State) -> None:
        """Motors neutral, and nothing left that could move them again by itself."""
        self._running, self.state = False, state
        self._waypoint = self._command = self._pose = self.steer = None

    def _fail(self, fault: Fault, now: float) -> None:
        """Take note of a fault, say it once."""
        if self.fault is not fault:
            self.fault = fault
            if fault in WORDS:
                self._send(wire.Log(1, WORDS[fault]), now)
        if fault in LATCHED:
            self._halt(State.STOPPED)

    def _watch(self, now: float, sensors: BoardSensors) -> None:
        if self.endpoint.refused:
            self._halt(State.WAITING)
            self.fault = Fault.VERSION
        elif self.endpoint.silent(now):
            self._fail(Fault.LINK, now)
            self.endpoint.disconnect()
            self.state = State.WAITING
        elif not sensors.sound:
            self._fail(Fault.SENSOR, now)
        elif sensors.voltage < self.parameters["least_voltage"]:
            self._fail(Fault.VOLTAGE, now)

    # ---- the motors ------------------------------------------------------------------------------
    def _drive(self, now: float) -> tuple[int, int]:
        """Pulse widths of throttle and steering."""
        channels = self._channels()
        if self._running:
            if self._command is not None:
                return self._by_command(now, *channels)
            if self._waypoint is not None:
                return self._by_waypoint(now, self._waypoint, *channels)
            self.state = State.HOLDING
        return channels[0].pulse(0.0), channels[1].pulse(0.0)

    def _channels(self) -> tuple[PwmChannel, PwmChannel]:
        return PwmChannel.of("throttle", self.parameters), PwmChannel.of("steering", self.parameters)

    def _by_command(self, now: float, throttle: PwmChannel, steering: PwmChannel) -> tuple[int, int]:
        since, command = self._command or (-math.inf, wire.Velocity(0.0, 0.0))
        if now - since > WATCHDOG:
            self.state = State.HOLDING
            self._fail(Fault.COMMAND, now)
            return throttle.pulse(0.0), steering.pulse(0.0)
        self._moving(State.COMMANDED)
        if isinstance(command, wire.Pulses):
            return (
                _within(command.throttle, throttle.neutral, throttle.span),
                _within(command.steering, steering.neutral, steering.span),
            )
        p, speed = self.parameters, command.forwards
        angle = math.atan(p["wheelbase"] * command.turn / speed) if speed else 0.0
        return throttle.pulse(speed / p["top_speed"]), steering.pulse(angle / p["full_lock"])

    def _by_waypoint(
        self, now: float, goal: wire.Waypoint, throttle: PwmChannel, steering: PwmChannel
    ) -> tuple[int, int]:
        neutral = throttle.pulse(0.0), steering.pulse(0.0)
        if self.state is State.ARRIVED:
            return neutral
        if self._pose is None or now - self._pose[0] > self.parameters["pose_timeout"]:
            self.state = State.HOLDING
            if self._pose is not None:
                self._fail(Fault.POSE, now)
            return neutral
        pose = self._pose[1]
        away = self.steer is not None and self.steer.away
        law = waypoint_law(self.parameters, goal.radius)
        self.steer = waypoint_command((pose.x, pose.y, pose.yaw), (goal.x, goal.y), law, away=away)
        if self.steer.arrived or self._passed(self.steer):
            self.state = State.ARRIVED
            self._send(wire.Log(0, f"arrived at waypoint {goal.number}, {self.steer.distance:.3f} m away"), now)
            return neutral
        self._moving(State.DRIVING)
        return throttle.pulse(self.steer.throttle), steering.pulse(self.steer.steering)

    def _passed(self, steer: WaypointCommand) -> bool:
        """Whether the waypoint is near and no longer ahead: a car cannot turn on the spot to come nearer."""
        return steer.distance < self.parameters["passing_radius"] and abs(steer.bearing) > math.pi / 2

    def _moving(self, state: State) -> None:
        self.state = state
        if self.fault not in LATCHED:
            self.fault = Fault.NONE

    # ---- telling ---------------------------------------------------------------------------------
    def _tell(self, now: float, sensors: BoardSensors, throttle: int, steering: int) -> None:
        stamp = int(max(now, 0.0) * 1000) & 0xFFFFFFFF
        if now >= self._telemetry_due:
            self._telemetry_due = now + TELEMETRY_PERIOD - 1e-6
            volts = sensors.voltage if math.isfinite(sensors.voltage) else 0.0
            left, right = (int32(ticks) for ticks in sensors.ticks)
            number = self._waypoint.number if self._waypoint else 0
            millivolts = min(max(round(volts * 1000), 0), 0xFFFF)
            told = wire.Telemetry(
                stamp, throttle, steering, millivolts, left, right, int(self.state), int(self.fault), number
            )
            self._send(told, now)
            self._send(wire.Yaw(stamp, self.yaw.yaw), now)
        if now >= self._inertial_due and sensors.sound:
            self._inertial_due = now + INERTIAL_PERIOD - 1e-6
            self._send(wire.Inertial(stamp, *sensors.gyro, *sensors.acceleration), now)


def waypoint_law(parameters: Mapping[str, float], radius: float = 0.0) -> WaypointSettings:
    """The waypoint controller with the parameters of the firmware; radius: of arrival [m], 0: the parameter."""
    most = parameters["throttle_most"]
    return WaypointSettings(
        throttle_gain=max(parameters["throttle_gain"], LEAST_GAIN),
        least_throttle=min(parameters["throttle_least"], most),
        most_throttle=most,
        steering_gain=max(parameters["steering_gain"], LEAST_GAIN),
        arrival=radius or parameters["arrival_radius"],
        turning_radius=parameters["turning_radius"],
    )


def _within(pulse: int, neutral: float, span: float) -> int:
    """The pulse width, kept within the span around neutral; 0 stands for neutral."""
    return round(min(max(pulse, neutral - span), neutral + span)) if pulse else round(neutral)
