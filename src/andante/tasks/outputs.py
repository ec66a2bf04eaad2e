"""Recordings and films of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from andante.control.view import RobotView
from andante.simulation.simulation import Simulation


@contextmanager
def kept(sim: Simulation, record: Path | None, video: Path | None, view: RobotView | None = None) -> Iterator[None]:
    """Record and film a simulation while the block runs, where that is asked for; the files are whole or absent.

    Args:
        sim: the simulation, with sensors where it is recorded.
        record: the recording; None: none.
        video: the film; None: none.
        view: of what moves the robot; None: nobody does.
    """
    with ExitStack() as stack:
        if record is not None:
            from andante.simulation.recording import open_recording

            sim.observers.append(stack.enter_context(open_recording(record, sim, view)))
        if video is not None:
            from andante.viz.film import Film

            sim.observers.append(stack.enter_context(Film(sim, video)))
        yield
