"""The line to NAOqi: how the robot is is asked for in the cycle of its motion; messages to it become calls.

A robot told to `move` walks on when nobody tells it otherwise. Should this process die, a guard, a small process with a
connection of its own, calls `stopMove`.
"""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import time
from typing import Any

from andante.bags import messages
from andante.bridges.naoqi import require
from andante.errors import one_line
from andante.hardware.ros.link import RosLink
from andante.hardware.ros.settings import CLOCK

from .settings import OURS, NaoqiSettings, qi_url
from .wire import ANGLES, SIMULATED, VELOCITY, Call, Told, call_of, keys_of, told_messages, understood

FIRST_WAIT, LONGEST_WAIT = 0.1, 2.0  # before connecting again [s]
ANSWER = 3.0  # the longest wait for an answer [s]; a robot that is silent for less is told by its body
REPEAT = 0.2  # a velocity that stays is told again after so long [s]
FAREWELL = 5.0  # that the guard has to end [s]
CYCLE = 0.02  # of the motion where it is not told [s]
SENSES = 0.01  # in which ALMemory has new values of the sensors [s]
WAKING = 30.0  # the longest time to wake up or to rest [s]
SLOW_MEMORY = (2, 8)  # from this version on ALMemory tells of sensors twice a second only


class NaoqiLink(RosLink):
    """Asks a NAO how it is and calls its methods."""

    def __init__(self, address: str, joints: tuple[str, ...], settings: NaoqiSettings) -> None:
        super().__init__(address)
        require()
        self._url, self._joints, self._settings = qi_url(address), joints, settings
        self._keys = keys_of(joints)
        self._session: Any = None
        self._closing: Any = None  # the future of the last session's end
        self._services: dict[str, Any] = {}
        self.version = ""  # of NAOqi
        self.cycle = CYCLE  # [s]
        self.fallen = False
        self._simulated = self._slow = False
        self._balanced = True  # whether its whole-body balance may still change what joints are told
        self._guard: subprocess.Popen[bytes] | None = None
        self._moved: tuple[Call | None, float] = (None, 0.0)  # the last call that it walks by, and when it was made [s]
        self._waiting: set[asyncio.Task[Any]] = set()

    def post(self, topic: str, message: Any) -> None:
        """Send a message as soon as the line takes it; of one kind only the newest waits."""
        with self._lock:
            for waiting in [each for each in self._outbox if each[0] == topic]:
                self._outbox.remove(waiting)
        super().post(topic, message)

    def ask(self, *call: Any, wait: float = ANSWER) -> Any:
        """The answer to a call, for other threads than the line's; RuntimeError where it fails or takes longer [s]."""
        loop = self._loop
        if loop is None or not self.connected:
            raise RuntimeError(self.error or "not connected")
        try:
            return asyncio.run_coroutine_threadsafe(self._ask(Call(call[0], call[1], call[2:]), wait), loop).result(
                wait
            )
        except TimeoutError:
            raise RuntimeError(f"{call[0]}.{call[1]} gave no answer for {wait:g} s") from None

    # ---- the connection ----------------------------------------------------------------------------
    async def _keep(self) -> None:
        wait = FIRST_WAIT
        while True:
            try:
                await self._connect()
                wait = FIRST_WAIT
                await self._serve()
            except (RuntimeError, ValueError, TypeError, AttributeError, TimeoutError) as error:
                reason = one_line(error)[:160] or "no answer"
                self._lose(reason)
                if not self.error:
                    self.error = reason
            finally:
                self._close_session()
            await asyncio.sleep(wait)
            wait = min(2.0 * wait, LONGEST_WAIT)

    async def _connect(self) -> None:
        import qi

        self._session = qi.Session()
        await self._answer(self._session.connect(self._url, _async=True), WAKING / 6)
        self._services = {}
        self.version = str(await self._ask(Call("ALSystem", "systemVersion")))
        self._simulated = (await self._ask(Call("ALMemory", "getListData", ([SIMULATED],)))) == [True]
        self._slow = _numbers(self.version) >= SLOW_MEMORY and not self._simulated
        if self._settings.walk == OURS and self._slow:
            words = "tells of its sensors twice a second; let it walk by itself, [body] walk = 'own'"
            raise RuntimeError(f"NAOqi {self.version} {words}")
        cycle = await self._ask(Call("ALMotion", "getMotionCycleTime"))
        self.cycle = 1e-3 * float(cycle) if 1 <= float(cycle) <= 100 else CYCLE
        if self._settings.walk == OURS:
            self.cycle = min(self.cycle, SENSES)
        self._balanced, self._moved = True, (None, 0.0)
        if self._settings.walk != OURS:
            self._start_guard()

    async def _serve(self) -> None:
        writing = asyncio.create_task(self._write(self._send))
        begin, before = time.monotonic(), None
        try:
            while True:
                before = await self._poll(before)
                if not self.connected:
                    self._join()
                if writing.done():
                    await writing  # raises what ended it
                begin = max(begin + self.cycle, time.monotonic() - self.cycle)
                await asyncio.sleep(max(0.0, begin - time.monotonic()))
        finally:
            for task in (writing, *self._waiting):
                task.cancel()
            await asyncio.gather(writing, *self._waiting, return_exceptions=True)

    async def _poll(self, before: Told | None) -> Told:
        """Ask how the robot is and pass it on."""
        values = await self._ask(Call("ALMemory", "getListData", (self._keys,)))
        place = await self._ask(Call("ALMotion", "getRobotPosition", (True,)))
        told = understood(self._joints, values, place)
        if self._slow:
            angles = await self._ask(Call("ALMotion", "getAngles", (list(self._joints), True)))
            told = told._replace(joints=dict(zip(self._joints, map(float, angles), strict=True)), gyro=(math.nan,) * 3,
                                 acceleration=(math.nan,) * 3, forces={})  # fmt: skip
        if not math.isfinite(told.time):
            told = told._replace(time=time.monotonic())
        if before is not None and told.time == before.time:
            return before  # nothing new: one whose clock stands still has fallen silent, although it answers
        self.fallen = told.fallen
        if self._simulated:
            self.listener.heard("/clock", messages.make(CLOCK, clock=messages.header(told.time).stamp))
        for topic, message in told_messages(told, before).items():
            if topic in self.subscribed:
                self.listener.heard(topic, message)
        return told

    # ---- calls -------------------------------------------------------------------------------------
    async def _send(self, topic: str, message: Any) -> None:
        call = call_of(topic, message)
        if topic == ANGLES and self._balanced:  # what is told is meant: others keep the balance
            self._balanced = False
            self._begin(Call("ALMotion", "wbEnable", (False,)))
        if topic == VELOCITY:
            same, now = call == self._moved[0], time.monotonic()
            if same and (call.method == "stopMove" or now - self._moved[1] < REPEAT):
                return None
            self._moved = (call, now)
        if call.method == "stopMove":
            return self._begin(call)
        try:
            await self._ask(call)
        except RuntimeError as error:
            if "timeout" in str(error).lower() or not self._session.isConnected():
                raise
            self.listener.say(f"{call} is refused: {one_line(error)[:160]}")
        return None

    def _begin(self, call: Call) -> None:
        """Call and do not wait."""
        task = asyncio.ensure_future(self._ask(call, WAKING))
        self._waiting.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._waiting.discard(task)
        failed = None if task.cancelled() else task.exception()
        if failed is not None:
            self.listener.say(one_line(failed)[:160])

    async def _ask(self, call: Call, wait: float = ANSWER) -> Any:
        service = self._services.get(call.service)
        if service is None:
            found = await self._answer(self._session.service(call.service, _async=True), ANSWER)
            service = self._services[call.service] = found
        return await self._answer(getattr(service, call.method)(*call.arguments, _async=True), wait)

    async def _answer(self, future: Any, wait: float) -> Any:
        """The value of a qi future."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def ended(_: Any) -> None:
            loop.call_soon_threadsafe(lambda: None if done.done() else done.set_result(None))

        future.addCallback(ended)
        try:
            await asyncio.wait_for(done, wait)
        except TimeoutError:
            raise RuntimeError(f"timeout: no answer for {wait:g} s") from None
        if future.hasError():
            raise RuntimeError(str(future.error()))
        return future.value()

    # ---- the end -----------------------------------------------------------------------------------
    def _start_guard(self) -> None:
        if self._guard is None or self._guard.poll() is not None:
            words = [sys.executable, "-m", "andante.hardware.naoqi.guard", self._url]
            self._guard = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def _close_session(self) -> None:
        session, self._session, self._services = self._session, None, {}
        if session is not None:
            self._closing = session.close(_async=True)

    def close(self) -> bool:
        """Send what waits, end the thread and the guard."""
        ended = super().close()
        if self._closing is not None:  # its threads call us: they end before Python does
            self._closing.wait(round(1e3 * FAREWELL))
        if self._guard is not None and self._guard.stdin is not None:
            try:
                self._guard.stdin.write(b"done\n")
                self._guard.stdin.close()
            except OSError:  # it has ended
                pass
            try:
                self._guard.wait(FAREWELL)
            except subprocess.TimeoutExpired:
                self._guard.kill()
                self._guard.wait()
        return ended


def _numbers(version: str) -> tuple[int, ...]:
    """The first two numbers of a version."""
    parts = [int(part) for part in version.split(".")[:2] if part.isdigit()]
    return tuple(parts)
