"""Action files: text in the format of `action_text`, with the suffix .action."""

from __future__ import annotations

from pathlib import Path

from andante.description.io.xmltree import read_bytes
from andante.errors import BadInput
from andante.motion.action_text import parse_actions
from andante.motion.actions import ActionSet

MAX_BYTES = 4 * 1024 * 1024


def read_actions(path: Path) -> ActionSet:
    """The actions of a file; errors name the line."""
    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not a text file (UTF-8)") from None
    return parse_actions(text, str(path))
