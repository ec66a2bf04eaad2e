"""The real robot of a session, by its address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from andante import hardware
from andante.hardware.address import SIMULATED, check_address

if TYPE_CHECKING:
    from andante.bus import Bus
    from andante.control.body import Body
    from andante.description import Robot


def real_body(body: Body | str, table: Mapping[str, Any], bus: Bus) -> Callable[[Robot], Body] | None:
    """What makes the real robot of its description; None: it is simulated. `table`: [body] of a parameter file."""
    if isinstance(body, str):
        check_address(body)
        if body == SIMULATED:
            return None
        return lambda robot: hardware.open_body(body, robot, table, lambda line: bus.log("info", line, "body"))
    return lambda robot: body
