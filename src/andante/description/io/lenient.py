"""Small faults of XML that other tools read over: mended, so that the file opens, and told with their line.

TinyXML, by which urdfdom, SDFormat and MuJoCo read, takes a raw `&`, `--` in comments, bytes that are no UTF-8, control
characters and tags after the end, its first version also a declaration after comments; a strict parser refuses them. An
attribute that stands twice is an error to all of them, and still costs no robot here.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from andante.description.source import Problem, Severity, Source

DECLARATION = re.compile(rb"<\?xml\s[^>]*\?>")
SOUND = re.compile(rb"<\?xml\s+version\s*=")
COMMENT = re.compile(rb"<!--(.*?)-->", re.DOTALL)
KEPT = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>", re.DOTALL)
RAW_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)")
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
TAG = re.compile(rb"<[A-Za-z_][^<>]*>")
ATTRIBUTE = re.compile(rb"""\s+([^\s=<>"'/]+)\s*=\s*("[^"]*"|'[^']*')""")


def mended_xml(data: bytes, file: str) -> tuple[bytes, list[Problem]]:
    """The document as a strict parser takes it, line by line where it was, and what was mended; empty: nothing."""
    problems: list[Problem] = []
    lax = b"<robot" in data  # urdfdom's TinyXML takes more than the later one of SDFormat and MuJoCo

    def tell(place: int, message: str, severity: Severity = Severity.WARNING) -> None:
        line = data.count(b"\n", 0, place) + 1
        problems.append(Problem(severity, f"not well-formed XML: {message}", Source(file, line)))

    fault = _first_undecodable(data)
    if fault is not None:
        tell(fault, "bytes that are no UTF-8, read as Latin-1; save the file as UTF-8")
        data = data.decode("latin-1").encode("utf-8")
        head = DECLARATION.match(data)
        data = (_blank(head[0]) + data[head.end() :]) if head else data
    for found in [each for each in DECLARATION.finditer(data) if each.start() > 0]:
        said = "the XML declaration does not stand at the start; move it to the first line"
        tell(found.start(), said, Severity.WARNING if lax else Severity.ERROR)
        data = data[: found.start()] + _blank(found[0]) + data[found.end() :]
    head = DECLARATION.match(data)
    if head is not None and not SOUND.match(head[0]):
        tell(0, 'an XML declaration without a version; write <?xml version="1.0"?>', Severity.WARNING)
        data = _blank(head[0]) + data[head.end() :]
    for found in COMMENT.finditer(data):
        inner = found[1]
        if b"--" in inner or inner.endswith(b"-"):
            tell(found.start(), "'--' inside a comment; write - - or end the comment before it")
            data = data[: found.start(1)] + inner.replace(b"-", b" ") + data[found.end(1) :]
    control = CONTROL.search(data)
    if control is not None:
        tell(control.start(), "control characters, read as blanks; delete them")
        data = CONTROL.sub(b" ", data)
    return _in_text(data, tell), problems


def _in_text(data: bytes, tell: Callable[..., None]) -> bytes:
    """Raw ampersands and attributes that stand twice, outside comments and CDATA."""
    out, end = list[bytes](), 0
    for kept in [*KEPT.finditer(data), None]:
        start = len(data) if kept is None else kept.start()
        piece, at = data[end:start], end
        raw = RAW_AMPERSAND.search(piece)
        if raw is not None:
            tell(at + raw.start(), "a raw '&'; write &amp; for it")

        def once(tag: re.Match[bytes], at: int = at) -> bytes:
            return _without_doubles(tag[0], lambda message: tell(at + tag.start(), message, Severity.ERROR))

        out.append(RAW_AMPERSAND.sub(b"&amp;", TAG.sub(once, piece)))
        if kept is not None:
            out.append(kept[0])
            end = kept.end()
    return b"".join(out)


def _without_doubles(tag: bytes, tell: Callable[[str], None]) -> bytes:
    """A start tag with the first of attributes that stand twice."""
    seen: set[bytes] = set()

    def first(found: re.Match[bytes]) -> bytes:
        if found[1] in seen:
            tell(f"the attribute {found[1].decode(errors='replace')!r} stands twice, the first counts; delete one")
            return _blank(found[0])
        seen.add(found[1])
        return found[0]

    return ATTRIBUTE.sub(first, tag)


def _first_undecodable(data: bytes) -> int | None:
    head = DECLARATION.match(data.lstrip())
    stated = re.search(rb"""encoding\s*=\s*["']([^"']+)""", head[0]) if head else None
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or (stated and stated[1].lower() not in (b"utf-8", b"utf8", b"ascii")):
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


def _blank(text: bytes) -> bytes:
    """Blanks in the place of a text, its line ends kept."""
    return re.sub(rb"[^\n]", b" ", text)
