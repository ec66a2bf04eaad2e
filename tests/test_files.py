"""Files are written whole or not at all."""

import os

import pytest

from andante.errors import BadInput
from andante.files import whole_file, write_all, write_bytes


def test_the_new_file_takes_the_place_of_the_old(tmp_path):
    path = tmp_path / "a.png"
    path.write_text("old")
    with whole_file(path) as partial:
        assert partial.suffix == ".png"  # writers that choose by the suffix
        partial.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.png"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_end_in_between_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def stopped():
        with whole_file(path) as partial:
            partial.write_text("half")
            raise error

    with pytest.raises(error):
        stopped()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_what_cannot_be_written_is_one_line(tmp_path):
    with (
        pytest.raises(BadInput, match=r"none/a\.txt cannot be written: No such file"),
        whole_file(tmp_path / "none" / "a.txt") as partial,
    ):
        partial.write_text("x")
    with pytest.raises(BadInput, match=r"none/a\.txt cannot be written: No such file"):
        write_bytes(b"x", tmp_path / "none" / "a.txt")
    with pytest.raises(BadInput, match="cannot be written: it is a folder"):
        write_bytes(b"x", tmp_path)


def test_all_or_none(tmp_path):
    (tmp_path / "b").mkdir()
    with pytest.raises(BadInput, match="b cannot be written: it is a folder"):
        write_all([(b"1", tmp_path / "a"), (b"2", tmp_path / "b")])
    assert os.listdir(tmp_path) == ["b"]
    write_all([(b"1", tmp_path / "a"), (b"2", tmp_path / "c")])
    assert (tmp_path / "a").read_bytes() + (tmp_path / "c").read_bytes() == b"12"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644
    write_all([])
