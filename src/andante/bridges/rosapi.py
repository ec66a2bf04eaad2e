"""The `/rosapi` services that rosbridge clients ask about the graph, types, parameters and time."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from andante.bags import messages
from andante.errors import AndanteError, BadInput, UnknownName

from .client import BusClient, ServiceInfo
from .custom_types import custom_types
from .encoding import plain
from .names import absolute, full_type

NODE = "/rosapi"
EMPTY = "structure_needs_at_least_one_member"  # what stands in a message without fields
Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


def _service(method: Any) -> Any:
    method.rosapi = True
    return method


def _text(arguments: dict[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str):
        raise BadInput(f"field {name!r}: a text is wanted")
    return value


class RosApi:
    """Answers for one session. `extra` names services that the server's clients offer: {name: type}."""

    def __init__(self, bus: BusClient, extra: Callable[[], dict[str, str]] = dict) -> None:
        self._bus, self._extra = bus, extra
        self.services: dict[str, Answer] = {
            f"{NODE}/{name.removeprefix('_')}": getattr(self, name)
            for name in dir(self)
            if name.startswith("_") and getattr(getattr(self, name), "rosapi", False)
        }

    async def call(self, name: str, arguments: Any) -> dict[str, Any]:
        """The values of a `/rosapi/...` service."""
        if not isinstance(arguments, dict):
            raise BadInput(f"{name}: an object with fields is wanted")
        return await self.services[name](arguments)

    # Topics.

    @_service
    async def _topics(self, _: dict[str, Any]) -> dict[str, Any]:
        topics = self._bus.graph.topics
        return {"topics": list(topics), "types": [topic.type_name for topic in topics.values()]}

    @_service
    async def _topics_and_raw_types(self, _: dict[str, Any]) -> dict[str, Any]:
        topics = self._bus.graph.topics
        types = [topic.type_name for topic in topics.values()]
        return {"topics": list(topics), "types": types, "typedefs_full_text": list(map(messages.definition, types))}

    @_service
    async def _topics_for_type(self, arguments: dict[str, Any]) -> dict[str, Any]:
        wanted = full_type(_text(arguments, "type"), "msg")
        return {"topics": [name for name, topic in self._bus.graph.topics.items() if topic.type_name == wanted]}

    @_service
    async def _topic_type(self, arguments: dict[str, Any]) -> dict[str, Any]:
        topic = self._bus.graph.topics.get(absolute(arguments.get("topic")))
        return {"type": topic.type_name if topic else ""}

    @_service
    async def _publishers(self, arguments: dict[str, Any]) -> dict[str, Any]:
        topic = self._bus.graph.topics.get(absolute(arguments.get("topic")))
        return {"publishers": list(topic.publishers) if topic else []}

    @_service
    async def _subscribers(self, arguments: dict[str, Any]) -> dict[str, Any]:
        topic = self._bus.graph.topics.get(absolute(arguments.get("topic")))
        return {"subscribers": list(topic.subscribers) if topic else []}

    # Services, actions, nodes.

    def _all_services(self) -> dict[str, ServiceInfo]:
        offered = {name: ServiceInfo(kind, "/client") for name, kind in self._extra().items()}
        own = {name: ServiceInfo(_own_type(name), NODE) for name in self.services}
        return {**self._bus.graph.services, **offered, **own}

    @_service
    async def _services(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"services": list(self._all_services())}

    @_service
    async def _services_for_type(self, arguments: dict[str, Any]) -> dict[str, Any]:
        wanted = full_type(_text(arguments, "type"), "srv")
        return {"services": [name for name, service in self._all_services().items() if service.type_name == wanted]}

    @_service
    async def _service_type(self, arguments: dict[str, Any]) -> dict[str, Any]:
        service = self._all_services().get(absolute(arguments.get("service")))
        return {"type": service.type_name if service else ""}

    @_service
    async def _service_node(self, arguments: dict[str, Any]) -> dict[str, Any]:
        service = self._all_services().get(absolute(arguments.get("service")))
        return {"node": service.node if service else ""}

    @_service
    async def _service_providers(self, arguments: dict[str, Any]) -> dict[str, Any]:
        service = self._all_services().get(absolute(arguments.get("service")))
        return {"providers": [service.node] if service else []}

    @_service
    async def _action_servers(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"action_servers": list(self._bus.graph.actions)}

    @_service
    async def _action_type(self, arguments: dict[str, Any]) -> dict[str, Any]:
        action = self._bus.graph.actions.get(absolute(arguments.get("action")))
        return {"type": action.type_name if action else ""}

    @_service
    async def _nodes(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"nodes": self._bus.graph.nodes}

    @_service
    async def _node_details(self, arguments: dict[str, Any]) -> dict[str, Any]:
        node, graph = absolute(arguments.get("node")), self._bus.graph
        return {
            "publishing": [name for name, topic in graph.topics.items() if node in topic.publishers],
            "subscribing": [name for name, topic in graph.topics.items() if node in topic.subscribers],
            "services": [name for name, service in self._all_services().items() if service.node == node],
        }

    # Types.

    @_service
    async def _message_details(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"typedefs": details(full_type(_text(arguments, "type"), "msg"))}

    @_service
    async def _service_request_details(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"typedefs": details(full_type(_text(arguments, "type"), "srv") + "_Request")}

    @_service
    async def _service_response_details(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"typedefs": details(full_type(_text(arguments, "type"), "srv") + "_Response")}

    @_service
    async def _action_goal_details(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"typedefs": details(full_type(_text(arguments, "type"), "action") + "_Goal")}

    @_service
    async def _action_result_details(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"typedefs": details(full_type(_text(arguments, "type"), "action") + "_Result")}

    @_service
    async def _action_feedback_details(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"typedefs": details(full_type(_text(arguments, "type"), "action") + "_Feedback")}

    # Parameters and time.

    @_service
    async def _get_param(self, arguments: dict[str, Any]) -> dict[str, Any]:
        name, known = absolute(arguments.get("name")), await self._bus.parameters()
        if name in known:
            return {"value": json.dumps(plain(known[name])), "successful": True, "reason": ""}
        default = arguments.get("default_value", arguments.get("default", ""))
        if default != "":
            return {"value": str(default), "successful": True, "reason": ""}
        return {"value": "null", "successful": False, "reason": f"no parameter {name!r}"}

    @_service
    async def _set_param(self, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            value = json.loads(_text(arguments, "value"))
            await self._bus.set_parameter(absolute(arguments.get("name")), value)
        except (AndanteError, ValueError) as error:
            return {"successful": False, "reason": str(error)}
        return {"successful": True, "reason": ""}

    @_service
    async def _has_param(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"exists": absolute(arguments.get("name")) in await self._bus.parameters()}

    @_service
    async def _search_param(self, arguments: dict[str, Any]) -> dict[str, Any]:
        wanted = _text(arguments, "name").rpartition("/")[2]
        found = [name for name in await self._bus.parameters() if name.rpartition("/")[2] == wanted]
        return {"global_name": found[0] if found else ""}

    @_service
    async def _delete_param(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"successful": False, "reason": f"parameter {arguments.get('name')!r} belongs to the session"}

    @_service
    async def _get_param_names(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"names": list(await self._bus.parameters())}

    @_service
    async def _get_time(self, _: dict[str, Any]) -> dict[str, Any]:
        stamp = messages.to_dict(messages.time(self._bus.now))
        return {"time": {**stamp, "secs": stamp["sec"], "nsecs": stamp["nanosec"]}}  # names of ROS 2 and of ROS 1

    @_service
    async def _andante_graph(self, _: dict[str, Any]) -> dict[str, Any]:
        """The whole graph in one answer, for our own bridges."""
        graph = self._bus.graph
        return {"graph": graph.as_dict(), **custom_types(graph)}

    @_service
    async def _andante_parameters(self, _: dict[str, Any]) -> dict[str, Any]:
        """All parameters in one answer, for our own bridges."""
        return {"values": await self._bus.parameters()}

    @_service
    async def _get_ros_version(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"version": 2, "distro": "humble"}


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
