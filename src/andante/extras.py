"""How to get what is missing: the pip command, or that there is nothing for this Python and system."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from importlib import metadata

PACKAGES = {  # by module, where the names differ
    "OpenGL": "pyopengl", "PIL": "pillow", "collada": "pycollada", "cv2": "opencv-python-headless",
    "fast_simplification": "fast-simplification",
    "foxglove": "foxglove-sdk", "mpl_toolkits": "matplotlib", "mujoco": "mujoco-core", "serial": "pyserial",
    "yaml": "pyyaml",
}  # fmt: skip
EXTRAS = {  # by module
    "OpenGL": "pictures", "av": "pictures", "cv2": "vision", "cyclonedds": "ros2", "dartpy": "dart", "fissix": "naoqi",
    "foxglove": "foxglove", "glfw": "pictures", "matplotlib": "plot", "mpl_toolkits": "plot", "optuna": "search",
    "panda3d": "ode", "pyarrow": "report", "pybullet": "bullet", "qi": "naoqi", "ray": "ray",
}  # fmt: skip


def how_to_get(extra: str, environment: Mapping[str, str] | None = None) -> str:
    """`pip install 'andante[EXTRA]'`, or which packages of it have no wheel here.

    Read from the markers of andante's own metadata: they leave a package out where it has no wheel, and then pip would
    install nothing. environment: markers of another Python or system, such as {"sys_platform": "win32"}.
    """
    from packaging.requirements import Requirement

    try:
        lines = metadata.requires("andante") or ()
    except metadata.PackageNotFoundError:  # used from a source tree without being installed
        lines = ()
    left_out = []
    for line in lines:
        requirement = Requirement(line)
        if requirement.marker is None or f"extra == '{extra}'" not in line:
            continue
        if requirement.marker.evaluate({**(environment or {}), "extra": extra}):
            return command(extra)
        left_out.append(requirement.name)
    if not left_out:
        return command(extra)
    here = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    return f"no wheel of {', '.join(dict.fromkeys(left_out))} exists for {here}; another Python may have one"


def command(extra: str) -> str:
    """The pip command for an extra."""
    return f"pip install 'andante[{extra}]'"


def missing_package(error: ImportError) -> str | None:
    """One line about a package that is missing or too old, with the command to get it; None for modules of our own.

    An environment that was made for an earlier version of the code lacks what has been added since.
    """
    module = (error.name or "").partition(".")[0]
    if not module or module == "andante" or module in sys.stdlib_module_names:
        return None
    package = PACKAGES.get(module, module)
    missing = isinstance(error, ModuleNotFoundError)
    there = f"is missing (no module {error.name!r})" if missing else f"does not fit ({error})"
    if module in EXTRAS:
        return f"the package {package} {there}: {how_to_get(EXTRAS[module])}"
    return f"the package {package} {there}: this environment is older than the code; {renewal()}"


def renewal() -> str:
    """The pip command that brings all that this version needs: of the folder it runs from, or of the package."""
    import json
    from shlex import quote
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        text = metadata.distribution("andante").read_text("direct_url.json") or "{}"
        place = json.loads(text)
        if place.get("dir_info", {}).get("editable"):
            return f"pip install -e {quote(url2pathname(urlsplit(place['url']).path))}"
    except (metadata.PackageNotFoundError, ValueError, KeyError, AttributeError):
        pass
    return "pip install --upgrade andante"
