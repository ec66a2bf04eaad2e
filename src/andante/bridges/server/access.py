"""Who may connect to the server (loopback or a token, known hosts, pages of our own origin only), within which limits,
and what it serves.

A browser names the page's origin in every WebSocket handshake, so that a foreign page cannot drive the robot; the
Host header is compared too, so that a foreign name which points at this machine does not pass for our own.
"""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from andante.errors import BadInput
from andante.files import read_text

COOKIE = "andante_token"
FILE_MARK = "@"  # before the name of a file that holds the token
LONGEST_TOKEN = 4096  # bytes of such a file


def read_token(given: str | None) -> str | None:
    """The token itself, or what the file of `@FILE` holds: `ps` shows everybody what stands on a command line."""
    if not given or not given.startswith(FILE_MARK):
        return given
    return read_text(Path(given.removeprefix(FILE_MARK)).expanduser(), LONGEST_TOKEN).strip()


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
        """Why a request is refused, empty when it is allowed.

        Args:
            host: the Host header.
            origin: the Origin header; None for clients that are not browsers.
            tokens: what came as query parameter, bearer header or cookie.
        """
        if is_loopback(self.host) and not is_loopback(_name(host or "")):
            return f"host {host!r} is not this machine"
        if origin is not None and not self._welcome(origin, host or ""):
            return f"origin {origin!r} may not connect"
        if self.token is not None and not self.knows(tokens):
            return "a token is needed: add ?token=... to the address"
        return ""

    def knows(self, tokens: tuple[str, ...]) -> bool:
        """Whether one of the tokens is the right one."""
        return any(self._right(given) for given in tokens)

    def _right(self, given: str) -> bool:
        """Whether a token is the right one; in headers its letters beyond ASCII may come byte by byte."""
        wanted = (self.token or "").encode()
        forms = [given.encode(errors="replace"), given.encode("latin-1", errors="replace")]
        return any(hmac.compare_digest(wanted, form) for form in forms)

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


@dataclass(frozen=True)
class Limits:
    """Bounds for one client of the server; the defaults suit pages and scripts on the same machine."""

    message_size: int = 4 * 2**20  # largest message from a client, joined fragments too [bytes]
    message_rate: float = 500.0  # messages a client may send in the long run [1/s]
    message_burst: float = 1000.0  # messages at once
    byte_rate: float = 16 * 2**20  # [bytes/s]
    strikes: int = 1000  # messages over the rate before the client is dropped
    clients: int = 64  # sockets at once
    subscriptions: int = 256  # per client
    pending: int = 64  # calls and goals of one client that wait for an answer
    fragments: int = 16  # unfinished fragmented messages of one client
    queue_bytes: int = 8 * 2**20  # encoded frames that wait for one client [bytes]
    stall: float = 5.0  # a client that takes nothing for so long is dropped [s]


class Guesses:
    """Wrong tokens by address: after some, all tokens from there are refused for a while, right or wrong."""

    def __init__(self, rate: float = 0.5, burst: float = 20.0, addresses: int = 4096) -> None:
        self._rate, self._burst, self._most = rate, burst, addresses
        self._known: dict[str, Bucket] = {}

    def spent(self, address: str, now: float) -> bool:
        """Whether no further guess from there is looked at now [s]."""
        bucket = self._known.get(self._network(address))
        return bucket is not None and not bucket.has(1.0, now)

    def wrong(self, address: str, now: float) -> None:
        """Note a wrong one."""
        network = self._network(address)
        bucket = self._known.pop(network, None) or Bucket(self._rate, self._burst, now)
        bucket.take(1.0, now)
        self._known[network] = bucket  # the newest last
        if len(self._known) > self._most:
            del self._known[next(iter(self._known))]

    @staticmethod
    def _network(address: str) -> str:
        """An address of IPv6 stands for its network: one machine has as many as it likes."""
        try:
            found = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return address
        return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else address


class Bucket:
    """A bucket of tokens: refilled at `rate` per second up to `burst`; each message takes some."""

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self.rate, self.burst = rate, burst
        self._level, self._time = burst, now

    def has(self, amount: float, now: float) -> bool:
        """Whether `amount` tokens are there at time `now` [s]."""
        self._level = min(self.burst, self._level + max(0.0, now - self._time) * self.rate)
        self._time = now
        return amount <= self._level

    def take(self, amount: float, now: float) -> bool:
        """Whether `amount` tokens were there at time `now` [s]; then they are gone."""
        if not self.has(amount, now):
            return False
        self._level -= amount
        return True


class Throttle:
    """Lets events through at most once per period on average [s], forgiving jitter of a fifth of the period."""

    def __init__(self, period: float) -> None:
        self.period = period
        self._due = -float("inf")

    def ready(self, now: float) -> bool:
        """Whether an event at time `now` [s] may pass."""
        if self.period <= 0.0:
            return True
        if now < self._due - 0.2 * self.period:
            return False
        self._due = max(self._due, now) + self.period
        return True

    def wait(self, now: float) -> float:
        """Time until the next event may pass [s]."""
        return max(0.0, self._due - 0.2 * self.period - now)


@dataclass(frozen=True)
class Page:
    """Something to serve under an address: a folder with all its files, one file, or a content.

    An address that ends in / is a folder; its `index.html` answers for the folder itself.
    """

    url: str
    path: Path | None = None
    content: bytes | None = None
    media_type: str = ""
