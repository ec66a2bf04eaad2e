"""Map files: every mode and picture there and back, what map_server would read, and damaged files."""

import contextlib
import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.mapping import OccupancyGrid
from andante.mapping.io.map_files import MODES, PICTURES, load_map, map_base, save_map


@pytest.fixture
def grid():
    generator = np.random.default_rng(0)
    return OccupancyGrid(0.05, (-1.25, 3.5, 0.1), generator.integers(-1, 101, (7, 11)).astype(np.int8))


@pytest.fixture
def write(tmp_path):
    """Writes a map of bytes and yaml lines; returns the yaml file."""

    def make(picture, lines="", name="m.pgm"):
        (tmp_path / name).write_bytes(picture)
        text = f"image: {name}\nresolution: 0.1\norigin: [0, 0, 0]\n{lines}"
        (tmp_path / "m.yaml").write_text(text)
        return tmp_path / "m.yaml"

    return make


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("mode", MODES)
def test_there_and_back(grid, tmp_path, mode, picture):
    written = save_map(grid, tmp_path / "a", mode=mode, picture=picture)
    assert [path.name for path in written] == [f"a{picture}", "a.yaml"]
    back = load_map(tmp_path / "a.yaml")
    assert back.origin == grid.origin
    assert back.resolution == grid.resolution
    if mode == "raw" or (mode == "scale" and picture == ".png"):
        assert (back.cells == grid.cells).all()
    elif mode == "scale":  # pgm has no transparency: unknown becomes one half
        assert (back.cells == np.where(grid.cells < 0, 50, grid.cells)).all()
    else:
        assert (back.occupied() == grid.occupied()).all()
        assert (back.free() == grid.free()).all()
        assert (back.known == (grid.occupied() | grid.free())).all()


def test_top_row_of_the_picture_is_the_last_row_of_the_map(write):
    grid = load_map(write(b"P5 2 2 255\n" + bytes([0, 254, 254, 254])))
    assert grid.cells.tolist() == [[0, 0], [100, 0]]


@pytest.mark.parametrize(
    ("pixel", "lines", "cell"),
    [
        (89, "", 100),  # p = 0.651
        (90, "", -1),  # p = 0.647
        (205, "", -1),  # p = 0.19608, just above the usual 0.196
        (206, "", 0),
        (89, "negate: 1\n", -1),
        (200, "negate: 1\n", 100),
        (128, "mode: scale\nfree_thresh: 0.0\noccupied_thresh: 1.0\n", 50),
        (60, "mode: scale\n", 100),
        (250, "mode: scale\n", 0),
        (77, "mode: raw\n", 77),
        (101, "mode: raw\n", -1),
        (100, "mode: Trinary\noccupied_thresh: 0.5\n", 100),
    ],
)
def test_values_as_map_server_reads_them(write, pixel, lines, cell):
    assert load_map(write(b"P5 2 1 255\n" + bytes([pixel, 13]), lines)).cells[0, 0] == cell


def test_savers_gray_stays_unknown_under_a_greater_free_threshold(write):
    picture = b"P5 3 1 255\n" + bytes([0, 205, 254])
    assert load_map(write(picture, "free_thresh: 0.25\n")).cells.tolist() == [[100, -1, 0]]
    odd = b"P5 3 1 255\n" + bytes([0, 205, 250])  # not a saver's picture: the threshold holds
    assert load_map(write(odd, "free_thresh: 0.25\n")).cells.tolist() == [[100, 0, 0]]


def test_forms_of_pgm(write):
    want = [[100, 0]]
    for picture in (
        b"P2\n# made by hand\n2 1 # width height\n255\n0 254\n",
        b"P2 2 1 15 0 15",
        b"P5 2 1 65535\n" + bytes([0, 0, 255, 255]),
        b"P5\n#c\n2 1\n255\n" + bytes([0, 254]) + b"\n",
    ):
        assert load_map(write(picture)).cells.tolist() == want
    file = write(gzip.compress(b"P5 2 1 255\n" + bytes([0, 254])), name="m.pgm.gz")
    assert load_map(file).cells.tolist() == want
    file.write_text(file.read_text().replace("m.pgm.gz", "m.pgm"))  # named without .gz: still found
    (file.parent / "m.pgm").unlink(missing_ok=True)
    assert load_map(file).cells.tolist() == want


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (b"", "no picture"),
        (b"P5", "header"),
        (b"P5 2 x 255\n", "header"),
        (b"P5 3 3 255\n123", "ends early, 3 of 9"),
        (b"P2 2 2 255 1 2 3", "ends early"),
        (b"P2 2 1 255 1 a", "numbers only"),
        (b"P2 2 1 255 1 -4", "negative"),
        (b"P5 0 4 255\n", "empty or larger"),
        (b"P5 99999999 99999999 255\n", "empty or larger"),
        (b"P5 1 1 70000\n1", "1 to 65535"),
        (b"\x89PNG\r\n\x1a\n broken", "no picture"),
    ],
)
def test_damaged_pictures(write, picture, words):
    with pytest.raises(BadInput, match=words):
        load_map(write(picture))


def test_damaged_gzip(write):
    whole = gzip.compress(b"P5 2 1 255\n" + bytes([0, 254]))
    for data in (whole[:-9], b"nothing"):
        with pytest.raises(BadInput, match="gz"):
            load_map(write(data, name="m.pgm.gz"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "lines like"),
        ("[1, 2", "no yaml"),
        ("image: m.pgm\nresolution: 0.1\n", "'origin' is missing"),
        ("image: m.pgm\nresolution: 0\norigin: [0, 0, 0]\n", "resolution must be"),
        ("image: m.pgm\nresolution: .nan\norigin: [0, 0, 0]\n", "finite number"),
        ("image: m.pgm\nresolution: 0.1\norigin: [0]\n", "origin must be"),
        ("image: m.pgm\nresolution: 0.1\norigin: [0, a, 0]\n", "origin must be a finite number"),
        ("image: m.pgm\nresolution: 0.1\norigin: [0, 0, 0]\nmode: other\n", "modes: trinary"),
        ("image: m.pgm\nresolution: 0.1\norigin: [0, 0, 0]\nfree_thresh: 0.9\n", "free_thresh < occupied"),
        ("image: [1]\nresolution: 0.1\norigin: [0, 0, 0]\n", "name of a picture"),
        ("image: nowhere.pgm\nresolution: 0.1\norigin: [0, 0, 0]\n", "was not found"),
    ],
)
def test_damaged_yaml(tmp_path, text, words):
    (tmp_path / "m.pgm").write_bytes(b"P5 1 1 255\n0")
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(BadInput, match=words) as caught:
        load_map(tmp_path / "m.yaml")
    assert str(tmp_path / "m.yaml") in str(caught.value)


HEADS = [b"", b"P5 3 2 255\n", b"P2 3 2 255\n", b"P5 3 2 999 ", b"\x89PNG\r\n\x1a\n"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=80), head=st.sampled_from(HEADS))
def test_no_bytes_crash_it(write, data, head):
    with contextlib.suppress(BadInput):
        assert load_map(write(head + data)).cells.size > 0


def test_names_and_wishes(grid, tmp_path):
    assert [map_base(tmp_path / name).name for name in ("a.yaml", "a.pgm.gz", "a.PNG", "a", "a.b.yml", ".yaml")] == [
        "a", "a", "a", "a", "a.b", ".yaml",
    ]  # fmt: skip
    with pytest.raises(BadInput, match="modes: trinary, scale, raw"):
        save_map(grid, tmp_path / "a", mode="x")
    with pytest.raises(BadInput, match="written as"):
        save_map(grid, tmp_path / "a", picture=".jpg")
    with pytest.raises(BadInput, match="no such map file"):
        load_map(tmp_path / "b.yaml")
    assert list(tmp_path.iterdir()) == []
