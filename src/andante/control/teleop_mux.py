"""Who leads a live robot: velocities, held keys or the navigator, with a deadman that stops it when they are silent."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from andante.errors import BadInput
from andante.locomotion import Command
from andante.locomotion.keys import KEYS, KeyPad, KeySpeeds, key_name

MOST = 100.0  # numbers beyond this are no velocity [m/s, rad/s]


@dataclass(frozen=True)
class TeleopSettings:
    """How long commands are followed, and how fast keys drive; table [teleop] of `--params`."""

    velocity_timeout: float = 0.3  # without a new velocity for so long the robot stops [s]
    key_timeout: float = 0.5  # ... without word of the held keys [s]
    key_speed: float = 60.0  # percent of the top speed at the start
    side_fraction: float = 0.6  # of the speed ahead that a key to the side asks for


class TeleopMux:
    """The command of every control step. Of velocities and keys the one that came last leads.

    In a paced session a message also ages by the wall clock, so that a stalled one stops as soon as a quick one.
    """

    def __init__(self, wall: Callable[[], float] = time.monotonic, settings: TeleopSettings | None = None) -> None:
        self.settings = settings or TeleopSettings()
        self.speed = self.settings.key_speed  # speed of driving by keys in percent of the top speed
        self.pace = 0.0  # of simulated in wall clock time, where messages age by the wall clock too; 0: they do not
        self.navigate: Callable[[float], Command | None] | None = None  # leads when nobody else does
        self.navigates = False  # whether it leads now
        self._wall = wall
        self._velocity = Command()
        self._keys, self._body = KeyPad(), Command()  # held keys, and how they have left the body
        self._source = ""  # velocity or keys
        self._heard = (-math.inf, -math.inf)  # simulated and wall time of the last message [s]
        self.mark = 0  # counts who has led: a message, or a release

    def velocity(self, now: float, vx: float, vy: float, wz: float) -> None:
        """A velocity in the robot's axes [m/s, m/s, rad/s] has come."""
        if not all(math.isfinite(v) and abs(v) <= MOST for v in (vx, vy, wz)):
            raise BadInput(f"a velocity has three finite numbers up to {MOST:g}, got {vx}, {vy}, {wz}")
        self._velocity, self._source, self._heard = Command(vx, vy, wz), "velocity", (now, self._wall())
        self._keys.release_all()
        self.mark += 1

    def keys(self, now: float, held: Sequence[str], buttons: Collection[str] = ()) -> list[str]:
        """The keys and buttons of the robot that are held down now; those of them that are newly pressed."""
        names = [key_name(key, buttons) for key in held if key.strip()]
        before = set(self._keys.held) if self.alive(now) and self._source == "keys" else set()
        self._keys.release_all()
        for name in names:
            if name in KEYS:
                self._keys.press(name, True)
        self._source, self._heard = "keys", (now, self._wall())
        self.mark += 1
        return [name for name in names if name in buttons or name not in before]

    def release(self) -> None:
        """Nobody leads any more."""
        self._keys.release_all()
        self.mark += 1
        self._velocity, self._source, self._heard = Command(), "", (-math.inf, -math.inf)

    def alive(self, now: float) -> bool:
        """Whether the last message is fresh enough to be followed."""
        most = self.settings.key_timeout if self._source == "keys" else self.settings.velocity_timeout
        if now - self._heard[0] > most - 1e-9:
            return False
        return not (self.pace and (self._wall() - self._heard[1]) * self.pace > most)

    @property
    def source(self) -> str:
        """velocity, keys or nothing."""
        return self._source

    def command(self, now: float, max_speed: float, max_turn: float, dt: float) -> Command:
        """What the robot shall do in the control step that begins now [s]."""
        if self._source and not self.alive(now):
            self._keys.release_all()
            self._velocity, self._source = Command(), ""
        body = self._body
        if self._source == "keys":
            fraction = self.speed / 100.0
            side = self.settings.side_fraction * fraction * max_speed
            self._keys.speeds = KeySpeeds(fraction * max_speed, side, fraction * max_turn)
            asked = self._keys.command(dt)
            self._body = replace(asked, vx=0.0, vy=0.0, wz=0.0)  # height and tilt stay where keys brought them
            return asked
        if self._source == "velocity":
            v = self._velocity
            return replace(body, vx=v.vx, vy=v.vy, wz=v.wz)
        led = self.navigate(now) if self.navigate is not None else None
        self.navigates = led is not None
        return body if led is None else replace(body, vx=led.vx, vy=led.vy, wz=led.wz)
