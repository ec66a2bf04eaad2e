"""Names of a package that are imported when they are first used, so that importing the package is quick."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any


def lazy_names(package: str) -> Callable[[str], Any]:
    """The `__getattr__` (PEP 562) of a package: its imports `if TYPE_CHECKING` are made when a name is first used.

    Args:
        package: `__name__` of the package.
    """

    @cache
    def homes() -> dict[str, tuple[str, str]]:
        return _typed_imports(package)

    def get(name: str) -> Any:
        if name.startswith("__") or name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, attribute = homes()[name]
        if not module.strip("."):  # a module of this package
            value = importlib.import_module(f"{module}{attribute}", package)
        else:
            home = importlib.import_module(module, package)
            try:
                value = getattr(home, attribute)
            except AttributeError:  # a module of that package
                value = importlib.import_module(f"{home.__name__}.{attribute}")
        setattr(sys.modules[package], name, value)
        return value

    return get


def _typed_imports(package: str) -> dict[str, tuple[str, str]]:
    """Name to module and name there, of the imports that the source of a package makes for the type checker."""
    import ast
    from importlib.abc import InspectLoader

    spec = sys.modules[package].__spec__
    assert spec is not None
    assert isinstance(spec.loader, InspectLoader)
    tree = ast.parse(spec.loader.get_source(package) or "")
    blocks = [node.body for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {
        each.asname or each.name: ("." * line.level + (line.module or ""), each.name)
        for block in blocks
        for line in block
        if isinstance(line, ast.ImportFrom)
        for each in line.names
    }


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
