"""Who may talk to the server: loopback or a token, known hosts, and pages of our own origin only.

A browser names the page's origin in every WebSocket handshake, so that a foreign page cannot drive the robot; the
Host header is compared too, so that a foreign name which points at this machine does not pass for our own.
"""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from andante.errors import BadInput

COOKIE = "andante_token"


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine only."""
    name = host.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Access:
    """The rules of one server; an address beyond loopback without a token cannot be made."""

    host: str = "127.0.0.1"  # the address that is bound
    token: str | None = None
    origins: tuple[str, ...] = ()  # further origins whose pages may connect, such as "http://localhost:5173"

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and not self.token:
            raise BadInput(f"address {self.host!r} can be reached from other machines: give a token as well")
        if self.token is not None and len(self.token) < 8:
            raise BadInput("the token is too short: at least 8 characters")

    def refusal(self, host: str | None, origin: str | None, tokens: tuple[str, ...]) -> str:
        """Why a request is turned away, empty when it is welcome.

        Args:
            host: the Host header.
            origin: the Origin header; None for clients that are not browsers.
            tokens: what came as query parameter, bearer header or cookie.
        """
        if is_loopback(self.host) and not is_loopback(_name(host or "")):
            return f"host {host!r} is not this machine"
        if origin is not None and not self._welcome(origin, host or ""):
            return f"origin {origin!r} may not connect"
        if self.token is not None and not any(hmac.compare_digest(self.token.encode(), t.encode()) for t in tokens):
            return "a token is needed: add ?token=... to the address"
        return ""

    def _welcome(self, origin: str, host: str) -> bool:
        if origin in self.origins:
            return True
        try:
            parts = urlsplit(origin)
            name = parts.hostname or ""
        except ValueError:
            return False
        if parts.scheme not in ("http", "https"):
            return False
        return parts.netloc.lower() == host.lower() or (is_loopback(name) and is_loopback(self.host))


def _name(host: str) -> str:
    """Host header without the port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
