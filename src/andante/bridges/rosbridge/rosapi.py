"""The `/rosapi` services that rosbridge clients ask about the graph, types, parameters and time."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from andante.bags import messages
from andante.bridges.client import BusClient, ServiceInfo, TopicInfo
from andante.bridges.encoding import absolute, full_type, plain
from andante.bridges.graph_client import custom_types
from andante.errors import AndanteError, BadInput, UnknownName

NODE = "/rosapi"
EMPTY = "structure_needs_at_least_one_member"  # what stands in a message without fields
Values = dict[str, Any]  # fields of a request or a response


def _text(arguments: Values, name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str):
        raise BadInput(f"field {name!r} must be a string")
    return value


class RosApi:
    """Answers for one session. `extra` names services that the server's clients offer: {name: type}."""

    def __init__(self, bus: BusClient, extra: Callable[[], dict[str, str]] = dict) -> None:
        self._bus, self._extra = bus, extra
        self.services: dict[str, Callable[[Values], Values | Awaitable[Values]]] = {
            f"{NODE}/{name}": answer for name, answer in self._table().items()
        }

    async def call(self, name: str, arguments: Any) -> Values:
        """The values of a `/rosapi/...` service."""
        if not isinstance(arguments, dict):
            raise BadInput(f"{name}: the arguments must be an object with fields")
        answer = self.services[name](arguments)
        return answer if isinstance(answer, dict) else await answer

    def _table(self) -> dict[str, Callable[[Values], Values | Awaitable[Values]]]:
        """Every service by its name."""
        return {
            "topics": lambda _: {"topics": list(self._topics()), "types": list(self._topics().values())},
            "topics_and_raw_types": self._topics_and_raw_types,
            "topics_for_type": lambda asked: {"topics": _of_type(self._topics(), asked, "msg")},
            "topic_type": lambda asked: {"type": self._topics().get(absolute(asked.get("topic")), "")},
            "publishers": lambda asked: {"publishers": list(self._topic(asked).publishers)},
            "subscribers": lambda asked: {"subscribers": list(self._topic(asked).subscribers)},
            "services": lambda _: {"services": list(self._services())},
            "services_for_type": self._services_for_type,
            "service_type": lambda asked: {"type": self._service(asked).type_name},
            "service_node": lambda asked: {"node": self._service(asked).node},
            "service_providers": lambda asked: {"providers": list(filter(None, [self._service(asked).node]))},
            "action_servers": lambda _: {"action_servers": list(self._bus.graph.actions)},
            "action_type": self._action_type,
            "nodes": lambda _: {"nodes": self._bus.graph.nodes},
            "node_details": self._node_details,
            "message_details": partial(_details, "msg", ""),
            "service_request_details": partial(_details, "srv", "_Request"),
            "service_response_details": partial(_details, "srv", "_Response"),
            "action_goal_details": partial(_details, "action", "_Goal"),
            "action_result_details": partial(_details, "action", "_Result"),
            "action_feedback_details": partial(_details, "action", "_Feedback"),
            "get_param": self._get_param,
            "set_param": self._set_param,
            "has_param": self._has_param,
            "search_param": self._search_param,
            "delete_param": lambda asked: {
                "successful": False,
                "reason": f"parameter {asked.get('name')!r} belongs to the session",
            },
            "get_param_names": self._get_param_names,
            "get_time": self._get_time,
            "get_ros_version": lambda _: {"version": 2, "distro": "humble"},
            # The whole graph, and all parameters, in one answer each: for our own bridges.
            "andante_graph": lambda _: {"graph": self._bus.graph.as_dict(), **custom_types(self._bus.graph)},
            "andante_parameters": self._andante_parameters,
        }

    # Topics, services, actions, nodes.

    def _topics(self) -> dict[str, str]:
        return {name: topic.type_name for name, topic in self._bus.graph.topics.items()}

    def _topic(self, asked: Values) -> TopicInfo:
        return self._bus.graph.topics.get(absolute(asked.get("topic")), TopicInfo(""))

    def _services(self) -> dict[str, ServiceInfo]:
        offered = {name: ServiceInfo(kind, "/client") for name, kind in self._extra().items()}
        own = {name: ServiceInfo(_own_type(name), NODE) for name in self.services}
        return {**self._bus.graph.services, **offered, **own}

    def _service(self, asked: Values) -> ServiceInfo:
        return self._services().get(absolute(asked.get("service")), ServiceInfo(""))

    def _topics_and_raw_types(self, _: Values) -> Values:
        types = list(self._topics().values())
        texts = list(map(messages.definition, types))
        return {"topics": list(self._topics()), "types": types, "typedefs_full_text": texts}

    def _services_for_type(self, asked: Values) -> Values:
        return {"services": _of_type({name: each.type_name for name, each in self._services().items()}, asked, "srv")}

    def _action_type(self, asked: Values) -> Values:
        return {"type": self._bus.graph.actions.get(absolute(asked.get("action")), ServiceInfo("")).type_name}

    def _node_details(self, asked: Values) -> Values:
        node, topics = absolute(asked.get("node")), self._bus.graph.topics
        return {
            "publishing": [name for name, topic in topics.items() if node in topic.publishers],
            "subscribing": [name for name, topic in topics.items() if node in topic.subscribers],
            "services": [name for name, service in self._services().items() if service.node == node],
        }

    # Parameters and time.

    async def _get_param(self, asked: Values) -> Values:
        name, known = absolute(asked.get("name")), await self._bus.parameters()
        if name in known:
            return {"value": json.dumps(plain(known[name])), "successful": True, "reason": ""}
        default = asked.get("default_value", asked.get("default", ""))
        if default != "":
            return {"value": str(default), "successful": True, "reason": ""}
        return {"value": "null", "successful": False, "reason": f"no parameter {name!r}"}

    async def _set_param(self, asked: Values) -> Values:
        try:
            value = json.loads(_text(asked, "value"))
            await self._bus.set_parameter(absolute(asked.get("name")), value)
        except (AndanteError, ValueError) as error:
            return {"successful": False, "reason": str(error)}
        return {"successful": True, "reason": ""}

    async def _has_param(self, asked: Values) -> Values:
        return {"exists": absolute(asked.get("name")) in await self._bus.parameters()}

    async def _search_param(self, asked: Values) -> Values:
        wanted = _text(asked, "name").rpartition("/")[2]
        found = [name for name in await self._bus.parameters() if name.rpartition("/")[2] == wanted]
        return {"global_name": found[0] if found else ""}

    async def _get_param_names(self, _: Values) -> Values:
        return {"names": list(await self._bus.parameters())}

    async def _andante_parameters(self, _: Values) -> Values:
        return {"values": await self._bus.parameters()}

    def _get_time(self, _: Values) -> Values:
        stamp = messages.to_dict(messages.time(self._bus.now))
        return {"time": {**stamp, "secs": stamp["sec"], "nsecs": stamp["nanosec"]}}  # names of ROS 2 and of ROS 1


def _of_type(types: Mapping[str, str], asked: Values, kind: str) -> list[str]:
    """Names whose type is the one asked for."""
    wanted = full_type(_text(asked, "type"), kind)
    return [name for name, type_name in types.items() if type_name == wanted]


def _details(kind: str, part: str, asked: Values) -> Values:
    return {"typedefs": details(full_type(_text(asked, "type"), kind) + part)}


def _own_type(name: str) -> str:
    return "rosapi_msgs/srv/" + "".join(word.title() for word in name.rpartition("/")[2].split("_"))


def details(type_name: str) -> list[dict[str, Any]]:
    """Fields and constants of a type and of all types in it, as rosapi/TypeDef values."""
    table = messages.store().fielddefs
    if type_name not in table:
        raise UnknownName(f"no type {type_name!r}")
    out: list[dict[str, Any]] = []
    waiting, seen = [type_name], {type_name}
    while waiting:
        name = waiting.pop(0)
        constants, fields = table[name]
        entry: dict[str, Any] = {
            "type": _short(name), "fieldnames": [], "fieldtypes": [], "fieldarraylen": [], "examples": [],
            "constnames": [constant for constant, _, _ in constants],
            "constvalues": [str(value) for _, _, value in constants],
        }  # fmt: skip
        for field, (kind, what) in fields:
            if field == EMPTY:
                continue
            length = -1 if kind <= 2 else what[1] if kind == 3 else 0
            kind, what = what[0] if kind > 2 else (kind, what)
            entry["fieldnames"].append(field)
            entry["fieldarraylen"].append(length)
            entry["fieldtypes"].append(what[0] if kind == 1 else _short(what))
            entry["examples"].append(_example(what[0]) if kind == 1 and length == -1 else "[]" if length >= 0 else "{}")
            if kind == 2 and what not in seen:
                seen.add(what)
                waiting.append(what)
        out.append(entry)
    return out


def _short(name: str) -> str:
    return name.replace("/msg/", "/").replace("/srv/", "/").replace("/action/", "/")


def _example(base: str) -> str:
    return '""' if "string" in base else "false" if base == "bool" else "0.0" if base.startswith("float") else "0"
