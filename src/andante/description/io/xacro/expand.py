"""Expands xacro files with the `xacro` package, whose evaluator, file access and printing are replaced by ours.

A private copy of the package is loaded, so that a program which uses xacro itself is not touched. Its functions that
evaluate, open files or print are exchanged there for those of a `_Session`; one expansion runs at a time.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.dom import minidom

from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import Node
from andante.description.source import Problem
from andante.errors import AndanteError, BadInput, MissingExtra

from .dom import replace_node, to_node
from .session import Session, valid_name

PRIVATE = "andante.description.io._private_xacro"
MARKS = tuple("xmlns:xacro".encode(name) for name in ("utf-8", "utf-16-le", "utf-16-be"))
_lock = threading.RLock()
_module: Any = None


@dataclass
class ExpandedRoot(Node):
    """Root element of an expanded file, with what the expansion had to say."""

    problems: list[Problem] = field(default_factory=list)


def is_xacro(path: Path, data: bytes) -> bool:
    """Whether a file is to be expanded: by its suffix, or because it declares the xacro namespace."""
    return path.suffix.lower() == ".xacro" or any(mark in data for mark in MARKS)


def expand_xacro(path: Path, arguments: dict[str, str], resolver: Resolver) -> Node:
    """Root element of the expanded file; every element knows the file and line that it was written on."""
    with _lock:
        module = _private_xacro()
        session = Session(module, Path(path), dict(arguments), resolver)
        _install(module, session)
        try:
            document = session.parse(None, str(path))
            module.init_stacks(str(path))
            module.process_doc(document, mappings=session.mappings, verbosity=0)
            session.check_arguments()
            root = to_node(document.documentElement)
        except AndanteError as error:
            raise _placed(error, session) from None
        except RecursionError:
            raise BadInput(f"{session.here}: macros or elements are nested too deeply; refused") from None
        except (module.XacroException, Exception) as error:
            raise _translated(error, session) from None
        finally:
            module.substitution_args_context.clear()
            module.filestack = module.macrostack = None
            module.all_includes.clear()
    return ExpandedRoot(root.tag, root.attributes, root.text, root.children, root.source, session.problems)


def _private_xacro() -> Any:
    """The copy of the package, loaded once. Loading it must not leave its change of minidom behind."""
    global _module
    if _module is None:
        spec = importlib.util.find_spec("xacro")
        if spec is None or spec.origin is None:
            raise MissingExtra("xacro files need the package xacro: pip install xacro")
        own = importlib.util.spec_from_file_location(
            PRIVATE, spec.origin, submodule_search_locations=list(spec.submodule_search_locations or [])
        )
        assert own is not None
        assert own.loader is not None
        module: Any = importlib.util.module_from_spec(own)
        written = minidom.Element.writexml
        sys.modules[PRIVATE] = module
        try:
            own.loader.exec_module(module)
        except BaseException:
            del sys.modules[PRIVATE]
            raise
        finally:
            minidom.Element.writexml = written  # type: ignore[method-assign]
        _module = module
    return _module


def _install(module: Any, session: Session) -> None:
    """Exchange what evaluates, reads, prints or is slow; the rest of the package stays as it is."""
    if not hasattr(module, "original"):
        names = ("eval_all", "eval_text", "handle_macro_call", "check_attrs", "grab_property")
        module.original = {name: getattr(module, name) for name in names}
        module.original["eval_all"].__globals__["replace_node"] = replace_node
        module.remove_previous_comments = lambda _node: None  # comments are not read
        module.print_location = lambda: None
        module.LEXER = module.QuickLexer(
            DOLLAR_DOLLAR_BRACE=r"^\$\$+(\{|\()",
            EXPR=r"^\$\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*\}|^\$\{[^}]*\}",  # one level of braces inside, for dicts
            EXTENSION=r"^\$\([^()]*+(?:\([^()]*+\)[^()]*+)*\)|^\$\([^)]*\)",  # and of parentheses, for calls
            TEXT=r"[^$]+|\$[^{($]+|\$$",
        )
    module._global_symbols = {}
    module.safe_eval = session.evaluate
    module.eval_extension = session.extension
    module.load_yaml = session.load_yaml
    module.parse = session.parse
    module.get_include_files = session.include_files
    module.eval_all = session.eval_all
    module.eval_text = session.eval_text
    module.handle_macro_call = session.macro_call
    module.check_attrs = session.check_attrs
    module.grab_property = session.grab_property
    module.parse_macro_arg = session.macro_argument
    module.is_valid_name = valid_name
    module.reqd_attrs = session.required_attributes
    module.warning = module.error = module.message = session.warning


def _cause(error: BaseException | None) -> AndanteError | None:
    """The error of ours inside a chain of xacro's wrappings."""
    seen = 0
    while error is not None and seen < 1000:
        if isinstance(error, AndanteError):
            return error
        error, seen = getattr(error, "exc", None) or error.__cause__ or error.__context__, seen + 1
    return None


def _placed(error: AndanteError, session: Session) -> AndanteError:
    """The error with file and line in front, unless it names a file already."""
    text = str(error)
    known = any(text.startswith(f"{file}:") or text.startswith(f"{file} ") for file in session.files)
    return error if known else type(error)(f"{session.place(error)}: {text}")


def _translated(error: BaseException, session: Session) -> AndanteError:
    """One line for an error of the package."""
    own = _cause(error)
    if own is not None:
        return _placed(own, session)
    chain: BaseException | None = error
    while chain is not None:
        if isinstance(chain, RecursionError):
            return BadInput(f"{session.place(error)}: macros or expressions are nested too deeply; refused")
        chain = getattr(chain, "exc", None)
    text = " ".join(str(error).split())[:300] or type(error).__name__
    missing = getattr(error, "exc", None)  # the package adds the text of its cause to its own
    return BadInput(f"{session.place(error)}: {missing if isinstance(missing, FileNotFoundError) else text}")
