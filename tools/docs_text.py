"""Turns the repository's Markdown into what the site's renderer reads: lists, links out of docs/, maths as MathML."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

ITEM = re.compile(r"\s*([-*+]|\d+\.)\s+\S")
FENCE = re.compile(r"\s*(```|~~~)")
MATHS = re.compile(r'<(span|div) class="arithmatex">\s*\\[(\[](.*?)\\[)\]]\s*</\1>', re.DOTALL)
CARRIED = {  # files of the repository that are pages of the site
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/RESULTS.md": "results.md",
}
OUTSIDE = re.compile(r"\]\(\.\./([^)\s]+)\)")


def spaced_lists(text: str) -> str:
    """An empty line before every list and table that follows a paragraph: GitHub needs none, Python-Markdown does."""
    lines: list[str] = []
    fenced = False
    for line in text.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        before = lines[-1] if lines else ""
        if not fenced and before.strip() and not before.startswith("    "):
            begins_list = ITEM.match(line) and not ITEM.match(before) and not before.startswith((" ", "#", "|"))
            begins_table = line.startswith("|") and not before.startswith(("|", "#"))
            if begins_list or begins_table:
                lines.append("")
        lines.append(line)
    return "\n".join(lines)


def links_into_site(text: str) -> str:
    """Links from a page of docs/ to files of the repository that the site carries too, `../examples/x`."""
    return OUTSIDE.sub(lambda found: f"]({CARRIED.get(found[1], found[1])})", text)


def as_page(text: str) -> str:
    """A file from elsewhere in the repository as a page: links to pages stay, links to other files become words."""
    text = re.sub(r"\]\((?:\.\./)?docs/", "](", text)
    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!#|https?:)(?![\w-]+\.md)[^)]*\)", r"\1", text)


def maths_as_mathml(page: str) -> str:
    """The HTML of a page with its LaTeX turned into MathML, which browsers draw without any script."""

    def mathml(found: re.Match[str]) -> str:
        tag, latex = found[1], html.unescape(found[2]).strip()
        drawn = convert(latex, display="inline" if tag == "span" else "block")
        return f'<{tag} class="maths">{drawn}</{tag}>'

    return MATHS.sub(mathml, page)
