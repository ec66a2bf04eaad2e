"""State machines as SCXML (W3C Recommendation, 2015).

What SCXML has no element for stands in attributes of the namespace below: `andante:after` of a transition,
`andante:place`, `andante:robot`. Skills that run in a state are `<invoke type="andante" andante:call="..."/>`; actions
are `<script>` with one call or assignment each, `<assign>`, `<raise>`, `<send>` (with a delay in s or ms) and `<log>`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import quoteattr

from andante.control.machines.language import Assignment, parse_action
from andante.control.machines.model import DONE, FAILED, PSEUDO, Kind, Machine, State, Transition
from andante.control.machines.runner import DONE_INVOKE, DONE_STATE, ERROR_INVOKE
from andante.description.io.xmltree import Node, parse_xml
from andante.description.source import Source
from andante.errors import BadInput
from andante.expressions import evaluate

SCXML, OURS = "http://www.w3.org/2005/07/scxml", "urn:andante:scxml"
STATES = {"state": Kind.STATE, "parallel": Kind.PARALLEL, "final": Kind.FINAL, "history": Kind.HISTORY}
DELAY = re.compile(r"\s*(\d*\.?\d+)\s*(ms|s)\s*")


# ---- out -------------------------------------------------------------------------------------------
def scxml_text(machine: Machine) -> str:
    """The machine as SCXML; `scxml_machine` gives it back."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<scxml xmlns="{SCXML}" xmlns:andante="{OURS}" version="1.0" datamodel="andante"'
        + _attributes({"name": machine.name, "initial": machine.initial, "andante:robot": machine.robot,
                       "andante:note": machine.note}) + ">",
    ]  # fmt: skip
    if machine.variables:
        lines.append("  <datamodel>")
        lines += [
            f"    <data{_attributes({'id': name, 'expr': _literal(value)})}/>"
            for name, value in machine.variables.items()
        ]
        lines.append("  </datamodel>")
    for state in machine.states:
        if not state.parent:
            lines += _element(machine, state, "  ")
    return "\n".join([*lines, "</scxml>", ""])


def _element(machine: Machine, state: State, indent: str) -> list[str]:
    tag = next(tag for tag, kind in STATES.items() if kind is state.kind or (state.kind in PSEUDO and kind in PSEUDO))
    place = "" if state.place is None else f"{state.place[0]!r} {state.place[1]!r}"
    given = {"id": state.name, "andante:note": state.note, "andante:place": place}
    if state.kind in PSEUDO:
        given["type"] = "deep" if state.kind is Kind.DEEP_HISTORY else "shallow"
        return [
            f"{indent}<history{_attributes(given)}>",
            f"{indent}  <transition{_attributes({'target': state.initial})}/>",
            f"{indent}</history>",
        ]
    given["initial"] = state.initial
    inner = [line for name in ("entry", "exit") for line in _handlers(name, getattr(state, name), indent + "  ")]
    inner += [
        f"{indent}  <invoke{_attributes({'type': 'andante', 'id': f'{state.name}.{k}', 'andante:call': text})}/>"
        for k, text in enumerate(state.do)
    ]
    for transition in state.transitions:
        inner += _transition_lines(state, transition, indent + "  ")
    for child in machine.states:
        if child.parent == state.name:
            inner += _element(machine, child, indent + "  ")
    if not inner:
        return [f"{indent}<{tag}{_attributes(given)}/>"]
    return [f"{indent}<{tag}{_attributes(given)}>", *inner, f"{indent}</{tag}>"]


def _handlers(name: str, actions: tuple[str, ...], indent: str) -> list[str]:
    if not actions:
        return []
    return [f"{indent}<on{name}>", *(f"{indent}  {_action(text)}" for text in actions), f"{indent}</on{name}>"]


def _transition_lines(state: State, transition: Transition, indent: str) -> list[str]:
    words = []
    for word in transition.events:
        if word == DONE:
            words += [f"{DONE_INVOKE}{state.name}", f"{DONE_STATE}{state.name}"]
        else:
            words.append(f"{ERROR_INVOKE}{state.name}" if word == FAILED else word)
    after = "" if transition.after is None else f"{transition.after!r}"
    given = {"event": " ".join(words), "cond": transition.when, "andante:after": after, "target": transition.target}
    if not transition.actions:
        return [f"{indent}<transition{_attributes(given)}/>"]
    actions = [f"{indent}  {_action(text)}" for text in transition.actions]
    return [f"{indent}<transition{_attributes(given)}>", *actions, f"{indent}</transition>"]


def _action(text: str) -> str:
    return f"<script andante:call={quoteattr(text)}/>"


def _attributes(given: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in given.items() if value)


def _literal(value: Any) -> str:
    return repr(value) if not isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# ---- in --------------------------------------------------------------------------------------------
def scxml_machine(data: bytes, file: str = "") -> Machine:
    """The machine of an SCXML text; what has no counterpart is refused by name."""
    root = parse_xml(data, file)
    if _tag(root) != "scxml":
        raise BadInput(f"{_at(root, file)}an SCXML file begins with <scxml>, got <{_tag(root)}>")
    states: list[State] = []
    variables: dict[str, Any] = {}
    for child in root.children:
        tag = _tag(child)
        if tag == "datamodel":
            for each in child.children:
                variables[_needed(each, "id", file)] = _value(each, file)
        elif tag == "script":
            raise BadInput(f"{_at(child, file)}a script at the top is not run; put actions into states")
        else:
            _read_state(child, "", states, file)
    return Machine(
        _get(root, "name") or "machine", tuple(states), _get(root, "initial"), variables, _get(root, "robot"),
        _get(root, "note"), Source(file),
    )  # fmt: skip


def _value(node: Node, file: str) -> Any:
    text = _get(node, "expr") or (node.text or "").strip() or "0"
    try:
        value = evaluate(text, {})
    except BadInput as error:
        raise BadInput(f"{_at(node, file)}{error}") from None
    return list(value) if isinstance(value, tuple) else value


def _read_state(node: Node, parent: str, states: list[State], file: str) -> None:
    tag = _tag(node)
    if tag not in STATES:
        raise BadInput(f"{_at(node, file)}<{tag}> is not read here; known are {', '.join(f'<{t}>' for t in STATES)}")
    name, kind = _needed(node, "id", file), STATES[tag]
    if kind is Kind.HISTORY and _get(node, "type") == "deep":
        kind = Kind.DEEP_HISTORY
    at = len(states)
    parts: dict[str, list[str]] = {"do": [], "onentry": [], "onexit": []}
    ways: list[Transition] = []
    initial, inner = _get(node, "initial"), []
    for child in node.children:
        inside = _tag(child)
        if inside in ("onentry", "onexit"):
            parts[inside] += _actions(child.children, file)
        elif inside == "invoke":
            parts["do"].append(_call(child, file))
        elif inside == "transition":
            ways.append(_read_transition(child, name, file))
        elif inside == "initial":
            first = next((each for each in child.children if _tag(each) == "transition"), None)
            initial = _get(first, "target") if first is not None else ""
        elif inside == "donedata":
            raise BadInput(f"{_at(child, file)}<donedata> is not read here; set a variable instead")
        else:
            inner.append(child)
    if kind in PSEUDO:
        initial, ways = (ways[0].target if ways else ""), []
    states.insert(at, State(
        name, kind, parent, initial, tuple(parts["do"]), tuple(parts["onentry"]), tuple(parts["onexit"]), tuple(ways),
        _get(node, "note"), _place(node, file), node.source,
    ))  # fmt: skip
    for child in inner:
        _read_state(child, name, states, file)


def _read_transition(node: Node, state: str, file: str) -> Transition:
    words: list[str] = []
    own = {f"{DONE_INVOKE}{state}": DONE, f"{DONE_STATE}{state}": DONE, f"{ERROR_INVOKE}{state}": FAILED}
    for word in _get(node, "event").split():
        plain = own.get(word, word)
        if plain not in words:
            words.append(plain)
    target = _get(node, "target")
    if " " in target.strip():
        raise BadInput(
            f"{_at(node, file)}a transition has one target here, got {target!r}; target a history or the parent"
        )
    after, text = None, _get(node, "after")
    if text:
        try:
            after = float(text)
        except ValueError:
            raise BadInput(f"{_at(node, file)}andante:after should be a time [s], got {text[:40]!r}") from None
    actions = tuple(_actions(node.children, file))
    return Transition(target, " ".join(words), _get(node, "cond"), after, actions, node.source)


def _actions(nodes: Iterable[Node], file: str) -> list[str]:
    found = []
    for node in nodes:
        tag = _tag(node)
        if tag == "script":
            found += [_call(node, file)]
        elif tag == "assign":
            found.append(f"{_needed(node, 'location', file)} = {_needed(node, 'expr', file)}")
        elif tag == "raise":
            found.append(f"emit({_needed(node, 'event', file)!r})")
        elif tag == "log":
            label = _get(node, "label")
            expr = _get(node, "expr") or "''"
            found.append(f"log({label + ': '!r} + str({expr}))" if label else f"log({expr})")
        elif tag == "send":
            found.append(_send(node, file))
        else:
            raise BadInput(f"{_at(node, file)}<{tag}> is not read here; use script, assign, raise, send or log")
    return found


def _send(node: Node, file: str) -> str:
    event = _get(node, "event")
    name = repr(event) if event else _needed(node, "eventexpr", file)
    delay = _get(node, "delay")
    if not delay:
        return f"send({name})"
    found = DELAY.fullmatch(delay)
    if found is None:
        raise BadInput(f"{_at(node, file)}delay should look like 1.5s or 300ms, got {delay[:40]!r}")
    return f"send({name}, {float(found[1]) * (0.001 if found[2] == 'ms' else 1.0)!r})"


def _call(node: Node, file: str) -> str:
    """The action of a script or an invoke: its attribute, or its text."""
    text = (_get(node, "call") or node.text or "").strip().rstrip(";")
    for child in node.children:
        if _tag(child) == "content" and not text:
            text = (child.text or "").strip()
    try:
        made = parse_action(text)
    except BadInput as error:
        raise BadInput(f"{_at(node, file)}{error}") from None
    if _tag(node) == "invoke" and isinstance(made, Assignment):
        raise BadInput(f"{_at(node, file)}<invoke> calls a skill, got {text[:60]!r}")
    return text


def _place(node: Node, file: str) -> tuple[float, float] | None:
    text = _get(node, "place")
    if not text:
        return None
    try:
        x, y = (float(word) for word in text.split())
    except ValueError:
        raise BadInput(f"{_at(node, file)}andante:place should be x y, got {text[:40]!r}") from None
    return x, y


def _tag(node: Node) -> str:
    return node.tag.rpartition("}")[2].rpartition(":")[2]


def _get(node: Node, name: str) -> str:
    """An attribute, with or without a namespace; empty: none."""
    for key, value in node.attributes.items():
        if key == name or key.endswith((f"}}{name}", f":{name}")):
            return str(value).strip()
    return ""


def _needed(node: Node, name: str, file: str) -> str:
    value = _get(node, name)
    if not value:
        raise BadInput(f"{_at(node, file)}<{_tag(node)}> needs the attribute {name}")
    return value


def _at(node: Node, file: str) -> str:
    return f"{node.source}: " if file else ""
