"""Addresses of bodies, as `--body` and `body=` name them; quick to import."""

from __future__ import annotations

from andante.errors import BadInput
from andante.userfile import is_user_reference

SIMULATED = "sim"
CHOICES = (
    "sim, ws://HOST:9090 (rosbridge), http://HOST:11311 (a ROS 1 master), naoqi://HOST:9559 (a NAO), serial:PORT, "
    "or file.py:Name"
)
SCHEMES = ("ws://", "wss://", "http://", "naoqi://", "serial:")


def check_address(address: str) -> None:
    """Refuse what is no address of a body, before anything is built."""
    if address != SIMULATED and not address.startswith(SCHEMES) and not is_user_reference(address):
        raise BadInput(f"no body {address!r}; choices: {CHOICES}")
    if address == "serial:":
        raise BadInput("serial: needs the name of its port, like serial:/dev/ttyUSB0 or serial:COM5")
