"""Maps of worlds and octrees of logs whose clouds and depth images have poses."""

from __future__ import annotations

import numpy as np
import pytest

import andante as an
from andante.errors import BadInput
from andante.mapping.io.octomap import load_octree
from andante.sensors import DepthModel
from andante.simulation.recording import record
from andante.tasks.maps.map_space import make_map, map_clouds, map_world


def test_a_world_becomes_an_octree_and_a_flat_map(tmp_path):
    made = map_world("arena", tmp_path / "arena", space=True, resolution=0.1)
    assert made.map.endswith("arena.bt")
    assert load_octree(made.map).volume() == pytest.approx(made.occupied)
    assert "m³" in str(made)
    flat = make_map(None, tmp_path / "flat", from_world="arena", resolution=0.1)
    assert (tmp_path / "flat.yaml").exists()
    assert flat.size[0] * 0.1 == pytest.approx(made.size[0] * 0.1, abs=1.0)
    assert len(made.plot().axes) == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "a log or of a world"),
        ({"log": "x.mcap", "from_world": "lab"}, "a log or of a world"),
        ({"log": "x.mcap", "resolution": 0.1}, "table \\[grid\\] of its params"),
        ({"from_world": "lab", "space": True, "out": "map.png"}, "map.png"),
    ],
)
def test_bad_requests(given, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "map.png.bt").mkdir() if given.get("out") else None
    with pytest.raises(BadInput, match=words):
        make_map(**given)


def test_a_recording_with_depths_and_rings_becomes_an_octree_where_things_are(tmp_path):
    robot = an.robot("nao", arguments={"head_camera": "xtion", "head_lidar": "true"})
    sim = an.simulate(robot, "lab", pose="StandInit", sensors=True, seed=1)
    camera = sim.sensors["xtion/depth"].sensor
    camera.model = DepthModel(width=80, height=60, horizontal_fov=camera.model.horizontal_fov, range_max=4.0)
    log = tmp_path / "look.mcap"
    with record(sim, log):
        sim.run(0.5)
    sim.close()
    made = map_clouds(log, resolution=0.1)
    assert made.clouds >= 6  # of both sensors
    true = an.mapping.octree_of_world(an.world("lab"), 0.1)
    seen = made.made.voxels()
    near = np.zeros(len(seen), dtype=bool)
    for shift in np.stack(np.meshgrid(*[[-0.1, 0.0, 0.1]] * 3), axis=-1).reshape(-1, 3):
        near |= np.asarray(true.occupied(seen + shift))
    assert len(seen) > 300
    assert near.mean() > 0.95
    assert (seen[:, 2] < 0.06).any()  # the floor


def test_a_log_without_clouds_is_told(tmp_path):
    empty = tmp_path / "empty.mcap"
    sim = an.simulate("waffle", "empty", sensors=True)
    with record(sim, empty):
        sim.run(0.1)
    sim.close()
    with pytest.raises(BadInput, match="known pose"):
        map_clouds(empty)
