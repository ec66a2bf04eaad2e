"""The wave gait as joint targets over time, as key-frames, and as a behaviour that plays its waves without sensors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion.behaviour import Command, Readings, Walker
from andante.locomotion.gaits import Driver, Gait, Prepared, Request, prepare
from andante.motion import smoothstep, vector_of
from andante.motion.keyframes import Key, Keyframes, Repeat

from .model import (
    CONTROL_TIME,
    SAMPLES,
    SINE_FRACTION,
    TEN,
    WaveModel,
    WaveParameters,
    default_gait,
    wave_joints,
    waves,
)

CHANGE_TIME = 0.5  # in which new parameters take over, and the exact waves come to rest [s]


class WaveGait(Walker):
    """An open-loop walk straight ahead. `start`, `stop`, `set_parameters` act at once, or are led by the command.

    The commanded speed sets the `stride`, 0 to 1, which scales those swings of the smooth variant that carry it
    forward. The exact one knows its own speed only. Its position is estimated from its usual speed alone.
    """

    strict = True  # whether a command that it cannot follow is refused; else it walks while it shall go ahead

    def __init__(
        self,
        robot: Robot,
        parameters: WaveParameters,
        variant: str = "smooth",
        speed: float | None = None,
        first: Array | None = None,
    ) -> None:
        self._model = WaveModel(robot, parameters, variant)
        self._first = np.zeros(len(robot.joint_names)) if first is None else np.asarray(first, dtype=float)
        self._last = self._first
        self._speed = speed if speed is not None else speed_guess(parameters, self._model.joints.leg)
        if not (math.isfinite(self._speed) and self._speed > 0):
            raise BadInput(f"the speed of a wave gait must be > 0 m/s, got {self._speed}")
        self._wanted = False
        self._clock = 0.0  # time in the gait [s]
        self._grown = 0.0  # how long the swings have grown, up to the ramp [s]
        self._arrived = 0.0  # the same, never falling: how far the first pose is left behind [s]
        self.stride = 1.0
        self._kept = 1.0  # fraction of the stride that a stop has left
        self._offset, self._since = np.zeros(len(self._first)), math.inf
        self._place = 0.0
        self._rest: Array | None = self._first  # where the exact waves come to rest; None: they run
        self._resting = math.inf

    # ---- what a user does ------------------------------------------------------------------------
    @property
    def parameters(self) -> WaveParameters:
        """The numbers of the gait."""
        return self._model.parameters

    @property
    def variant(self) -> str:
        """`exact` or `smooth`."""
        return self._model.variant

    def start(self) -> None:
        """Begin to walk, from the beginning of the cycle if it stands."""
        if self.standing:
            self._clock, self._kept = 0.0, 1.0
        self._wanted, self._rest = True, None

    def stop(self) -> None:
        """Come to a stand: smooth swings die over the ramp, exact waves end with their cycle."""
        self._wanted = False

    def set_parameters(self, parameters: WaveParameters) -> None:
        """Change the gait as it runs: the phase goes on, and the targets go over within half a second."""
        phase = self._clock / self._cycle_time
        self._model = WaveModel(self._model.robot, parameters, self._model.variant)
        self._clock = phase * self._cycle_time
        self._grown = min(self._grown, parameters.ramp)
        self._offset, self._since = self._last - self._waves(), 0.0

    # ---- what a controller asks ----------------------------------------------------------------------
    @property
    def max_speed(self) -> float:
        """As measured, or guessed from the swing of the hips [m/s]."""
        return self._speed

    @property
    def max_turn(self) -> float:
        """It cannot turn, and says so when it is asked to [rad/s]."""
        return 0.1 if self.strict else 0.0

    @property
    def stopping_time(self) -> float:
        """From walking to a stand [s]."""
        return STOP_STRETCH * self.parameters.ramp if self.variant == "smooth" else self._cycle_time + CHANGE_TIME

    @property
    def standing(self) -> bool:
        """Whether it has come to rest."""
        if self._wanted:
            return False
        return self._grown <= 0.0 if self.variant == "smooth" else self._resting >= CHANGE_TIME

    @property
    def position(self) -> Array:
        """x, y [m] and heading [rad] by its usual speed: straight ahead."""
        return np.array([self._place, 0.0, 0.0])

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]; the readings are not looked at."""
        if command.vx > 0 or (command.moving and self.strict):
            if self.strict and (command.vx <= 0 or command.wz):
                raise BadInput("gait 'wave' only goes straight ahead; command a forward velocity and no turn")
            if self.variant == "smooth":
                self.stride = min(1.0, command.vx / self._speed)
            if not self._wanted:
                self.start()
        elif self._wanted:
            self.stop()
        return self.advance(dt)

    def advance(self, dt: float) -> Array:
        """Joint targets (joints,) after another dt [s], by `start` and `stop` alone."""
        if self.variant == "smooth":
            self._grow(dt)
        else:
            self._run_out(dt)
        self._since += dt
        fading = 1.0 - float(smoothstep(self._since / CHANGE_TIME))
        self._last = self._waves() + fading * self._offset
        return self._last

    def _grow(self, dt: float) -> None:
        ramp = self.parameters.ramp
        if self.standing:
            return
        self._clock += dt
        if self._wanted:
            self._grown = min(max(ramp, dt), self._grown + dt)
            self._kept = min(1.0, self._kept + dt / max(ramp, dt))
        else:
            before = float(envelope(self._grown, ramp))
            self._grown -= dt / STOP_STRETCH
            if self._grown < 1e-9 or ramp <= 0:
                self._grown = 0.0
            self._kept *= float(envelope(self._grown, ramp)) / before
        self._arrived = max(self._arrived, self._grown)
        fraction = float(envelope(self._grown, ramp))
        self._place += dt * fraction * self.stride * self._kept * self._speed

    def _run_out(self, dt: float) -> None:
        """The exact waves: they run on to the end of the cycle, then the pose goes to the first one."""
        if self._rest is not None:
            self._resting += dt
            return
        before = int(self._clock / self._cycle_time + 1e-9)
        self._clock += dt
        self._place += dt * self._speed
        if not self._wanted and int(self._clock / self._cycle_time + 1e-9) > before:
            self._rest, self._resting = self._last, 0.0

    @property
    def _cycle_time(self) -> float:
        """Of one cycle as it is played [s]."""
        return self.parameters.period if self.variant == "smooth" else SAMPLES * self.parameters.hold

    def _waves(self) -> Array:
        if self.variant == "smooth":
            ramp = self.parameters.ramp
            fraction = float(envelope(self._grown, ramp))
            waves = self._model.angles(self._clock, fraction, self.stride * self._kept)
            return self._first + float(envelope(self._arrived, ramp)) * (waves - self._first)
        if self._rest is not None:
            done = float(smoothstep(self._resting / CHANGE_TIME))
            return self._rest + done * (self._first - self._rest)
        hold, period = self.parameters.hold, self.parameters.period
        sample = max(0, math.ceil(self._clock / hold - 1e-9) - 1) % SAMPLES + 1
        return self._model.angles(sample * period / SAMPLES)


def speed_guess(parameters: WaveParameters, leg: float = 0.2) -> float:
    """Speed of a foot that neither slips nor lags: two strides of the hips' sine a cycle, at least 1 mm/s [m/s].

    `leg` is about the length of a bent leg [m].
    """
    swing = 2.0 * SINE_FRACTION * math.radians(abs(parameters.hip_amplitude))
    return max(1e-3, 2.0 * leg * swing / parameters.period)


def make_wave(robot: Robot, request: Request) -> Prepared:
    """A robot ready to walk by waves; parameters are the symbols, `variant` (exact, smooth) and `speed` [m/s].

    What is not given is taken from the gait that its package has for the variant.

    Where no variant is named, the ten published numbers and no other are an exact gait, as `gait export` writes it.
    """
    given = dict(request.parameters or {})
    speed = given.pop("speed", None)
    variant = given.pop("variant", "exact" if set(given) == set(TEN) else "smooth")
    if not isinstance(variant, str):
        raise BadInput(f"gait 'wave': variant is a word, exact or smooth, got {variant!r}")
    joints = wave_joints(robot)
    usual = default_gait(variant, joints.package)
    if speed is None and not given:
        speed = usual.speed
    elif speed is not None and (isinstance(speed, bool) or not isinstance(speed, int | float)):
        raise BadInput(f"gait 'wave': speed is a number of m/s, got {speed!r}")
    chosen = WaveParameters.of(given, usual.parameters)
    pose = robot.complete(robot.pose(joints.first_pose))
    walker = WaveGait(robot, chosen, variant, speed, vector_of(robot, pose))
    return Prepared(robot, pose, walker, 0.0, "wave")


def drive_waves(robot: Robot, request: Request) -> Prepared:
    """The wave gait under any command: it walks while it shall go ahead, and stands otherwise."""
    made = prepare(robot, request)
    if isinstance(made.walker, WaveGait):
        made.walker.strict = False
    return made


WALKERS = (Gait("wave", waves, make_wave), Driver(waves, drive_waves))  # for the packages of robots that walk by waves


LONGEST = 3600.0  # [s]
STOP_STRETCH = 1.5  # the swings die this much slower than they grow, and the stride twice: it ends standing straight


@dataclass(frozen=True)
class Playback:
    """Targets (n, joints) [rad], each held from its time (n,) [s] until the next; cycles begin at `cycles` (m,) [s]."""

    times: Array
    targets: Array
    cycles: Array

    @property
    def rate(self) -> float:
        """Of the targets [Hz]."""
        return 1.0 / float(self.times[1] - self.times[0]) if len(self.times) > 1 else 1.0 / CONTROL_TIME


def playback(model: WaveModel, start: Array, seconds: float, stride: float = 1.0, stop: bool = False) -> Playback:
    """The open-loop gait from a pose `start` (joints,) for some seconds.

    exact: sample k of 18 is held T/18 (whole milliseconds), the cycle repeats; the first sample comes at once.
    smooth: a target every 10 ms. Over the ramp the pose goes from `start` to the waves while the swings grow; with
    `stop` they die again over the last one and a half ramps. `stride` scales what carries it forward.
    """
    if not (np.isfinite(seconds) and 0 < seconds <= LONGEST):
        raise BadInput(f"a wave gait is played for up to {LONGEST:g} s, got {seconds}")
    if model.variant == "exact":
        return _held(model, seconds)
    times = CONTROL_TIME * np.arange(int(np.ceil(seconds / CONTROL_TIME - 1e-9)), dtype=float)
    parameters = model.parameters
    targets = smooth_targets(model, start, times + CONTROL_TIME, seconds if stop else np.inf, stride)
    return Playback(times, targets, np.arange(0.0, seconds, parameters.period))


def smooth_targets(model: WaveModel, start: Array, t: Array, end: float, stride: float = 1.0) -> Array:
    """Targets (n, joints) of the smooth gait at times (n,) after its start, coming to a stand at `end` [s]."""
    ramp = model.parameters.ramp
    arrived = envelope(t, ramp)
    dying = envelope(end - t, STOP_STRETCH * ramp) if np.isfinite(end) else np.ones(len(t))
    waves = model.angles(t, np.minimum(arrived, dying), stride * dying)
    return start + arrived[:, None] * (waves - start)


def _held(model: WaveModel, seconds: float) -> Playback:
    hold = model.parameters.hold
    count = int(np.ceil(seconds / hold - 1e-9))
    targets = model.cycle()[np.arange(count) % SAMPLES]
    return Playback(hold * np.arange(count, dtype=float), targets, np.arange(0.0, seconds, SAMPLES * hold))


def envelope(t: ArrayLike, ramp: float) -> Array:
    """How much of the swings is there at a time after the start, 0 to 1."""
    at = np.asarray(t, dtype=float)
    return smoothstep(at / ramp) if ramp > 0 else np.where(at > 0, 1.0, 0.0)


KEYS_PER_CYCLE = 36
MOST_CYCLES = 1000
ENDING, END_TIME = 25, 0.5  # keys and time of the way back to the first pose after exact waves [s]


def wave_keyframes(model: WaveModel, first: Array, cycles: int = 8, name: str = "wave") -> Keyframes:
    """The gait from a pose `first` (joints,) as key-frames: start, one cycle that is repeated, stop.

    cycles: how many full ones are walked between start and stop. Smooth gaits have 36 keys a cycle joined by a cubic,
    exact ones their 18 held samples.
    """
    if not 1 <= cycles <= MOST_CYCLES:
        raise BadInput(f"a gait is exported with 1 to {MOST_CYCLES} cycles, got {cycles}")
    if model.variant == "exact":
        return _held_keys(model, first, cycles, name)
    period, ramp = model.parameters.period, model.parameters.ramp
    growing, dying = (max(1, math.ceil(time / period - 1e-9)) for time in (ramp, STOP_STRETCH * ramp))  # whole cycles
    count = growing + 1 + dying
    times = period / KEYS_PER_CYCLE * np.arange(count * KEYS_PER_CYCLE + 1, dtype=float)
    keys = _keys(model, times, smooth_targets(model, first, times, count * period))
    middle = Repeat(keys[growing * KEYS_PER_CYCLE].time, keys[(growing + 1) * KEYS_PER_CYCLE].time, cycles)
    return Keyframes(name, keys, "cubic", 1, middle, model.robot.name)


def _held_keys(model: WaveModel, first: Array, cycles: int, name: str) -> Keyframes:
    """Held samples, one round repeated, then half a second back to the first pose."""
    hold, samples = model.parameters.hold, model.cycle()
    back = smoothstep(np.arange(1, ENDING + 1) / ENDING)[:, None]
    targets = np.concatenate([samples, samples[:1], samples[-1] + back * (first - samples[-1])])
    times = np.concatenate(
        [hold * np.arange(SAMPLES + 1), SAMPLES * hold + END_TIME * np.arange(1, ENDING + 1) / ENDING]
    )
    keys = _keys(model, times, targets)
    return Keyframes(name, keys, "hold", 1, Repeat(keys[0].time, keys[SAMPLES].time, cycles), model.robot.name)


def _keys(model: WaveModel, times: Array, targets: Array) -> tuple[Key, ...]:
    """Keys inside the joints' limits, of the joints that have waves and those that must stay at 0."""
    limits = {joint.name: joint.limits for joint in model.robot.movable}
    columns = {joint: model.robot.joint_names.index(joint) for joint in (*model.joints.joints, *model.joints.rest)}
    return tuple(
        Key(
            round(float(t), 6),
            {
                joint: round(float(np.clip(row[k], limits[joint].lower, limits[joint].upper)), 6)
                for joint, k in columns.items()
            },
        )
        for t, row in zip(times, targets, strict=True)
    )
