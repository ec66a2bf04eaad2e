"""ALMemory: data, events, subscribers; and the keys of the hardware, read from the session when they are asked for."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.service import Service, method

DEVICES = "Device/SubDeviceList/"
HISTORY = 20  # values of an event that are kept
Provider = Callable[[], Any]


class Memory(Service):
    """Data by their keys, and who is told when they change."""

    name = "ALMemory"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._data: dict[str, tuple[Any, float]] = {}
        self._events: dict[str, list[Any]] = {}  # event -> history
        self._signals: dict[str, Any] = {}  # event -> the object with its signal
        self._modules: dict[tuple[str, str], tuple[str, str]] = {}  # event, module -> method, message
        self._providers: dict[str, Provider] = {}
        self._lock = threading.RLock()
        self._outbox: queue.SimpleQueue[tuple[str, str, str, Any, str] | None] = queue.SimpleQueue()
        self.ask: Callable[[str], Any] = lambda module: None  # finds a service of a client

    def start(self) -> None:
        """Tell modules of clients about events, in a thread: they may be slow."""
        threading.Thread(target=self._deliver, name="ALMemory.events", daemon=True).start()

    def close(self) -> None:
        """No more events."""
        self._outbox.put(None)

    def provide(self, key: str, provider: Provider) -> None:
        """A key whose value is found when somebody asks."""
        self._providers[key] = provider

    # ---- data --------------------------------------------------------------------------------------
    def read(self, key: str) -> Any:
        """The value of a key; KeyError: there is none."""
        key = key.removeprefix("/")
        provider = self._providers.get(key) or self._providers.get(DEVICES + key)
        if provider is not None:
            return provider()
        with self._lock:
            return self._data[key][0]

    @method("key:text ignored:any?")
    def getData(self, key: str, _: Any = None) -> Any:
        """The value of a key."""
        try:
            return self.read(key)
        except KeyError:
            raise CallError(f"data {key} not found") from None

    @method("keys:names")
    def getListData(self, keys: list[str]) -> list[Any]:
        """Values of keys, none for those that do not exist."""
        out = []
        for key in keys:
            try:
                out.append(self.read(key))
            except KeyError:
                out.append(None)
        return out

    @method("key:text value:any")
    def insertData(self, key: str, value: Any) -> None:
        """Write a value."""
        with self._lock:
            self._data[key] = (value, time.time())

    @method("pairs:list")
    def insertListData(self, pairs: list[Any]) -> None:
        """Write [[key, value], ...]."""
        for pair in pairs:
            if not (isinstance(pair, list | tuple) and len(pair) >= 2 and isinstance(pair[0], str)):
                raise CallError(f"an entry is [key, value], got {pair}")
            self.insertData(pair[0], pair[1])

    @method("key:text")
    def removeData(self, key: str) -> None:
        """Forget a key."""
        with self._lock:
            if self._data.pop(key, None) is None and key not in self._events:
                raise CallError(f"data {key} not found")

    @method("filter:text")
    def getDataList(self, part: str) -> list[str]:
        """Keys that contain a text."""
        return [key for key in self.getDataListName() if part in key]

    @method()
    def getDataListName(self) -> list[str]:
        """All keys."""
        with self._lock:
            return sorted({*self._data, *self._providers})

    @method("key:text")
    def getType(self, key: str) -> str:
        """Event or Data."""
        if key in self._events:
            return "Event"
        self.getData(key)
        return "Data"

    @method("key:text")
    def getTimestamp(self, key: str) -> list[Any]:
        """Value, seconds and microseconds when it was written."""
        value = self.getData(key)
        when = self._data.get(key, (None, time.time()))[1]
        return [value, int(when), int(1e6 * (when % 1.0))]

    # ---- events ------------------------------------------------------------------------------------
    def raise_event(self, event: str, value: Any) -> None:
        """Write a value and tell all who wait for it."""
        with self._lock:
            self._data[event] = (value, time.time())
            history = self._events.setdefault(event, [])
            history.append([value, int(time.time()), 0])
            del history[:-HISTORY]
            subscriber = self._signals.get(event)
            waiting = [(module, *how) for (name, module), how in self._modules.items() if name == event]
        if subscriber is not None:
            subscriber.signal(value)
        for module, called, message in waiting:
            self._outbox.put((module, called, event, value, message))

    @method("event:text value:any")
    def raiseEvent(self, event: str, value: Any) -> None:
        """Write a value and tell all who wait for it."""
        self.raise_event(event, value)

    @method("event:text value:any")
    def raiseMicroEvent(self, event: str, value: Any) -> None:
        """The same."""
        self.raise_event(event, value)

    @method("event:text owner:any*")
    def declareEvent(self, event: str, *_: Any) -> None:
        """Make an event known."""
        with self._lock:
            self._events.setdefault(event, [])

    @method("event:text ignored:any*")
    def removeEvent(self, event: str, *_: Any) -> None:
        """Forget an event."""
        with self._lock:
            self._events.pop(event, None)
            self._data.pop(event, None)

    @method("event:text ignored:any*")
    def removeMicroEvent(self, event: str, *_: Any) -> None:
        """Forget an event."""
        self.removeEvent(event)

    @method()
    def getEventList(self) -> list[str]:
        """All events."""
        with self._lock:
            return sorted(self._events)

    @method()
    def getMicroEventList(self) -> list[str]:
        """All events."""
        return self.getEventList()

    @method("event:text")
    def getEventHistory(self, event: str) -> list[Any]:
        """Its last values."""
        return list(self._events.get(event, []))

    @method("event:text")
    def subscriber(self, event: str) -> Any:
        """An object whose `signal` tells the values of an event."""
        import qi

        with self._lock:
            self._events.setdefault(event, [])
            if event not in self._signals:
                made = type("ALMemorySubscriber", (object,), {})()
                made.signal = qi.Signal("m")
                self._signals[event] = made
            return self._signals[event]

    @method("event:text module:text method:text | event:text module:text message:text method:text")
    @method("event:text module:text method:text | event:text module:text message:text method:text",
            name="subscribeToMicroEvent")  # fmt: skip
    def subscribeToEvent(self, event: str, module: str, *rest: str) -> None:
        """Let a method of a module be called with key, value and message."""
        called, message = rest[-1], rest[0] if len(rest) > 1 else ""
        with self._lock:
            self._events.setdefault(event, [])
            self._modules[event, module] = (called, message)

    @method("event:text module:text")
    @method("event:text module:text", name="unsubscribeToMicroEvent")
    def unsubscribeToEvent(self, event: str, module: str) -> None:
        """Call it no more."""
        with self._lock:
            if self._modules.pop((event, module), None) is None:
                raise CallError(f"module {module} has not subscribed to {event}")

    @method("event:text")
    def getSubscribers(self, event: str) -> list[str]:
        """Modules that wait for an event."""
        return [module for name, module in self._modules if name == event]

    @method("module:text")
    def unregisterModuleReference(self, module: str) -> None:
        """Call a module no more."""
        self.forget(module)

    def forget(self, module: str) -> None:
        """A module has gone."""
        with self._lock:
            for key in [key for key in self._modules if key[1] == module]:
                del self._modules[key]

    def _deliver(self) -> None:
        while (entry := self._outbox.get()) is not None:
            module, called, event, value, message = entry
            try:
                service = self.ask(module)
                getattr(service, called)(event, value, message, _async=True)
            except Exception as error:
                if "Cannot find service" in str(error):
                    self.forget(module)
                self.robot.say(
                    f"ALMemory: {module}.{called} could not be told of {event}: {str(error).splitlines()[0]}"
                )
