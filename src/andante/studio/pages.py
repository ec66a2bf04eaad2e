"""The built page: where it stands, and what is served in its place when it was not built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from andante.bridges.server.access import Page

ROUTES = "andante.studio.routes:scene_routes"  # robots and worlds, made in the server process
STATIC = Path(__file__).resolve().parent / "static"
MISSING = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Andante Studio</title>
<body style="font:16px system-ui;max-width:38em;margin:4em auto;line-height:1.5">
<h1>The page is not built</h1>
<p>The session runs and rosbridge is served, but this installation has no page. In a source tree run
<code>python tools/build_web.py</code> (it needs Node 20 or newer), then reload.</p></body></html>
"""


def built(folder: Path = STATIC) -> bool:
    """Whether the page is there."""
    return (folder / "index.html").is_file()


def studio_pages(folder: Path = STATIC) -> list[Page]:
    """What the server serves at the root."""
    if built(folder):
        return [Page("/", folder)]
    return [Page("/", None, MISSING.encode(), "text/html")]


def scene_arguments(robots: Sequence[str], worlds: Sequence[str]) -> dict[str, list[str]]:
    """What the routes of `ROUTES` are told: built-in names to make ready at once (others are passed over)."""
    return {"robots": list(robots), "worlds": list(worlds)}
