"""One expansion of a xacro file: where it is, what it may read and how much it may make."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Any

from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import Node, parse_xml, read_bytes
from andante.description.source import Problem, Severity, Source
from andante.errors import BadInput, UnknownName
from andante.expressions import evaluate
from andante.expressions.functions import Dictionary, check_size, weigh

from .scope import Scope

MAX_YAML_BYTES = 1024 * 1024
MAX_ELEMENTS = 100_000  # made by one expansion
MAX_SECONDS = 10.0  # of the processor: a machine busy with other work refuses nothing
MAX_FILES = 500
MAX_BYTES = 8 * 1024 * 1024  # of one xacro file
MAX_DOLLAR_TEXT = 20_000  # characters of a text with ${} or $() in it
MAX_WEIGHT = 3_000_000  # of all results together
OLD_WORDS = {  # xacro's own before it had a namespace (until ROS Indigo), and what they have beside a name
    "include": "filename", "macro": "params", "property": "value", "if": "value", "unless": "value",
    "insert_block": "name", "arg": "default",
}  # fmt: skip
TOKEN = re.compile(
    r"(?P<escaped>\$\$+[{(])"
    r"|(?P<expression>\$\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*\}|\$\{[^}]*\})"  # one level of braces inside, for dicts
    r"|(?P<command>\$\([^()]*+(?:\([^()]*+\)[^()]*+)*\)|\$\([^)]*\))"  # and of parentheses, for calls
    r"|(?P<text>[^$]+|\$[^{($]+|\$$)"
)


class Session:
    """What one file and its includes may read and evaluate, with the bounds of the whole expansion."""

    def __init__(self, path: Path, arguments: dict[str, str], resolver: Resolver) -> None:
        self.path, self.resolver = path, resolver
        self.given, self.mappings = dict(arguments), dict(arguments)
        self.here = Source(str(path))
        self.files: list[str] = []
        self.open: list[Path] = []  # the files being worked on, each included by the one before
        self.roots: set[Path] = set()
        self.declared: dict[str, Source | None] = {}  # arguments; the <xacro:arg> of those without a default
        self.problems: list[Problem] = []
        self.old = False  # written without the prefix xacro:
        self.weight = self.calls = self.made = 0
        self.deadline = time.thread_time() + MAX_SECONDS

    def tick(self, node: Node | None = None) -> None:
        """Notes where the expansion is, and that its time is not over."""
        if node is not None:
            self.here = node.source
        if time.thread_time() > self.deadline:
            raise BadInput(f"{self.here}: the expansion takes more than {MAX_SECONDS:.0f} s of the processor; refused")

    def spend(self, source: Source, characters: int = 0) -> None:
        """One more element, or text; 64 characters cost as much as an element."""
        self.made += 1 + characters // 64
        if self.made > MAX_ELEMENTS:
            raise BadInput(f"{source}: the expansion makes more than {MAX_ELEMENTS} elements or too much text; refused")

    def warning(self, *parts: Any, **_options: Any) -> str:
        """Note something that the author or the user should know."""
        text = " ".join(" ".join(str(part) for part in parts).split())
        self.problems.append(Problem(Severity.WARNING, f"xacro: {text[:300]}", self.here))
        return ""

    # ---- files ---------------------------------------------------------------------------------
    def parse(self, path: Path) -> Node:
        """Root element of a file, its arguments declared."""
        self.files.append(str(path))
        if len(self.files) > MAX_FILES:
            raise BadInput(f"{self.here}: more than {MAX_FILES} included files; refused")
        resolved = path.resolve()
        root = parse_xml(read_bytes(path, MAX_BYTES), str(path))
        self.problems += root.problems
        for node in root.walk():
            self.spend(node.source, sum(map(len, node.attributes.values())))
            if node.tag == "xacro:arg":
                place = None if "default" in node.attributes else node.source
                self.declared.setdefault(node.get("name") or "", place)
        self._look_for_old_words(root)
        self.roots |= {resolved.parent, *_package_root(resolved)}
        return root

    def _look_for_old_words(self, root: Node) -> None:
        """Whether a file is written as before xacro had a namespace: told once, read all the same."""
        own = ("include", "macro", "property")
        first = next((c for c in root.children if c.tag in own and c.get(OLD_WORDS[c.tag]) is not None), None)
        if first is None or self.old:
            return
        self.old, before, self.here = True, self.here, first.source
        self.warning(f"<{first.tag}> without a prefix is how xacro was until ROS Indigo; write xacro:{first.tag}")
        self.here = before

    @contextmanager
    def opened(self, path: Path) -> Iterator[Node]:
        """Root element of a file that is the one being worked on until the end of the block."""
        if any(file.resolve() == path.resolve() for file in self.open):
            names = " > ".join(file.name for file in (*self.open, path))
            raise BadInput(f"{self.here}: {path} includes itself, by {names}")
        root = self.parse(path)
        self.open.append(path)
        yield root
        self.open.pop()

    def asking(self) -> Path:
        """The file being worked on."""
        return self.open[-1] if self.open else self.path

    def include_files(self, text: str) -> list[Path]:
        """Files of an include: package://, file://, absolute or relative to the including file, * and ? allowed."""
        asking = self.asking()
        if "://" in text:
            found = self.resolver.resolve(text, asking)
            if found is None:
                raise BadInput(f"{self.here}: the included file {text} was not found; set ROS_PACKAGE_PATH")
            return [found]
        path = Path(text) if Path(text).is_absolute() else asking.parent / text
        if any(sign in text for sign in "*?["):
            if any(sign in str(Path(text).parent) for sign in "*?["):
                raise BadInput(f"{self.here}: the include {text} may have * and ? in the file name only")
            names = sorted(glob(path.name, root_dir=path.parent))
            if not names:
                self.warning(f"the include {text} matches no file")
            return [path.parent / name for name in names]
        return [path]

    def load_yaml(self, name: Any) -> Any:
        """Contents of a YAML file below the folders of the including files or of their packages."""
        text = str(name)
        asking = self.asking()
        path = self.resolver.resolve(text, asking) if "://" in text else Path(text)
        if path is None:
            raise BadInput(f"load_yaml: {text} was not found; set ROS_PACKAGE_PATH")
        path = (path if path.is_absolute() else asking.parent / path).resolve()
        trusted = text in self.given.values()  # the user named this very file
        if not trusted and not any(path.is_relative_to(root) for root in self.roots):
            raise BadInput(f"load_yaml: {text} lies outside the folder and packages of this file; refused")
        if path.suffix.lower() not in (".yaml", ".yml", ".json"):
            raise BadInput(f"load_yaml: {text} is no .yaml file; refused")
        self.files.append(str(path))
        from .yaml_file import parse_yaml  # here, as most files have none

        return parse_yaml(read_bytes(path, MAX_YAML_BYTES), str(path), lambda expression: evaluate(expression, {}))

    def find(self, package: str) -> str:
        """Folder of a package."""
        folder = self.resolver.package(package, self.asking())
        if folder is None:
            raise BadInput(f"$(find {package}): no such package; set ROS_PACKAGE_PATH to the folder that holds it")
        self.roots.add(folder.resolve())
        return str(folder)

    # ---- expressions ---------------------------------------------------------------------------
    def evaluate(self, expression: str, symbols: Scope) -> Any:
        """Value of ${...}."""
        self.tick()
        try:
            value = evaluate(str(expression), symbols, self.functions())
        except BadInput as error:
            text, shown = str(error), " ".join(str(expression).split())
            if text.startswith("in ${") or any(text.startswith(file) for file in self.files):
                raise
            raise BadInput(f"in ${{{shown[:57] + '...' if len(shown) > 60 else shown}}}: {text}") from None
        return self.weighed(value)

    def weighed(self, value: Any) -> Any:
        """The value itself, its weight added to that of the whole expansion."""
        self.weight += weigh(value)
        if self.weight > MAX_WEIGHT:
            raise BadInput(f"{self.here}: the expressions produce too much; refused")
        return value

    def functions(self) -> dict[str, dict[str, Callable[..., Any]]]:
        """What expressions may call beyond maths."""
        own: dict[str, Callable[..., Any]] = {
            "load_yaml": self.load_yaml,
            "abs_filename": lambda name: str(self.asking().parent / str(name)),
            "dotify": lambda values: Dictionary(values) if isinstance(values, dict) else values,
        }
        more: dict[str, Callable[..., Any]] = {
            "arg": self.argument,
            "message": lambda *_parts, **_named: "",
            "print_location": lambda: "",
            "warning": self.warning,
            "error": self.warning,
            "fatal": self.fatal,
            "tokenize": lambda text, sep=",; ", skip_empty=True: _tokens(text, sep, skip_empty),
        }
        return {"": own, "xacro": {**own, **more}}

    def fatal(self, *parts: Any) -> str:
        """xacro.fatal(...): the author of the file ends the expansion."""
        raise BadInput(f"{self.here}: {' '.join(str(part) for part in parts)[:300]}")

    def argument(self, name: str) -> str:
        """Value of a declared or given argument."""
        place = self.declared.setdefault(str(name), None)
        try:
            return self.mappings[str(name)]
        except KeyError:
            where = "" if place is None else f"{place}: "  # else where it is used
            raise BadInput(f"{where}the argument {name!r} has no value; pass {name}:=VALUE") from None

    def environment(self, name: str, default: str | None = None) -> str:
        """$(env NAME): from the given arguments only, never from the process."""
        self.declared.setdefault(name, None)
        if name in self.given:
            return self.given[name]
        if default is None:
            raise BadInput(f"$(env {name}): the environment is not read; pass {name}:=VALUE")
        return default

    def extension(self, text: str) -> Any:
        """Value of $(command arguments)."""
        self.tick()
        command, _, rest = text[2:-1].strip().partition(" ")
        words = rest.split()
        if command == "eval":
            values = {name: _automatic(value) for name, value in self.mappings.items()}
            further: dict[str, Callable[..., Any]] = {
                "arg": lambda name: _automatic(self.argument(name)),
                "find": self.find,
                "env": self.environment,
                "optenv": lambda name, default="": self.environment(name, default),
                "dirname": lambda: str(self.asking().resolve().parent),
            }
            return str(evaluate(rest, values, {"": further}))
        if command == "dirname" and not words:
            return str(self.asking().resolve().parent)
        if command == "optenv" and words:
            return self.environment(words[0], " ".join(words[1:]))
        single: dict[str, Callable[[str], str]] = {"arg": self.argument, "find": self.find, "env": self.environment}
        if command in single and len(words) == 1:
            return single[command](words[0])
        raise BadInput(f"{text[:60]}: write $(arg A), $(find PACKAGE), $(env V), $(optenv V D), $(dirname), $(eval E)")

    def read(self, text: str, symbols: Scope) -> Any:
        """Value of a text with its ${} and $() replaced; one of these alone keeps its type."""
        if "$" not in text:
            return text
        self.tick()
        if len(text) > MAX_DOLLAR_TEXT:
            raise BadInput(f"a text of {len(text)} characters with $ in it is refused; at most {MAX_DOLLAR_TEXT}")
        parts: list[Any] = []
        at = 0
        while at < len(text):
            token = TOKEN.match(text, at)
            if token is None:
                raise BadInput(f"invalid expression: {text[at : at + 60]}")
            at, part = token.end(), token.group()
            if token.lastgroup == "expression":
                parts.append(self.evaluate(str(self.read(part[2:-1], symbols)), symbols))
            elif token.lastgroup == "command":
                parts.append(self.extension(f"$({self.read(part[2:-1], symbols)})"))
            else:
                parts.append(part[1:] if token.lastgroup == "escaped" else part)
        result = parts[0] if len(parts) == 1 else "".join(map(str, parts))
        return self.weighed(check_size(result)) if isinstance(result, str) else result

    # ---- afterwards ----------------------------------------------------------------------------
    def check_arguments(self) -> None:
        """An argument that no file declares is a slip of the user."""
        unknown = sorted(set(self.given) - set(self.declared))
        if unknown:
            self.here = Source(str(self.path))  # the slip is on the command line, on no line of the file
            if self.declared:
                raise UnknownName.among("argument", unknown[0], sorted(self.declared))
            raise UnknownName(
                f"{self.path} declares no arguments, got {unknown[0]!r}; a property becomes one by "
                f'<xacro:arg name="{unknown[0]}" default="..."/> and value="$(arg {unknown[0]})"'
            )


def _package_root(path: Path) -> list[Path]:
    """Folder of the ROS package that a file belongs to, where there is one."""
    return [folder for folder in list(path.resolve().parents)[:6] if (folder / "package.xml").is_file()][:1]


def _automatic(value: str) -> Any:
    """An argument as number or boolean where it looks like one."""
    folded = value.strip().casefold()
    if folded in ("true", "false"):
        return folded == "true"
    if len(value) > 100 or "_" in value:
        return value
    try:
        return float(value) if "." in value or "e" in folded else int(value)
    except ValueError:
        return value


def _tokens(text: str, separators: str, skip_empty: bool) -> list[str]:
    words = re.split(f"[{re.escape(separators)}]", str(text)) if separators else [str(text)]
    return [word for word in words if word] if skip_empty else words
