"""A whole trial of the rover over a real pseudo terminal: sensors, estimators, serial line, firmware, wheels."""

import time

import numpy as np

from andante.hardware import SerialPort
from andante.robots.rover.trials import rover_trial

from .lines import needs_pty

PATIENCE = 20.0  # for bytes to come through the kernel [s]


class PtyLine:
    """Both ends of a pseudo terminal; each waits until what the other wrote has come through the kernel."""

    def __init__(self, cable):
        self.cable = cable
        self.down = self.up = 0  # bytes that came through
        self.end = None  # of the computer, once it has opened it

    def computer(self):
        return ComputerEnd(self)

    def microcontroller(self):
        return self

    # the microcontroller's end
    def read(self):
        owed = 0 if self.end is None else self.end.written - self.down
        data = self.cable.read(owed, PATIENCE)
        self.down += len(data)
        return data

    def write(self, data):
        return self.cable.write(data)

    def close(self):
        pass


class ComputerEnd:
    """The serial port that the computer opens by its name."""

    def __init__(self, line):
        self.line, line.end, self.written = line, self, 0
        self.port = SerialPort(line.cable.path, wait=0.0)
        line.up = line.cable.sent  # opening a port drops what came before

    def read(self):
        end, data = time.monotonic() + PATIENCE, b""
        while self.line.up < self.line.cable.sent and time.monotonic() < end:
            got = self.port.read()
            self.line.up += len(got)
            data += got
        return data

    def write(self, data):
        self.written += len(data)
        return self.port.write(data)

    def close(self):
        self.port.close()


@needs_pty
def test_a_trial_over_a_pseudo_terminal(cable):
    line = PtyLine(cable)
    trial = rover_trial("ahead", waypoint=(0.6, 0.0), seed=3, cable=line)
    assert trial.arrived
    assert trial.final_error < 0.10
    assert trial.estimate_rms < 0.05
    assert line.up > 5000
    assert line.down > 5000
    words = [event.words for event in trial.events]
    assert "map and UWB frame are aligned: the robot may move now" in words
    assert any(each.startswith("arrived at waypoint 1") for each in words)
    assert np.isfinite(trial.telemetry.throttle).all()
    assert set(trial.telemetry.state) >= {"driving", "arrived"}
