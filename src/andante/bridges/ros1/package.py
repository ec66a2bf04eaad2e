"""The package `andante_msgs` for the tools of ROS 1: what `rosservice call` and `rostopic pub` import.

A folder that ROS_PACKAGE_PATH names: a manifest as rosbuild had it (which puts `src` on Python's path), the texts of
all messages and services, and a Python package that has `genpy` make classes of them when they are asked for. Nothing
has to be built.
"""

from __future__ import annotations

import json
from pathlib import Path

from andante.bags import messages
from andante.errors import BadInput
from andante.files import write_whole

PACKAGE = "andante_msgs"
INTERFACES = Path(messages.__file__).parent / "interfaces" / PACKAGE
RULE = "\n" + "=" * 80 + "\n"  # between a definition and those of what it is made of
MANIFEST = """<package>
  <description brief="andante_msgs">Messages and services of Andante sessions.</description>
  <author>The Andante authors</author>
  <license>MIT</license>
</package>
"""
CODE = '''"""Types of Andante sessions, made of their texts by genpy when they are asked for (Python 3.7 or newer)."""

import json
import os

from genpy.dynamic import generate_dynamic

with open(os.path.join(os.path.dirname(__file__), "types.json")) as _file:
    _TYPES = json.load(_file)
_MADE = {}


def _made(name, text):
    if name not in _MADE:
        _MADE[name] = generate_dynamic("andante_msgs/" + name, text)["andante_msgs/" + name]
    return _MADE[name]


def _message(name):
    try:
        return _made(name, _TYPES["msg"][name])
    except KeyError:
        raise AttributeError(name)


def _service(name):
    for end in ("Request", "Response"):
        whole = name[: -len(end)]
        if name.endswith(end) and whole in _TYPES["srv"]:
            return getattr(_service(whole), "_{}_class".format(end.lower()))
    if name not in _TYPES["srv"]:
        raise AttributeError(name)
    told = _TYPES["srv"][name]
    parts = {
        "_type": "andante_msgs/" + name,
        "_md5sum": told["md5"],
        "_request_class": _made(name + "Request", told["request"]),
        "_response_class": _made(name + "Response", told["response"]),
    }
    return _MADE.setdefault("srv " + name, type(str(name), (object,), parts))
'''
MESSAGES = '"""Messages by name."""\n\nfrom andante_msgs import _message as __getattr__\n'
SERVICES = (
    '"""Services by name, with their Request and Response."""\n\nfrom andante_msgs import _service as __getattr__\n'
)


def write_package(folder: Path | str) -> Path:
    """Write the package into a folder, over one that is there; the folder of the package.

    Args:
        folder: what ROS_PACKAGE_PATH shall name; it has to be there.
    """
    if not Path(folder).is_dir():
        raise BadInput(f"{folder}: the folder for the types of ROS 1 does not exist; make it first")
    place = Path(folder) / PACKAGE
    source = place / "src" / PACKAGE
    for each in (place / "msg", place / "srv", source / "msg", source / "srv"):
        each.mkdir(parents=True, exist_ok=True)
    types: dict[str, dict[str, object]] = {"msg": {}, "srv": {}}
    for name in _names("msg"):
        text = messages.definition(f"{PACKAGE}/msg/{name}", ros=1)
        types["msg"][name] = text
        write_whole(place / "msg" / f"{name}.msg", text.split(RULE)[0])
    for name in _names("srv"):
        request, response = (
            messages.definition(f"{PACKAGE}/srv/{name}_{end}", ros=1) for end in ("Request", "Response")
        )
        md5 = messages.md5(f"{PACKAGE}/srv/{name}")
        types["srv"][name] = {"request": request, "response": response, "md5": md5}
        write_whole(place / "srv" / f"{name}.srv", f"{request.split(RULE)[0]}---\n{response.split(RULE)[0]}")
    write_whole(source / "types.json", json.dumps(types))
    write_whole(source / "__init__.py", CODE)
    write_whole(source / "msg" / "__init__.py", MESSAGES)
    write_whole(source / "srv" / "__init__.py", SERVICES)
    write_whole(place / "manifest.xml", MANIFEST)
    return place


def _names(kind: str) -> list[str]:
    return sorted(path.stem for path in (INTERFACES / kind).glob(f"*.{kind}"))
