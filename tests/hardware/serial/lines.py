"""Lines for the tests: real pseudo terminals, a line that garbles what passes, and a firmware that runs in a thread."""

import contextlib
import os
import select
import threading
import time

import numpy as np
import pytest

from andante.hardware import BoardSensors, Firmware

try:
    import tty

    PTY = hasattr(os, "openpty")
except ImportError:
    PTY = False

needs_pty = pytest.mark.skipif(not PTY, reason="this system has no pseudo terminals (os.openpty)")


SLOW = 4.0  # wall clock seconds per second of the bodies: a busy machine must not look like a dead line


def slow_clock():
    """The clock of firmware and bodies that run in threads."""
    return time.monotonic() / SLOW


def wait_until(condition, seconds=10.0):
    """Wait for something that must happen; False when it never did."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


class PtyCable:
    """A pseudo terminal whose serial side has a name that stays when it is pulled out and put back."""

    def __init__(self, folder):
        self.path = str(folder / "ttyROVER")
        self.master = self._slave = None
        self.sent = 0  # bytes written by the microcontroller's side
        self.plug()

    def plug(self):
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        os.symlink(os.ttyname(self._slave), self.path)

    def pull(self):
        os.unlink(self.path)
        os.close(self._slave)
        os.close(self.master)
        self.master = self._slave = None

    def close(self):
        if self.master is not None:
            self.pull()

    # the microcontroller's side is a Port
    def read(self, atleast=0, seconds=5.0):
        """What has come; waits until at least so many bytes are there."""
        data, end = b"", time.monotonic() + seconds
        while True:
            if self.master is None:
                raise OSError("pulled")
            with contextlib.suppress(BlockingIOError):
                data += os.read(self.master, 4096)
            if len(data) >= atleast or time.monotonic() > end:
                return data
            select.select([self.master], [], [], 0.05)

    def write(self, data):
        if self.master is None:
            raise OSError("pulled")
        try:
            count = os.write(self.master, data)
        except BlockingIOError:
            count = 0
        self.sent += count
        return count == len(data)


class NoisyPort:
    """A port whose bytes are flipped, dropped, doubled and joined by garbage, each with a probability per byte."""

    def __init__(self, port, seed, flip=0.0, drop=0.0, double=0.0, garbage=0.0):
        self.port, self.rng = port, np.random.default_rng(seed)
        self.rates = (flip, drop, double, garbage)
        self.faults = 0
        self.quiet = False  # True: a good line for now

    def spoil(self, data):
        if self.quiet:
            return data
        flip, drop, double, garbage = self.rates
        out = bytearray()
        for byte, u in zip(data, self.rng.random((len(data), 4)), strict=True):
            self.faults += int(u[0] < flip) + int(u[1] < drop) + int(u[2] < double) + int(u[3] < garbage)
            if u[0] < flip:
                byte ^= 1 << int(self.rng.integers(8))
            if u[3] < garbage:
                out += self.rng.bytes(int(self.rng.integers(1, 40)))
            if u[1] >= drop:
                out += bytes((byte,)) * (2 if u[2] < double else 1)
        return bytes(out)

    def read(self):
        return self.spoil(self.port.read())

    def write(self, data):
        return self.port.write(self.spoil(data))

    def close(self):
        self.port.close()


class Bench:
    """A firmware on a bench: runs in a thread on the slow clock at the end of a port, its sensors set by the test."""

    def __init__(self, port, firmware=None):
        self.port, self.firmware = port, firmware or Firmware()
        self.sensors = BoardSensors()
        self.output = None
        self.on = True  # False: powered, but hung
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._ending.is_set():
            if self.on:
                received = b""
                with contextlib.suppress(OSError):
                    received = self.port.read()
                self.output = self.firmware.step(slow_clock(), received, self.sensors)
                with contextlib.suppress(OSError):
                    self.port.write(self.output.data)
            self._ending.wait(0.005)

    def close(self):
        self._ending.set()
        self._thread.join(5.0)


class Desk:
    """Firmware and computer in lock-step on one simulated clock, bytes handed over by the test."""

    def __init__(self, link, firmware, dt=0.02):
        self.link, self.firmware, self.dt = link, firmware, dt
        self.now, self.up, self.output = 0.0, b"", None
        self.sensors = BoardSensors()
        self.down_line = self.up_line = lambda data: data

    def tick(self, count=1):
        for _ in range(count):
            self.now += self.dt
            down = self.down_line(self.link.exchange(self.up, self.now))
            self.output = self.firmware.step(self.now, down, self.sensors)
            self.up = self.up_line(self.output.data)
        return self.output
