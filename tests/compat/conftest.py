"""Files that 0.1.0 wrote or its users wrote for it, in a folder of the test's own."""

import base64
import lzma
import shutil
from pathlib import Path

import pytest

FILES = Path(__file__).with_name("files")


@pytest.fixture
def files(tmp_path):
    """A copy of all of them; recordings, kept as text, are unpacked."""
    folder = shutil.copytree(FILES, tmp_path / "files")
    for packed in folder.glob("*.xz.base64"):
        packed.with_suffix("").with_suffix("").write_bytes(lzma.decompress(base64.b64decode(packed.read_text())))
        packed.unlink()
    return folder
