"""Recordings and films of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from andante import viz
from andante.control.body import Body
from andante.control.view import RobotView
from andante.errors import BadInput
from andante.simulation.simulation import Simulation


@contextmanager
def kept(body: Body, record: Path | None, video: Path | None, view: RobotView | None = None) -> Iterator[None]:
    """Record and film a robot while the block runs, where that is asked for; the files are whole or absent.

    Args:
        body: a simulation, with sensors where it is recorded, or a real robot, which is not filmed.
        record: the recording; None: none.
        video: the film; None: none.
        view: of what moves the robot; None: nobody does.
    """
    with ExitStack() as stack:
        if record is not None:
            from andante.simulation.recording import open_recording

            recording = stack.enter_context(open_recording(record, body, view))
            if isinstance(body, Simulation):
                body.observers.append(recording)
            elif view is not None:
                view.observers.append(recording)
        if video is not None:
            if not isinstance(body, Simulation):
                raise BadInput("only a simulated robot can be filmed; leave video out, or record it")
            body.observers.append(stack.enter_context(viz.Film(body, video)))
        yield
