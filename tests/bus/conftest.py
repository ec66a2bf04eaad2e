"""A recorded session and the content of a bag, as the tests of bags have them."""

from ..bags.conftest import content, record  # noqa: TID252

__all__ = ["content", "record"]
