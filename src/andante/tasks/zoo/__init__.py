"""`an.zoo`: robots and worlds that others wrote, each put through every command, with a table and a page at the end."""

from typing import TYPE_CHECKING

from andante.lazy import callable_package, lazy_names

if TYPE_CHECKING:
    from .run import ZooResult, zoo

__all__ = ["ZooResult", "zoo"]

__getattr__ = lazy_names(__name__)
callable_package(__name__, "andante.tasks.zoo.run:zoo")
