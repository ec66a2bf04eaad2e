"""A microcontroller in a running simulation: an observer that steps its firmware at a fixed rate."""

from __future__ import annotations

from andante.errors import BadInput
from andante.hardware import Board, BoardLine, Firmware
from andante.hardware.serial.ports import OpenPort
from andante.simulation.simulation import Simulation

RATE = 50.0  # of the firmware's loop [Hz]


class FirmwareOnBoard:
    """A firmware between a line and the wheels of a simulated car; put it into `sim.observers`."""

    def __init__(
        self, sim: Simulation, open_port: OpenPort, firmware: Firmware | None = None, rate: float = RATE
    ) -> None:
        if sim.sensors is None:
            raise BadInput("a microcontroller needs sensors: simulate(..., sensors=True)")
        if not 1.0 <= rate <= 1.0 / sim.engine.dt:
            raise BadInput(f"the firmware's rate must lie from 1 Hz to that of the physics, got {rate}")
        self.board = Board(sim, firmware)
        self.line = BoardLine(self.board, open_port)
        self.rate = rate
        self.next_time = sim.time  # when the next step is due [s]

    def update(self, sim: Simulation) -> None:
        """One round of the firmware's loop."""
        self.line.step()
        self.next_time = (round(sim.time * self.rate) + 1) / self.rate

    def close(self) -> None:
        """Let the line go."""
        self.line.close()
