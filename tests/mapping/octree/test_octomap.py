"""OctoMap's files: read by OctoMap itself with equal volumes, round trips, and files that are broken."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.errors import BadInput, MissingFile
from andante.mapping.io.octomap import decode_octree, encode_octree, load_octree, save_octree
from andante.mapping.octree import OcTree


def made(seed=0):
    """A tree of clouds, with cubes of one value."""
    tree, rng = OcTree(0.1), np.random.default_rng(seed)
    tree.fill_box(np.full((24, 16, 8), -2.0, dtype=np.float32), np.array([32768, 32760, 32768]))
    for _ in range(3):
        tree.insert(rng.uniform(-3, 3, (60, 3)), rng.uniform(-0.5, 0.5, 3))
    return tree


def same(one, other):
    for free in (False, True):
        a, b = one.voxels(free=free), other.voxels(free=free)
        assert sorted(map(tuple, a.round(6).tolist())) == sorted(map(tuple, b.round(6).tolist()))


@pytest.mark.parametrize("end", ["bt", "ot"])
def test_octomap_itself_reads_it_with_equal_volumes(tmp_path, end):
    pyoctomap = pytest.importorskip("pyoctomap")
    tree = made()
    save_octree(tmp_path / f"map.{end}", tree)
    theirs = pyoctomap.OcTree(0.5)
    if end == "bt":
        assert theirs.readBinary(str(tmp_path / "map.bt"))
    else:
        theirs = pyoctomap.OcTree.read(theirs, str(tmp_path / "map.ot"))
    volume = {True: 0.0, False: 0.0}
    for leaf in theirs.begin_leafs():
        volume[theirs.isNodeOccupied(leaf)] += leaf.getSize() ** 3
    assert theirs.getResolution() == pytest.approx(0.1)
    assert volume[True] == pytest.approx(tree.volume())
    assert volume[False] == pytest.approx(tree.volume(free=True))


def test_what_octomap_writes_is_read(tmp_path):
    pyoctomap = pytest.importorskip("pyoctomap")
    theirs = pyoctomap.OcTree(0.1)
    rng = np.random.default_rng(5)
    cloud, origin = rng.uniform(-2, 2, (200, 3)), np.array([0.03, 0.04, 0.05])
    theirs.insertPointCloud(cloud, origin)
    assert theirs.writeBinary(str(tmp_path / "theirs.bt"))
    ours, read = OcTree(0.1), load_octree(tmp_path / "theirs.bt")
    ours.insert(cloud, origin)
    assert read.volume() == pytest.approx(ours.volume(), rel=0.02)  # single precision there, double here
    assert read.volume(free=True) == pytest.approx(ours.volume(free=True), rel=0.02)


@pytest.mark.parametrize("whole", [False, True])
def test_a_tree_survives_its_file(whole):
    tree = made(1)
    read = decode_octree(encode_octree(tree, whole=whole))
    assert read.resolution == tree.resolution
    same(tree, read)
    if whole:
        points = np.concatenate([tree.voxels(), tree.voxels(free=True)])
        assert read.log_odds(points) == pytest.approx(tree.log_odds(points), abs=1e-6)


@given(
    st.lists(st.tuples(*3 * [st.integers(0, 65535)], st.booleans()), min_size=1, max_size=12, unique_by=lambda x: x[:3])
)
def test_voxels_anywhere_survive(cells):
    tree = OcTree(0.05)
    keys = np.array([cell[:3] for cell in cells], dtype=np.int64)
    values = np.where([cell[3] for cell in cells], 3.5, -2.0).astype(np.float32)
    tree.fill(keys, np.full(len(keys), 16), values)
    for whole in (False, True):
        same(tree, decode_octree(encode_octree(tree, whole=whole)))


def test_eight_leaves_of_one_value_are_one():
    corner = np.array(list(itertools.product((0, 1), repeat=3)), dtype=np.int64) + 32768
    tree = OcTree(0.1)
    tree.fill(corner, np.full(8, 16), np.full(8, 3.5, dtype=np.float32))
    assert b"size 16\n" in encode_octree(tree, whole=False)  # the root and one node a level, none for the eight


def test_an_empty_tree_has_a_file():
    assert len(decode_octree(encode_octree(OcTree(0.1), whole=False)).voxels()) == 0


def test_an_uneven_end_or_a_foreign_file_is_told(tmp_path):
    good = encode_octree(made(), whole=True)
    with pytest.raises(BadInput, match="ends in the middle"):
        decode_octree(good[:-3], "map.ot")
    with pytest.raises(BadInput, match="no octree of OctoMap"):
        decode_octree(b"hello", "map.ot")
    with pytest.raises(BadInput, match="'res' must be a positive"):
        decode_octree(good.replace(b"res 0.1", b"res nan"), "map.ot")
    with pytest.raises(BadInput, match="lacks numbers"):
        decode_octree(good.replace(b"res 0.1", b"res x"), "map.ot")
    with pytest.raises(BadInput, match="SemanticOcTree"):
        decode_octree(good.replace(b"id OcTree", b"id SemanticOcTree"), "map.ot")
    with pytest.raises(MissingFile):
        load_octree(tmp_path / "none.bt")
    with pytest.raises(BadInput, match=r"\.bt .* or \.ot"):
        save_octree(tmp_path / "map.pcd", made())
    deep = b"# Octomap OcTree file\nid OcTree\nsize 99\nres 0.1\ndata\n" + 30 * (b"\0\0\0\0" + b"\x01")
    with pytest.raises(BadInput, match="more than 16 levels"):
        decode_octree(deep, "map.ot")


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_read_or_refused(data, whole):
    head = b"# Octomap OcTree file" if whole else b"# Octomap OcTree binary file"
    try:
        tree = decode_octree(head + b"\nid OcTree\nsize 9\nres 0.1\ndata\n" + data)
    except BadInput:
        return
    assert math.isfinite(tree.volume())
