"""ALProxy, ALBroker and ALModule of old programs, over qi.

Where $ANDANTE_NAOQI_URL is set, all of them connect there, whatever address a program names.
"""

from __future__ import annotations

import atexit
import inspect
import itertools
import os
import threading
from collections.abc import Callable
from typing import Any

import qi

from andante.bridges.naoqi.old_text import given_back

URL = "ANDANTE_NAOQI_URL"
HOST, PORT = "127.0.0.1", 9559
SOUNDS = ("processRemote", "processSound", "processSoundRemote")  # methods of modules that get bytes

__all__ = ["ALBroker", "ALModule", "ALProxy", "inaoqi"]

_sessions: dict[str, Any] = {}
_lock = threading.Lock()
_numbers = itertools.count(1)
_futures: dict[int, Any] = {}
_default: list[str] = []  # addresses of brokers


def _address(ip: Any = "", port: Any = 0) -> str:
    forced = os.environ.get(URL)
    if forced:
        return forced
    if not ip:
        return _default[-1] if _default else f"tcp://{HOST}:{PORT}"
    return f"tcp://{ip}:{int(port) or PORT}"


def _session(address: str) -> Any:
    with _lock:
        found = _sessions.get(address)
        if found is None or not found.isConnected():
            found = qi.Session()
            try:
                found.connect(address)
            except RuntimeError as error:
                raise RuntimeError(
                    f"ALBroker::createBroker\n\tALProxy::ALProxy\n\tCan't connect to {address}: {error}"
                ) from None
            _sessions[address] = found
        return found


def _plain(value: Any) -> Any:
    """A value as old programs know it: lists, and bytes as text was."""
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return given_back(value) if isinstance(value, bytearray) else value


def _sent(value: Any) -> Any:
    """An argument as qi takes it: vectors of almath and arrays become lists."""
    if isinstance(value, list | tuple):
        return [_sent(each) for each in value]
    if hasattr(value, "toVector"):
        return [float(each) for each in value.toVector()]
    if hasattr(value, "tolist"):
        return value.tolist()
    return value


class ALProxy:
    """A service: its methods are attributes. `post` starts them beside; `wait`, `stop`, `isRunning` take the number."""

    def __init__(self, name: str, ip: Any = "", port: Any = 0) -> None:
        self._name = name
        broker = isinstance(ip, ALBroker)
        session = _session(_address() if broker else _address(ip, port))
        try:
            self._service = session.service(name)
        except RuntimeError:
            raise RuntimeError(f"ALProxy::ALProxy\n\tCan't find service: {name}") from None
        self.post = _Post(self)

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method.startswith("__"):
            raise AttributeError(method)
        return lambda *given: self.call(method, *given)

    def call(self, method: str, *given: Any) -> Any:
        """Call a method by its name."""
        return _plain(self._method(method)(*map(_sent, given)))

    def pCall(self, method: str, *given: Any) -> int:
        """Start a method beside; its number."""
        return self._start(method, *given)

    def _method(self, name: str) -> Any:
        try:
            return getattr(self._service, name)
        except AttributeError:
            raise RuntimeError(f"{self._name}::{name}\n\tmodule {self._name} has no method {name}") from None

    def _start(self, name: str, *given: Any) -> int:
        number = next(_numbers)
        _futures[number] = self._method(name)(*map(_sent, given), _async=True)
        return number

    def wait(self, number: int, timeout: int = 0) -> bool:
        """Wait for the end of what `post` has started, at most so long [ms], 0: without end; whether time ran out."""
        future = _futures.get(number)
        if future is None:
            return False
        state = future.wait(int(timeout)) if timeout else future.wait()
        return bool(state == qi.FutureState.Running)

    def stop(self, number: int = 0) -> Any:
        """Stop what `post` has started; other numbers are those of the service itself."""
        future = _futures.get(number)
        if future is None:
            return self.call("stop", number) if number else self.call("stop")
        if future.isRunning():
            future.cancel()
        return None

    def isRunning(self, number: int) -> bool:
        """Whether what `post` has started still runs."""
        future = _futures.get(number)
        return future is not None and bool(future.isRunning())

    def ping(self) -> bool:
        """Whether the service is there."""
        return True

    def getGenericProxy(self) -> ALProxy:
        """Itself."""
        return self


class _Post:
    """Methods of a proxy that start beside and return a number."""

    def __init__(self, proxy: ALProxy) -> None:
        self._proxy = proxy

    def __getattr__(self, method: str) -> Callable[..., int]:
        if method.startswith("__"):
            raise AttributeError(method)
        return lambda *given: self._proxy._start(method, *given)


class ALBroker:
    """Names the robot once: proxies and modules after it need no address."""

    def __init__(self, name: str, ip: str = "", port: int = 0, parent_ip: str = "", parent_port: int = 0) -> None:
        self._name, self._address = name, _address(parent_ip, parent_port)
        _session(self._address)
        _default.append(self._address)

    def getName(self) -> str:
        """Its name."""
        return self._name

    def shutdown(self) -> None:
        """Withdraw the modules."""
        for module in list(ALModule.registered):
            module.exit()
        if self._address in _default:
            _default.remove(self._address)

    def getGlobalModuleList(self) -> list[str]:
        """Names of all services."""
        return [each["name"] for each in _session(self._address).services()]


class ALModule:
    """A module of the program's own: services of the robot call its methods."""

    registered: list[ALModule] = []  # noqa: RUF012 (one list for all)

    def __init__(self, name: str) -> None:
        self._module_name, self._session = name, _session(_address())
        methods = [each for each in dir(type(self)) if not each.startswith("_") and each not in dir(ALModule)]
        bound = {each: _called(self, each) for each in methods if callable(getattr(type(self), each))}
        made = qi.multiThreaded()(type(name, (object,), bound))()
        self._number = self._session.registerService(name, made)
        ALModule.registered.append(self)

    def getName(self) -> str:
        """Its name."""
        return self._module_name

    def exit(self) -> None:
        """Withdraw it."""
        if self in ALModule.registered:
            ALModule.registered.remove(self)
            try:
                self._session.unregisterService(self._number)
            except RuntimeError:
                return

    # what old programs declare of their methods
    def setModuleDescription(self, text: str) -> None:
        """Noted by nobody."""

    def functionName(self, *_: Any) -> None:
        """Noted by nobody."""

    def addParam(self, *_: Any) -> None:
        """Noted by nobody."""

    BIND_PYTHON = staticmethod(lambda *_: None)


def _called(module: ALModule, name: str) -> Callable[..., Any]:
    def call(self: Any, *given: Any) -> Any:
        function = getattr(module, name)
        if name in SOUNDS and given and isinstance(given[-1], str):
            given = (*given[:-1], bytearray(given[-1], "latin-1"))
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            parameters = []
        most = len(parameters)
        if any(each.kind is each.VAR_POSITIONAL for each in parameters):
            most = len(given)
        return _sent(function(*[_plain(each) for each in given[:most]]))

    call.__name__, call.__doc__ = name, name
    return call


class inaoqi:
    """The compiled part of the old module: nothing here."""


def _finish() -> None:
    for module in list(ALModule.registered):
        module.exit()
    for session in _sessions.values():
        session.close()


atexit.register(_finish)
