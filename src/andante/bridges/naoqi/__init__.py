"""NAOqi: a session with the services of a real NAO, over the maker's own messaging library qi."""

from __future__ import annotations

from .bridge import PORT, NaoqiBridge, check_place, require

__all__ = ["PORT", "NaoqiBridge", "check_place", "require"]
