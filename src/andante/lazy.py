"""Names of a package that are imported when they are first used, so that importing the package is quick."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` (PEP 562) of a package whose names live in modules of it.

    Args:
        package: `__name__` of the package.
        modules: module to the names in it, apart by blanks, such as {".scenes": "SceneFile Scenes"}; `robot=load_robot`
            gives `load_robot` of the module as `robot`.
    """
    pairs = [(module, *name.partition("=")[::2]) for module, names in modules.items() for name in names.split()]
    homes = {name: (module, attribute or name) for module, name, attribute in pairs}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, attribute = homes[name]
        value = getattr(importlib.import_module(module, package), attribute)
        setattr(sys.modules[package], name, value)
        return value

    return get


def callable_package(package: str, reference: str) -> None:
    """Let a package be called like its main function: `an.studio("nao")` beside `an.studio.show`.

    Args:
        package: `__name__` of the package.
        reference: the function as `module:name`, imported when it is first called.
    """

    class Called(ModuleType):
        def __call__(self, *args: Any, **keywords: Any) -> Any:
            module, _, name = reference.partition(":")
            return getattr(importlib.import_module(module), name)(*args, **keywords)

    sys.modules[package].__class__ = Called
