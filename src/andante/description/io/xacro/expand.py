"""Expands xacro files: macros, properties, conditions, blocks and includes, without running anything in them.

The language is that of ROS' xacro (http://wiki.ros.org/xacro). Expressions go through an allow-list (`expressions`),
files through the resolver (`session`), and every step is counted, so that files from strangers can be read.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import Node
from andante.errors import AndanteError, BadInput

from .scope import Macro, Scope, read_parameters, truth
from .session import MAX_DOLLAR_TEXT, OLD_WORDS, Session

MAX_MACRO_DEPTH = 150
MAX_MACRO_CALLS = 10_000
# elements that stay elements whatever a macro is called
PLAIN = frozenset(("robot", "link", "joint", "gazebo", "material", "transmission", "sensor", "ros2_control"))


def expand_xacro(path: Path, arguments: dict[str, str], resolver: Resolver) -> Node:
    """Root element of the expanded file; every element knows the file and line that it was written on."""
    path = Path(path)
    session = Session(path, dict(arguments), resolver)
    expansion = _Expansion(session)
    out = Node("")
    try:
        with session.opened(path) as root:
            expansion.element(root, Scope(), Scope(read=session.read), out)
        session.check_arguments()
        made = out.children[0]
        if expansion.defined and made.tag == "robot" and all(part.tag in PLAIN - {"link"} for part in made.children):
            told = ", ".join(expansion.defined[:5]) + (" ..." if len(expansion.defined) > 5 else "")
            raise BadInput(f"{path} only defines macros ({told}), no robot; open the file that calls them")
    except RecursionError:
        raise BadInput(f"{session.here}: macros or elements are nested too deeply; refused") from None
    except AndanteError as error:
        text = str(error)
        known = any(text.startswith((f"{file}:", f"{file} ")) for file in session.files)
        raise error if known else type(error)(f"{session.here}: {text}") from None
    except (ValueError, OSError) as error:  # what a path may not hold
        raise BadInput(f"{session.here}: {' '.join(str(error).split())[:300]}") from None
    out.children[0].problems = session.problems
    return out.children[0]


class _Expansion:
    """Writes the expansion of elements into new ones; the elements read are never changed."""

    def __init__(self, session: Session) -> None:
        self.session, self.depth = session, 0
        self.defined: list[str] = []  # macros
        self.own: dict[str, Callable[[Node, Scope, Scope, Node], None]] = {
            "xacro:arg": self.argument,
            "xacro:attribute": self.attribute,
            "xacro:call": self.dynamic_call,
            "xacro:element": self.named_element,
            "xacro:if": self.condition,
            "xacro:include": self.include,
            "xacro:insert_block": self.insert_block,
            "xacro:macro": self.macro,
            "xacro:property": self.property,
            "xacro:unless": self.condition,
        }

    def contents(self, node: Node, macros: Scope, symbols: Scope, into: Node) -> None:
        """Expands text and children of an element into another."""
        self.text(node, node.text, symbols, into)
        for child in node.children:
            self.child(child, macros, symbols, into)
            self.text(node, child.tail, symbols, into)

    def text(self, node: Node, text: str, symbols: Scope, into: Node) -> None:
        """Adds evaluated text at the end of an element."""
        if text.strip():
            data = str(self.session.read(text, symbols))
            self.session.spend(node.source, len(data))
            if into.children:
                into.children[-1].tail += data
            else:
                into.text += data

    def child(self, node: Node, macros: Scope, symbols: Scope, into: Node) -> None:
        """Expands one element into another: an instruction of xacro, a macro call, or an element like any other."""
        self.session.tick(node)
        tag = node.tag
        if ":" not in tag and tag not in PLAIN and self._is_old_word(tag, macros, into):
            tag = f"xacro:{tag}"
            node = replace(node, tag=tag)
        if tag in self.own:
            self.own[tag](node, macros, symbols, into)
        elif tag.startswith("xacro:"):
            self.call(node, macros, symbols, into)
        else:
            self.element(node, macros, symbols, into)

    def _is_old_word(self, tag: str, macros: Scope, into: Node) -> bool:
        """Whether an element without prefix is an instruction or a call, as it was until ROS Indigo."""
        if self.session.old:
            return tag in OLD_WORDS or tag in macros
        if into.tag != "robot" or not isinstance(macros.get(tag), Macro):
            return False
        self.session.warning(f"the macro {tag!r} is called without a prefix; write xacro:{tag}")
        return True

    def element(self, node: Node, macros: Scope, symbols: Scope, into: Node) -> None:
        """An element that stays, its attributes evaluated."""
        given = {k: v for k, v in node.attributes.items() if k != "xmlns" and not k.startswith(("xacro:", "xmlns:"))}
        made = Node(node.tag, {k: str(self.session.read(v, symbols)) for k, v in given.items()}, source=node.source)
        self.session.spend(node.source, sum(map(len, made.attributes.values())))
        into.children.append(made)
        self.contents(node, macros, symbols, made)

    def required(self, node: Node, *names: str, optional: tuple[str, ...] = ()) -> list[str]:
        """Values of attributes that must be there; ones that are neither required nor optional are told."""
        unknown = [k for k in node.attributes if k not in (*names, *optional) and not k.startswith("xmlns:")]
        if unknown:
            self.session.warning(f"{node.tag}: unknown attribute(s): {', '.join(unknown)}")
        for name in names:
            if name not in node.attributes:
                raise BadInput(f"{node.source}: <{node.tag}> needs the attribute {name}")
        return [node.attributes[name] for name in names]

    # ---- instructions --------------------------------------------------------------------------
    def argument(self, node: Node, _macros: Scope, symbols: Scope, _into: Node) -> None:
        """<xacro:arg name default>; without a default it must have been given."""
        (name,) = self.required(node, "name", optional=("default",))
        if "default" not in node.attributes:
            self.session.argument(name)
        elif name not in self.session.mappings:
            self.session.mappings[name] = str(self.session.read(node.attributes["default"], symbols))

    def attribute(self, node: Node, _macros: Scope, symbols: Scope, into: Node) -> None:
        """<xacro:attribute name value>: an attribute of the element around it."""
        name, value = (str(self.session.read(text, symbols)) for text in self.required(node, "name", "value"))
        if not name:
            raise BadInput("xacro:attribute: empty name")
        into.attributes[name] = value

    def named_element(self, node: Node, macros: Scope, symbols: Scope, into: Node) -> None:
        """<xacro:element xacro:name="...">: an element whose name is evaluated."""
        if "xacro:name" not in node.attributes:
            raise BadInput(f"{node.source}: <{node.tag}> needs the attribute xacro:name")
        tag = str(self.session.read(node.attributes["xacro:name"], symbols))
        if not tag or tag == node.tag:
            raise BadInput(f"xacro:element: {tag or 'an empty name'} is no name of an element")
        rest = {k: v for k, v in node.attributes.items() if k != "xacro:name"}
        self.child(replace(node, tag=tag, attributes=rest), macros, symbols, into)

    def condition(self, node: Node, macros: Scope, symbols: Scope, into: Node) -> None:
        """<xacro:if value> and <xacro:unless value>."""
        (text,) = self.required(node, "value")
        if truth(self.session.read(text, symbols), text) is (node.tag == "xacro:if"):
            self.contents(node, macros, symbols, into)

    def include(self, node: Node, macros: Scope, symbols: Scope, into: Node) -> None:
        """<xacro:include filename ns optional>: what stands in other files, on its own below a namespace."""
        (spec,) = self.required(node, "filename", optional=("ns", "optional"))
        text = str(self.session.read(spec, symbols)).strip()
        if space := node.get("ns"):
            name = str(self.session.read(space, symbols))
            macros.define(name, Scope())
            symbols.define(name, Scope(symbols, namespace=True))
            macros, symbols = macros[name], symbols[name]
        optional = truth(node.get("optional", "false"), node.get("optional"))
        if node.children:
            self.session.warning("child elements of an <xacro:include> are ignored")
        for path in self.session.include_files(text):
            if path.is_file():
                with self.session.opened(path) as root:
                    self.contents(root, macros, symbols, into)
            elif not optional:
                raise BadInput(f"the included file {path} does not exist")

    def insert_block(self, node: Node, macros: Scope, symbols: Scope, into: Node) -> None:
        """<xacro:insert_block name>: a block parameter of a macro, or the contents of one or of a property."""
        (name,) = self.required(node, "name")
        if f"**{name}" in symbols:
            self.contents(symbols[f"**{name}"], macros, symbols, into)
        elif f"*{name}" in symbols:
            self.element(symbols[f"*{name}"], macros, symbols, into)
        else:
            raise BadInput(f'Undefined block "{name}"')

    def property(self, node: Node, _macros: Scope, symbols: Scope, _into: Node) -> None:
        """<xacro:property name value default remove scope lazy_eval>; without value or default its contents."""
        keys = ("value", "default", "remove", "scope", "lazy_eval")
        (text,) = self.required(node, "name", optional=keys)
        value, default, remove, scope, lazily = (node.get(key) for key in keys)
        name = str(self.session.read(text, symbols))
        if not name.isidentifier() or keyword.iskeyword(name):
            raise BadInput(f"property names must be valid Python identifiers: {name[:60]}")
        removed = truth(self.session.read(remove or "false", symbols), remove)
        if (value is not None) + (default is not None) + removed > 1:
            raise BadInput(f"property {name}: value, default and remove exclude each other")
        if removed or (default is not None and name in symbols):
            if removed:
                symbols.remove(name)
            return
        lazy = truth(self.session.read(lazily or "true", symbols), lazily)
        target: Scope | None = symbols
        if scope in ("global", "parent") and default is None:
            target, lazy = (symbols.top if scope == "global" else symbols.caller), False
        elif default is not None and scope is not None:
            self.session.warning(f"{name}: a default can only be given in the local scope")
        if target is None:
            self.session.warning(f"{name}: there is no parent scope here")
            return
        content = value if value is not None else default
        if content is None:
            target.define(f"**{name}", node)
        else:
            target.define(name, content if lazy else self.session.read(content, symbols), lazy)

    # ---- macros --------------------------------------------------------------------------------
    def macro(self, node: Node, macros: Scope, _symbols: Scope, _into: Node) -> None:
        """<xacro:macro name params>: defines a macro."""
        (name,) = self.required(node, "name", optional=("params",))
        if name.startswith("xacro:"):
            self.session.warning(f"macro names need no prefix: {name}")
            name = name.removeprefix("xacro:")
        if name == "call" or "." in name:
            raise BadInput(f"a macro must not be called {name!r}; 'call' and dots are xacro's own")
        params = node.get("params") or ""
        if len(params) > MAX_DOLLAR_TEXT:
            raise BadInput(f"{node.source}: a parameter list of {len(params)} characters is refused")
        macro = Macro(node)
        read_parameters(macro, params)
        macros.define(name, macro)
        self.defined.append(name)

    def dynamic_call(self, node: Node, macros: Scope, symbols: Scope, into: Node) -> None:
        """<xacro:call macro="...">: calls the macro of an evaluated name."""
        if not node.get("macro"):
            raise BadInput(f"{node.source}: <{node.tag}> needs the attribute macro")
        tag = f"xacro:{self.session.read(node.attributes['macro'], symbols)}"
        rest = {k: v for k, v in node.attributes.items() if k != "macro"}
        self.call(replace(node, tag=tag, attributes=rest), macros, symbols, into)

    def call(self, node: Node, macros: Scope, symbols: Scope, into: Node) -> None:
        """Expands a macro with the attributes and children of its call."""
        session = self.session
        session.calls += 1
        if session.calls > MAX_MACRO_CALLS:
            raise BadInput(f"{node.source}: more than {MAX_MACRO_CALLS} calls of macros and the like; refused")
        if self.depth > MAX_MACRO_DEPTH:
            raise BadInput(f"{node.source}: macros call each other more than {MAX_MACRO_DEPTH} deep; refused")
        resolved = _resolve(node, macros, symbols)
        if resolved is None:
            unknown = f"unknown macro name: {node.tag}; <xacro:include> the file that defines it"
            if session.path.suffix.lower() != ".urdf":
                raise BadInput(f"{node.source}: {unknown}")
            session.warning(f"{unknown}; left out, as readers of URDF do")  # what an expansion has left over
            return
        macro, around, values = resolved
        inner = Scope(values)
        missing = list(macro.parameters)
        for name, text in node.attributes.items():
            if name not in missing:
                raise BadInput(f'{node.source}: Invalid parameter "{name}"')
            missing.remove(name)
            inner.define(name, session.read(text, symbols))
        given = Node(node.tag, source=node.source)
        self.contents(node, macros, symbols, given)
        blocks = given.children
        for name in [name for name in missing if name.startswith("*")]:
            if not blocks:
                raise BadInput(f"{node.source}: Not enough blocks")
            missing.remove(name)
            inner.define(name, blocks.pop(0))
        if blocks:
            raise BadInput(f'{node.source}: Unused block "{blocks[0].tag}"')
        for name in [name for name in missing if name in macro.defaults]:
            forwarded, default = macro.defaults[name]
            if forwarded and name in symbols:
                inner.define(name, symbols[name])
            elif default is not None:
                inner.define(name, session.read(default, symbols))
            elif forwarded:
                raise BadInput(f"{node.source}: Undefined property to forward: {name}")
            else:
                continue
            missing.remove(name)
        if missing:
            raise BadInput(f"{node.source}: Undefined parameters [{','.join(missing)}]")
        self.depth += 1
        self.contents(macro.body, Scope(around), inner, into)
        self.depth -= 1


def _resolve(node: Node, macros: Scope, symbols: Scope) -> tuple[Macro, Scope, Scope] | None:
    """The macro that a call names, with the macros and properties that it sees; dots lead into namespaces."""
    name = node.tag.removeprefix("xacro:")
    *spaces, last = [name] if name in macros else name.split(".")
    for space in spaces:
        if not (isinstance(macros.get(space), Scope) and isinstance(symbols.get(space), Scope)):
            break
        macros, symbols = macros[space], symbols[space]
    found = macros.get(last)
    return (found, macros, symbols) if isinstance(found, Macro) else None
