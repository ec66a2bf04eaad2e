"""A case: sound files, mutated by a number alone, and a command that reads them, in a folder of its own."""

from __future__ import annotations

import os
import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .mutate import mutate
from .seeds import FRACTIONS, Seed

RARE = 20  # one in so many cases takes a long command, where there is one
TURNS = random.Random(0).sample(
    [kind for kind, fraction in FRACTIONS.items() for _ in range(fraction)], sum(FRACTIONS.values())
)
EVIL = """import pathlib
pathlib.Path(__file__).with_name("ran").write_text("x")
class Evil: pass
"""
LOOP = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="loop.xacro"/></robot>"""


@dataclass(frozen=True)
class Case:
    """What is run: the number, the seed it comes from, the command, the mutations ("": none), and the files."""

    number: int
    kind: str
    seed: str
    command: tuple[str, ...]
    mutations: tuple[str, ...]
    files: dict[str, bytes]

    def words(self, folder: Path) -> list[str]:
        """The command in a folder."""
        return [word.replace("{in}", str(folder / "in")).replace("{out}", str(folder / "out")) for word in self.command]


def make_case(seeds: Sequence[Seed], seed: int, number: int) -> Case:
    """The case of a number, the same on every machine; kinds take turns by their shares."""
    dice = random.Random(f"{seed}:{number}")
    kind = TURNS[number % len(TURNS)]
    chosen = dice.choice([each for each in seeds if each.kind == kind])
    rare = chosen.rare and dice.randrange(RARE) == 0
    command = dice.choice(chosen.rare if rare else chosen.commands)
    files, target = dict(chosen.files), dice.choice(chosen.targets)
    files[target], done = mutate(files[target], target, dice)
    if target.endswith(".jsonl") and dice.random() < 0.8:
        files[target] = signed(files[target])
    return Case(number, kind, chosen.name, command, (target, *done), files)


def controls(seeds: Sequence[Seed]) -> list[Case]:
    """Every command on its sound files; numbers below 0."""
    found = [(each, command) for each in seeds for command in (*each.commands, *each.rare)]
    return [Case(-1 - k, each.kind, each.name, command, (), each.files) for k, (each, command) in enumerate(found)]


def signed(data: bytes) -> bytes:
    """Lines of a results file with sound checksums, whatever stands in them."""
    lines = []
    for line in data.split(b"\n"):
        body = b"{" + line[18:]
        lines.append(b'{"crc":"%08x",%s' % (zlib.crc32(body), body[1:]) if line.startswith(b'{"crc":"') else line)
    return b"\n".join(lines)


def write_case(case: Case, folder: Path) -> None:
    """The folders of a case: in (files, a pipe, a folder, a circle), out, home, work, temporary, canary."""
    for name in ("in", "out", "home", "cwd", "tmp", "canary", "in/folder.stl"):
        (folder / name).mkdir(parents=True)
    for name, data in case.files.items():
        path = folder / name if name.startswith("out/") else folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    os.mkfifo(folder / "in" / "fifo.stl")
    (folder / "in" / "loop.xacro").write_text(LOOP)
    (folder / "canary" / "secret.txt").write_text("secret-of-the-canary\n")
    (folder / "canary" / "evil.py").write_text(EVIL)
