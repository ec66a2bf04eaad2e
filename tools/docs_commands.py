"""The reference of commands, written from the Typer app itself: usage, arguments, options, defaults, examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = re.compile(r"^\s*(?:\$ )?(andante [a-z][^|]*?)\s*$")
USAGE = re.compile(r"\[[A-Z-]|\.\.\.|\b(?:FILE|LOG|MAP|ROBOT|BAG|OUT|DIR|NAME|WORLD|SESSION|MOTION|FIRST|TOPIC|IN)\b")
MOST_EXAMPLES = 8  # per command
WORDS = """\
Made from the command line itself. Wherever ROBOT or WORLD is asked, a built-in name or a file is accepted. `--json`
prints one JSON object on stdout and nothing else; numbers that are not finite are null. Exit code 0: the run was
carried out, its outcome is in what is printed; 1: `check` found errors; 2: bad input, one line on stderr says what to
do; 130: stopped by Ctrl-C.
"""


def commands() -> dict[str, Any]:
    """Every command of the app by its words, `gait search`; groups are left out."""
    from andante.cli.main import app

    def walk(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        if hasattr(command, "commands"):
            for name, each in command.commands.items():
                yield from walk(each, (*words, name))
        else:
            yield " ".join(words), command

    return dict(walk(typer.main.get_command(app), ()))


def examples(words: list[str]) -> dict[str, list[str]]:
    """Command lines that README and pages show, by command; lines that are usage and no example are left out."""
    found: dict[str, list[str]] = {each: [] for each in words}
    longest = sorted(words, key=len, reverse=True)
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for line in page.read_text(encoding="utf-8").splitlines():
            if not (match := EXAMPLE.match(line)):
                continue
            shown = match[1]
            if USAGE.search(shown.split("#")[0]) or "`" in shown or shown.endswith("\\"):
                continue
            name = next((each for each in longest if re.match(rf"andante {each}(\s|$)", shown)), None)
            if name and all(shown.split("#")[0].strip() != old.split("#")[0].strip() for old in found[name]):
                found[name].append(shown)
    return {name: lines[:MOST_EXAMPLES] for name, lines in found.items()}


def commands_page() -> str:
    """The Markdown of the page."""
    all_commands = commands()
    shown = examples(list(all_commands))
    parts = [
        "# Commands\n",
        WORDS,
        "| command | what it does |\n|---|---|",
    ]
    parts += [
        f"| [`andante {name}`](#{anchor(name)}) | {first_line(command)} |" for name, command in all_commands.items()
    ]
    parts += ["", *(section(name, command, shown[name]) for name, command in all_commands.items())]
    return "\n".join(parts) + "\n"


def anchor(name: str) -> str:
    """Where the section of a command is on the page."""
    return "andante-" + name.replace(" ", "-")


def first_line(command: Any) -> str:
    """The first sentence of a command's help."""
    return cell((command.help or "").strip().split("\n\n")[0])


def section(name: str, command: Any, lines: list[str]) -> str:
    """One command: usage, words, tables, examples."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join(["andante", name, *(argument_usage(p) for p in arguments), *(["[OPTIONS]"] if options else [])])
    parts = [
        f"## andante {name} {{ #{anchor(name)} }}\n",
        f"```text\n{usage}\n```\n",
        (command.help or "").strip() + "\n",
    ]
    if arguments:
        parts.append("| argument | meaning |\n|---|---|")
        parts += [f"| `{argument_usage(p)}` | {cell(p.help)}{default_of(p)} |" for p in arguments]
        parts.append("")
    if options:
        parts.append("| option | default | meaning |\n|---|---|---|")
        parts += [f"| {option_names(p)} | {default_of(p, bare=True)} | {cell(p.help)} |" for p in options]
        parts.append("")
    if lines:
        parts.append("Examples:\n\n```bash\n" + "\n".join(lines) + "\n```\n")
    return "\n".join(parts)


def argument_usage(parameter: Any) -> str:
    """An argument as the usage line shows it."""
    name = (
        re.sub(r"^\[(.*?)\](\.\.\.)?$", r"\1", parameter.metavar or parameter.name.upper()).removesuffix("...").rstrip()
    )
    if parameter.nargs == -1:
        name = f"{name} ..."
    return name if parameter.required else f"[{name}]"


def option_names(parameter: Any) -> str:
    """An option's names and what it takes."""
    names = ", ".join(f"`{each}`" for each in [*parameter.opts, *parameter.secondary_opts])
    takes = "" if parameter.is_flag else f" `{parameter.metavar or parameter.name.upper()}`"
    return cell(names + takes)


def default_of(parameter: Any, bare: bool = False) -> str:
    """The default in words; empty where there is none."""
    value = parameter.default
    if callable(value) or value in (None, "", False, (), []):
        return ("required" if parameter.required else "") if bare else ""
    text = f"`{str(value).lower() if isinstance(value, bool) else value}`"
    return text if bare else f" By default {text}."


def cell(text: str | None) -> str:
    """Text that may stand in a cell of a table."""
    return " ".join((text or "").split()).replace("|", "\\|")
