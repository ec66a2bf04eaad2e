"""Python 2 programs made Python 3 in memory: syntax by fissix; division, text and files as they were."""

from __future__ import annotations

import ast
import builtins
import re
import warnings
from functools import cache
from typing import Any

from andante.errors import BadInput

from . import old_text

DIVIDE = "__divide_as_in_python_2__"
CALLS = {"str": "__str_as_in_python_2__", "open": "__open_as_in_python_2__", "file": "__open_as_in_python_2__"}
ASYNC = re.compile(r"(?<![\w.])([A-Za-z_][\w.]*)\.async\(")
FUTURE_DIVISION = re.compile(r"^from __future__ import .*\bdivision\b", re.MULTILINE)
OLD_NAMES = {"xrange", "unicode", "raw_input", "basestring", "long", "unichr", "reduce", "execfile"}
OLD_METHODS = {"has_key", "iteritems", "itervalues", "iterkeys"}
OLD_MODULES = {
    "BaseHTTPServer", "ConfigParser", "HTMLParser", "Queue", "SocketServer", "StringIO", "Tkinter", "__builtin__",
    "cPickle", "cStringIO", "commands", "httplib", "thread", "tkMessageBox", "urllib2", "urlparse", "xmlrpclib",
}  # fmt: skip
LEFT_ALONE = {"fissix.fixes.fix_future"}


def text_of(data: bytes) -> str:
    """The text of a program: as its coding line says, else UTF-8, else Latin-1."""
    coding = re.search(rb"^#.*?coding[:=]\s*([-\w.]+)", b"\n".join(data.split(b"\n", 2)[:2]), re.MULTILINE)
    for name in (coding[1].decode() if coding else "utf-8", "utf-8", "latin-1"):
        try:
            return data.decode(name).lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("latin-1")


def code_of(text: str, file: str) -> tuple[Any, bool]:
    """Compiled code of a program, and whether it was converted from Python 2; BadInput where neither can be read.

    A program whose syntax is that of both is Python 2 if it uses names that only Python 2 has. One that imports naoqi
    ran in Python 2 only: at least its whole numbers are divided as there.
    """
    text = ASYNC.sub(r'getattr(\1, "async")(', text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes of old texts
            plain = ast.parse(text, file)
    except SyntaxError as error:
        first = error
    else:
        if not is_old(plain):
            return _compiled(_as_divided(plain, text) if imports(plain, "naoqi") else plain, file), False
        try:
            return _compiled(_as_written(ast.parse(convert(text, file), file), text), file), True
        except (SyntaxError, ValueError):  # such as print(..., end="")
            return _compiled(_as_divided(plain, text), file), False
    for attempt in (text, "\n".join(line.expandtabs(8).rstrip() for line in text.split("\n"))):
        try:
            converted = convert(attempt, file)
            tree = ast.parse(converted, file)
            break
        except (SyntaxError, ValueError) as error:
            second = error
    else:
        raise BadInput(f"{file}:{first.lineno}: neither Python 3 ({first.msg}) nor Python 2 ({second})") from None
    return _compiled(_as_written(tree, text), file), True


def imports(tree: ast.AST, *names: str) -> bool:
    """Whether a program imports one of some modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(each.name.partition(".")[0] in names for each in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] in names:
            return True
    return False


def is_old(tree: ast.AST) -> bool:
    """Whether a program uses what only Python 2 has."""
    nodes, made = list(ast.walk(tree)), _made(tree)
    if any(isinstance(n, ast.Name) and n.id in OLD_NAMES - made for n in nodes):
        return True
    if any(isinstance(n, ast.Attribute) and n.attr in OLD_METHODS for n in nodes):
        return True
    return imports(tree, *OLD_MODULES)


def _made(tree: ast.AST) -> set[str]:
    """Names that a program gives to something itself."""
    nodes = list(ast.walk(tree))
    made = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    made |= {each.asname or each.name for n in nodes if isinstance(n, ast.Import | ast.ImportFrom) for each in n.names}
    made |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    return made | {each.arg for n in nodes if isinstance(n, ast.arguments) for each in (*n.args, *n.kwonlyargs)}


def _as_written(tree: Any, text: str) -> Any:
    """A converted program with the division, the text and the files of Python 2."""
    setattr(builtins, CALLS["str"], old_text.old_str)
    setattr(builtins, CALLS["open"], old_text.old_open)
    return ast.fix_missing_locations(_Calls(set(CALLS) - _made(tree)).visit(_as_divided(tree, text)))


def _as_divided(tree: Any, text: str) -> Any:
    """The program with the division of Python 2, unless it asks for another one."""
    if FUTURE_DIVISION.search(text):
        return tree
    setattr(builtins, DIVIDE, divide)
    return ast.fix_missing_locations(_Division().visit(tree))


def _compiled(tree: Any, file: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(tree, file, "exec")


def convert(text: str, file: str) -> str:
    """The text of a Python 2 program in Python 3."""
    try:
        return str(_refactoring().refactor_string(text.rstrip() + "\n", file))
    except Exception as error:  # ParseError and TokenError of the tool have no common base
        raise ValueError(" ".join(str(error).split())) from None


@cache
def _refactoring() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from fissix.refactor import RefactoringTool, get_fixers_from_package
        except ImportError:
            raise BadInput("a Python 2 program needs the package fissix: pip install 'andante[naoqi]'") from None
        names = [name for name in get_fixers_from_package("fissix.fixes") if name not in LEFT_ALONE]
        return RefactoringTool(names)


def divide(a: Any, b: Any) -> Any:
    """a / b of Python 2: whole numbers give a whole number."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    return a / b


class _Calls(ast.NodeTransformer):
    """Calls of names of Python 2 become calls of what does the same."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self._names:
            node.func = ast.copy_location(ast.Name(CALLS[node.func.id], ast.Load()), node.func)
        return node


class _Division(ast.NodeTransformer):
    """Every / becomes a call of `divide`."""

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        return ast.copy_location(_call(node.left, node.right), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not (isinstance(node.op, ast.Div) and isinstance(node.target, ast.Name)):
            return node
        read = ast.Name(node.target.id, ast.Load())
        return ast.copy_location(ast.Assign([node.target], _call(read, node.value)), node)


def _call(left: ast.expr, right: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(DIVIDE, ast.Load()), [left, right], [])
