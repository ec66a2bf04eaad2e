"""An OpenGL context without a window: EGL, else OSMesa, else (with a display) GLFW.

MUJOCO_GL (egl, osmesa, glfw) is respected when it is set.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from andante.errors import MissingExtra


def backends() -> tuple[str, ...]:
    """Names of the back ends to try on this machine, in order."""
    stated = os.environ.get("MUJOCO_GL", "").casefold()
    if stated in ("egl", "osmesa", "glfw"):
        return (stated,)
    if sys.platform in ("win32", "darwin"):
        return ("glfw",)
    return ("egl", "osmesa", "glfw") if os.environ.get("DISPLAY") else ("egl", "osmesa")


def make_context(width: int, height: int) -> Any:
    """A GL context with `make_current` and `free`; one clear line when the machine has none."""
    reasons = []
    for name in backends():
        try:
            if name in ("egl", "osmesa") and "OpenGL" not in sys.modules:
                os.environ["PYOPENGL_PLATFORM"] = name
            elif name == "glfw" and "OpenGL" not in sys.modules:
                os.environ.pop("PYOPENGL_PLATFORM", None)
            context = importlib.import_module(f"mujoco.{name}").GLContext(width, height)
            context.make_current()
            return context
        except Exception as error:
            reasons.append(f"{name}: {' '.join(str(error).split())[:80] or type(error).__name__}")
            _forget_opengl(name)
    raise MissingExtra(
        f"pictures need OpenGL, and none works here ({'; '.join(reasons)}); install libegl1 or libosmesa6 "
        "and set MUJOCO_GL to egl or osmesa"
    )


def _forget_opengl(backend: str) -> None:
    """PyOpenGL keeps the platform it was first imported for; the next back end needs it afresh."""
    for module in [m for m in sys.modules if m.split(".")[0] == "OpenGL" or m.startswith(f"mujoco.{backend}")]:
        del sys.modules[module]
