"""Names of topics, services and types in the forms that clients use."""

from __future__ import annotations

import re
from typing import Any

from andante.errors import BadInput

NAME = re.compile(r"/?[A-Za-z_~][\w~]*(/[A-Za-z_~][\w~]*)*")
TYPE = re.compile(r"[A-Za-z]\w*(/(msg|srv|action))?/[A-Za-z]\w*")


def absolute(name: Any) -> str:
    """A name with its leading slash; anything that is not a ROS name raises."""
    if not isinstance(name, str) or len(name) > 256 or not NAME.fullmatch(name):
        raise BadInput(f"{_shown(name)} is not a name such as /cmd_vel")
    return name if name.startswith("/") else f"/{name}"


def full_type(name: Any, kind: str) -> str:
    """`pkg/Name` or `pkg/msg/Name` as `pkg/msg/Name`, where kind is msg, srv or action."""
    if not isinstance(name, str) or len(name) > 256 or not TYPE.fullmatch(name):
        raise BadInput(f"{_shown(name)} is not a type such as geometry_msgs/Twist")
    first, *_, last = name.split("/")
    if name.count("/") == 2 and name.split("/")[1] != kind:
        raise BadInput(f"{name!r} is not a type of kind {kind!r}")
    return f"{first}/{kind}/{last}"


def short_type(name: str) -> str:
    """`pkg/msg/Name` as `pkg/Name`: the only form that the rosbridge server of ROS 1 takes."""
    first, *_, last = name.split("/")
    return f"{first}/{last}"


def ros1_times(value: Any) -> Any:
    """A message as dicts and lists with the names of ROS 1 in its times and durations: secs and nsecs."""
    if isinstance(value, dict):
        if value.keys() == {"sec", "nanosec"}:
            return {"secs": value["sec"], "nsecs": value["nanosec"]}
        return {name: ros1_times(part) for name, part in value.items()}
    if isinstance(value, list):
        return [ros1_times(part) for part in value]
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
