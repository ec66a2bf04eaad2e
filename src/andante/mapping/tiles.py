"""`TileStore`: square tiles of a grid by their place; what exceeds a limit of memory goes to a temporary file."""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray

TILE = 128  # cells along an edge of a tile
UNSEEN = -32768  # a cell of a tile that no beam has met
BYTES = TILE * TILE * 2
IN_MEMORY = 256 * 1024 * 1024  # of all tiles of one store; older ones lie on disk [bytes]

Tile: TypeAlias = NDArray[np.int16]  # (TILE, TILE) thousandths of log odds, or UNSEEN
Place: TypeAlias = tuple[int, int]  # column and row of a tile, counted in tiles from the world's origin


class TileStore:
    """Tiles that hold anything, by their place; the least recently used ones wait in a file that nobody else sees."""

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._most = max(1, in_memory // BYTES)
        self._near: OrderedDict[Place, Tile] = OrderedDict()
        self._far: dict[Place, int] = {}  # number of the tile's slot in the file
        self._file: IO[bytes] | None = None

    def __len__(self) -> int:
        return len(self._near.keys() | self._far.keys())

    def __contains__(self, place: object) -> bool:
        return place in self._near or place in self._far

    @property
    def places(self) -> list[Place]:
        """Places of all tiles, sorted."""
        return sorted(self._near.keys() | self._far.keys())

    @property
    def on_disk(self) -> int:
        """How many tiles lie in the file alone."""
        return len(self._far.keys() - self._near.keys())

    def put(self, place: Place, tile: Tile) -> None:
        """Keep a copy of a tile."""
        self._near[place] = np.array(tile, dtype=np.int16)
        self._near.move_to_end(place)
        while len(self._near) > self._most:
            self._spill(*self._near.popitem(last=False))

    def get(self, place: Place) -> Tile | None:
        """The tile at a place; None where nothing was seen."""
        if place in self._near:
            return self._near[place]
        slot = self._far.get(place)
        if slot is None or self._file is None:
            return None
        self._file.seek(slot * BYTES)
        return np.frombuffer(self._file.read(BYTES), dtype=np.int16).reshape(TILE, TILE)

    def _spill(self, place: Place, tile: Tile) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="andante-map-")  # noqa: SIM115 - lives as long as the store
        slot = self._far.setdefault(place, len(self._far))
        self._file.seek(slot * BYTES)
        self._file.write(tile.tobytes())
