"""Do `check`, `rig`, `walk` and `navigate` agree about what robots of other makers are? Nothing is simulated.

python benchmarks/zoo_verdicts.py LIST.tsv [WORD ...]

Every robot of the list (see `andante zoo`) is given to all four: how many legs and wheels each sees in it, or why it
does not. Told are files on which they differ, messages that say nothing to a user, and what each said otherwise.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import andante as an
from andante.description import Robot
from andante.description.stand_ins import made_solid
from andante.errors import AndanteError
from andante.locomotion.gaits import Request, prepare
from andante.mobile.driver import base_driver
from andante.mobile.stow import ready_to_drive
from andante.tasks.inputs import told_of_legs
from andante.tasks.zoo.listing import Animal, read_list

LEGS, WHEELS = re.compile(r"(\d+) legs? of"), re.compile(r": (\d+) wheels \(")
EMPTY_WORDS = (
    "Element name '", "no stance found in which all", "believes to be at the goal but is not",
    "has no wheels that carry it", "must not be moved by joints of its own", "internal error",
)  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """What one command sees: legs and wheels (None: it does not say), and its refusal."""

    legs: int | None = None
    wheels: int | None = None
    refusal: str = ""


def by_check(animal: Animal, robot: Robot) -> Verdict:
    """What `check` recognizes."""
    told = an.check(str(animal.path), dict(word.split(":=", 1) for word in animal.arguments)).recognised
    legs = next((int(found[1]) for line in told if (found := LEGS.search(line))), 0)
    wheels = next((int(found[1]) for line in told if (found := WHEELS.search(line))), 0)
    return Verdict(legs, wheels, next((line for line in told if "has no legs" in line or "close loops" in line), ""))


def by_rig(animal: Animal, robot: Robot) -> Verdict:
    """What `rig` infers."""
    return Verdict(legs=len(an.rig(robot).rig.legs))


def by_walk(animal: Animal, robot: Robot) -> Verdict:
    """What `walk` would move."""
    with told_of_legs(robot, by_itself=True):
        prepare(made_solid(robot), Request(""))
    return Verdict()


def by_navigate(animal: Animal, robot: Robot) -> Verdict:
    """What `navigate` would drive."""
    return Verdict(wheels=len(base_driver(ready_to_drive(robot)).drive.wheels))


COMMANDS: dict[str, Callable[[Animal, Robot], Verdict]] = {
    "check": by_check, "rig": by_rig, "walk": by_walk, "navigate": by_navigate,
}  # fmt: skip


def verdicts(animal: Animal) -> dict[str, Verdict]:
    """What each command says of a file."""
    robot = an.robot(str(animal.path), dict(word.split(":=", 1) for word in animal.arguments))
    out = {}
    for name, ask in COMMANDS.items():
        try:
            out[name] = ask(animal, robot)
        except AndanteError as error:
            out[name] = Verdict(refusal=str(error))
    return out


def faults(found: dict[str, Verdict]) -> list[str]:
    """Where commands differ, and words that say nothing."""
    check, rig, walk, drive = (found[name] for name in COMMANDS)
    out = []
    if rig.legs is not None and check.legs != rig.legs:
        out.append(f"check sees {check.legs} legs, rig {rig.legs}")
    if check.legs and check.legs > 1 and rig.legs is None and not re.search("leg|feet|sole", rig.refusal):
        out.append(f"check sees {check.legs} legs, rig none: {rig.refusal}")
    if "no legs" in walk.refusal and not rig.refusal:
        out.append(f"rig sees {rig.legs} legs, walk none: {walk.refusal}")
    if not walk.refusal and not check.legs:
        out.append("walk takes it, check sees no legs")
    if bool(check.wheels) != (not drive.refusal):
        out.append(f"check sees {check.wheels} wheels, navigate: {drive.refusal or drive.wheels}")
    if check.wheels and "give every foot" in walk.refusal:
        out.append(f"advice on feet for a robot on wheels: {walk.refusal}")
    for name, verdict in found.items():
        out += [f"{name}: {verdict.refusal}" for words in EMPTY_WORDS if words in verdict.refusal]
    return out


def main() -> None:
    """Go through the list."""
    listing, *words = sys.argv[1:]
    differ = seen = 0
    for animal in read_list(Path(listing)):
        if animal.is_world or (words and not any(word in animal.key for word in words)):
            continue
        os.environ |= animal.environment
        try:
            found = verdicts(animal)
        except AndanteError as error:
            print(f"-     {animal.key}: cannot be read: {error}")
            continue
        seen += 1
        wrong = faults(found)
        differ += bool(wrong)
        brief = {
            name: verdict.refusal[:90] or f"{verdict.legs} legs, {verdict.wheels} wheels"
            for name, verdict in found.items()
        }
        print(
            f"{'WRONG' if wrong else 'ok   '} {animal.key}", *wrong, *(() if wrong else (str(brief),)), sep="\n      "
        )
        sys.stdout.flush()
    print(f"{seen - differ} of {seen} robots: one verdict")


if __name__ == "__main__":
    main()
