"""/scene/edit: the scene of the session as JSON, taken back changed, saved as SDF in the gallery and put into place."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.bags import messages
from andante.description.io.sdf.writer import write_sdf
from andante.errors import AndanteError, BadInput
from andante.files import write_whole
from andante.session.nodes.node import Answer, LiveNode
from andante.studio.gallery import Entry, Gallery, plain_key

from .scene import Scene, scene_of, world_of

if TYPE_CHECKING:
    from andante.session.session import LiveSession

DRAWN = "drawn.json"  # beside the SDF: the things as they were drawn, and of which SDF


class SceneEditNode(LiveNode):
    """The service, and /scene/revision (latched), which counts saves: every page that edits learns of the others'."""

    name = "editor"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.gallery = Gallery(session.folder)
        self.revision = 0
        self._topic = self.advertise("/scene/revision", "std_msgs/msg/UInt32", latched=True)
        self._handles.append(self.bus.provide("/scene/edit", "andante_msgs/srv/EditScene", self._edit, self.name))

    def _edit(self, request: Any) -> Answer:
        try:
            text, name = str(request.scene), str(request.name)
            message = self._save(text, name) if text else ""
            told = json.dumps(self.present().as_dict())
        except AndanteError as error:
            self.bus.log("warn", f"/scene/edit: {error}", self.name)
            return {"success": False, "message": str(error), "scene": "", "revision": self.revision}
        return {"success": True, "message": message, "scene": told, "revision": self.revision}

    def present(self) -> Scene:
        """The scene of the session: as it was drawn where that is known, else as its world is read."""
        world = self.stage.world
        read = scene_of(world)
        if world.source.file is None:
            return read
        file = Path(world.source.file)
        try:
            drawn = json.loads((file.parent / DRAWN).read_text())
            if drawn["sdf"] == _digest(file):
                scene = Scene.of(drawn["scene"])
                looks = {kept.name: kept for kept in read.kept}
                kept = tuple(looks.get(one.name, one) for one in scene.kept)
                return replace(scene, kept=kept)
        except (OSError, ValueError, KeyError, TypeError, AndanteError):
            pass
        return read

    def _save(self, text: str, name: str) -> str:
        try:
            told = json.loads(text)
        except ValueError as error:
            raise BadInput(f"the scene is no JSON: {error}") from None
        scene = Scene.of(told)
        key = plain_key(name or scene.name or "scene")
        scene = replace(scene, name=name or scene.name or key)
        world = world_of(scene, self.stage.world)
        folder = self.gallery.folder / key
        file = folder / f"{key}.sdf"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(file, write_sdf(world, file))
            write_whole(folder / DRAWN, json.dumps({"sdf": _digest(file), "scene": scene.as_dict()}))
            self.gallery.keep(Entry(key, "world", scene.name, file.name, len(world.models), added=time.time()))
        except OSError as error:
            raise BadInput(f"{folder} cannot be written: {error.strerror or error}") from None
        self.session.select(world=file, stay=True)
        self.revision += 1
        self._topic.publish(messages.make("std_msgs/msg/UInt32", data=self.revision))
        line = f"{len(scene.things)} things saved in {key}/{file.name}"
        self.bus.log("info", line, self.name)
        return line


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
