"""Robots that ship with Andante, each a package that registers itself by an entry point, as strangers' packages do.

`an.robots()` lists all that are registered.
"""

from andante.lazy import callable_package

callable_package(__name__, "andante.tasks.catalog:robots")
