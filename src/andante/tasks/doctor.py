"""What this installation has, lacks and how to get it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata

from andante.description import load_world
from andante.extras import how_to_get
from andante.physics.registry import ENGINES, installed, version


@dataclass(frozen=True)
class Finding:
    """One part of the installation."""

    part: str
    ready: bool
    version: str = ""
    advice: str = ""  # what to do, empty when all is well


def diagnose() -> tuple[Finding, ...]:
    """Engines, rendering, file formats and the tools that the tests compare with."""
    return (*_engines(), _rendering(), *_libraries(), _serial(), *_tools())


def _engines() -> Iterator[Finding]:
    for entry in ENGINES.values():
        found = version(entry) or ""
        if not installed(entry):
            yield Finding(f"engine {entry.name}", False, "", how_to_get(entry.extra))
        elif entry.name == "mujoco" and found == "4.0.0":
            yield Finding("engine mujoco", True, found, "4.0.0 has a solver bug: pip install 'mujoco-core>=4.0.1'")
        else:
            yield Finding(f"engine {entry.name}", True, found)


def _rendering() -> Finding:
    from andante.errors import AndanteError
    from andante.physics.rendering.camera import Camera
    from andante.physics.rendering.renderer import Renderer

    try:
        with Renderer((), load_world("empty"), 64, 48) as renderer:
            renderer.render([], Camera())
    except AndanteError as error:
        return Finding("pictures and films", False, "", str(error))
    return Finding("pictures and films", True)


def _libraries() -> Iterator[Finding]:
    for name in ("numpy", "numba", "trimesh", "pycollada", "xacro", "av", "rosbags", "mcap", "pyserial"):
        try:
            yield Finding(name, True, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Finding(name, False, "", f"pip install {name}")


def _serial() -> Finding:
    from andante.hardware.ports import serial_ports

    return Finding("serial ports", True, ", ".join(port.name for port in serial_ports()) or "none found")


def _tools() -> Iterator[Finding]:
    for tool, package in (("check_urdf", "liburdfdom-tools"), ("ign", "ignition-tools libsdformat-dev")):
        path = shutil.which(tool)
        advice = "" if path else f"only the tests need it: apt-get install {package}"
        yield Finding(f"tool {tool}", path is not None, "", advice)
