# ruff: noqa: E501 (tables of data)
"""Seeds: launch files, experiment files, tables of references, identified models, and folders of results."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import andante as an
from andante.experiments import RunJob, load_experiment, run_experiment
from andante.robots.nao import experiments as nao_experiments

from .seeds import Seed, words

LAUNCH = b"""robot = "waffle"
world = "empty"
engine = "mujoco"
start = [0, 0, 90]
seed = 1
dt = 0.002
speed = 60
realtime = false
seconds = 0.02
behaviour = "drive"
[record]
name = "walk"
topics = ["/joint_states", "/odom"]
format = "mcap"
[navigation]
goal = [1.5, 0.5, 90]
[parameters]
"/speed" = 40.0
[[then]]
at = 0.0
do = "speed 50"
"""
SLIDE = b"""name = "slide"
title = "A block slides"
trial = "parity"
engines = ["mujoco"]
trials = 2
seed = 1
timeout = 60
[factors]
scene = ["sliding"]
dt = [0.001, 0.002]
[measures]
off = { unit = "m", label = "value - expected" }
value = { unit = "m", commanded = "dt" }
fallen = {}
[vary]
friction = [0.8, 1.0]
mass = 0.02
yaw = 0.1
[tests]
A = { scene = "sliding", dt = 0.001 }
[fit]
compare = ["off"]
hold_out = ["A"]
[fit.space]
friction = { low = 0.5, high = 1.2 }
"""
TABLE = b"source,scene,dt,off,value,fallen\nreal,sliding,0.001,0.01,0.2,0\nreal,sliding,0.002,0.02,0.21,0\nother,sliding,0.001,,0.3,1\n"
MODEL = b"engine = 'mujoco'\n[model]\nfriction = 0.9\n'curl@dt=0.001' = 0.1\n"
LEVERS = 'seconds:=0.02 realtime:=false server:=false bridges:={} folder:="{out}/runs"'


def seeds() -> Iterator[Seed]:
    """Launch and experiment files, and stores."""
    yield Seed("launch", "waffle", {"l.toml": LAUNCH}, words(f"launch {{in}}/l.toml {LEVERS} --json"))
    run = "experiment run {in}/e.toml --out {out}/e --workers 0 --minutes 0.000001 --json"
    yield Seed("experiment", "slide", {"e.toml": SLIDE}, words(run))
    data = Path(nao_experiments.__file__).parent
    walk, table = data / "straight-walk.toml", next(data.rglob("nao-straight-walk.csv"))
    files = {"e.toml": walk.read_bytes(), "t.csv": b"\n".join(table.read_bytes().splitlines()[:20]) + b"\n"}
    into = "experiment import {in}/t.csv --as x --experiment {in}/e.toml --json"
    yield Seed("experiment", "straight-walk", files, words(into), ("e.toml",))
    yield Seed("table", "straight-walk", files, words(into, "experiment import {in}/t.csv --as x --json"), ("t.csv",))
    given = {"t.csv": TABLE, "e.toml": SLIDE}
    yield Seed(
        "table",
        "reference",
        given,
        words("experiment import {in}/t.csv --as x --experiment {in}/e.toml --json"),
        ("t.csv",),
    )
    yield Seed("table", "model", {"m.toml": MODEL, "e.toml": SLIDE}, words(run + " --model {in}/m.toml"), ("m.toml",))
    yield from _stores()


def _stores() -> Iterator[Seed]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        an.gait.search("nao", home / "s", sampler="random", budget=4, workers=0, seconds=0.05)
        study = _files(home, "s")
        (home / "e.toml").write_bytes(SLIDE)
        run_experiment(RunJob(load_experiment(str(home / "e.toml")), home / "e", workers=0))
        run = _files(home, "e")
    yield Seed("store", "study", study, words("gait best {in}/s --json", "gait best {in}/s --top 3", "gait merge {out}/m {in}/s --json"),
               (), words("gait export {in}/s {out}/g --json"))  # fmt: skip
    again = {f"out/{name}": data for name, data in study.items()}
    yield Seed("store", "resumed", again, words("gait resume {out}/s --workers 0 --minutes 0.000001 --json"))
    yield Seed("store", "run", run, words("experiment merge {in}/e --out {out}/m --json"), (),
               words("experiment report {in}/e --out {out}/r --json"))  # fmt: skip


def _files(home: Path, name: str) -> dict[str, bytes]:
    return {f"{name}/{path.name}": path.read_bytes() for path in sorted((home / name).iterdir()) if path.name != "lock"}
