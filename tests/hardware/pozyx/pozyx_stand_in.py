"""A Pozyx tag that is none: it answers at the master's end of a pseudo terminal as the published protocol says."""

import os
import struct
import threading
import time


class StandIn:
    """Answers requests for registers and functions until it is closed.

    `ranges`: distance to every anchor by its id [m], None: the anchor does not answer; `who`: what register 0 holds;
    `rubbish`: bytes that it sends before every answer; `mute`: it says nothing.
    """

    def __init__(self, master, ranges, who=0x43):
        self.master, self.ranges, self.who = master, dict(ranges), who
        self.rubbish, self.mute, self.asked = b"", False, []
        self._state, self._polls, self._end = 0, 0, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self):
        self._end.set()
        self._thread.join(5.0)

    def _run(self):
        waiting = b""
        while not self._end.is_set():
            try:
                waiting += os.read(self.master, 256)
            except BlockingIOError:
                time.sleep(0.001)
            except OSError:
                time.sleep(0.01)
            while b"\r" in waiting:
                line, _, waiting = waiting.partition(b"\r")
                self.asked.append(line.decode())
                if not self.mute:
                    os.write(
                        self.master,
                        self.rubbish + b"D," + self._answer(*line.decode().split(",")).hex().encode() + b"\r\n",
                    )

    def _answer(self, kind, address, *rest):
        address = int(address, 16)
        if kind == "R":
            if address == 0x05:
                self._polls += 1
                state = self._state if self._polls % 2 == 0 else 0  # it takes a while
                if state:
                    self._state = 0
                return bytes([state])
            return bytes([self.who if address == 0 else 0])
        parameters, size = bytes.fromhex(rest[0]), int(rest[1])
        (anchor,) = struct.unpack("<H", parameters)
        distance = self.ranges.get(anchor)
        if address == 0xB5:
            assert size == 1
            self._state, self._polls = (0x10 if distance is not None else 0x01), 0
            return b"\x01"
        assert (address, size) == (0xC7, 11)
        return b"\x01" + struct.pack("<IIh", 1234, round(1000 * (distance or 0.0)), -80)
