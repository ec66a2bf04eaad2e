"""The wave gait as a behaviour: it plays its waves while a velocity is commanded, and uses no sensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion.behaviour import Command, Readings, Walker
from andante.locomotion.gaits import Prepared
from andante.motion import smoothstep

from .model import SAMPLES, SINE_FRACTION, TEN, ShippedGait, WaveModel, WaveParameters
from .playback import STOP_STRETCH, envelope

FIRST_POSE = "StandInit"
CHANGE_TIME = 0.5  # in which new parameters take over, and the exact waves come to rest [s]
LEG = 0.2  # about the length of a bent leg of the NAO [m]


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
        self._speed = speed if speed is not None else speed_guess(parameters)
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


def speed_guess(parameters: WaveParameters) -> float:
    """Speed of a foot that neither slips nor lags: two strides of the hips' sine a cycle, at least 1 mm/s [m/s]."""
    swing = 2.0 * SINE_FRACTION * math.radians(abs(parameters.hip_amplitude))
    return max(1e-3, 2.0 * LEG * swing / parameters.period)


def make_wave(robot: Robot, parameters: Mapping[str, Any] | None, shipped: Callable[[str], ShippedGait]) -> Prepared:
    """The NAO ready to walk by waves; parameters are the symbols, `variant` (exact, smooth) and `speed` [m/s].

    What is not given is taken from the `shipped` gait of the variant.

    Where no variant is named, the ten published numbers and no other are an exact gait, as `gait export` writes it.
    """
    given = dict(parameters or {})
    speed = given.pop("speed", None)
    variant = given.pop("variant", "exact" if set(given) == set(TEN) else "smooth")
    if not isinstance(variant, str):
        raise BadInput(f"gait 'wave': variant is a word, exact or smooth, got {variant!r}")
    usual = shipped(variant)
    if speed is None and not given:
        speed = usual.speed
    elif speed is not None and (isinstance(speed, bool) or not isinstance(speed, int | float)):
        raise BadInput(f"gait 'wave': speed is a number of m/s, got {speed!r}")
    chosen = WaveParameters.of(given, usual.parameters)
    pose = robot.complete(robot.pose(FIRST_POSE))
    first = np.array([pose[name] for name in robot.joint_names])
    return Prepared(robot, pose, WaveGait(robot, chosen, variant, speed, first), 0.0, "wave")
