"""Mapping that is stopped keeps its map, and goes on where it was."""

import importlib

import numpy as np
import pytest

import andante as an
from andante.errors import BadInput
from andante.mapping import synthetic
from andante.mapping.io.checkpoints import Checkpoint
from andante.mapping.parameters import MappingParameters
from andante.mapping.slam import build_map


@pytest.fixture(scope="module")
def log():
    walls = synthetic.rooms([(0, 0), (6, 0), (6, 4), (0, 4)], (2.5, 1.5, 1, 1))
    way = synthetic.smooth_path([(1, 1), (4.8, 1), (5, 3.2), (1, 3), (1, 1.2), (4.8, 1)], 0.05)
    return synthetic.drive(walls, way, beams=90).log


class Stopper:
    """Presses Ctrl-C when a part of the work is so far, and keeps the last state."""

    def __init__(self, what, count):
        self.what, self.count, self.state = what, count, None

    def progress(self, what, done, total):
        if what == self.what and done >= self.count:
            raise KeyboardInterrupt

    def keep(self, state, last):
        self.state = state()


@pytest.mark.parametrize("loop_closure", [False, True])
def test_a_resumed_map_is_the_map_of_one_run(log, loop_closure):
    whole = build_map(log, loop_closure=loop_closure)
    stopper = Stopper("tracking", 250)
    part = build_map(log, loop_closure=loop_closure, progress=stopper.progress, keep=stopper.keep)
    assert part.stopped.startswith("stopped after 257 of")
    assert part.scans == 257
    assert 0 < part.keys < whole.keys
    assert len(part.trajectory) == 257
    rest = build_map(log, loop_closure=loop_closure, resume=stopper.state)
    assert rest.stopped == ""
    assert np.array_equal(rest.poses, whole.poses)
    assert np.array_equal(rest.grid.cells, whole.grid.cells)


def test_loops_go_on_too(log):
    parameters = MappingParameters(key_travel=0.1, loop_travel=3.0)
    whole = build_map(log, parameters)
    stopper = Stopper("closing loops", 80)
    part = build_map(log, parameters, progress=stopper.progress, keep=stopper.keep)
    assert "before all loops were closed" in part.stopped
    rest = build_map(log, parameters, resume=stopper.state)
    assert rest.loops >= whole.loops > 0
    assert np.abs(rest.poses - whole.poses).max() < 0.02


def test_without_a_place_to_keep_it_a_stop_is_a_stop(log):
    with pytest.raises(KeyboardInterrupt):
        build_map(log, progress=Stopper("tracking", 100).progress)


def test_the_command_writes_the_map_so_far_and_goes_on(log, tmp_path, monkeypatch):
    an.mapping.write_carmen(log, tmp_path / "drive.log")
    real = build_map

    def stopping(*args, progress, **options):
        def stop(what, done, total):
            if done >= 250:
                raise KeyboardInterrupt

        return real(*args, progress=stop, **options)

    monkeypatch.setattr(importlib.import_module("andante.tasks.maps.map_log"), "build_map", stopping)
    part = an.map_log(tmp_path / "drive.log", tmp_path / "m")
    assert "resume goes on" in part.warnings[-1]
    assert (tmp_path / "m.resume").exists()
    assert (tmp_path / "m.pgm").exists()
    monkeypatch.setattr(importlib.import_module("andante.tasks.maps.map_log"), "build_map", real)
    with pytest.raises(BadInput, match="another log or to other settings"):
        an.map_log(tmp_path / "drive.log", tmp_path / "m", odometry=False, resume=True)
    done = an.map_log(tmp_path / "drive.log", tmp_path / "m", resume=True)
    assert (done.stopped, done.scans) == ("", len(log.scans))
    assert not (tmp_path / "m.resume").exists()
    again = an.map_log(tmp_path / "drive.log", tmp_path / "m", resume=True)
    assert "begun anew" in again.warnings[-1]
    with pytest.raises(BadInput, match="name it by -o"):
        an.map_log(tmp_path / "drive.log", resume=True)


@pytest.mark.parametrize("data", [b"", b"rubbish", b"PK\x03\x04" + bytes(50)])
def test_a_broken_state_is_told(log, tmp_path, data):
    (tmp_path / "m.resume").write_bytes(data)
    with pytest.raises(BadInput, match="no state of a map"):
        Checkpoint(tmp_path / "m.resume", log, MappingParameters(), True, True).read()


def test_maps_that_are_too_large_are_written_in_tiles(log, tmp_path, monkeypatch):
    an.mapping.write_carmen(log, tmp_path / "drive.log")
    real = an.mapping.LogOddsGrid.occupancy
    monkeypatch.setattr(an.mapping.LogOddsGrid, "occupancy", lambda self: real(self, 5000))
    monkeypatch.setattr(importlib.import_module("andante.tasks.maps.map_log"), "SHEET", 100)
    made = an.map_log(tmp_path / "drive.log", tmp_path / "m", loop_closure=False)
    assert made.resolution == 0.1
    assert "coarsened to cells of 0.1 m" in made.warnings[-1]
    sheet = an.mapping.load_map(tmp_path / "m_tiles" / "m_0000.yaml")
    assert sheet.resolution == 0.05
