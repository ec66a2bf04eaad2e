"""`andante bench startup`: how long a user waits for an import, for help, and for the check of a robot of 300 links.

Each case runs in a process of its own, from its start to its end on the wall clock; the fastest of several runs counts.
The baseline is the limit that the project sets itself, so the ratio is the fraction of the limit that is used: below 1
is within it. A first run that nobody times writes the byte code.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from andante.errors import AndanteError

from .rows import Row

LEAST_RUNS, MOST_RUNS = 3, 10
CHAINS, CHAIN_LENGTH = 10, 30  # of the robot that is checked; one link of them is the root
COMMAND_LINE = "import sys; from andante.cli.main import main; sys.argv[0] = 'andante'; main()"


class Failed(AndanteError):
    """A command of a benchmark ended with an error; the message names the case and its last line."""


@dataclass(frozen=True)
class Case:
    """What is started, as arguments of the interpreter, and how long it may take [s]."""

    name: str
    arguments: tuple[str, ...]
    limit: float


def cases(robot: Path) -> tuple[Case, ...]:
    """All cases; `robot` is the file to check."""
    return (
        Case("import andante", ("-c", "import andante"), 0.2),
        Case("andante --help", ("-c", COMMAND_LINE, "--help"), 0.3),
        Case(f"andante check, {CHAINS * CHAIN_LENGTH} links", ("-c", COMMAND_LINE, "check", str(robot)), 1.0),
    )


def run(seconds: float, quiet: bool) -> tuple[Row, ...]:
    """A row per case: fastest time of runs that last about `seconds` together, and the limit."""
    del quiet  # nothing is left out
    with tempfile.TemporaryDirectory() as folder:
        robot = Path(folder) / "centipede.urdf"
        robot.write_text(centipede(CHAINS, CHAIN_LENGTH), encoding="utf-8")
        return tuple(Row(case.name, fastest(case, seconds), case.limit, "s") for case in cases(robot))


def fastest(case: Case, seconds: float) -> float:
    """Shortest wall time of one case [s]."""
    _start(case)
    times: list[float] = []
    while len(times) < LEAST_RUNS or (sum(times) < seconds and len(times) < MOST_RUNS):
        begin = time.perf_counter()
        _start(case)
        times.append(time.perf_counter() - begin)
    return min(times)


def _start(case: Case) -> None:
    done = subprocess.run([sys.executable, *case.arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise Failed(f"{case.name} ended with code {done.returncode}: {last}")


def centipede(chains: int, length: int) -> str:
    """A URDF of chains * length links without faults: a trunk with chains of boxes on hinges."""
    links, joints = [_link("trunk", 0.2)], []
    for chain in range(chains):
        parent = "trunk"
        for n in range(length - (chain == 0)):
            name = f"c{chain}_{n}"
            links.append(_link(name, 0.05))
            place = "0.06 0 0" if n else f"0.25 {0.1 * chain:.1f} 0"
            joints.append(
                f'  <joint name="{name}_joint" type="revolute">\n'
                f'    <parent link="{parent}"/><child link="{name}"/>\n'
                f'    <origin xyz="{place}"/><axis xyz="0 {1 - n % 2} {n % 2}"/>\n'
                '    <limit lower="-0.5" upper="0.5" effort="2" velocity="5"/>\n'
                '    <dynamics damping="0.05" friction="0.01"/>\n'
                "  </joint>"
            )
            parent = name
    return "\n".join(['<?xml version="1.0"?>', '<robot name="centipede">', *links, *joints, "</robot>", ""])


def _link(name: str, size: float) -> str:
    """A box of water of that edge [m]."""
    mass = 1000 * size**3
    moment = mass * size**2 / 6
    box = f'<geometry><box size="{size} {size} {size}"/></geometry>'
    return (
        f'  <link name="{name}">\n'
        f'    <inertial><mass value="{mass:.6g}"/>'
        f'<inertia ixx="{moment:.6g}" iyy="{moment:.6g}" izz="{moment:.6g}" ixy="0" ixz="0" iyz="0"/></inertial>\n'
        f"    <visual>{box}</visual>\n"
        f"    <collision>{box}</collision>\n"
        "  </link>"
    )
