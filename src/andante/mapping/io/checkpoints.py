"""How far the mapping of a log came, in a file beside its map: a run that was stopped or killed goes on from there."""

from __future__ import annotations

import io
import json
import time
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from andante.errors import BadInput
from andante.files import read_bytes, write_bytes
from andante.mapping.loops import Loop, LoopState
from andante.mapping.parameters import MappingParameters
from andante.mapping.records import Log
from andante.mapping.slam import MappingState

SUFFIX = ".resume"
MOST_BYTES = 1024 * 1024 * 1024
EVERY = 5.0  # between two states on disk [s]


class Checkpoint:
    """The file MAP.resume of a run; `keep` is what `build_map` calls."""

    def __init__(self, path: Path, log: Log, parameters: MappingParameters, odometry: bool, loop_closure: bool) -> None:
        self.path = path
        scans = log.scans
        drive = zlib.crc32(np.array([scan.time for scan in scans]).tobytes())
        for scan in (scans[0], scans[-1]):
            drive = zlib.crc32(np.ascontiguousarray(scan.ranges).tobytes(), drive)
        told = {"scans": len(scans), "drive": drive, "odometry": odometry, "loop_closure": loop_closure}
        self._of = json.dumps({**told, "parameters": asdict(parameters)}, sort_keys=True)
        self._last = time.monotonic()

    def keep(self, state: Callable[[], MappingState], last: bool) -> None:
        """Write the state when the one on disk is old enough, or when it is the last one."""
        if last or time.monotonic() - self._last >= EVERY:
            self.write(state())

    def write(self, state: MappingState) -> None:
        """Write a state; afterwards the file is the old or the new one."""
        arrays = {"of": np.array(self._of), "poses": state.poses, "keys": state.keys, "matched": state.matched}
        if state.loops is not None:
            found = state.loops.loops
            arrays |= {
                "next": np.array(state.loops.next),
                "key_poses": state.loops.poses,
                "open": state.loops.open,
                "ends": np.array([(loop.old, loop.new, loop.firm) for loop in found]).reshape(-1, 3),
                "ties": np.array([loop.pose for loop in found]).reshape(-1, 3),
                "information": np.array([loop.information for loop in found]).reshape(-1, 3, 3),
                "scores": np.array([loop.score for loop in found]),
            }
        stream = io.BytesIO()
        np.savez(stream, **arrays)  # type: ignore[arg-type]
        write_bytes(stream.getvalue(), self.path)
        self._last = time.monotonic()

    def read(self) -> MappingState | None:
        """The state on disk; None where there is none. BadInput when it is of another log or of other settings."""
        if not self.path.exists():
            return None
        try:
            with np.load(io.BytesIO(read_bytes(self.path, MOST_BYTES)), allow_pickle=False) as data:
                of, state = str(data["of"]), _state(dict(data))
        except BadInput:
            raise
        except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile, zlib.error):
            raise BadInput(f"{self.path}: is no state of a map that can be read; remove it and start anew") from None
        if of != self._of:
            raise BadInput(
                f"{self.path}: belongs to another log or to other settings; give those, or start anew without resume"
            )
        return state

    def remove(self) -> None:
        """The map is whole."""
        self.path.unlink(missing_ok=True)


def _state(data: dict[str, np.ndarray]) -> MappingState:
    poses, keys, matched = data["poses"], data["keys"].astype(bool), data["matched"].astype(bool)
    if poses.shape != (len(keys), 3) or len(matched) != len(keys) or not np.isfinite(poses).all():
        raise ValueError
    if "next" not in data:
        return MappingState(poses, keys, matched)
    parts = zip(data["ends"], data["ties"], data["information"], data["scores"], strict=True)
    loops = tuple(Loop(int(e[0]), int(e[1]), pose, tie, float(score), bool(e[2])) for e, pose, tie, score in parts)
    return MappingState(poses, keys, matched, LoopState(int(data["next"]), data["key_poses"], data["open"], loops))
