"""The decorator of kernels, and numba's cache with the store of the installation in front of it.

Numba takes a cached kernel for fresh when the file it stands in is unchanged. Kernels call kernels of other
files, and numbers of other modules are compiled into them; so here a kernel is known by its file, by the kernels it
can see (with all that they are made of), by the plain values it can see, and by its options.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import llvmlite.binding as llvm
import numba
import numpy as np

from andante.stages import stage

from . import store
from .place import REMEDY, kept_nowhere

Function = TypeVar("Function", bound=Callable[..., Any])

# Insides of numba, as they have been since 0.57; another numba keeps what it compiles in its own way.
caching: Any = import_module("numba.core.caching")
runtime: Any = import_module("numba.core.runtime")
KNOWN = (
    hasattr(caching, "FunctionCache") and hasattr(caching, "IndexDataCacheFile") and hasattr(runtime, "rtsys")
)  # fmt: skip

PACKAGE = __name__.partition(".")[0]
KEPT_NOWHERE = f"compiling for this run alone: neither the installation nor the home can be written to; {REMEDY}"
NOTICE = "compiling for this machine; later runs start at once (ahead of time: andante doctor --warm)"
NUMBERS = (bool, int, float, complex, np.generic)


def njit(**options: Any) -> Callable[[Function], Function]:
    """Compile a function on its first call with arguments of a kind, or take what was compiled before.

    Args:
        options: those of `numba.njit` (`nogil`, `error_model`, `fastmath`); what is compiled is always kept.
    """
    options.pop("cache", None)

    def decorate(function: Function) -> Function:
        made: Any = numba.njit(cache=not KNOWN, **options)(function)
        if KNOWN and hasattr(made, "py_func"):  # with NUMBA_DISABLE_JIT it is the function
            made._cache = KernelCache(function, " ".join(f"{key}={_told(options[key])}" for key in sorted(options)))
        kernel: Function = made  # called like the function itself
        return kernel

    return decorate


def _tell_compiling() -> None:
    """Have compilation told as what it is while one waits for it."""
    event: Any = import_module("numba.core.event")

    class Compiling(event.Listener):  # type: ignore[misc]
        def __init__(self) -> None:
            self._open: list[Any] = []

        def on_start(self, event: Any) -> None:
            self._open.append(stage(KEPT_NOWHERE if kept_nowhere() else NOTICE))
            self._open[-1].__enter__()

        def on_end(self, event: Any) -> None:
            self._open.pop().__exit__(None, None, None)

    event.register("numba:compile", Compiling())


def _told(option: Any) -> str:
    return repr(sorted(option) if isinstance(option, set | frozenset) else option)


def serves() -> bool:
    """Whether the store of the installation serves this process."""
    return KNOWN and store.store_folder(processor()) is not None


@cache
def processor() -> store.Processor:
    """What this machine has."""
    features = frozenset(name for name, there in llvm.get_host_cpu_features().items() if there)
    return store.Processor(llvm.get_host_cpu_name(), features)


if KNOWN:

    class StoreFile(caching.IndexDataCacheFile):  # type: ignore[misc]
        """Index and machine code of one kernel in the store; the code is packed to a quarter."""

        def _load_data(self, name: str) -> Any:
            return pickle.loads(zlib.decompress(Path(self._data_path(name)).read_bytes()))

        def _save_data(self, name: str, data: Any) -> None:
            with self._open_for_write(self._data_path(name)) as file:
                file.write(zlib.compress(self._dump(data)))

    class KernelCache(caching.FunctionCache):  # type: ignore[misc]
        """Numba's cache of one kernel; the store is asked first, and only filled while it is built."""

        def __init__(self, function: Any, options: str) -> None:
            super().__init__(function)
            self._stored = None
            made_of = stamp(function, options)
            if not made_of:
                return  # numba's own mark of the file
            self._cache_file = caching.IndexDataCacheFile(self._cache_path, self._impl.filename_base, made_of)
            folder = store.store_folder(processor())
            if folder is not None and function.__closure__ is None:
                name = f"{function.__module__.removeprefix(PACKAGE + '.')}.{function.__qualname__}"
                self._stored = StoreFile(str(folder), name, made_of)

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            """A kernel that was compiled before; None: there is none.

            Machine code of the store needs numba's runtime alone. What numba knows of Python and numpy (a third of a
            second to import and register) is left to the first kernel that has to be compiled.
            """
            if self._stored is not None and self._enabled:
                with suppress(Exception):  # a damaged file: the kernel is compiled
                    data = self._stored.load(sig)
                    if data is not None:
                        runtime.rtsys.initialize(target_context)
                        return self._impl.rebuild(target_context, data)
                if store.building():
                    return None  # what the user has kept must not be missing from the store
            return super().load_overload(sig, target_context)

        def _save_overload(self, sig: Any, data: Any) -> None:
            if self._stored is None or not store.building():
                super()._save_overload(sig, data)
            elif self._impl.check_cachable(data):
                self._stored.save(sig, self._impl.reduce(data))


def stamp(function: Any, options: str = "") -> str:
    """A hash of what a kernel is made of; empty when its source is not there."""
    content = _made_of(function)
    return hashlib.sha256(f"{content} {options}".encode()).hexdigest() if content else ""


_known: dict[str, str] = {}  # by file


def _made_of(function: Any) -> str:
    """A hash of the file of a kernel, and of the foreign kernels and numbers that it has imported.

    It is taken when the first kernel of the file is made: imports stand above it.
    """
    file, seen = function.__code__.co_filename, function.__globals__
    if file not in _known:
        source = _hash_of(file)
        values = (f"{key}={_of_value(value, file)}" for key, value in sorted(seen.items()) if not key.startswith("__"))
        _known[file] = hashlib.sha256("\n".join([source, *values]).encode()).hexdigest() if source else ""
    return _known[file]


def _of_value(value: Any, importer: str) -> str:
    """What a global value brings into the kernels of a file."""
    if isinstance(value, NUMBERS):
        return repr(value)
    if isinstance(value, tuple):
        return f"({', '.join(_of_value(each, importer) for each in value)})"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    function = getattr(value, "py_func", None)
    if function is not None:  # a kernel
        return "" if function.__code__.co_filename == importer else _made_of(function)
    home = value if isinstance(value, ModuleType) else sys.modules.get(getattr(value, "__module__", None) or "")
    insides = isinstance(value, ModuleType) or type(value).__module__.startswith("numba.")  # of a module; an intrinsic
    if insides and home is not None and home.__name__.partition(".")[0] == PACKAGE:
        return _hash_of(home.__file__ or "")
    return ""


@cache
def _hash_of(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:  # in an archive, or typed
        return ""


_tell_compiling()
