"""Driving by keys: what is held down becomes a command.

W S forwards and back, A D to the left and right, Q E turn left and right, U L raise and lower the body, I idle (stop,
level, usual height), the arrows tilt the body. Robots that change their shape have buttons besides: `Walker.buttons`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from andante.errors import UnknownName

from .behaviour import Command

KEYS = {
    "w": "forwards",
    "s": "back",
    "a": "to the left",
    "d": "to the right",
    "q": "turn left",
    "e": "turn right",
    "u": "raise the body",
    "l": "lower the body",
    "i": "idle",
    "up": "tilt forwards",
    "down": "tilt back",
    "left": "tilt to the left",
    "right": "tilt to the right",
}  # and what they do
BODY_KEYS = ("u", "l", "up", "down", "left", "right")  # for walkers that can move their body


@dataclass(frozen=True)
class KeySpeeds:
    """What a held key asks for, and the bounds of what it adds up to."""

    forward: float = 0.15  # [m/s]
    sideways: float = 0.12  # [m/s]
    turn: float = 0.5  # [rad/s]
    lift: float = 0.03  # [m/s]
    tilt: float = 0.2  # [rad/s]
    most_lift: float = 0.03  # over and under the usual height [m]
    most_tilt: float = 0.2  # [rad]


def key_name(key: str, buttons: Collection[str] = ()) -> str:
    """The name of a key as in `KEYS` or of a button; browsers' "ArrowUp" and capitals are understood."""
    name = key.strip().casefold().removeprefix("arrow")
    if name not in KEYS and name not in buttons:
        raise UnknownName.among("key", key, (*KEYS, *buttons))
    return name


def command_from_keys(held: Collection[str], speeds: KeySpeeds | None = None) -> Command:
    """What held keys ask for: velocities, and as `height`, `roll` and `pitch` the rates at which these shall change.

    Opposite keys cancel each other; with I held everything is 0.
    """
    names, rate = {key_name(key) for key in held}, speeds or KeySpeeds()
    if "i" in names:
        return Command()

    def between(plus: str, minus: str) -> float:
        return float(plus in names) - float(minus in names)

    return Command(
        vx=rate.forward * between("w", "s"),
        vy=rate.sideways * between("a", "d"),
        wz=rate.turn * between("q", "e"),
        height=rate.lift * between("u", "l"),
        roll=rate.tilt * between("right", "left"),
        pitch=rate.tilt * between("up", "down"),
    )


class KeyPad:
    """Keys held down over time: velocities last while a key is held, height and tilt stay where they were brought."""

    def __init__(self, speeds: KeySpeeds | None = None, buttons: Collection[str] = ()) -> None:
        self.speeds, self.buttons = speeds or KeySpeeds(), buttons
        self.held: set[str] = set()
        self._body = Command()

    def press(self, key: str, pressed: bool) -> str:
        """A key or button goes down or up; its name."""
        name = key_name(key, self.buttons)
        if pressed and name in KEYS:
            self.held.add(name)
        else:
            self.held.discard(name)
        if pressed and name == "i":
            self.held = {"i"}
            self._body = Command()
        return name

    def release_all(self) -> None:
        """Let go of everything, as when the window loses its focus."""
        self.held.clear()

    def command(self, dt: float) -> Command:
        """What is asked for now, dt [s] after the last call."""
        ask = command_from_keys(self.held, self.speeds)
        lift, tilt, body = self.speeds.most_lift, self.speeds.most_tilt, self._body
        self._body = Command(
            height=_clip(body.height + ask.height * dt, lift),
            roll=_clip(body.roll + ask.roll * dt, tilt),
            pitch=_clip(body.pitch + ask.pitch * dt, tilt),
        )
        return replace(self._body, vx=ask.vx, vy=ask.vy, wz=ask.wz)


def _clip(value: float, most: float) -> float:
    return min(most, max(-most, value))
