"""How a NAO behind NAOqi is led, and how the table [body] of a parameter file changes it.

[body]
walk = "ours"       # own (the default): it walks by itself, by `move`; ours: joint targets of our own walk
speed = 0.8         # fraction of the joints' top speed that they are sent with
wake = true         # wake it up before it is moved
rest = true         # let it rest in the end
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from andante.errors import BadInput
from andante.settings import settings_from

SCHEME = "naoqi://"
PORT = 9559
OWN, OURS = "own", "ours"


@dataclass(frozen=True)
class NaoqiSettings:
    """Table [body] of `--params` for a body at naoqi://HOST:9559."""

    walk: str = OWN  # own: by `move`; ours: joint targets
    speed: float = 1.0  # fraction of the top speed that joints are sent with, over 0 to 1
    wake: bool = True  # wake it up before it is moved
    rest: bool = False  # let it rest in the end
    timeout: float = 0.5  # a robot that tells nothing for so long counts as silent [s]
    max_speed: float = 0.095  # of its own walk ahead: steps of 0.04 m, one in 0.42 s [m/s]
    max_turn: float = 0.4  # of its own walk [rad/s]

    def __post_init__(self) -> None:
        if self.walk not in (OWN, OURS):
            raise BadInput(f"[body] walk is {OWN} (its own walk) or {OURS} (joint targets), got {self.walk!r}")
        if not 0.0 < self.speed <= 1.0:
            raise BadInput(f"[body] speed is a fraction of the top speed, over 0 to 1, got {self.speed}")
        for name in ("timeout", "max_speed", "max_turn"):
            if not 0.0 < getattr(self, name) < 1e3:
                raise BadInput(f"[body] {name} must be above 0, got {getattr(self, name)}")


def naoqi_settings(table: Mapping[str, Any]) -> NaoqiSettings:
    """Settings of a table [body]; names and values are checked."""
    return settings_from(NaoqiSettings(), dict(table), "[body] parameter")


def qi_url(address: str) -> str:
    """tcp://HOST:PORT of naoqi://HOST[:PORT]."""
    parts = urlsplit(address)
    try:
        host, port = parts.hostname, parts.port or PORT
    except ValueError as error:
        raise BadInput(f"{address}: {error}") from None
    if not address.startswith(SCHEME) or not host or parts.path.strip("/") or parts.query:
        raise BadInput(f"address {address!r} should look like naoqi://nao.local:9559")
    return f"tcp://{host}:{port}"
