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
        modules: name to the module that defines it, such as {"Scenes": ".scenes"}.
    """

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(modules[name], package), name)
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
