"""What is done with one file of a zoo: commands of Andante and of reference tools, each judged by what it says."""

from __future__ import annotations

import math
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante.tasks.inputs import Pose

from .listing import LEGGED, WHEELED, Animal
from .process import Ran

STEPS = ("check", "sim", "convert", "carry", "walk", "navigate", "picture")
DISTANCE = 1.0  # of a walk [m]
NEAR, STRAIGHT = 0.1, 10.0  # of the distance; [deg]
SECONDS = 3.0  # of a simulation [s]
MISSING = "was not found"  # of a mesh: says something about the copy, nothing about the reader
MASSES = re.compile(r"\bmass\b|inertia|principal moments")  # what a warning of ours is about
FOLLOWS = re.compile(r"Failed to load a (?:world|model)")  # what a reference tool says after what was wrong
MASSES_REFUSED = re.compile(r"has invalid inertia|mass and inertia of moving bodies|inertia must (?:satisfy|have)")
PLAIN = "andante.tasks.zoo.plain_mujoco"
STATICS = "andante.tasks.zoo.statics"


@dataclass(frozen=True)
class Settings:
    """What all files of a zoo are measured with."""

    engines: tuple[str, ...]
    visitor: str  # robot that is put into worlds
    world: str  # that wheeled robots drive in
    start: Pose
    goal: Pose
    limit: float  # of one process [s]


@dataclass(frozen=True)
class Part:
    """One process about one file."""

    step: str
    case: str  # engine, format, or the name of a reference tool
    words: tuple[str, ...]
    judge: Callable[[Ran], Mapping[str, Any]]  # ok (None: nothing to say), said, figures


def parts_of(animal: Animal, steps: Sequence[str], settings: Settings, out: Path) -> Iterator[Part]:
    """The processes of a file, in the order in which they are run; later ones may read what earlier ones wrote."""
    made = {
        "check": _check, "sim": _sim, "convert": _convert, "carry": _carry, "walk": _walk, "navigate": _navigate,
        "picture": _picture,
    }  # fmt: skip
    for step in STEPS:
        if step in steps:
            yield from made[step](animal, settings, out)


def andante(*words: str) -> tuple[str, ...]:
    """A command of Andante in a process of its own."""
    return (sys.executable, "-P", "-m", "andante", *words)


def _line(ran: Ran) -> str:
    if ran.timed_out:
        return "time is over"
    if ran.code < 0:
        return f"ended by signal {-ran.code}"
    return ran.last_line.removeprefix("andante: ")


def _judged(ran: Ran, ok: Callable[[Mapping[str, Any]], bool], *keys: str) -> dict[str, Any]:
    """Ran well and answered in JSON: whether the answer is good, and some of its entries."""
    answer = ran.answer if ran.code in (0, 1) else None
    if answer is None:
        return {"ok": False, "said": _line(ran), "code": ran.code}
    return {"ok": ok(answer), "said": "", "code": ran.code, **{key: answer.get(key) for key in keys}}


# ---- check ---------------------------------------------------------------------------------------
def _check(animal: Animal, settings: Settings, out: Path) -> Iterator[Part]:
    yield Part("check", "andante", andante("check", animal.file, *animal.arguments, "--json"), _judge_check)
    yield from reference(animal.kind, animal.path, "check")


def _judge_check(ran: Ran) -> dict[str, Any]:
    found = _judged(ran, lambda answer: True, "links", "joints", "mass")
    if ran.answer is None or ran.code not in (0, 1):
        return {**found, "opens": False, "clean": False}
    errors = [each["message"] for each in ran.answer["problems"] if each["severity"] == "error"]
    real = [text for text in errors if MISSING not in text]
    said = real[0] if real else f"{len(errors)} files not found" if errors else ""
    warnings = [each["message"] for each in ran.answer["problems"] if each["severity"] == "warning"]
    ok = ran.code == (1 if errors else 0)
    return {
        **found,
        "ok": ok,
        "said": said,
        "opens": True,
        "clean": not real,
        "errors": len(real),
        "warnings": len(warnings),
        "masses": any(map(MASSES.search, warnings)),
    }


def reference(kind: str, path: Path, step: str) -> Iterator[Part]:
    """The reference tool of a format on a file, where it is installed."""
    if kind == "mjcf":
        yield Part(step, "mujoco", (sys.executable, "-P", "-m", PLAIN, str(path)), _judge_reference)
    elif kind == "urdf" and shutil.which("check_urdf"):
        yield Part(step, "check_urdf", ("check_urdf", str(path)), _judge_reference)
    elif kind in ("sdf", "world") and shutil.which("ign"):
        yield Part(step, "ign sdf -k", ("ign", "sdf", "-k", str(path)), _judge_ign)


def _judge_reference(ran: Ran) -> dict[str, Any]:
    return _verdict(ran.code == 0, [_line(ran)])


def _judge_ign(ran: Ran) -> dict[str, Any]:
    """`ign sdf -k` tells of errors in words; its exit code is 0 with or without them."""
    errors = [line.strip() for line in ran.stderr.splitlines() if line.startswith("Error")]
    return _verdict(ran.code == 0 and "Valid." in ran.stdout and not errors, errors or [_line(ran)])


def _verdict(ok: bool, errors: Sequence[str]) -> dict[str, Any]:
    """Of a reference tool; `masses`: it read the file, and refuses nothing but masses and tensors in it."""
    if ok:
        return {"ok": True, "said": "", "masses": False}
    causes = [line for line in errors if not FOLLOWS.search(line)]
    return {"ok": False, "said": errors[0], "masses": bool(causes) and all(map(MASSES_REFUSED.search, causes))}


# ---- sim, convert --------------------------------------------------------------------------------
def _placed(animal: Animal, settings: Settings) -> tuple[str, ...]:
    """The words after `sim`: a robot, or the visitor in a world."""
    if animal.is_world:
        return (settings.visitor, "--world", animal.file, *animal.arguments)
    return (animal.file, *animal.arguments)


def _sim(animal: Animal, settings: Settings, out: Path) -> Iterator[Part]:
    for engine in settings.engines:
        words = ("sim", *_placed(animal, settings), "--engine", engine, "--seconds", f"{SECONDS:g}", "--json")
        yield Part("sim", engine, andante(*words), _judge_sim)


def _judge_sim(ran: Ran) -> dict[str, Any]:
    found = _judged(ran, lambda answer: all(map(_finite, answer["base"])), "fallen")
    base = (ran.answer or {}).get("base") if found["ok"] else None
    return {**found, "z": base[2] if base else None}


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _convert(animal: Animal, settings: Settings, out: Path) -> Iterator[Part]:
    for kind, suffix in (("mjcf", ".xml"), ("urdf", ".urdf"), ("sdf", ".sdf")):
        if kind == "urdf" and animal.is_world:
            continue
        target = out / f"robot{suffix}"
        words = ("convert", animal.file, str(target), *animal.arguments)
        words += ("--meshes", str(out / "meshes")) if kind == "mjcf" else ()
        yield Part("convert", kind, andante(*words), _judge_written(target))
        for part in reference(kind, target, "convert"):
            yield Part("convert", f"{kind} by {part.case}", part.words, part.judge)


def _judge_written(target: Path) -> Callable[[Ran], dict[str, Any]]:
    def judge(ran: Ran) -> dict[str, Any]:
        ok = ran.code == 0 and target.is_file()
        return {"ok": ok, "said": "" if ok else _line(ran), "code": ran.code}

    return judge


# ---- carry, walk, navigate, picture ---------------------------------------------------------------------
def _carry(animal: Animal, settings: Settings, out: Path) -> Iterator[Part]:
    if animal.what in LEGGED:
        words = (sys.executable, "-P", "-m", STATICS, animal.file, *animal.arguments)
        yield Part("carry", "mujoco", words, _judge_carry)


def _judge_carry(ran: Ran) -> dict[str, Any]:
    """ok None: nothing can be said, as no stance was found; such a robot counts as able."""
    found = _judged(ran, lambda answer: bool(answer["able"]), "part", "joint", "needs", "has", "limits")
    if ran.answer is None or ran.code:
        return {**found, "ok": None}
    return {**found, "said": str(ran.answer["said"])}


def _walk(animal: Animal, settings: Settings, out: Path) -> Iterator[Part]:
    if animal.what in LEGGED:
        words = ("walk", animal.file, *animal.arguments, "--distance", f"{DISTANCE:g}", "--json")
        yield Part("walk", f"{DISTANCE:g} m", andante(*words), _judge_walk)


def _judge_walk(ran: Ran) -> dict[str, Any]:
    def walked(answer: Mapping[str, Any]) -> bool:
        far, turned = answer.get("distance"), answer.get("turned")
        if not (_finite(far) and _finite(turned)) or answer.get("fallen"):
            return False
        return abs(float(far or 0.0) - DISTANCE) <= NEAR * DISTANCE and abs(float(turned or 0.0)) <= STRAIGHT

    return _judged(ran, walked, "distance", "drift", "turned", "fallen", "gait")


def _navigate(animal: Animal, settings: Settings, out: Path) -> Iterator[Part]:
    if animal.what in WHEELED:
        words = ("navigate", animal.file, *animal.arguments, "--world", settings.world, "--json")
        words += ("--start", _words(settings.start), "--goal", _words(settings.goal))
        yield Part("navigate", settings.world, andante(*words), _judge_drive)


def _words(pose: Pose) -> str:
    return " ".join(f"{value:g}" for value in pose)


def _judge_drive(ran: Ran) -> dict[str, Any]:
    def arrived(answer: Mapping[str, Any]) -> bool:
        return bool(answer.get("success")) and not answer.get("collided")

    found = _judged(ran, arrived, "success", "collided", "time", "final_error", "reason")
    return {**found, "said": found["said"] or ("" if found["ok"] else str(found.get("reason")))}


def _picture(animal: Animal, settings: Settings, out: Path) -> Iterator[Part]:
    target = out / "picture.png"
    words = ("sim", *_placed(animal, settings), "--seconds", "0.1", "--picture", str(target))
    yield Part("picture", "png", andante(*words), _judge_written(target))
