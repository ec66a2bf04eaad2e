"""Users' own code: `file.py:Name` wherever a built-in name is accepted. Only what the user names is ever run."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from andante.errors import BadInput, MissingFile, UnknownName


def is_user_reference(name: str) -> bool:
    """Whether a name has the form file.py:Name."""
    file, sign, attribute = name.rpartition(":")
    return bool(sign) and file.endswith(".py") and attribute.isidentifier()


def user_file_stamp(name: str) -> dict[str, str]:
    """File name and a hash of the content of file.py:Name; nothing for other names."""
    if not is_user_reference(name):
        return {}
    file = Path(name.rpartition(":")[0])
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest()[:16]}


def load_user_object(reference: str) -> Any:
    """The object that file.py:Name means; the file is run once per process."""
    file, _, attribute = reference.rpartition(":")
    path = Path(file)
    if not path.is_file():
        raise MissingFile(f"{file}: no such file (wanted for {reference!r})")
    key = f"andante_user_{abs(hash(path.resolve()))}"
    module = sys.modules.get(key)
    if module is None:
        spec = importlib.util.spec_from_file_location(key, path)
        if spec is None or spec.loader is None:
            raise BadInput(f"{file}: not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[key] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            del sys.modules[key]
            raise BadInput(f"{file} fails to load ({type(error).__name__}: {error})") from error
    try:
        return getattr(module, attribute)
    except AttributeError:
        names = [name for name in vars(module) if not name.startswith("_")]
        raise UnknownName.among("name", attribute, names, file) from None
