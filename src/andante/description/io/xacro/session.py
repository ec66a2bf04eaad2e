"""One expansion of a xacro file: where it is, what it may read and how much it may make."""

from __future__ import annotations

import keyword
import re
import time
from collections.abc import Callable, Iterator
from glob import glob
from pathlib import Path
from typing import Any

from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import read_bytes
from andante.description.source import Problem, Severity, Source
from andante.errors import BadInput, UnknownName

from .dom import Budget, parse_document
from .expressions import evaluate, stored_name
from .values import Dictionary, check_size, weigh
from .yaml import MAX_BYTES as MAX_YAML_BYTES
from .yaml import parse_yaml

MAX_ELEMENTS = 100_000  # made by one expansion
MAX_SECONDS = 10.0  # of the processor: a machine busy with other work refuses nothing
MAX_FILES = 500
MAX_BYTES = 8 * 1024 * 1024  # of one xacro file
MAX_MACRO_DEPTH = 150
MAX_MACRO_CALLS = 10_000
MAX_DOLLAR_TEXT = 20_000  # characters of a text with ${} or $() in it
MAX_WEIGHT = 3_000_000  # of all results together
# The default is matched ahead and then repeated, so that it is never tried in another way; possessive groups would do
# the same but match wrongly before Python 3.11.5.
MACRO_ARGUMENT = re.compile(
    r"""\s*([^\s:=]++)\s*+:?=\s*+(\^\|?)?(?=((?:\$\{[^}]*+\}|\$\([^)]*+\)|'[^']*+'|"[^"]*+"|[^\s'"])*))\3(?:\s+|$)(.*)""",
    re.DOTALL,
)


class Session:
    """The functions that replace those of the xacro package, for one file and its includes."""

    def __init__(self, module: Any, path: Path, arguments: dict[str, str], resolver: Resolver) -> None:
        self.module, self.path, self.resolver = module, path, resolver
        self.given, self.mappings = dict(arguments), dict(arguments)
        self.here = Source(str(path))
        self.files: list[str] = [str(path)]
        self.roots: set[Path] = {path.resolve().parent, *_package_root(path)}
        self.declared: dict[str, Source | None] = {}  # arguments; the <xacro:arg> of those without a default
        self.problems: list[Problem] = []
        self.weight = self.calls = 0
        self.budget = Budget(MAX_ELEMENTS)
        self.deadline = time.thread_time() + MAX_SECONDS
        self.places: dict[int, Source] = {}
        self.failed: list[BaseException] = []  # keeps the errors of `places` alive, so that ids stay theirs

    # ---- limits and places ---------------------------------------------------------------------
    def tick(self, node: Any = None) -> None:
        """Note where the expansion is, and end it when it takes too long."""
        if node is not None:
            self.here = getattr(node, "source", self.here)
        if time.thread_time() > self.deadline:
            raise BadInput(f"{self.here}: the expansion takes more than {MAX_SECONDS:.0f} s of the processor; refused")

    def place(self, error: BaseException) -> Source:
        """Where an error arose."""
        return self.places.get(id(error), self.here)

    def warning(self, *parts: Any, **_options: Any) -> str:
        """Note what the package would have printed."""
        text = " ".join(" ".join(str(part) for part in parts).split())
        self.problems.append(Problem(Severity.WARNING, f"xacro: {text[:300]}", self.here))
        return ""

    # ---- files ---------------------------------------------------------------------------------
    def parse(self, _data: Any, filename: str | None = None) -> Any:
        """DOM of a file; a missing one is an IOError inside, which optional includes forgive."""
        path = Path(str(filename))
        stack = self.module.filestack or []
        resolved = path.resolve()
        if any(Path(item).resolve() == resolved for item in stack[:-1]):
            raise BadInput(f"{self.here}: {path} includes itself, by {' > '.join(Path(f).name for f in stack)}")
        if stack and not path.is_file():
            stack.pop()
            missing = FileNotFoundError(f"the included file {path} does not exist")
            raise self.module.XacroException(str(missing), exc=missing)
        self.files.append(str(path))
        if len(self.files) > MAX_FILES:
            raise BadInput(f"{self.here}: more than {MAX_FILES} included files; refused")
        document = parse_document(read_bytes(path, MAX_BYTES), str(path), self.budget)
        for element in document.getElementsByTagName("xacro:arg"):
            place = None if element.hasAttribute("default") else getattr(element, "source", None)
            self.declared.setdefault(element.getAttribute("name"), place)
        self.roots |= {resolved.parent, *_package_root(resolved)}
        return document

    def asking(self) -> Path:
        """The file being worked on."""
        stack = self.module.filestack
        return Path(stack[-1]) if stack and stack[-1] else self.path

    def include_files(self, spec: str, symbols: Any) -> Iterator[str]:
        """Files of an include: package://, file://, absolute or relative to the including file, * and ? allowed."""
        text = str(self.eval_text(spec, symbols)).strip()
        asking = self.asking()
        if "://" in text:
            found = self.resolver.resolve(text, asking)
            if found is None:
                raise BadInput(f"{self.here}: the included file {text} was not found; set ROS_PACKAGE_PATH")
            yield str(found)
            return
        path = Path(text) if Path(text).is_absolute() else asking.parent / text
        if any(sign in text for sign in "*?["):
            if any(sign in str(Path(text).parent) for sign in "*?["):
                raise BadInput(f"{self.here}: the include {text} may have * and ? in the file name only")
            names = sorted(str(path.parent / name) for name in glob(path.name, root_dir=path.parent))
            if not names:
                self.warning(f"the include {text} matches no file")
            yield from names
        else:
            yield str(path)

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
        return parse_yaml(read_bytes(path, MAX_YAML_BYTES), str(path), lambda expression: evaluate(expression, {}))

    def find(self, package: str) -> str:
        """Folder of a package."""
        folder = self.resolver.package(package, self.asking())
        if folder is None:
            raise BadInput(f"$(find {package}): no such package; set ROS_PACKAGE_PATH to the folder that holds it")
        self.roots.add(folder.resolve())
        return str(folder)

    # ---- expressions ---------------------------------------------------------------------------
    def evaluate(self, expression: str, symbols: Any, _local: Any = None) -> Any:
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
        single: dict[str, Callable[[str], str]] = {
            "arg": self.argument,
            "find": self.find,
            "env": self.environment,
        }
        if command in single and len(words) == 1:
            return single[command](words[0])
        raise BadInput(f"{text[:60]}: write $(arg A), $(find PACKAGE), $(env V), $(optenv V D), $(dirname), $(eval E)")

    def eval_text(self, text: Any, symbols: Any) -> Any:
        """Text with its ${} and $() replaced; text without a dollar is itself."""
        if not isinstance(text, str):
            return text
        if "$" not in text:
            return text
        self.tick()
        if len(text) > MAX_DOLLAR_TEXT:
            raise BadInput(f"a text of {len(text)} characters with $ in it is refused; at most {MAX_DOLLAR_TEXT}")
        result = self.module.original["eval_text"](text, symbols)
        return self.weighed(check_size(result)) if isinstance(result, str) else result

    # ---- elements ------------------------------------------------------------------------------
    def eval_all(self, node: Any, macros: Any, symbols: Any) -> None:
        """Expand everything below an element."""
        self._at(node, lambda: self.module.original["eval_all"](node, macros, symbols))

    def macro_call(self, node: Any, macros: Any, symbols: Any) -> bool:
        """Expand a macro call, up to a depth."""
        self.tick(node)
        if len(self.module.macrostack) > MAX_MACRO_DEPTH:
            raise BadInput(f"{self.here}: macros call each other more than {MAX_MACRO_DEPTH} deep; refused")
        source = getattr(node, "source", self.here)
        if node.tagName.startswith("xacro:"):
            self.calls += 1
            if self.calls > MAX_MACRO_CALLS:
                raise BadInput(f"{self.here}: more than {MAX_MACRO_CALLS} calls of macros and the like; refused")
        try:
            return bool(self.module.original["handle_macro_call"](node, macros, symbols))
        except self.module.XacroException as error:
            if error.macros:
                self._remember(error, source)
            raise

    def grab_property(self, node: Any, table: Any) -> None:
        """Take a property definition."""
        if node.getAttribute("name").startswith("__"):
            node.setAttribute("name", stored_name(node.getAttribute("name")))
        self._at(node, lambda: self.module.original["grab_property"](node, table))

    def macro_argument(self, text: str) -> tuple[str, tuple[str | None, str | None] | None, str]:
        """First parameter of a macro, its (forwarded name, default), and the rest of the text.

        NAME, NAME:=DEFAULT, NAME:=^ (forwarded from the caller), NAME:=^|DEFAULT; a linear pattern in place of xacro's.
        """
        self.tick()
        if len(text) > MAX_DOLLAR_TEXT:
            raise BadInput(f"{self.here}: a parameter list of {len(text)} characters is refused")
        match = MACRO_ARGUMENT.match(text)
        if match is not None:
            name, forward, default, rest = match.groups()
            return name, (name if forward else None, default or None), rest.lstrip()
        name, _, rest = text.strip().partition(" ")
        return name, None, rest.lstrip()

    def check_attrs(self, node: Any, required: list[str], optional: list[str]) -> Any:
        """Attributes of an element of xacro itself."""
        self.tick(node)
        return self.module.original["check_attrs"](node, required, optional)

    def required_attributes(self, node: Any, names: list[str]) -> list[str]:
        """Attributes that must be there."""
        self.tick(node)
        for name in names:
            if node.tagName == "xacro:arg" and name == "default" and not node.hasAttribute(name):
                node.setAttribute(name, self.argument(node.getAttribute("name")))
            if not node.hasAttribute(name):
                raise BadInput(f"{self.here}: <{node.tagName}> needs the attribute {name}")
        return [node.getAttribute(name) for name in names]

    def _at(self, node: Any, work: Callable[[], Any]) -> Any:
        self.tick(node)
        return work()

    def _remember(self, error: BaseException, source: Source) -> None:
        if id(error) not in self.places:
            self.places[id(error)] = source
            self.failed.append(error)

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


def valid_name(name: Any) -> bool:
    """Whether a property may be called so."""
    return isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)


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
    out, word = [], ""
    for sign in str(text):
        if sign in separators:
            out.append(word)
            word = ""
        else:
            word += sign
    out.append(word)
    return [word for word in out if word] if skip_empty else out
