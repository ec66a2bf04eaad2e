"""The documentation site without building it: its pages, commands, messages, maths and the diagram of the layers."""

import ast
import re
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "tools"))
try:
    import docs_api
    import docs_commands
    import docs_comments
    import docs_messages
    import docs_text
    import layer_diagram
finally:
    sys.path.remove(str(ROOT / "tools"))

MADE = {"examples.md", "reference/commands.md", "reference/messages.md"}
MADE |= set(docs_text.CARRIED.values()) - {"index.md"}
MADE |= {f"reference/{room}.md" for room in ("andante", *docs_api.ROOMS)}
PAGES = sorted(DOCS.glob("*.md"))
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$\w])\$(?=\S)([^$\n]+?)(?<=\S)\$(?![\w$])", re.DOTALL)


class Loader(yaml.SafeLoader):
    """Reads mkdocs.yml; tags of its own are of no interest here."""


Loader.add_multi_constructor("!", lambda *_: None)
SETTINGS = yaml.load((ROOT / "mkdocs.yml").read_text(), Loader)


def entries(nav):
    """The pages of a part of the navigation."""
    for entry in nav:
        value = next(iter(entry.values())) if isinstance(entry, dict) else entry
        yield from entries(value) if isinstance(value, list) else [value]


def part(title):
    """The pages below one title."""
    return list(entries(next(value for entry in SETTINGS["nav"] for key, value in entry.items() if key == title)))


def prose(page):
    """A page without its code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^    .*$", "", text, flags=re.MULTILINE))


def test_every_page_is_in_the_navigation_once():
    listed = list(entries(SETTINGS["nav"]))
    assert len(listed) == len(set(listed))
    assert {page.name for page in PAGES} | MADE == set(listed)


def test_warnings_are_errors_and_nothing_is_fetched():
    assert SETTINGS["strict"] is True
    assert SETTINGS["theme"]["font"] is False
    assert "://" not in (DOCS / "style" / "site.css").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pictures_exist_and_are_described(page):
    for words, path in PICTURE.findall(page.read_text()):
        assert (page.parent / path).is_file(), path
        assert len(words.split()) >= 1, f"{path} has no words for those who cannot see it"


def test_every_picture_is_shown_somewhere():
    shown = {Path(path).name for page in [*PAGES, ROOT / "README.md"] for _, path in PICTURE.findall(page.read_text())}
    assert {path.name for path in (DOCS / "pictures").iterdir()} <= shown


@pytest.mark.parametrize("name", [name for name in part("Capabilities") if not name.startswith("tutorial")])
def test_capability_has_maths_picture_and_example(name):
    text = (DOCS / name).read_text()
    assert PICTURE.search(text), "no picture"
    assert "```python\n" in text, "no example that runs"
    assert FORMULA.search(prose(DOCS / name)), "no maths"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_maths_becomes_mathml(page):
    for display, inline in FORMULA.findall(prose(page)):
        latex = (display or inline).strip()
        tag = "div" if display else "span"
        ends = ("\\[", "\\]") if display else ("\\(", "\\)")
        drawn = docs_text.maths_as_mathml(f'<{tag} class="arithmatex">{ends[0]}{latex}{ends[1]}</{tag}>')
        assert drawn.startswith(f'<{tag} class="maths"><math'), latex
        left = re.findall(r"<m[io]>(\\\w+)</m[io]>", drawn)
        assert not left, f"{left} in {latex} is not understood"


# ---- commands ------------------------------------------------------------------------------------------
COMMANDS = docs_commands.commands()


def test_reference_has_every_command_and_option():
    from typer.main import get_command_name

    from andante.cli.main import app

    def names(group):
        return {each.name or get_command_name(each.callback.__name__) for each in group.registered_commands}

    words = names(app)
    for group in (each.typer_instance for each in app.registered_groups):
        words |= {f"{group.info.name} {name}" for name in names(group)}
    assert words == set(COMMANDS)
    page = docs_commands.commands_page()
    sections = dict(re.findall(r"^## andante ([a-z0-9 -]+?) \{.*?\}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE))
    assert set(sections) == words
    for name, command in COMMANDS.items():
        for parameter in command.params:
            for option in parameter.opts if parameter.param_type_name == "option" else ():
                assert f"`{option}`" in sections[name], (name, option)


def test_examples_of_pages_use_options_that_exist(monkeypatch):
    monkeypatch.setattr(docs_commands, "MOST_EXAMPLES", 1000)
    found = docs_commands.examples(list(COMMANDS))
    assert sum(len(lines) for lines in found.values()) > 60
    for name, lines in found.items():
        known = {option for p in COMMANDS[name].params for option in [*p.opts, *p.secondary_opts]} | {"-h", "--help"}
        for line in lines:
            shown = re.sub(r"\"[^\"]*\"|'[^']*'", "''", line.split("#")[0])
            for option in re.findall(r"\s(--?[a-zA-Z][\w-]*)", shown):
                assert option in known, f"{line}: andante {name} has no {option}"


def test_lines_of_usage_are_no_examples():
    shown = docs_commands.examples(["bag info", "bag", "walk"])
    assert all(" BAG" not in line for line in shown["bag info"])
    assert any(line.startswith("andante walk nao --distance 1") for line in shown["walk"])


UNLISTED = {
    "cli",
    "bench",
    "compiling",
    "expressions",
    "robots",
    "worlds",
}  # rooms without a page of their own in the reference


# ---- Python and messages ---------------------------------------------------------------------------------
def test_reference_has_every_room_and_name():
    rooms = {path.parent.name for path in (ROOT / "src" / "andante").glob("*/__init__.py")}
    assert set(docs_api.ROOMS) == rooms - UNLISTED
    for room in ("geometry", "physics"):
        page = docs_api.api_page(f"andante.{room}")
        tree = ast.parse((ROOT / "src" / "andante" / room / "__init__.py").read_text())
        names = next(
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
        )
        assert sorted(re.findall(rf"^::: andante\.{room}\.(\w+)$", page, re.MULTILINE)) == sorted(names)


def test_reference_has_every_message():
    page = docs_messages.messages_page()
    for path in docs_messages.FOLDER.glob("*/*/*.*"):
        if path.suffix == f".{path.parent.name}":
            assert f"`{path.parts[-3]}/{path.parent.name}/{path.stem}`" in page
    assert "# request\n" in page
    assert "# feedback\n" in page


def test_page_on_live_sessions_names_every_topic_service_and_action():
    from andante.session import LiveSession

    text = (DOCS / "live.md").read_text()
    for robot in ("nao", "waffle"):
        session = LiveSession(robot)
        try:
            names = {str(name) for name in (*session.bus.topics(), *session.bus.services(), *session.bus.actions())}
        finally:
            session.close()
        own = f"/{robot}/"
        for name in names:
            shown = name.replace(own, "/NAME/") if name.startswith(own) else name
            assert f"`{shown}`" in text, f"{name} of a session with {robot} is not on the page"


def test_comment_behind_a_field_is_its_description():
    said = docs_comments.trailing_comment
    assert said("mass: float = 1.0  # of the link [kg]") == "of the link [kg]"
    assert said('name: str = "#1"') == ""
    assert said("x: int = 3  # noqa: E501") == ""
    assert said("    y: float  # [m]") == "[m]"


# ---- text ------------------------------------------------------------------------------------------------
def test_lists_and_tables_get_room():
    assert docs_text.spaced_lists("Words:\n- one\n- two\nmore") == "Words:\n\n- one\n- two\nmore"
    assert docs_text.spaced_lists("Words\n| a |\n|---|") == "Words\n\n| a |\n|---|"
    untouched = "# Head\n- one\n  wraps\n- two\n\n```\nx\n- y\n```\n    code\n- z"
    assert docs_text.spaced_lists(untouched) == untouched


def test_links_out_of_docs_stay_on_the_site():
    text = "[a](../examples/experiments/slippery-floor.toml) [b](../CHANGELOG.md) [c](bus.md)"
    assert (
        docs_text.as_page("[a](../docs/bus.md#x) [b](study.py) [c](#d) [e](docs/bags.md)")
        == "[a](bus.md#x) b [c](#d) [e](bags.md)"
    )
    assert (
        docs_text.links_into_site(text) == "[a](examples/experiments/slippery-floor.toml) [b](changelog.md) [c](bus.md)"
    )


# ---- layers ----------------------------------------------------------------------------------------------
def test_layers_of_a_small_package():
    imports = {
        ("top", "left"): 2,
        ("top", "right"): 1,
        ("left", "ground"): 3,
        ("right", "ground"): 1,
        ("top", "ground"): 4,
    }
    rooms = layer_diagram.Rooms(
        {"top": 5, "left": 3, "right": 2, "ground": 1, "hall": 1}, imports | {("top", "hall"): 1}
    )
    assert rooms.heights == {"top": 2, "left": 1, "right": 1, "ground": 0, "hall": 0}
    assert rooms.rows == {"top": 2, "left": 1, "right": 1, "ground": 0, "hall": 1}
    assert ("top", "ground") not in rooms.reduced
    assert set(rooms.reduced) == set(rooms.imports) - {("top", "ground")}
    with pytest.raises(ValueError, match="in a circle: top > left > ground > top"):
        _ = layer_diagram.Rooms(rooms.sizes, {**imports, ("ground", "top"): 1}).heights


def test_layers_of_the_package():
    rooms = layer_diagram.read_rooms()
    assert set(rooms.sizes) | UNLISTED == {*UNLISTED, *docs_api.ROOMS}
    assert all(rooms.rows[a] > rooms.rows[b] for a, b in rooms.imports)
    assert rooms.order[0] == "cli"
    assert rooms.order[-1] == "geometry"
    picture = layer_diagram.draw(rooms)
    for room, size in rooms.sizes.items():
        assert f">{room}</text>" in picture
        assert f">{size} modules</text>" in picture
    counts = re.findall(r'class="count"[^>]*>(\d+)<', picture)
    assert sorted(map(int, counts)) == sorted(rooms.imports[pair] for pair in rooms.reduced)
    cells = re.findall(r"<td>(\d+)</td>", layer_diagram.table(rooms))
    assert sorted(map(int, cells)) == sorted(rooms.imports.values())
