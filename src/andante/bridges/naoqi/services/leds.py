"""ALLeds: the lights of the robot."""

from __future__ import annotations

import math
import random
from typing import Any

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.names import COLORS, LED_DEVICES, LED_PARTS, LEDS
from andante.bridges.naoqi.service import Service, method
from andante.bridges.naoqi.tasks import CallTask, current_task

Color = tuple[float, float, float]
STEP = 0.1  # of a play of lights [s]
LONGEST = 600.0  # [s]
WHITE, OFF = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)


def color_of(value: Any) -> Color:
    """r, g, b from 0 to 1 of a name or of 0x00RRGGBB."""
    if isinstance(value, str):
        if value.casefold() not in COLORS:
            raise CallError(f"no color {value}; there are {', '.join(COLORS)}")
        value = COLORS[value.casefold()]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise CallError(f"a color is a name or a number 0x00RRGGBB, got {value}")
    bits = int(value) & 0xFFFFFF
    return (bits >> 16) / 255.0, (bits >> 8 & 255) / 255.0, (bits & 255) / 255.0


class Leds(Service):
    """Fades and plays of lights; blocking calls take their time."""

    name = "ALLeds"
    in_order = True

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._groups: dict[str, tuple[str, ...]] = dict(LEDS)
        self._single = {name for parts in LEDS.values() for name in parts if name not in LEDS}
        self._now: dict[str, Color] = {}
        self._taken: dict[str, int] = {}  # light -> the last call that has set it

    def _known(self, name: str) -> str:
        known = name in self._groups or name in self._single or name.startswith(LED_DEVICES)
        if not known and not any(name.removesuffix(color) in self._groups for color in LED_PARTS):
            raise CallError(f"{name} is not a group of LEDs; there are {', '.join(self._groups)}")
        return name

    def _leaves(self, name: str) -> list[str]:
        parts = self._groups.get(name)
        return [name] if parts is None else [leaf for part in parts for leaf in self._leaves(part)]

    def _show(self, name: str, color: Color, seconds: float, call: int = 0) -> None:
        """Fade lights, where no later call has taken them; call: the number of the one that wants it, 0: this one."""
        if not 0.0 <= seconds <= LONGEST:
            raise CallError(f"a fade takes 0 to {LONGEST:g} s, got {seconds:g}")
        task = current_task()
        leaves, call = self._leaves(self._known(name)), call or (task or CallTask(self.name, "")).number
        if any(self._taken.get(leaf, 0) > call for leaf in leaves):
            return
        for leaf in leaves:
            self._now[leaf], self._taken[leaf] = color, call
        self.robot.fade(name, color, seconds)

    @method("name:text color:any duration:float | name:text red:float green:float blue:float duration:float",
            blocking=True)  # fmt: skip
    def fadeRGB(self, name: str, *given: Any) -> None:
        """Fade to a color within a time [s], and wait."""
        if len(given) == 4:
            if not all(0.0 <= v <= 1.0 for v in given[:3]):
                raise CallError(f"red, green and blue lie between 0 and 1, got {given[:3]}")
            color = (given[0], given[1], given[2])
        else:
            color = color_of(given[0])
        self._show(name, color, given[-1])
        self.link.sleep(given[-1])

    @method("name:text colors:list times:numbers", blocking=True)
    def fadeListRGB(self, name: str, colors: list[Any], times: Any) -> None:
        """Fade through colors at times [s] since the call."""
        if not isinstance(times, list) or len(times) != len(colors):
            raise CallError(f"{len(colors)} colors need as many times")
        before = 0.0
        for color, when in zip(colors, times, strict=True):
            if when < before:
                raise CallError("times must increase")
            self._show(name, color_of(color), when - before)
            if not self.link.sleep(when - before):
                return
            before = when

    @method("name:text intensity:float duration:float", blocking=True)
    def fade(self, name: str, intensity: float, duration: float) -> None:
        """Fade to a brightness 0 to 1."""
        if not 0.0 <= intensity <= 1.0:
            raise CallError(f"intensity lies between 0 and 1, got {intensity:g}")
        self._show(name, (intensity,) * 3, duration)
        self.link.sleep(duration)

    @method("name:text intensity:float")
    def setIntensity(self, name: str, intensity: float) -> None:
        """A brightness 0 to 1 at once."""
        if not 0.0 <= intensity <= 1.0:
            raise CallError(f"intensity lies between 0 and 1, got {intensity:g}")
        self._show(name, (intensity, intensity, intensity), 0.0)

    @method("name:text")
    def getIntensity(self, name: str) -> Any:
        """Brightness of a light, or name and brightness of those of a group."""
        leaves = self._leaves(self._known(name))
        levels = [[leaf, max(self._now.get(leaf, OFF))] for leaf in leaves]
        return levels[0][1] if name in self._single else levels

    @method("name:text")
    def on(self, name: str) -> None:
        """White."""
        self._show(name, WHITE, 0.0)

    @method("name:text")
    def off(self, name: str) -> None:
        """Dark."""
        self._show(name, OFF, 0.0)

    @method("name:text")
    def reset(self, name: str) -> None:
        """As at the start."""
        self._show(name, WHITE, 0.0)

    def _play(self, duration: float, colors: Any) -> None:
        task = current_task()
        begin, call = self.link.now, task.number if task else 0
        while (passed := self.link.now - begin) < min(duration, LONGEST):
            for name, color in colors(passed):
                self._show(name, color, STEP, call)
            if not self.link.sleep(min(STEP, duration - passed)):
                return
        self._show("FaceLeds", WHITE, 0.0, call)

    @method("duration:float", blocking=True)
    def randomEyes(self, duration: float) -> None:
        """Random colors in the eyes."""
        self._play(duration, lambda t: [(eye, (random.random(), random.random(), random.random()))
                                        for eye in ("LeftFaceLeds", "RightFaceLeds")])  # fmt: skip

    @method("duration:float", blocking=True)
    def rasta(self, duration: float) -> None:
        """Green, yellow, red."""
        names = ("green", "yellow", "red")
        self._play(duration, lambda t: [("FaceLeds", color_of(names[int(t / 0.3) % 3]))])

    @method("color:any turn:float duration:float", blocking=True)
    def rotateEyes(self, color: Any, turn: float, duration: float) -> None:
        """A light that goes round in the eyes."""
        shown = color_of(color)
        step = max(turn, 0.1) / 8

        def spots(t: float) -> list[tuple[str, Color]]:
            k = int(t / step) % 8
            return [(f"{s}FaceLed{i}", shown if i == k + 1 else OFF) for s in "RL" for i in range(1, 9)]

        self._play(duration, spots)

    @method("degrees:float duration:float leave:bool?", blocking=True)
    def earLedsSetAngle(self, degrees: float, duration: float, _: bool = False) -> None:
        """A light in the ears."""
        k = int(degrees / 36.0) % 10 + 1
        for side in "RL":
            self._show(f"{side}EarLed{k}", (0.0, 0.0, 1.0), duration)
        self.link.sleep(duration)

    @method("name:text parts:names")
    def createGroup(self, name: str, parts: list[str]) -> None:
        """A group of lights of your own."""
        self._groups[name] = tuple(self._known(part) for part in parts)

    @method()
    def listGroups(self) -> list[str]:
        """All groups."""
        return list(self._groups)

    @method("name:text")
    def listGroup(self, name: str) -> list[str]:
        """Lights of a group."""
        return self._leaves(self._known(name))

    @method()
    def listLEDs(self) -> list[str]:
        """All lights."""
        return sorted(self._single)
