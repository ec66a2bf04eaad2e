"""Build hook: wheels and sdists carry the built page of the studio."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent))
import build_web


class StudioPage(BuildHookInterface):  # type: ignore[type-arg]
    """Builds web/ where Node is there; an editable install is left to `make setup`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page and add it to the files of the wheel."""
        if version == "editable":
            return
        if (build_web.WEB / "package.json").is_file():
            try:
                build_web.build()
            except build_web.CannotBuild as error:
                self.app.display_warning(str(error))
        if (build_web.STATIC / "index.html").is_file():
            build_data["artifacts"].append("src/andante/studio/static/**")
