"""DOM trees for the xacro package whose elements know file and line, with bounded copying.

Every file goes through `parse_xml` first, so entities, depth and size are judged by the same rules as everywhere.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from xml.dom import minidom
from xml.parsers import expat

from andante.description.io.xmltree import Node, parse_xml, without_blank_head
from andante.description.source import Source
from andante.errors import BadInput


class Budget:
    """Counts the elements that an expansion makes; a bomb ends with one clear line."""

    def __init__(self, limit: int) -> None:
        self.limit, self.used = limit, 0

    def spend(self, source: Source, characters: int = 0) -> None:
        """One more element, or text; 64 characters cost as much as an element."""
        self.used += 1 + characters // 64
        if self.used > self.limit:
            raise BadInput(f"{source}: the expansion makes more than {self.limit} elements or too much text; refused")


class LocatedElement(minidom.Element):
    """An element that keeps its source when it is copied."""

    source: Source
    budget: Budget

    def setAttribute(self, name: str, value: Any) -> None:
        """Set an attribute, quickly when it has that value already (xacro sets all of them again)."""
        old = self._attrs.get(name) if self._attrs else None  # type: ignore[attr-defined]
        if old is None or old.value != value:
            super().setAttribute(name, value)

    def cloneNode(self, deep: bool) -> LocatedElement:
        """A copy with attributes and, when deep, everything below."""
        self.budget.spend(self.source, sum(len(str(value)) for _, value in self.attributes.items()))
        copy = make_element(self.ownerDocument, self.tagName, self.source, self.budget)
        for name, value in self.attributes.items():
            copy.setAttribute(name, value)
        if deep:
            for child in self.childNodes:
                if child.nodeType == minidom.Node.TEXT_NODE:
                    self.budget.spend(self.source, len(child.data))
                append(copy, child.cloneNode(True))
        return copy


def make_element(document: Any, tag: str, source: Source, budget: Budget) -> LocatedElement:
    """An element without parent."""
    element = LocatedElement(tag)
    element.ownerDocument, element.source, element.budget = document, source, budget
    return element


def append(parent: Any, child: Any) -> None:
    """Put a new child at the end, without the searches of `appendChild`."""
    last = parent.childNodes[-1] if parent.childNodes else None
    child.previousSibling, child.nextSibling, child.parentNode = last, None, parent
    if last is not None:
        last.nextSibling = child
    parent.childNodes.append(child)


def replace_node(node: Any, by: Any, content_only: bool = False) -> None:
    """Put nodes (or their contents) in the place of a node, in one splice; xacro's own takes quadratic time."""
    parent = node.parentNode
    new: list[Any] = []
    for item in [] if by is None else by if isinstance(by, list) else [by]:
        new += list(item.childNodes) if content_only else [item]
        if content_only:
            item.childNodes.clear()
    before, after = node.previousSibling, node.nextSibling
    index = parent.childNodes.index(node)
    parent.childNodes[index : index + 1] = new
    chain = [before, *new, after]
    for left, right in pairwise(chain):
        if left is not None:
            left.nextSibling = right
        if right is not None:
            right.previousSibling = left
    for item in new:
        item.parentNode = parent
    node.parentNode = node.previousSibling = node.nextSibling = None


def parse_document(data: bytes, file: str, budget: Budget) -> minidom.Document:
    """DOM of a file without comments and blank text; refuses whatever `parse_xml` refuses."""
    parse_xml(data, file)
    data, skipped = without_blank_head(data)
    document = minidom.Document()
    stack: list[Any] = [document]
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        source = Source(file, parser.CurrentLineNumber + skipped)
        budget.spend(source, sum(len(value) for value in attributes.values()))
        element = make_element(document, tag, source, budget)
        for name, value in attributes.items():
            element.setAttribute(name, value)
        append(stack[-1], element)
        stack.append(element)

    def end(_tag: str) -> None:
        stack.pop()

    def text(data: str) -> None:
        if len(stack) > 1 and not data.isspace():
            append(stack[-1], document.createTextNode(data))

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.Parse(data, True)
    return document


def to_node(element: Any, source: Source | None = None) -> Node:
    """The expanded tree as `Node`s; text is what stands before the first child element."""
    node = Node(str(element.tagName), _attributes(element), source=getattr(element, "source", source or Source()))
    pairs = [(element, node)]
    while pairs:
        dom, made = pairs.pop()
        for child in dom.childNodes:
            if child.nodeType == minidom.Node.ELEMENT_NODE:
                below = Node(str(child.tagName), _attributes(child), source=getattr(child, "source", made.source))
                made.children.append(below)
                pairs.append((child, below))
            elif child.nodeType == minidom.Node.TEXT_NODE and not made.children:
                made.text += str(child.data)
    return node


def _attributes(element: Any) -> dict[str, str]:
    """Attributes without the declarations of namespaces."""
    return {str(k): str(v) for k, v in element.attributes.items() if k != "xmlns" and not str(k).startswith("xmlns:")}
