from pathlib import Path

import pytest

from andante.errors import BadInput
from andante.session.nodes.node import file_in, plain_name


@pytest.mark.parametrize("name", ["../up", "a/b", "a\\b", ".hidden", "a..b", "", "x" * 200, "a b", "nul\0l"])
def test_only_plain_names(name: str) -> None:
    if not name:
        assert plain_name(name, "run").startswith("run_")
        return
    with pytest.raises(BadInput, match="no folder"):
        plain_name(name, "run")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    first = file_in(tmp_path / "new", "walk", "run", ".mcap")
    assert first == tmp_path / "new" / "walk.mcap"
    first.write_text("x")
    with pytest.raises(BadInput, match=r"walk\.mcap: exists already"):
        file_in(tmp_path / "new", "walk", "run", ".mcap")
    unnamed = file_in(tmp_path, "", "run", ".mcap")
    unnamed.write_text("x")
    assert file_in(tmp_path, "", "run", ".mcap") != unnamed
