"""A griffe extension: a field without a docstring is described by the comment behind it, `# length [m]`."""

from __future__ import annotations

import io
import tokenize
from typing import Any

import griffe

DIRECTIVES = ("noqa", "type:", "pragma", "fmt:")


class FieldComments(griffe.Extension):
    """Reads the comments that stand behind the fields of dataclasses, named tuples and enumerations."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Take the comment of the line as docstring."""
        if attr.docstring is not None or attr.lineno is None or attr.endlineno is None:
            return
        try:
            lines = attr.lines_collection[attr.filepath]  # type: ignore[index]
        except (KeyError, ValueError):
            return
        if words := trailing_comment("\n".join(lines[attr.lineno - 1 : attr.endlineno])):
            attr.docstring = griffe.Docstring(words.replace("[", "\\["), parent=attr, lineno=attr.lineno)


def trailing_comment(code: str) -> str:
    """The last comment of a piece of code that stands behind something, without directives for tools."""
    try:
        comments = [
            t for t in tokenize.generate_tokens(io.StringIO(code.strip() + "\n").readline) if t.type == tokenize.COMMENT
        ]
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return ""
    behind = [token.string.lstrip("# ").strip() for token in comments if token.line[: token.start[1]].strip()]
    return behind[-1] if behind and not behind[-1].startswith(DIRECTIVES) else ""
