"""Files are written whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from andante.errors import BadInput
from andante.files import (
    check_outputs,
    made_folder,
    read_bytes,
    read_text,
    read_toml,
    whole_file,
    write_all,
    write_bytes,
)


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


def test_copies_are_part_of_all_or_none(tmp_path):
    (tmp_path / "a").write_text("1")
    (tmp_path / "b").write_text("2")
    write_all([(tmp_path / "a", tmp_path / "b"), (tmp_path / "b", tmp_path / "a")])  # read before either is replaced
    assert (tmp_path / "a").read_text() + (tmp_path / "b").read_text() == "21"
    with pytest.raises(BadInput, match="c cannot be written: No such file"):
        write_all([(b"3", tmp_path / "a"), (tmp_path / "none", tmp_path / "c")])
    assert (tmp_path / "a").read_text() == "2"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_folders_that_were_made_for_nothing_go_again(tmp_path):
    def stopped(folder, name=None):
        with made_folder(folder):
            if name:
                (folder / name).write_text("x")
            raise RuntimeError

    for folder in (tmp_path / "a" / "b", tmp_path):
        with pytest.raises(RuntimeError):
            stopped(folder)
        assert os.listdir(tmp_path) == []
    with pytest.raises(RuntimeError):
        stopped(tmp_path / "a" / "b", "kept")
    assert (tmp_path / "a" / "b" / "kept").exists()
    with pytest.raises(BadInput, match=r"folder .* cannot be made"), made_folder(tmp_path / "a" / "b" / "kept" / "c"):
        pass


def test_reading_stays_within_its_limit(tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xef\xbb\xbfgr\xc3\xb6\xc3\x9fe")
    assert read_text(path) == "größe"
    assert read_bytes(path, 10) == path.read_bytes()
    with pytest.raises(BadInput, match="files over 0 MB are refused"):
        read_bytes(path, 9)
    path.write_bytes(b"x" * (1 << 20) + b"y")
    with pytest.raises(BadInput, match="files over 1 MB are refused"):
        read_text(path)
    path.write_bytes(b"\xff")
    with pytest.raises(BadInput, match="not a text in UTF-8"):
        read_text(path)
    os.mkfifo(tmp_path / "pipe")
    for name, said in (
        ("none", "no such file"),
        ("", "is a folder"),
        ("pipe", "is not a regular file"),
        ("x\0", "null"),
    ):
        with pytest.raises(BadInput, match=said):
            read_text(tmp_path / name)
    with pytest.raises(BadInput, match="more than 0 MB"):
        read_bytes(Path("/proc/self/status"), 100)  # which tells a size of 0


def test_toml_is_a_table_or_told_in_one_line(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("x = 1")
    assert read_toml(path) == {"x": 1}
    for data in (b"x = ", b"x = \xff"):
        path.write_bytes(data)
        with pytest.raises(BadInput, match=r"a\.toml: not valid TOML \(") as told:
            read_toml(path)
        assert "\n" not in str(told.value)
    with pytest.raises(BadInput, match="are refused"):
        read_toml(path, 1)


@pytest.mark.parametrize(
    ("suffixes", "said"), [((".toml",), "are written as .toml$"), ((".a", ".b", ".c"), "are written as .a, .b or .c$")]
)
def test_other_suffixes_are_listed(suffixes, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        check_outputs({"rigs": (tmp_path / "a.txt", suffixes)})


FULL = """
import resource, sys
from pathlib import Path
import numpy as np
from andante.errors import BadInput
from andante.files import write_whole
from andante.physics.rendering.video import VideoWriter
out, noise = Path(sys.argv[1]), np.random.default_rng(0)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
def film(name):
    with VideoWriter(out / name, 30, (64, 64)) as video:
        for _ in range(60):
            video.add(noise.integers(0, 255, (64, 64, 3), dtype=np.uint8))
for write in (lambda: film("a.mp4"), lambda: film("b.gif"), lambda: write_whole(out / "c.txt", "x" * 5000)):
    try:
        write()
    except BadInput as error:
        print(error)
"""


def test_a_full_disk_is_told_with_the_file_and_leaves_nothing(tmp_path: Path) -> None:
    """The system's limit on the size of files refuses as a full disk does; in a process of its own."""
    ran = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    names = [f"{tmp_path / name} cannot be written: File too large" for name in ("a.mp4", "b.gif", "c.txt")]
    assert ran.stdout.splitlines() == names
    assert list(tmp_path.iterdir()) == []
