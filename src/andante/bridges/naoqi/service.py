"""`Service`: methods with their argument forms, published over qi; those without a counterpart answer too."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from andante.errors import AndanteError

from .forms import CallError, read_arguments
from .tasks import CallTask

if TYPE_CHECKING:
    from .robot import NaoqiRobot

F = TypeVar("F", bound=Callable[..., Any])
VERSION = "2.8.5.10"
EMPTY: Mapping[str, Any] = {"v": None, "b": False, "t": True, "i": 0, "f": 0.0, "s": "", "l": [], "d": {}, "m": None}


@dataclass(frozen=True)
class Method:
    """How a method is called: its argument forms, the qi signature of what it returns, whether it takes time."""

    name: str
    forms: str = ""
    returns: str = "m"
    blocking: bool = False
    stub: bool = False
    about: str = ""


def method(forms: str = "", *, returns: str = "m", blocking: bool = False, name: str = "") -> Callable[[F], F]:
    """A method of a service under its own name, or another one."""

    def mark(function: F) -> F:
        own = name or function.__name__
        about = (function.__doc__ or "").strip()
        marks = [*getattr(function, "naoqi", ()), Method(own, forms, returns, blocking, about=about)]
        function.naoqi = marks  # type: ignore[attr-defined]
        return function

    return mark


class Service:
    """One service. A subclass has a `name` and methods marked by `method`; the table of stubs adds the rest."""

    name = ""
    in_order = False  # calls begin in the order in which they came; else side by side

    def __init__(self, robot: NaoqiRobot) -> None:
        self.robot = robot
        self.link, self.model, self.tasks = robot.link, robot.model, robot.tasks
        self.methods: dict[str, tuple[Method, Callable[..., Any]]] = {}
        for each in dir(type(self)):
            for marked in getattr(getattr(type(self), each), "naoqi", ()):
                self.methods[marked.name] = (marked, getattr(self, each))
        for stub, kind in stub_table().get(self.name, {}).items():
            if stub not in self.methods:
                made = Method(stub, "given:any*", stub=True, about="Without a counterpart in simulation.")
                self.methods[stub] = (made, _answering(EMPTY[kind]))

    def start(self) -> None:
        """All services are there: begin."""

    def close(self) -> None:
        """The bridge ends."""

    def watch(self) -> None:
        """Called about twenty times a second."""

    # ---- calls -------------------------------------------------------------------------------------
    def invoke(self, name: str, given: tuple[Any, ...]) -> Any:
        """Carry a call out: its value, or a qi future of it."""
        import qi

        declared, function = self.methods[name]
        self.robot.count(self.name, declared)
        promise = qi.Promise()
        try:
            values = read_arguments(f"{self.name}::{name}", declared.forms, given)
        except CallError as error:
            promise.setError(str(error))
            return promise.future()
        if not declared.blocking:
            return self._finish(promise, name, lambda: function(*values))
        task = CallTask(self.name, name)
        promise = qi.Promise(lambda _: task.cancel())
        self.tasks.start(task, lambda: self._finish(promise, name, lambda: function(*values)))
        return promise.future()

    def _finish(self, promise: Any, name: str, work: Callable[[], Any]) -> Any:
        where = f"{self.name}::{name}"
        try:
            promise.setValue(work())
        except CallError as error:
            told = str(error)
            promise.setError(told if told.startswith(where) else f"{where}: {told}")
        except AndanteError as error:
            promise.setError(f"{where}: {error}")
        except Exception as error:
            self.robot.say(f"{where} failed: {type(error).__name__}: {error}")
            promise.setError(f"{where}: {type(error).__name__}: {error}")
        return promise.future()

    def published(self) -> Any:
        """The object that is registered at the qi session; calls that take time run side by side."""
        import qi

        bound: dict[str, Any] = {}
        for name, (declared, _) in self.methods.items():
            bound[name] = qi.bind(declared.returns, qi.AnyArguments)(_caller(self, name, declared.about))
        made = type(self.name, (object,), bound)
        return (made if self.in_order else qi.multiThreaded()(made))()

    # ---- what all modules have ---------------------------------------------------------------------
    @method()
    def ping(self) -> bool:
        """Always true."""
        return True

    @method()
    def version(self) -> str:
        """Of NAOqi whose ways are followed."""
        return VERSION

    @method()
    def getMethodList(self) -> list[str]:
        """Names of all methods."""
        return sorted(self.methods)

    @method("name:text")
    def getMethodHelp(self, name: str) -> list[Any]:
        """What a method does."""
        if name not in self.methods:
            raise CallError(f"no method {name}")
        return [name, self.methods[name][0].about]

    @method("name:text")
    def getUsage(self, name: str) -> str:
        """What a method does."""
        return str(self.getMethodHelp(name)[1])

    @method()
    def getModuleHelp(self) -> list[str]:
        """What the service is."""
        return [self.name, (type(self).__doc__ or "").strip()]

    @method()
    def getBrokerName(self) -> str:
        """Of the process."""
        return "naoqi"

    @method()
    def exit(self) -> None:
        """Services stay."""


class Extractor(Service):
    """A service that looks for something while somebody has subscribed to it."""

    outputs: tuple[str, ...] = ()  # keys of ALMemory
    period = 100  # [ms]

    def __init__(self, robot: NaoqiRobot) -> None:
        super().__init__(robot)
        self.subscribers: dict[str, tuple[int, float]] = {}
        self.paused = False

    @property
    def active(self) -> bool:
        """Whether somebody wants to know."""
        return bool(self.subscribers) and not self.paused

    @method("name:text period:float? precision:float?")
    def subscribe(self, name: str, period: float = 0.0, precision: float = 0.0) -> None:
        """Look from now on."""
        self.subscribers[name] = (int(period) or self.period, precision)

    @method("name:text")
    def unsubscribe(self, name: str) -> None:
        """Look no more for this one."""
        self.subscribers.pop(name, None)

    @method("name:text period:float")
    def updatePeriod(self, name: str, period: float) -> None:
        """How often [ms]."""
        if name in self.subscribers:
            self.subscribers[name] = (int(period), self.subscribers[name][1])

    @method("name:text precision:float")
    def updatePrecision(self, name: str, precision: float) -> None:
        """How well."""
        if name in self.subscribers:
            self.subscribers[name] = (self.subscribers[name][0], precision)

    @method()
    def getCurrentPeriod(self) -> int:
        """The shortest that is asked for [ms]."""
        return min((period for period, _ in self.subscribers.values()), default=self.period)

    @method()
    def getCurrentPrecision(self) -> float:
        """The best that is asked for."""
        return max((precision for _, precision in self.subscribers.values()), default=0.0)

    @method("name:text")
    def getMyPeriod(self, name: str) -> int:
        """Of one subscriber [ms]."""
        return self.subscribers.get(name, (self.period, 0.0))[0]

    @method("name:text")
    def getMyPrecision(self, name: str) -> float:
        """Of one subscriber."""
        return self.subscribers.get(name, (self.period, 0.0))[1]

    @method()
    def getSubscribersInfo(self) -> list[Any]:
        """Name, period and precision of each."""
        return [[name, period, precision] for name, (period, precision) in self.subscribers.items()]

    @method()
    @method(name="getEventList")
    @method(name="getMemoryKeyList")
    def getOutputNames(self) -> list[str]:
        """Keys of ALMemory that it writes."""
        return list(self.outputs)

    @method("on:bool")
    def pause(self, on: bool) -> None:
        """Rest, or go on."""
        self.paused = on

    @method()
    def isPaused(self) -> bool:
        """Whether it rests."""
        return self.paused

    @method()
    def isProcessing(self) -> bool:
        """Whether it looks now."""
        return self.active


def _caller(service: Service, name: str, about: str) -> Callable[..., Any]:
    def call(self: Any, *given: Any) -> Any:
        return service.invoke(name, given)

    call.__name__, call.__doc__ = name, about
    return call


def _answering(value: Any) -> Callable[..., Any]:
    return lambda *given: value


@cache
def stub_table() -> dict[str, dict[str, str]]:
    """Service -> method -> kind of the empty value that it answers, of stubs.tsv."""
    found: dict[str, dict[str, str]] = {}
    text = (files(__package__) / "stubs.tsv").read_text(encoding="utf-8")
    for row in csv.reader((line for line in text.splitlines() if not line.startswith("#")), delimiter="\t"):
        service, kind, names = row
        found.setdefault(service, {}).update(dict.fromkeys(names.split(), kind))
    return found
