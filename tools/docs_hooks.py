"""What the documentation site adds to the pages of docs/: generated references, the layer diagram, maths, examples.

Listed under `hooks` in mkdocs.yml.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from docs_api import ROOMS, api_page, index_page
from docs_commands import commands_page
from docs_messages import messages_page
from docs_text import CARRIED, as_page, links_into_site, maths_as_mathml, spaced_lists
from layer_diagram import draw, read_rooms, table
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
FILES = ("examples/**/*.py", "examples/**/*.toml", "examples/*.urdf")  # that pages may link to
DIAGRAM, TABLE = "<!-- layers -->", "<!-- imports -->"


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the pages that are made from the code and the files that lie elsewhere in the repository."""
    pages = {
        "reference/commands.md": commands_page(),
        "reference/messages.md": messages_page(),
        "reference/andante.md": index_page(),
        **{f"reference/{room}.md": api_page(f"andante.{room}") for room in ROOMS},
        "examples.md": examples_page(),
        **{page: as_page(carried(file)) for file, page in CARRIED.items() if page != "index.md"},
    }
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    for pattern in FILES:
        for path in sorted(ROOT.glob(pattern)):
            files.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Make the page readable for Python-Markdown and put the diagrams in."""
    if page.file.src_uri.startswith("reference/"):
        return markdown
    text = spaced_lists(links_into_site(markdown))
    if DIAGRAM in text or TABLE in text:
        rooms = read_rooms()
        text = text.replace(DIAGRAM, "\n".join(draw(rooms).split("\n\n"))).replace(TABLE, table(rooms))
    return text


def on_page_content(html: str, **_: Any) -> str:
    """Draw the maths."""
    return maths_as_mathml(html)


def carried(file: str) -> str:
    """The text of a file of the repository; figures that were not measured yet are said to be missing."""
    path = ROOT / file
    return path.read_text(encoding="utf-8") if path.is_file() else f"# {path.stem.title()}\n\n`{file}` is not there.\n"


def examples_page() -> str:
    """Every numbered example with its words and its code."""
    parts = [
        "# Examples\n",
        "From easy to less easy; each runs as it stands, without a screen: `python examples/00_hello_nao.py`. "
        "All of them are run by the test suite.\n",
    ]
    for path in sorted((ROOT / "examples").glob("[0-9]*.py")):
        code = path.read_text(encoding="utf-8")
        words = ast.get_docstring(ast.parse(code)) or ""
        number, name = path.stem.split("_", 1)
        indented = "".join(f"    {line}\n" if line.strip() else "\n" for line in code.splitlines())
        parts.append(f"## {number} {name.replace('_', ' ')}\n\n{words}\n")
        parts.append(f'??? example "examples/{path.name}"\n\n    ```python\n{indented}    ```\n')
    return "\n".join(parts)
