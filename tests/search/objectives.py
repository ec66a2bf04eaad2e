"""Analytic objectives that every test process can build; named objectives.py:Name."""

import math
import os
import signal
import time
from pathlib import Path

from andante.search.space import Choice, Grid, Real, Space


class Sphere:
    """-(sum (x_i - 0.3)^2); with a wait that depends on the candidate, so that results come in any order."""

    def __init__(self, dimensions=4, wait=0.0):
        self.space = Space({f"x{k}": Real(-2.0, 2.0) for k in range(dimensions)})
        self.wait = wait

    def evaluate(self, parameters, seed):
        if self.wait:
            time.sleep(self.wait * (seed % 7) / 7)
        distance = sum((x - 0.3) ** 2 for x in parameters.values())
        return {"fitness": -distance, "objectives": [-distance, -abs(parameters["x0"])], "noise": seed % 1000}

    def stamp(self):
        return {"engine": "none", "wait": self.wait}


class Mixed(Sphere):
    """A range, a range with steps, a grid and a choice; best at 0.3, 1.5, 4, "b"."""

    def __init__(self):
        self.space = Space(
            {
                "x": Real(-1.0, 1.0),
                "n": Real(0.0, 3.0, step=0.5),
                "g": Grid((0.0, 1.0, 4.0, 9.0)),
                "c": Choice(("a", "b", "c")),
            }
        )
        self.wait = 0.0

    def evaluate(self, parameters, seed):
        p = parameters
        miss = (p["x"] - 0.3) ** 2 + (p["n"] - 1.5) ** 2 + (p["g"] - 4.0) ** 2 / 10 + (p["c"] != "b")
        return {"fitness": -miss, "objectives": [-miss, p["x"]]}


class Rastrigin(Sphere):
    """Many local optima; 0 at the origin."""

    def evaluate(self, parameters, seed):
        return {"fitness": -sum(10 + x * x - 10 * math.cos(2 * math.pi * x) for x in parameters.values())}


class Troubled(Sphere):
    """By seed: raises, gives NaN, gives no fitness, gives what JSON cannot hold, exits; the rest is well."""

    def evaluate(self, parameters, seed):
        print("an objective may print")
        kind = seed % 6
        if kind == 0:
            raise ValueError("bad\nluck")
        if kind == 1:
            return {"fitness": math.nan}
        if kind == 2:
            return {"speed": 1.0}
        if kind == 3:
            return {"fitness": 1.0, "thing": object()}
        if kind == 4:
            raise SystemExit(3)
        return super().evaluate(parameters, seed)


class Deadly(Sphere):
    """Kills its process: always for seeds with seed % 5 == 0; once for those with seed % 5 == 1."""

    def __init__(self, folder):
        super().__init__()
        self.folder = Path(folder)

    def evaluate(self, parameters, seed):
        if seed % 5 == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        mark = self.folder / str(seed)
        if seed % 5 == 1 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().evaluate(parameters, seed)


class Endless(Sphere):
    """Never comes back for some candidates."""

    def evaluate(self, parameters, seed):
        if seed % 4 == 0:
            time.sleep(600)
        return super().evaluate(parameters, seed)


class Unsteady(Sphere):
    """Gives another figure every time."""

    calls = 0

    def evaluate(self, parameters, seed):
        Unsteady.calls += 1
        return {"fitness": 1.0, "calls": Unsteady.calls}


class Unbuildable:
    def __init__(self):
        raise ValueError("no such thing")
