"""Models of Gazebo Fuel out of a local cache: https://fuel.gazebosim.org/1.0/OWNER/models/NAME[/VERSION[/files/...]].

Nothing is fetched. A cache is a folder as `gz fuel download` fills it, HOST/OWNER/models/NAME/VERSION in small letters,
or simply one that holds model folders by their names. It is looked for in GZ_FUEL_CACHE (`--fuel-cache`), in
GZ_FUEL_CACHE_PATH and IGN_FUEL_CACHE_PATH, which Gazebo itself reads, and in ~/.gz/fuel and ~/.ignition/fuel.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

VARIABLES = ("GZ_FUEL_CACHE", "GZ_FUEL_CACHE_PATH", "IGN_FUEL_CACHE_PATH")
USUAL = (".gz/fuel", ".ignition/fuel")
ADDRESS = re.compile(
    r"https?://(?P<host>[^/]+)/(?:\d+\.\d+/)?(?P<owner>[^/]+)/models/(?P<name>[^/]+)(?:/(?P<rest>.*))?$", re.IGNORECASE
)


@dataclass(frozen=True)
class FuelAddress:
    """What an address names; version 0 is the newest, `inside` a file of the model."""

    host: str
    owner: str
    name: str
    version: int = 0
    inside: str = ""


def fuel_address(uri: str) -> FuelAddress | None:
    """The parts of the address of a model, None for any other address."""
    match = ADDRESS.match(unquote(uri.strip()).rstrip("/"))
    if match is None or any(part in (".", "..") for part in match.groups(default="")[:3]):
        return None
    version, _, inside = (match["rest"] or "").partition("/")
    if not version.isdigit():  # tip, or files without a version
        version, inside = "0", inside if version == "tip" else (match["rest"] or "")
    inside = inside.removeprefix("files/") if inside != "files" else ""
    return FuelAddress(match["host"], match["owner"], match["name"], int(version[:6]), inside)


def fuel_caches() -> list[Path]:
    """The folders that may hold models, asked for first."""
    stated = [Path(part) for name in VARIABLES for part in os.environ.get(name, "").split(os.pathsep) if part]
    try:
        usual = [Path.home() / folder for folder in USUAL]
    except RuntimeError:  # no home folder
        usual = []
    return [folder for folder in (*stated, *usual) if _is_folder(folder)]


def fuel_folder(address: FuelAddress) -> Path | None:
    """Folder of a model in a cache: the version that is asked for, else the newest one there."""
    for cache in fuel_caches():
        hosts = [_child(cache, address.host), *_children(cache)]
        for host in (each for each in hosts if each is not None):
            owner = _child(host, address.owner)
            models = _child(owner, "models") if owner is not None else None
            model = _child(models, address.name) if models is not None else None
            if model is not None:
                versions = {int(each.name): each for each in _children(model) if each.name.isdigit()}
                if versions:
                    return versions.get(address.version) or versions[max(versions)]
                return model
        plain = _child(cache, address.name) or _child(cache, address.name.replace(" ", "_"))
        if plain is not None:
            return plain
    return None


def fuel_file(uri: str) -> Path | None:
    """A file of a model in a cache, such as the mesh that its description names by an address."""
    address = fuel_address(uri)
    if address is None or not address.inside or ".." in address.inside.split("/"):
        return None
    folder = fuel_folder(address)
    try:
        return found if folder is not None and (found := folder / address.inside).is_file() else None
    except (OSError, ValueError):
        return None


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if each.is_dir())
    except OSError:
        return []


def _child(folder: Path, name: str) -> Path | None:
    """A folder in another one, in letters of any case."""
    return next((each for each in _children(folder) if each.name.casefold() == name.casefold()), None)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
