"""The table of a zoo as a page: figures, a row per file, and a contact sheet of the pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from .figures import Figure, Row

STYLE = """body{font:14px/1.4 system-ui,sans-serif;margin:2em;color:#222}table{border-collapse:collapse;margin:1em 0}
td,th{border:1px solid #ddd;padding:.25em .5em;text-align:left;vertical-align:top}.no{background:#fde8e4}
.yes{background:#e6f4e6}.sheet{display:flex;flex-wrap:wrap;gap:8px}figure{margin:0;width:240px}img{width:240px}
figcaption{font-size:11px;overflow-wrap:anywhere}"""
LONGEST = 160  # of what a cell says


def page(title: str, figures: Sequence[Figure], rows: Sequence[Row], pictures: Mapping[str, str]) -> str:
    """HTML; `pictures`: path beside the page by file."""
    engines = list(dict.fromkeys(name for row in rows for name in row.engines))
    formats = list(dict.fromkeys(name for row in rows for name in row.written))
    head = [
        "file",
        "what",
        "reference",
        "check",
        *(f"{name} z [m]" for name in engines),
        *formats,
        "carries itself",
        "walk",
        "navigate",
    ]
    lines = [
        "<!doctype html><meta charset=utf-8>",
        f"<title>{escape(title)}</title><style>{STYLE}</style><h1>{escape(title)}</h1><table>",
        *(
            f"<tr><th>{escape(f.name)}<td class={'no' if f.misses else 'yes'}>{f.good} of {f.of}"
            f"<td>{escape(', '.join(f.misses))}"
            for f in figures
        ),
        "</table><table><tr>" + "".join(f"<th>{escape(name)}" for name in head),
        *("<tr>" + "".join(_cells(row, engines, formats)) for row in rows),
        "</table><div class=sheet>",
        *(
            f"<figure><img loading=lazy src='{escape(path)}'><figcaption>{escape(file)}</figcaption></figure>"
            for file, path in pictures.items()
        ),
        "</div>",
    ]
    return "\n".join(lines) + "\n"


def _cells(row: Row, engines: Sequence[str], formats: Sequence[str]) -> list[str]:
    reference = {None: "", True: "accepted", False: "refused"}[row.accepted]
    check = None if row.opens is None else row.opens and row.agrees
    cells = [_cell(None, row.file), _cell(None, row.what), _cell(None, reference), _cell(check, row.check or "ok")]
    for name in engines:
        z = row.engines.get(name)
        cells.append(
            _cell(None if z is None else isinstance(z, float), f"{z:.4f}" if isinstance(z, float) else z or "")
        )
    cells += [_outcome(row.written.get(name)) for name in formats]
    cells.append(_cell(None if row.carry is None else row.able, row.carry or ""))
    return [*cells, _outcome(row.walk), _outcome(row.navigate)]


def _outcome(said: str | None) -> str:
    return _cell(None if said is None else not said, "" if said is None else said or "ok")


def _cell(good: bool | None, text: str) -> str:
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."
    mark = "" if good is None else " class=yes" if good else " class=no"
    return f"<td{mark}>{escape(shown)}"
