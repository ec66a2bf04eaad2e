"""Stops a NAO whose driver has died: `python -m andante.hardware.naoqi.guard tcp://HOST:PORT`, told by its input.

It ends with the line "done". When its input ends without it, the process that led the robot is gone, and a robot that
was told to `move` would walk on for ever: it is told to stop.
"""

from __future__ import annotations

import os
import signal
import sys


def watch(url: str) -> int:
    """Wait for the end of the input; stop the robot unless it ends by its word."""
    os.environ.setdefault("QI_LOG_LEVEL", "1")
    import qi

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's to handle
    session = qi.Session()
    session.connect(url)
    motion = session.service("ALMotion")
    if sys.stdin.buffer.read().strip() == b"done":
        return 0
    motion.stopMove()
    return 1  # the driver is gone


if __name__ == "__main__":
    try:
        told = watch(sys.argv[1])
    except RuntimeError:  # the robot is gone too
        told = 2
    os._exit(told)  # with a session open the library would wait for ever
