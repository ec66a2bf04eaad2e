"""`RobotLink`: a running session as the threads of the services see it: what it tells, and what it is asked for."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from andante.bags import messages
from andante.bridges.client import SUCCEEDED, BusClient, ClientGoal, Listening, Say
from andante.bridges.encoding import Frame
from andante.errors import AndanteError

from .forms import CallError
from .tasks import current_task

T = TypeVar("T")
PATIENCE = 20.0  # for the answer of a service [s]
FIRST = 5.0  # for the first message of a topic [s]
FLUSH = 0.02  # between two bursts of messages to the session [s]
DRIVE = 0.03  # between two velocity messages [s of wall time]: a session may be quicker than the wall, its deadman too
LOOK = 0.05  # between two looks at whether a call was called off [s]


class RobotLink:
    """What services know of the session and send to it. Methods are called by any thread but that of the loop."""

    def __init__(self, bus: BusClient, say: Say) -> None:
        self._bus, self.say = bus, say
        self._loop = asyncio.get_running_loop()
        self._latest: dict[str, Any] = {}
        self._heard: dict[str, Listening] = {}
        self._news = threading.Condition()
        self._pending: dict[Any, tuple[str, str, dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._flushing = False
        self._velocity: tuple[float, float, float] | None = None
        self._driver: asyncio.Task[None] | None = None
        self.told: Callable[[str, Any], None] = lambda topic, message: None  # hears every message

    # ---- what the session tells --------------------------------------------------------------------
    @property
    def now(self) -> float:
        """Time of the session [s]."""
        return self._bus.now

    def has(self, topic: str) -> bool:
        """Whether the session has a topic."""
        return topic in self._bus.graph.topics

    def latest(self, topic: str, wait: float = FIRST) -> Any:
        """The last message of a topic, which is listened to from the first call on; None where none comes."""
        if topic not in self._heard:
            self.listen(topic)
        message = self._latest.get(topic)
        if message is not None or not wait:
            return message
        with self._news:
            self._news.wait_for(lambda: topic in self._latest, wait)
        return self._latest.get(topic)

    def listen(self, topic: str, throttle: float = 0.0) -> None:
        """Listen to a topic from now on."""
        with self._lock:
            if topic in self._heard or not self.has(topic):
                return
            self._heard[topic] = _Nothing()
        self._heard[topic] = self._in_loop(self._subscribe(topic, throttle))

    async def _subscribe(self, topic: str, throttle: float) -> Listening:
        return self._bus.subscribe(topic, self._take, throttle)

    def _take(self, frame: Frame) -> None:
        try:
            message = messages.from_cdr(frame.type_name, frame.cdr)
        except AndanteError as error:
            self.say(f"{frame.topic}: {error}")
            return
        self._latest[frame.topic] = message
        self.told(frame.topic, message)
        with self._news:
            self._news.notify_all()

    def wait_until(self, holds: Callable[[], bool], seconds: float = math.inf) -> bool:
        """Wait until something holds, at most some seconds of the session's time; whether it does. Calls can end it."""
        task, begin, wall = current_task(), self.now, time.monotonic()
        while not holds():
            if task is not None and task.canceled:
                return False
            if self.now - begin >= seconds:
                return holds()
            if self.now == begin and time.monotonic() - wall > 10.0 + 20 * min(seconds, 1e6):
                return False  # the session stands still
            with self._news:
                self._news.wait(LOOK)
        return True

    def sleep(self, seconds: float) -> bool:
        """Let time of the session pass; False where the call was called off."""
        self.listen("/clock", FLUSH)
        self.wait_until(lambda: False, seconds)
        task = current_task()
        return task is None or not task.canceled

    # ---- what it is asked for ----------------------------------------------------------------------
    def call(self, service: str, kind: str, /, **fields: Any) -> Any:
        """The response of a service; CallError with its reason where it says no."""
        request = messages.to_cdr(messages.make(f"{kind}_Request", **fields))
        try:
            answer = self._in_loop(self._after_all(self._bus.call(service, request, PATIENCE)))
        except AndanteError as error:
            raise CallError(str(error)) from None
        made = messages.from_cdr(f"{kind}_Response", answer)
        if not getattr(made, "success", True):
            raise CallError(str(made.message))
        return made

    def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter of the session."""
        try:
            self._in_loop(self._bus.set_parameter(name, value))
        except AndanteError as error:
            raise CallError(str(error)) from None

    def work(self, action: str, kind: str, /, **fields: Any) -> tuple[bool, Any]:
        """Send a goal and wait for its end: whether it succeeded, and the result. The call's end cancels it."""
        goal = messages.to_cdr(messages.make(f"{kind}_Goal", **fields))
        task = current_task()
        try:
            sent: ClientGoal = self._in_loop(self._after_all(self._bus.send_goal(action, goal)))
            end = asyncio.run_coroutine_threadsafe(_end_of(sent), self._loop)
            asked = False
            while not end.done():
                if task is not None and task.canceled and not asked:
                    asked = True
                    self._loop.call_soon_threadsafe(sent.cancel)
                with self._news:
                    self._news.wait(LOOK)
            status, result = end.result()
        except AndanteError as error:
            raise CallError(str(error)) from None
        return status == SUCCEEDED, messages.from_cdr(f"{kind}_Result", result)

    def publish(self, topic: str, kind: str, fields: dict[str, Any], key: Any = None) -> None:
        """Publish soon; of messages with the same key only the last within 20 ms goes out."""
        with self._lock:
            mark = (topic, key) if key is not None else (topic, object())
            self._pending.pop(mark, None)
            self._pending[mark] = (topic, kind, fields)
            if self._flushing:
                return
            self._flushing = True
        self._loop.call_soon_threadsafe(self._flush)

    async def _after_all(self, work: Coroutine[Any, Any, T]) -> T:
        """Work that follows what was published before it."""
        self._send_pending()
        return await work

    def _flush(self) -> None:
        if self._send_pending():
            self._loop.call_later(FLUSH, self._flush)
            return
        with self._lock:
            self._flushing = bool(self._pending)
            again = self._flushing
        if again:
            self._loop.call_soon(self._flush)

    def _send_pending(self) -> bool:
        """Send what waits; whether there was something."""
        with self._lock:
            pending, self._pending = self._pending, {}
        for topic, kind, fields in list(pending.values())[:MOST]:
            try:
                self._bus.publish(topic, kind, messages.to_cdr(messages.make(kind, **fields)))
            except AndanteError as error:
                self.say(f"{topic}: {error}")
        return bool(pending)

    def drive(self, velocity: tuple[float, float, float] | None) -> None:
        """Drive at vx, vy [m/s], wz [rad/s] until told otherwise; None: nobody drives here any more."""
        if velocity is None and self._velocity is None:
            return
        self._velocity = velocity
        self._in_loop(self._drive_now())

    @property
    def driving(self) -> bool:
        """Whether a velocity is being sent."""
        return self._velocity is not None

    async def _drive_now(self) -> None:
        self._send_velocity()
        if self._velocity is not None and (self._driver is None or self._driver.done()):
            self._driver = self._loop.create_task(self._driven())

    def _send_velocity(self) -> None:
        vx, vy, wz = self._velocity or (0.0, 0.0, 0.0)
        twist = messages.make("geometry_msgs/msg/Twist", linear={"x": vx, "y": vy}, angular={"z": wz})
        self._bus.publish("/cmd_vel", "geometry_msgs/msg/Twist", messages.to_cdr(twist))

    async def _driven(self) -> None:
        while True:
            await asyncio.sleep(DRIVE)
            if self._velocity is None:
                return
            self._send_velocity()

    def close(self) -> None:
        """Hear no more; called in the loop."""
        self._velocity = None
        if self._driver is not None:
            self._driver.cancel()
        for listening in self._heard.values():
            listening.close()
        with self._news:
            self._news.notify_all()

    def _in_loop(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE + 10.0)


MOST = 200  # messages of one burst


async def _end_of(goal: ClientGoal) -> tuple[int, bytes]:
    return await goal.done


class _Nothing:
    def close(self) -> None:
        """Nothing is heard yet."""
