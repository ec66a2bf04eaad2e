"""Parameters of the drive plugins of Gazebo, old and new spellings under one name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from andante.description.robot import Plugin, Robot
from andante.errors import BadInput, UnknownName


@dataclass(frozen=True)
class PluginValues:
    """Values of a plugin by names without case, `_` and `-`: `leftJoint` and `left_joint` are `leftjoint`."""

    plugin: Plugin
    robot: Robot

    @cached_property
    def _values(self) -> dict[str, str]:
        return {key.lower().replace("_", "").replace("-", ""): value for key, value in self.plugin.parameters.items()}

    @property
    def where(self) -> str:
        """Robot and plugin, for messages."""
        return f"robot {self.robot.name!r}, plugin {self.plugin.filename or self.plugin.name!r}"

    def number(self, *keys: str) -> float | None:
        """First positive number under one of the keys; None: not given, or 0 for `no limit`."""
        for key in keys:
            text = self._values.get(key, "").split()
            if not text:
                continue
            try:
                value = float(text[0])
            except ValueError:
                raise BadInput(f"{self.where}: <{key}> must be a number, got {text[0]!r}") from None
            if value > 0:
                return value
        return None

    def joints(self, *keys: str) -> list[str]:
        """Joints under the keys in order, checked against the robot; scopes such as `model::` are dropped."""
        out = []
        for key in keys:
            for word in self._values.get(key, "").split():
                name = word.rsplit("::", 1)[-1]
                if name not in self.robot.joint_names:
                    raise UnknownName.among("joint", name, self.robot.joint_names, self.where)
                if name not in out:
                    out.append(name)
        return out

    def need(self, count: int, *keys: str) -> list[str]:
        """`joints`, at least so many."""
        found = self.joints(*keys)
        if len(found) < count:
            given = ", ".join(self.plugin.parameters) or "nothing"
            raise BadInput(f"{self.where}: needs {count} joints under {', '.join(keys)}; it gives {given}")
        return found
