"""How to get what an extra brings: the pip command, or that there is nothing for this Python and system."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib import metadata


def how_to_get(extra: str, environment: Mapping[str, str] | None = None) -> str:
    """`pip install 'andante[EXTRA]'`, or which packages of it have no wheel here.

    The markers of andante's own metadata tell: they leave a package out where its makers give no wheel, and then pip
    would install nothing. environment: markers of another Python or system, such as {"sys_platform": "win32"}.
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
