"""`andante bench nav`: mapping, localisation and navigation beside plain numpy in the same run, on one core.

Each row function takes the seconds of processor time that a case may use and yields its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .localization import localization_rows
from .mapping import mapping_rows
from .navigation import navigation_rows
from .rows import Row
from .sensors import sensor_rows

RowFunction = Callable[[float], Iterable[Row]]
ROWS: list[RowFunction] = [mapping_rows, localization_rows, navigation_rows, sensor_rows]


def run(seconds: float, quiet: bool = False) -> tuple[Row, ...]:
    """All rows."""
    return tuple(row for rows in ROWS for row in rows(seconds))
