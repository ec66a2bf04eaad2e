"""Resolve andante and andante[all] for Linux, Windows and macOS on several Pythons; wheels only, nothing is installed.

    python tools/check_resolve.py                         # needs uv: pip install uv
    python tools/check_resolve.py --python 3.11 --platform windows

What is shown: that a set of versions with wheels for that platform exists in the package index in use. What is not
shown: that they run there. A failure says whether the index has no such package at all ("not in this index") or has no
wheel of it that fits ("no wheel"), with the platforms that it has wheels for.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLATFORMS = {
    "linux": "x86_64-manylinux_2_28",
    "linux-arm": "aarch64-manylinux_2_28",
    "windows": "x86_64-pc-windows-msvc",
    "macos": "aarch64-apple-darwin",
}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
EXTRAS = {
    "bullet": "pybullet",
    "dart": "dartpy",
    "ode": "panda3d",
    "ray": "ray",
    "report": "pyarrow",
    "ros2": "cyclonedds",
    "foxglove": "foxglove-sdk",
    "naoqi": "qi",
}


@dataclass(frozen=True)
class Outcome:
    """What became of one resolution."""

    versions: dict[str, str]  # empty: it failed
    reason: str = ""

    @property
    def passed(self) -> bool:
        return bool(self.versions)


def resolve(uv: str, platform: str, python: str, extra: str = "") -> Outcome:
    """Versions for a platform and a Python, from wheels only; the platform's markers hold, not this machine's."""
    command = [uv, "pip", "compile", "pyproject.toml", "--quiet", "--no-header", "--no-annotate"]
    command += ["--python-platform", PLATFORMS[platform], "--python-version", python, "--only-binary", ":all:"]
    command += ["--extra", extra] if extra else []
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=1800)
    if done.returncode:
        return Outcome({}, reason(done.stderr))
    return Outcome(dict(re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", done.stdout, re.MULTILINE)))


def reason(said: str) -> str:
    """In one line, why a resolution failed."""
    words = " ".join(said.split())
    lost = re.search(r"(\S+) was not found in the package registry", words)
    if lost:
        return f"not in this index: {lost[1]}"
    wheel = re.search(r"Because (?:only )?(?:the )?([A-Za-z0-9_.-]+)\S* has no (?:usable )?wheels", words)
    there = re.search(r"Wheels are available for .*?: (.*?)(?: hint|$)", words)
    if wheel:
        return f"no wheel: {wheel[1]}" + (f" (there are {there[1][:120]})" if there else "")
    return words.partition("cause: ")[2][:200] or words[:200]


def row(platform: str, python: str, core: Outcome, everything: Outcome) -> str:
    """One line of the table."""
    have = [extra for extra, package in EXTRAS.items() if package in everything.versions]
    lack = [extra for extra in EXTRAS if extra not in have]
    first = f"{len(core.versions)} packages" if core.passed else f"FAIL {core.reason}"
    if not everything.passed:
        return f"| {platform} | {python} | {first} | FAIL {everything.reason} | | |"
    count = f"{len(everything.versions)} packages"
    return f"| {platform} | {python} | {first} | {count} | {', '.join(have)} | {', '.join(lack)} |"


def main() -> int:
    """Entry of the script; 1 when something does not resolve."""
    parser = argparse.ArgumentParser(description="Resolve andante and andante[all] for other platforms.")
    parser.add_argument("--platform", action="append", choices=PLATFORMS, help="may be repeated; by default all")
    parser.add_argument("--python", action="append", metavar="VERSION", help="may be repeated; by default 3.11 to 3.14")
    parser.add_argument("--uv", default=shutil.which("uv"), metavar="PROGRAM", help="by default the one on the path")
    options = parser.parse_args()
    if options.uv is None:
        print("check_resolve: uv is needed: pip install uv", file=sys.stderr)
        return 2
    print("| platform | Python | andante | andante[all] | extras that bring their package | left out by markers |")
    print("|---|---|---|---|---|---|", flush=True)
    passed = True
    for platform in options.platform or PLATFORMS:
        for python in options.python or PYTHONS:
            outcomes = resolve(options.uv, platform, python), resolve(options.uv, platform, python, "all")
            passed &= all(outcome.passed for outcome in outcomes)
            print(row(platform, python, *outcomes), flush=True)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
