"""The frame that four anchors span, and names of anchors and tags."""

import numpy as np
import pytest

from andante.errors import BadInput, UnknownName
from andante.geometry import so3
from andante.localization.uwb import UwbSetup, anchors_from_distances, in_source_frame

LAYOUT = np.array([[0, 0, 0], [0, 5, 0], [4, 1, 0], [3, 4, 1.5]], dtype=float)


def distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


def test_layout_from_distances():
    np.testing.assert_allclose(anchors_from_distances(distances(LAYOUT)), LAYOUT, atol=1e-9)


def test_source_frame_of_anchors_measured_anywhere():
    turned = LAYOUT @ so3.from_rpy([0.1, -0.2, 1.0]).T + [3, 4, 5]
    np.testing.assert_allclose(in_source_frame(turned), LAYOUT, atol=1e-9)


def test_mistakes_of_layout_are_told():
    with pytest.raises(BadInput, match="on a line"):
        in_source_frame([[0, 0, 0], [0, 1, 0], [0, 2, 0]])
    with pytest.raises(BadInput, match="same place"):
        in_source_frame([[0, 0, 0], [0, 0, 0], [0, 2, 0]])
    with pytest.raises(BadInput, match="swap anchors 1 and 2"):
        in_source_frame(LAYOUT * [1, 1, -1])
    with pytest.raises(BadInput, match="on a line"):
        anchors_from_distances(distances(np.array([[0, 0, 0], [0, 1, 0], [0, 2, 0.0]])))
    with pytest.raises(BadInput, match="square table"):
        anchors_from_distances(np.ones((2, 2)))
    with pytest.raises(BadInput, match="symmetric"):
        anchors_from_distances([[0, 1, 2], [1, 0, 2], [3, 2, 0]])
    with pytest.raises(BadInput, match="same place"):
        anchors_from_distances(np.zeros((3, 3)))


def test_names():
    setup = UwbSetup(
        {"0x6902": (0, 0, 0), "0x6E7A": (0, 5, 0), "0x6e44": (4, 0, 0)}, {"tag0": (0, 0, 0), "1": (1, 0, 0)}
    )
    assert [setup.anchor_index(name) for name in ("0x6902", "26882", "0x6e7a")] == [0, 0, 1]
    assert [setup.tag_index(name) for name in ("0", "TAG0", "tag_1", "t1")] == [0, 0, 1, 1]
    with pytest.raises(UnknownName, match="0x6902"):
        setup.anchor_index("0x1")


@pytest.mark.parametrize(
    ("anchors", "tags", "said"),
    [
        ({"a": (0, 0, 0)}, {"t": (0, 0, 0)}, "at least 3 anchors"),
        ({"a": (0, 0, 0), "b": (0, 0, 0), "c": (1, 1, 1)}, {"t": (0, 0, 0)}, "same place"),
        ({"a": (0, 0, 0), "b": (0, 0, np.nan), "c": (1, 1, 1)}, {"t": (0, 0, 0)}, "anchor b"),
        ({"a": (0, 0, 0), "b": (0, 0, 2), "c": (1, 1, 1)}, {"t": (0, 0)}, "tag t"),
        ({"a": (0, 0, 0), "b": (0, 0, 2), "c": (1, 1, 1)}, {}, "no tag"),
    ],
)
def test_bad_setups(anchors, tags, said):
    with pytest.raises(BadInput, match=said):
        UwbSetup(anchors, tags)
