"""What the robot shows and says: /fade_rgb and /speech come in, /leds and /speech/said go out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from andante.bags import messages
from andante.errors import BadInput

from .node import LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

RATE = 20.0  # [Hz]
LONGEST_TEXT, LONGEST_FADE, MOST_LEDS = 2000, 600.0, 200

Color = tuple[float, float, float]
Leds = messages.cls("andante_msgs/msg/Leds")
ColorRGBA = messages.cls("std_msgs/msg/ColorRGBA")
Text = messages.cls("std_msgs/msg/String")


class ExpressionNode(LiveNode):
    """Lights fade linearly in simulated time; a text that is said is a line in the log too."""

    name = "expression"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.subscribe("/speech", "std_msgs/msg/String", self._say)
        self.subscribe("/fade_rgb", "naoqi_bridge_msgs/msg/FadeRGB", self._fade, queue=100)
        self._said = self.advertise("/speech/said", "std_msgs/msg/String", latched=True)
        self._leds = self.advertise("/leds", "andante_msgs/msg/Leds", latched=True)
        self.rebuilt()

    def rebuilt(self) -> None:
        """All lights off."""
        self._fades: dict[str, tuple[Color, Color, float, float]] = {}  # name -> from, to, begin, end [s]
        self._told = -math.inf

    def _say(self, message: Any) -> str:
        return self.say(str(message.data))

    def say(self, text: str) -> str:
        """Say a text."""
        if len(text) > LONGEST_TEXT:
            raise BadInput(f"a text has up to {LONGEST_TEXT} characters, got {len(text)}")
        self._said.publish(Text(text))
        return f'"{text}"'

    def _fade(self, message: Any) -> None:
        name, c = str(message.led_name), message.color
        color = (float(c.r), float(c.g), float(c.b))
        self.fade(name, color, messages.seconds(message.fade_duration))

    def fade(self, name: str, color: Color, seconds: float) -> None:
        """Let a light fade to a color within some seconds."""
        if not name or len(name) > 100 or (name not in self._fades and len(self._fades) >= MOST_LEDS):
            raise BadInput(f"a light has a name of up to 100 letters, and there are up to {MOST_LEDS} of them")
        if not all(0 <= v <= 1 for v in color) or not 0 <= seconds <= LONGEST_FADE:
            raise BadInput(
                f"a light fades to r, g, b from 0 to 1 within {LONGEST_FADE:g} s, got {color}, {seconds:g} s"
            )
        now = self.session.time
        self._fades[name] = (self._color(name, now), color, now, now + seconds)
        self._told = -math.inf

    def _color(self, name: str, now: float) -> Color:
        if name not in self._fades:
            return 0.0, 0.0, 0.0
        first, last, begin, end = self._fades[name]
        s = 1.0 if now >= end else (now - begin) / (end - begin)
        red, green, blue = (a + s * (b - a) for a, b in zip(first, last, strict=True))
        return red, green, blue

    def update(self) -> None:
        """Colors that change, twenty times a second."""
        now = self.session.time
        fading = any(end > self._told for _, _, _, end in self._fades.values())
        if not self._fades or not fading or 0 <= now - self._told < 1.0 / RATE:
            return
        self._told = now
        colors = [ColorRGBA(*self._color(name, now), 1.0) for name in self._fades]
        self._leds.publish(Leds(list(self._fades), colors))
