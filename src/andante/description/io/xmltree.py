"""XML with line numbers and limits, and the numbers in its texts: what every description reader starts from.

Entities, external subsets and oversized or over-deep documents are refused with one clear line; nothing is fetched.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any
from xml.parsers import expat

from andante.description.shapes import RGBA, Vec3
from andante.description.source import Problem, Severity, Source
from andante.errors import BadInput
from andante.files import read_bytes as read_bytes

LARGEST = 1e9  # no length, mass or angle of a robot is larger; catches 1e308 before it overflows
MAX_BYTES = 32 * 1024 * 1024
MAX_DEPTH = 200
MAX_ELEMENTS = 300_000
JUNK = expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]


class ElementError(BadInput):
    """An element cannot be used; `forgive` may take it away.

    Args:
        node: the element.
        message: what is wrong, and what to do.
        what: the attribute or `<child>` that is wrong, empty: the element itself.
        unreadable: it is no value of its kind at all; else one that nobody can use.
    """

    def __init__(self, node: Node, message: str, what: str = "", unreadable: bool = False) -> None:
        name = f" {node.attributes['name']!r}" if node.attributes.get("name") else ""
        self.node, self.what, self.unreadable = node, what, unreadable
        self.words = f"<{node.tag}>{name}: {message}"
        super().__init__(f"{node.source}: {self.words}")


@dataclass
class Node:
    """An element: tag, attributes, text before the first child, children, where it stood, and text right after it."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[Node] = field(default_factory=list)
    source: Source = field(default_factory=Source)
    tail: str = ""
    problems: Sequence[Problem] = ()  # of a root element: what had to be mended to read its file

    def get(self, name: str, default: str | None = None) -> str | None:
        """An attribute, or the default."""
        return self.attributes.get(name, default)

    def find(self, tag: str) -> Node | None:
        """The first child of that tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, tag: str) -> Iterator[Node]:
        """The children of that tag."""
        return (child for child in self.children if child.tag == tag)

    def walk(self) -> Iterator[Node]:
        """This element and everything below it, in document order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def leaves(self) -> Iterator[Node]:
        """The elements without children below this one, in document order."""
        return (node for node in self.walk() if node is not self and not node.children)

    def error(self, message: str, what: str = "", unreadable: bool = False) -> ElementError:
        """A BadInput that names file, line and element."""
        return ElementError(self, message, what, unreadable)


def child_of(node: Node | None, tag: str) -> Node | None:
    """The first child of that tag; None where it or the element itself is missing."""
    return node.find(tag) if node is not None else None


def free_name(stem: str, taken: set[str], mark: str = "_", first: int = 2) -> str:
    """The stem itself, else with the first number behind it that is not taken; it is taken from then on."""
    candidates = chain([stem], (f"{stem}{mark}{number}" for number in count(first)))
    name = next(candidate for candidate in candidates if candidate not in taken)
    taken.add(name)
    return name


def gunzip(data: bytes, file: str, limit: int = MAX_BYTES) -> bytes:
    """Unpacked contents of gzip data (`.world.gz`, `.sdf.gz`), no longer than the limit."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        out = unpacker.decompress(data, limit + 1)
    except zlib.error as error:
        raise BadInput(f"{file}: broken gzip data ({error})") from None
    if len(out) > limit:
        raise BadInput(f"{file} unpacks to more than {limit / 1e6:.0f} MB; refused")
    if not unpacker.eof:
        raise BadInput(f"{file}: the gzip data ends too early; copy the file again")
    return out


def without_blank_head(data: bytes) -> tuple[bytes, int]:
    """The document without blanks before its <?xml, which strict parsers refuse, and how many lines were cut."""
    stripped = data.lstrip(b" \t\r\n")
    if stripped is data or not stripped.startswith(b"<?xml"):
        return data, 0
    return stripped, data[: len(data) - len(stripped)].count(b"\n")


def parse_xml(data: bytes, file: str) -> Node:
    """Root element of a document; `file` is what messages call it. Small faults are mended and told in `problems`."""
    if len(data) > MAX_BYTES:
        raise BadInput(f"{file} has {len(data) / 1e6:.0f} MB; XML over {MAX_BYTES / 1e6:.0f} MB is refused")
    try:
        return _parsed(data, file)
    except _Malformed as refusal:
        from .lenient import mended_xml  # here, as most files do without

        mended, problems = mended_xml(data, file)
        if not problems:
            raise BadInput(str(refusal)) from None
        try:
            root = _parsed(mended, file)
        except _Malformed:
            raise BadInput(str(refusal)) from None
        root.problems = [*problems, *root.problems]
        return root


class _Malformed(BadInput):
    """A document that is not well-formed."""


def _parsed(data: bytes, file: str) -> Node:
    data, skipped = without_blank_head(data)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    top = Node("", source=Source(file))
    stack = [top]
    texts: list[list[str]] = [[]]  # pieces of text of the open elements
    elements = 0

    def here() -> int:
        return parser.CurrentLineNumber + skipped

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal elements
        elements += 1
        line = here()
        if elements > MAX_ELEMENTS or len(stack) > MAX_DEPTH:
            raise BadInput(f"{file}:{line}: more than {MAX_ELEMENTS} elements or {MAX_DEPTH} levels; refused")
        node = Node(tag, attributes, source=Source(file, line))
        stack[-1].children.append(node)
        stack.append(node)
        texts.append([])

    def end(_tag: str) -> None:
        stack.pop().text = "".join(texts.pop())

    def text(data: str) -> None:
        if not stack[-1].children:
            texts[-1].append(data)
        elif not data.isspace():
            stack[-1].children[-1].tail += data

    def entity(name: str, *_rest: Any) -> None:
        raise BadInput(f"{file}:{here()}: entity {name!r} declared; XML entities are refused")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text

    def defaults(element: str, *_rest: Any) -> None:
        raise BadInput(f"{file}:{here()}: attributes of {element!r} declared; write them out instead")

    parser.EntityDeclHandler, parser.SkippedEntityHandler, parser.AttlistDeclHandler = entity, entity, defaults
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        line, what = error.lineno + skipped, expat.ErrorString(error.code)
        if top.children and len(stack) == 1:
            said = "not well-formed XML: more follows the end of the first element, and is not read; delete it"
            first, is_text = top.children[0], data[parser.ErrorByteIndex : parser.ErrorByteIndex + 1] != b"<"
            refused = is_text and what == expat.ErrorString(JUNK) and first.tag != "robot"  # as TinyXML2 does
            severity = Severity.ERROR if refused else Severity.WARNING
            first.problems = [Problem(severity, said, Source(file, line))]
            return first
        raise _Malformed(f"{file}:{line}: not well-formed XML ({what}); mend the file there") from None
    except BadInput:  # of a handler
        raise
    except (LookupError, ValueError) as error:
        raise BadInput(f"{file}: the text cannot be decoded ({error}); save it as UTF-8") from None
    if not top.children:
        raise BadInput(f"{file}: no XML element found")
    return top.children[0]


def escaped(text: str) -> str:
    """Text as it stands between tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quoted(text: str) -> str:
    """Text as the value of an attribute, in quotation marks."""
    inside = escaped(text).replace('"', "&quot;")
    return '"' + inside.replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;") + '"'


def number(node: Node, text: str | None, what: str, default: float | None = None, infinite: bool = False) -> float:
    """A finite float (or ±inf where allowed); empty text gives the default."""
    if text is None or not text.strip():
        if default is None:
            raise node.error(f"{what} is missing", what, unreadable=True)
        return default
    try:
        value = float(text.replace("_", "?"))  # digit groups are Python's own
    except ValueError:
        said = f"{what} should be a number, got {text.strip()[:40]!r}"
        raise node.error(said, what, unreadable=True) from None
    if math.isnan(value) or (abs(value) > LARGEST and not infinite):
        said = f"{what} should be a finite number up to {LARGEST:g}, got {text.strip()[:40]}"
        raise node.error(said, what, unreadable=not math.isfinite(value))
    return value


def vector(
    node: Node, text: str | None, count: int, what: str, default: tuple[float, ...] | None = None
) -> tuple[float, ...]:
    """Exactly `count` finite floats separated by blanks."""
    if text is None or not text.strip():
        if default is None:
            raise node.error(f"{what} is missing", what, unreadable=True)
        return default
    parts = text.split()
    if len(parts) != count:
        said = f"{what} needs {count} numbers, got {len(parts)} in {text.strip()[:60]!r}"
        raise node.error(said, what, unreadable=True)
    return tuple(number(node, part, what) for part in parts)


def vec3(node: Node, text: str | None, what: str, default: Vec3 | None = None) -> Vec3:
    """Three finite floats."""
    x, y, z = vector(node, text, 3, what, default)
    return (x, y, z)


def rgba(node: Node, text: str | None, what: str = "rgba") -> RGBA:
    """Color of four numbers 0 to 1; three are taken as opaque."""
    count = len((text or "").split())
    r, g, b, a = (*vector(node, text, 3 if count == 3 else 4, what), 1.0)[:4]
    return (r, g, b, a)
