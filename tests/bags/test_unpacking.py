"""Chunks and files that are compressed, whole, cut off and endless."""

from __future__ import annotations

import bz2

import lz4.frame
import pytest
import zstandard

from andante.bags import unpacking
from andante.bags.unpacking import unpack_file, unpacked

PLAIN = bytes(range(256)) * 40
PACKED = {
    "": PLAIN,
    "zstd": zstandard.ZstdCompressor().compress(PLAIN),
    "lz4": lz4.frame.compress(PLAIN),
    "bz2": bz2.compress(PLAIN),
}


@pytest.mark.parametrize("compression", PACKED)
def test_chunks_of_other_packers_are_unpacked_up_to_a_limit(compression):
    assert unpacked(PACKED[compression], compression) == PLAIN
    assert unpacked(PACKED[compression], compression, 100) == PLAIN[:100]


def test_a_chunk_of_unknown_compression_is_told():
    with pytest.raises(ValueError, match="compression 'zip'"):
        unpacked(b"", "zip")


def test_a_file_is_unpacked_as_far_as_it_goes(tmp_path):
    packed, plain = tmp_path / "a.db3.zstd", tmp_path / "a.db3"
    packed.write_bytes(PACKED["zstd"])
    assert unpack_file(packed, plain) is None
    assert plain.read_bytes() == PLAIN
    packed.write_bytes(PACKED["zstd"][:-4])
    assert unpack_file(packed, plain) is not None


def test_a_file_that_unpacks_without_end_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "SMALL", 1 << 21)
    packed, plain = tmp_path / "bomb.db3.zstd", tmp_path / "bomb.db3"
    packed.write_bytes(zstandard.ZstdCompressor().compress(bytes(1 << 25)))
    assert "more than 1000 times its size" in str(unpack_file(packed, plain))
    assert plain.stat().st_size <= max(1 << 21, 1000 * packed.stat().st_size)
