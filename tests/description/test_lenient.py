"""Files that only a strict parser refuses are read, with a line and what to do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.description.io.xmltree import parse_xml
from andante.errors import BadInput


@pytest.mark.parametrize(
    ("data", "line", "words", "severity"),
    [
        (b'<!-- who -->\n<?xml version="1.0"?>\n<a><b/></a>', 2, "move it to the first line", "error"),
        (b'<?xml version="1.0"?>\n<?xml version="1.0"?>\n<a><b/></a>', 2, "move it to the first line", "error"),
        (b"<a>\nyou & me<b/></a>", 2, "write &amp;", "warning"),
        (b"<a>\n<b c='x & y'/></a>", 2, "write &amp;", "warning"),
        (b"<a>&nbsp;<b/></a>", 1, "write &amp;", "warning"),
        (b"<a>\n\n<!-- one -- two --><b/></a>", 3, "inside a comment", "warning"),
        (b"<a><b/><!-- end ---></a>", 1, "inside a comment", "warning"),
        (b"<a>\n<b x='1' x='2'/></a>", 2, "the attribute 'x' stands twice", "error"),
        (b"<a><b/></a>\n<c/>", 2, "follows the end of the first element", "warning"),
        ("<a>\n<!-- é --><b/></a>".encode("latin-1"), 2, "save the file as UTF-8", "warning"),
        (b'<?xml verison="1.0"?>\n<a><b/></a>', 1, "declaration without a version", "warning"),
        (b"<a><b/>\x01</a>", 1, "control characters", "warning"),
    ],
)
def test_small_faults_are_mended_and_told(data: bytes, line: int, words: str, severity: str) -> None:
    root = parse_xml(data, "f.xml")
    assert (root.tag, [child.tag for child in root.children]) == ("a", ["b"])
    (problem,) = root.problems
    assert words in problem.message
    assert (problem.severity, str(problem.source)) == (severity, f"f.xml:{line}")


def test_the_texts_are_as_they_were_meant() -> None:
    root = parse_xml(b"<a>\n<b c='x & y' d='1' d='2'>p & q &lt;</b><!-- & -- --><!-- & --></a>", "f.xml")
    (inner,) = root.children
    assert inner.attributes == {"c": "x & y", "d": "1"}
    assert inner.text == "p & q <"
    assert inner.source.line == 2
    assert len(root.problems) == 3


def test_sound_files_have_nothing_to_tell() -> None:
    assert not parse_xml("<?xml version='1.0'?><a>&amp;é<!-- - --></a>".encode(), "f.xml").problems


@given(st.binary(max_size=60), st.integers(0, 40))
def test_any_damage_is_read_or_refused_with_the_file_named(noise: bytes, place: int) -> None:
    sound = b'<?xml version="1.0"?><a><!-- c --><b c="1">t &amp; u</b></a>'
    try:
        parse_xml(sound[:place] + noise + sound[place:], "f.xml")
    except BadInput as error:
        if "f.xml" not in str(error):
            raise
