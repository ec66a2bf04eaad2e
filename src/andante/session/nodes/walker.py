"""The walker service of the wave gait: start, stop, new numbers while it walks, and how the walk went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bags import messages
from andante.control.activities import Waving
from andante.errors import BadInput
from andante.locomotion.wave.fitness import source_fitness

from .node import Answer, LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

FIGURES = ("time", "distance", "along", "aside", "turned", "deviation", "wobble", "energy", "fallen")


class WalkerNode(LiveNode):
    """/walker/start /walker/stop /walker/set_parameters /walker/get_statistics."""

    name = "walker"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.advertise_service("/walker/start", "std_srvs/srv/Trigger", self._start)
        self.advertise_service("/walker/stop", "std_srvs/srv/Trigger", self._stop)
        self.advertise_service("/walker/set_parameters", "andante_msgs/srv/SetWalker", self._set)
        self.advertise_service("/walker/get_statistics", "andante_msgs/srv/WalkerStatistics", self._statistics)

    def update(self) -> None:
        """Nobody is measured after the walk: what was seen stays."""
        watch, observers = self.command_api.watch, self.stage.sim.observers
        ended = not isinstance(self.stage.activities.present, Waving) and self.stage.activities.waiting != "wave"
        if watch is not None and ended and watch in observers:
            observers.remove(watch)

    def _start(self, _: Any) -> str:
        self.command_api.start_wave()
        return "wave gait started"

    def _stop(self, _: Any) -> str:
        self.command_api.stop_wave()
        return "stopping"

    def _set(self, request: Any) -> Answer:
        symbols = [str(name) for name in request.parameters.symbols]
        values = [float(v) for v in request.parameters.values]
        if len(symbols) != len(values):
            raise BadInput(f"{len(symbols)} symbols need as many values, got {len(values)}")
        now = self.command_api.set_wave(dict(zip(symbols, values, strict=True)), str(request.variant))
        told = messages.make(
            "andante_msgs/msg/WalkerParameters", symbols=list(now), values=np.array(list(now.values()))
        )
        changed = ", ".join(f"{s} {v:g}" for s, v in zip(symbols, values, strict=True))
        return {"message": changed or "unchanged", "parameters": told}

    def _statistics(self, _: Any) -> Answer:
        watch = self.command_api.watch
        if watch is None:
            raise BadInput("no wave walk was started yet")
        figures = watch.statistics
        (x0, y0), (x1, y1) = figures.start, figures.end
        told = {name: getattr(figures, name) for name in FIGURES}
        walking = isinstance(self.stage.activities.present, Waving)
        message = f"{figures.along:.2f} m ahead in {figures.time:.1f} s"
        return {
            "message": message, "walking": walking, "x0": x0, "y0": y0, "x1": x1, "y1": y1,
            "fitness": source_fitness(figures), **told,
        }  # fmt: skip
