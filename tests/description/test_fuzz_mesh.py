"""Mutated mesh files either load or are refused by one line; nothing else ever comes out."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from andante.description.mesh.files import load_mesh_file
from andante.description.mesh.tools import WRITABLE, mesh_bytes
from andante.errors import AndanteError

BOX = trimesh.creation.box(extents=(1, 2, 3))
SEEDS = {suffix: mesh_bytes(BOX, suffix) for suffix in WRITABLE}
SEEDS[".gltf"] = trimesh.Scene(BOX).export(file_type="gltf")["model.gltf"]
MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["set", "cut", "copy", "text"]), st.floats(0, 1), st.integers(0, 255), st.integers(1, 40)
    ),
    min_size=1,
    max_size=6,
)
SPLICES = [b"1e308", b"nan", b"-1", b"99999999999", b"{}", b"null", b"<", b'"', b"\n", b"\xff\xfe"]


def mutate(data: bytes, steps: list[tuple[str, float, int, int]]) -> bytes:
    out = bytearray(data)
    for kind, where, value, length in steps:
        at = int(where * max(len(out) - 1, 0))
        if kind == "set" and out:
            out[at] = value
        elif kind == "cut":
            del out[at : at + length]
        elif kind == "copy":
            out[at:at] = out[max(at - length, 0) : at]
        else:
            out[at : at + length // 8] = SPLICES[value % len(SPLICES)]
    return bytes(out)


def load(data: bytes, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"m{suffix}"
        path.write_bytes(data)
        message, faces = "", 0
        try:
            faces = len(load_mesh_file(path).faces)
        except AndanteError as error:
            message = str(error)
        assert faces > 0 or path.name in message
        assert "\n" not in message


@pytest.mark.parametrize("suffix", SEEDS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=MUTATIONS)
def test_mutated_files(suffix: str, steps: list[tuple[str, float, int, int]]) -> None:
    load(mutate(SEEDS[suffix], steps), suffix)


@pytest.mark.parametrize("suffix", SEEDS)
@settings(max_examples=20, deadline=None)
@given(data=st.binary(max_size=300))
def test_garbage(suffix: str, data: bytes) -> None:
    load(data, suffix)
    load(SEEDS[suffix][:100] + data, suffix)


@pytest.mark.parametrize("suffix", SEEDS)
def test_every_truncation_of_a_text_or_chunked_file(suffix: str) -> None:
    data = SEEDS[suffix]
    for size in range(0, len(data), max(len(data) // 40, 1)):
        load(data[:size], suffix)
