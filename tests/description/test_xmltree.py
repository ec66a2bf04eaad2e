"""XML with line numbers and limits, and the numbers in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from andante.description.io import xmltree
from andante.description.io.open import read_robot
from andante.description.io.xmltree import Node, number, parse_xml, read_bytes, vec3, vector
from andante.errors import BadInput


def test_tree_text_and_lines() -> None:
    root = parse_xml(
        b'<?xml version="1.0"?>\n<a x="1">\n  hello <!-- no --> you\n  <b/>tail\n  <b y="2"><c/></b></a>', "f.xml"
    )
    assert (root.tag, root.get("x"), root.get("none", "z")) == ("a", "1", "z")
    assert root.text.split() == ["hello", "you"]
    assert [str(node.source) for node in root.walk()] == ["f.xml:2", "f.xml:4", "f.xml:5", "f.xml:5"]
    assert [node.get("y") for node in root.all("b")] == [None, "2"]
    assert root.find("c") is None
    assert str(root.error("bad")) == "f.xml:2: <a>: bad"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(encoding: str) -> None:
    assert parse_xml('<a x="é"/>'.encode(encoding), "f").get("x") == "é"


def test_declared_latin_1() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><a x="é"/>'
    assert parse_xml(text.encode("latin-1"), "f").get("x") == "é"


LAUGHS = b'<!DOCTYPE a [<!ENTITY l "ha"><!ENTITY m "&l;&l;&l;">]><a>&m;</a>'


@pytest.mark.parametrize(
    ("data", "fragment"),
    [
        (LAUGHS, "entit"),
        (b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "entit"),
        (b'<!DOCTYPE a [<!ENTITY % p SYSTEM "http://localhost/x.dtd"> %p;]><a/>', "entit"),
        (b'<!DOCTYPE a SYSTEM "x.dtd"><a>&undefined;</a>', "entit"),
        (b'<!DOCTYPE a [<!ATTLIST b c CDATA "big">]><a><b/></a>', "attributes of"),
        (b"<a><b></a>", "not well-formed"),
        (b"", "not well-formed"),
        (b"\x00\x01\x02", "not well-formed"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', "f.xml"),
        (b'<?xml version="1.0" encoding="utf-7"?><a/>', "f.xml"),
        (b"<a>" * 300 + b"</a>" * 300, "levels"),
    ],
)
def test_refusals(data: bytes, fragment: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_xml(data, "f.xml")
    assert str(caught.value).startswith("f.xml")
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


def test_too_many_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xmltree, "MAX_ELEMENTS", 10)
    with pytest.raises(BadInput, match="more than 10 elements"):
        parse_xml(b"<a>" + b"<b/>" * 20 + b"</a>", "f.xml")


def test_a_huge_file_is_refused_before_reading(tmp_path: Path) -> None:
    for name in ("big.urdf", "big.urdf.xacro"):
        file = tmp_path / name
        with file.open("wb") as stream:
            stream.truncate(200_000_000)
        with pytest.raises(BadInput, match=r"has 200 MB; files over"):
            read_robot(file)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        read_bytes(tmp_path)
    with pytest.raises(BadInput, match="no such file"):
        read_bytes(tmp_path / "none")
    with pytest.raises(BadInput, match="cannot be read"):
        read_bytes(tmp_path / ("x" * 5000))
    with pytest.raises(BadInput, match="cannot be read"):
        read_bytes(Path("a\0b"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are a thing of POSIX systems")
def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.urdf")
    with pytest.raises(BadInput, match="not a regular file"):
        read_bytes(tmp_path / "pipe.urdf")


NODE = Node("n", {"name": "me"})


def test_numbers() -> None:
    assert number(NODE, " 1.5 ", "v") == 1.5
    assert number(NODE, None, "v", 2.0) == 2.0
    assert number(NODE, "-inf", "v", infinite=True) == float("-inf")
    assert vec3(NODE, "1\t2\n3", "v") == (1, 2, 3)
    assert vector(NODE, "", 2, "v", (0.0, 0.0)) == (0, 0)


@pytest.mark.parametrize("text", [None, "", " ", "one", "nan", "inf", "1e308", "-1e10", "1_000", "0x10", "1,5", "1 2"])
def test_bad_numbers(text: str | None) -> None:
    with pytest.raises(BadInput, match="<n> 'me': v "):
        number(NODE, text, "v")


@pytest.mark.parametrize("text", [None, "1 2", "1 2 3 4", "1 2 x", "1 2 nan"])
def test_bad_vectors(text: str | None) -> None:
    with pytest.raises(BadInput, match="<n> 'me': v "):
        vec3(NODE, text, "v")
