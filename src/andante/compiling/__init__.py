"""Kernels: loops that numba compiles, kept where the next process finds them.

Every kernel of this package is decorated by `njit` from here. Its machine code is looked for in the store that comes
with the installation (`store`), then in the user's cache (`place`), and compiled only where both lack it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .cache import njit

__getattr__ = lazy_names(__name__)  # numba is imported by the first module that has a kernel

__all__ = ["njit"]
