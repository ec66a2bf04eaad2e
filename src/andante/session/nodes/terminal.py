"""/terminal: the session by typed lines, with help, keys and completion."""

from __future__ import annotations

import inspect
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bags import messages
from andante.control.publishers import StatePublisher
from andante.errors import AndanteError, BadInput, UnknownName
from andante.geometry import so3
from andante.simulation.push import DIRECTIONS

from .node import Answer, LiveNode
from .services import RobotServiceNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

LONGEST = 1000  # characters of a line
PUSH_TIME = 0.1  # [s]
LONGEST_DRIVE = 60.0  # [s]


@dataclass(frozen=True)
class CommandLine:
    """A command: what follows it, what it does, and the kinds of names that complete its words."""

    usage: str
    help: str
    completes: tuple[str, ...] = ()  # kind of names per word after the command


COMMANDS: dict[str, CommandLine] = {
    "help": CommandLine("help [COMMAND]", "this list, or help on one command", ("commands",)),
    "keys": CommandLine("keys", "the keys that drive this robot"),
    "status": CommandLine("status", "what the robot is doing and its estimated pose"),
    "list": CommandLine("list KIND", "names of poses, motions, gaits, robots, worlds, engines, joints ...", ("kinds",)),
    "play": CommandLine("play NAME [SPEED]", "take a pose or play a motion", ("playable",)),
    "behave": CommandLine("behave NAME", "drive, balance, hold, get_up or wave", ("behaviours",)),
    "gait": CommandLine("gait NAME", "drive with another gait", ("gaits",)),
    "solver": CommandLine("solver [NAME=VALUE ...]", "settings of the solver (list solver); none: as usual"),
    "drive": CommandLine("drive VX [VY [WZ [SECONDS]]]", "drive at m/s, m/s, rad/s for a while (2 s)"),
    "stop": CommandLine("stop", "stop: drop keys, velocities and the goal"),
    "goto": CommandLine("goto X Y [YAW]", "go to a place on the map [m, deg]; without a yaw: any heading"),
    "map": CommandLine("map start | stop | reset | save [NAME]", "make a map while the robot moves", ("mapping",)),
    "explore": CommandLine("explore [stop]", "let the robot map by itself", ("explore",)),
    "at": CommandLine("at X Y [YAW]", "set the initial pose of the localizer [m, deg]"),
    "joint": CommandLine(
        "joint NAME POSITION [FRACTION]", "send a joint there [rad or m] at a fraction of its speed", ("joints",)
    ),
    "stiffness": CommandLine("stiffness SHARE [PATTERN]", "strength of the servos, 0 to 1"),
    "balance": CommandLine("balance on | off", "joint commands pass the balance filter, or do not", ("balance",)),
    "push": CommandLine("push NS DIRECTION [LINK]", "push with an impulse [N s]", ("", "directions", "links")),
    "speed": CommandLine("speed PERCENT", "how fast keys drive"),
    "set": CommandLine("set PARAMETER VALUE", "change a parameter, like /speed", ("parameters",)),
    "get": CommandLine("get [PATTERN]", "parameters and their values", ("parameters",)),
    "walker": CommandLine("walker start | stop | stats | T=0.6 ...", "the wave gait and its numbers", ("walker",)),
    "search": CommandLine("search start [N] | pause | resume | replay NUMBER", "gait search", ("search",)),
    "record": CommandLine("record start [NAME] | stop", "write the topics to a file", ("record",)),
    "clip": CommandLine("clip [SECONDS]", "film the next seconds"),
    "pause": CommandLine("pause", "pause the simulation"),
    "resume": CommandLine("resume", "resume the simulation"),
    "step": CommandLine("step [N]", "advance a paused session by control periods"),
    "reset": CommandLine("reset", "reset the scene"),
    "place": CommandLine("place X Y [YAW]", "put the robot somewhere [m, deg]"),
    "spawn": CommandLine("spawn MODEL X Y [YAW [NAME]]", "add a robot or a model to the scene [m, deg]", ("robots",)),
    "remove": CommandLine("remove NAME", "take a robot or a model that was added out of the scene", ("fleet",)),
    "on": CommandLine("on NAME COMMAND ...", "a command for another robot of the session", ("fleet", "commands")),
    "engine": CommandLine("engine NAME", "change the physics engine", ("engines",)),
    "world": CommandLine("world NAME", "change the world", ("worlds",)),
    "robot": CommandLine("robot NAME", "change the robot", ("robots",)),
    "topics": CommandLine("topics", "topics and their types"),
    "services": CommandLine("services", "services and their types"),
    "nodes": CommandLine("nodes", "who publishes and who listens"),
    "tf": CommandLine("tf TARGET SOURCE", "where a frame is, seen from another", ("frames", "frames")),
}
FIXED: dict[str, tuple[str, ...]] = {
    "kinds": ("poses", "motions", "gaits", "behaviours", "keys", "robots", "worlds", "engines", "solver", "joints",
              "links", "studies", "samplers", "recordings", "clips", "fleet"),
    "directions": tuple(DIRECTIONS),
    "balance": ("on", "off"),
    "mapping": ("start", "stop", "reset", "save"),
    "explore": ("start", "stop"),
    "walker": ("start", "stop", "stats"),
    "search": ("start", "pause", "resume", "replay"),
    "record": ("start", "stop"),
    "commands": tuple(COMMANDS),
}  # fmt: skip

CALLS: dict[str, Callable[..., tuple[str, dict[str, Any]]]] = {  # commands that are one call of a service
    "behave": lambda name: ("/set_behaviour", {"name": name}),
    "gait": lambda name: ("/set_gait", {"name": name}),
    "stiffness": lambda share, pattern="*": ("/set_stiffness", {"share": _number(share), "joints": [pattern]}),
    "balance": lambda switch: ("/set_balance", {"data": _switch(switch)}),
    "solver": lambda *settings: ("/set_solver", {"name": _settings(settings)}),
    "speed": lambda percent: ("/set_speed", {"percent": _number(percent)}),
    "clip": lambda seconds="5": ("/clip", {"seconds": _number(seconds)}),
    "pause": lambda: ("/pause", {}),
    "resume": lambda: ("/resume", {}),
    "step": lambda periods="1": ("/step", {"periods": int(_number(periods))}),
    "reset": lambda: ("/reset", {}),
    "place": lambda x, y, yaw="0": ("/spawn", _planar(x, y, yaw)),
    "spawn": lambda model, x, y, yaw="0", name="": ("/spawn", {"model": model, "name": name, **_planar(x, y, yaw)}),
    "remove": lambda name: ("/remove", {"name": name}),
    "map": lambda what, name="": (_one_of(what, "map", "mapping"), {"name": name} if what == "save" else {}),
    "explore": lambda what="start": (_one_of(what, "explore", "explore"), {}),
    "engine": lambda name: ("/select", {"engine": name}),
    "world": lambda name: ("/select", {"world": name}),
    "robot": lambda name: ("/select", {"robot": name}),
}


def _switch(word: str) -> bool:
    """on or off."""
    if word not in ("on", "off"):
        raise BadInput(f"usage: {COMMANDS['balance'].usage}")
    return word == "on"


def _one_of(word: str, command: str, service: str) -> str:
    """The service of a word after a command."""
    if word not in FIXED[service]:
        raise BadInput(f"usage: {COMMANDS[command].usage}")
    return f"/{service}/{word}"


def _settings(words: Sequence[str]) -> str:
    """Settings of the solver as one line."""
    if not all("=" in word for word in words):
        raise BadInput(f"usage: {COMMANDS['solver'].usage}")
    return ", ".join(words)


class TerminalNode(LiveNode):
    """One service: a line in, text out. Every line is in the log."""

    name = "terminal"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._handles.append(self.bus.provide("/terminal", "andante_msgs/srv/Command", self._command, self.name))
        self.lists = {"commands": lambda: {name: command.help for name, command in COMMANDS.items()}}
        self._lasting: tuple[float, float, float, float] | None = None  # velocity and when it ends [s]

    def _names(self, kind: str) -> dict[str, str]:
        """Names of a kind with help."""
        services = next(node for node in self.session.nodes if isinstance(node, RobotServiceNode))
        return services.listed(kind)

    def update(self) -> None:
        """Renew a velocity that lasts longer than a message does."""
        if self._lasting is None:
            return
        vx, vy, wz, end = self._lasting
        if self.session.time < end:
            self.session.drive(vx, vy, wz)
        else:
            self._lasting = None
            self.session.teleop.release()

    def rebuilt(self) -> None:
        """Whatever lasted ends with the scene."""
        self._lasting = None

    def _command(self, request: Any) -> Answer:
        line = str(request.line)[:LONGEST]
        if request.complete:
            return {"success": True, "text": "", "completions": self._complete(line)}
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            return {"success": False, "text": f"{line!r}: {error}"}
        if not words:
            return {"success": True, "text": ""}
        self.bus.log("info", f"> {' '.join(words)}", self.name)
        try:
            return {"success": True, "text": self._run(words)}
        except (AndanteError, ValueError) as error:
            text = str(error) if isinstance(error, AndanteError) else f"{' '.join(words)}: {error}"
            self.bus.log("warn", text, self.name)
            return {"success": False, "text": text}

    # ---- completion --------------------------------------------------------------------------------
    def _complete(self, line: str) -> list[str]:
        """Whole lines that could come of this one."""
        words = line.split(" ")
        if len(words) == 1:
            return [f"{name} " for name in COMMANDS if name.startswith(words[0])]
        command = COMMANDS.get(words[0])
        place = len(words) - 2
        if command is None or place >= len(command.completes):
            return []
        head, last = " ".join(words[:-1]), words[-1]
        return [f"{head} {name}" for name in self._choices(command.completes[place]) if name.startswith(last)][:200]

    def _choices(self, kind: str) -> Sequence[str]:
        if not kind:
            return ()
        if kind in FIXED:
            return FIXED[kind]
        if kind == "playable":
            return [*self._names("poses"), *self._names("motions")]
        if kind == "parameters":
            return [parameter.name for parameter in self.session.bus.parameters.list()]
        if kind == "frames":
            for node in self.session.nodes:
                if isinstance(node, StatePublisher):
                    node.refresh()
            return list(self.session.bus.tf.frames())
        return list(self._names(kind))

    # ---- lines -------------------------------------------------------------------------------------
    def _run(self, words: Sequence[str]) -> str:
        """Carry a line out; the text to show."""
        name, *rest = words
        if name not in COMMANDS:
            raise UnknownName.among("command", name, COMMANDS)
        command = CALLS.get(name) or getattr(self, f"_{name}")
        try:
            inspect.signature(command).bind(*rest)
        except TypeError:
            raise BadInput(f"usage: {COMMANDS[name].usage}") from None
        made: str | tuple[str, dict[str, Any]] = command(*rest)
        return made if isinstance(made, str) else self._call(made[0], **made[1])

    def _call(self, service: str, **fields: Any) -> str:
        answer = self.session.bus.call(service, fields)
        if not answer.success:
            raise BadInput(answer.message)
        return str(answer.message)

    def _help(self, name: str = "") -> str:
        if name:
            if name not in COMMANDS:
                raise UnknownName.among("command", name, COMMANDS)
            return f"{COMMANDS[name].usage}\n  {COMMANDS[name].help}"
        width = max(len(command.usage) for command in COMMANDS.values())
        return "\n".join(f"{command.usage:<{width}}  {command.help}" for command in COMMANDS.values())

    def _on(self, name: str, *words: str) -> str:
        robots = self.session.hub.robots
        if name not in robots:
            raise UnknownName.among("robot", name, robots)
        answer = robots[name].bus.call("/terminal", {"line": shlex.join(words)})
        if not answer.success:
            raise BadInput(answer.text)
        return str(answer.text)

    def _keys(self) -> str:
        return "\n".join(f"{key:<8} {text}" for key, text in self._names("keys").items())

    def _status(self) -> str:
        session, stage = self.session, self.session.stage
        x, y, heading = stage.position
        lines = [
            f"{stage.name} in {session.choice.world_name} on {stage.sim.engine.name}, {session.time:.2f} s",
            f"{session.behaviour} {stage.activities.present.detail}".strip() + (", paused" if session.paused else ""),
            f"estimated pose: x {x:.2f} m, y {y:.2f} m, heading {math.degrees(heading):.0f} deg in odom",
        ]
        if stage.activities.waiting:
            lines.append(f"then {stage.activities.waiting}")
        return "\n".join(lines)

    def _list(self, kind: str) -> str:
        if kind == "kinds":
            return " ".join(FIXED["kinds"])
        table = self._names(kind)
        helped = any(table.values())
        if helped:
            return "\n".join(f"{name:<20} {text}" for name, text in table.items())
        return " ".join(table) or "none"

    def _play(self, name: str, speed: str = "1") -> str:
        answer = self.session.bus.call("/play", {"name": name, "speed": _number(speed)})
        if not answer.success:
            raise BadInput(answer.message)
        return f"{name}, {answer.duration:.1f} s" if answer.duration else name

    def _drive(self, vx: str, vy: str = "0", wz: str = "0", seconds: str = "2") -> str:
        span = _number(seconds)
        if not 0 < span <= LONGEST_DRIVE:
            raise BadInput(f"a drive lasts up to {LONGEST_DRIVE:g} s, got {seconds}")
        self._lasting = (_number(vx), _number(vy), _number(wz), self.session.time + span)
        self.update()
        return f"drives for {span:g} s"

    def _stop(self) -> str:
        self._lasting = None
        self._call("/navigation/cancel")
        return self._call("/stop")

    def _goto(self, x: str, y: str, yaw: str = "nan") -> str:
        pose = {"position": {"x": _number(x), "y": _number(y)}} if yaw == "nan" else _flat(x, y, yaw)
        return self._send("/goal_pose", "geometry_msgs/msg/PoseStamped", {"pose": pose}, f"goal {x} {y}")

    def _at(self, x: str, y: str, yaw: str = "0") -> str:
        pose = {"pose": {"pose": _flat(x, y, yaw)}}
        return self._send("/initialpose", "geometry_msgs/msg/PoseWithCovarianceStamped", pose, f"stands at {x} {y}")

    def _send(self, topic: str, kind: str, fields: Mapping[str, Any], text: str) -> str:
        """Publish one message on a topic that a node hears."""
        publisher = self.session.bus.advertise(topic, kind, node="terminal")
        try:
            publisher.publish(messages.from_dict(kind, fields))
        finally:
            publisher.close()
        return text

    def _joint(self, name: str, position: str, fraction: str = "0.3") -> str:
        beyond = self.session.command_api.joint_angles([name], [_number(position)], _number(fraction))
        return f"{beyond}; {position} lies beyond it" if beyond else f"{name} to {position}"

    def _push(self, impulse: str, direction: str, link: str = "") -> str:
        if direction not in DIRECTIONS:
            raise UnknownName.among("direction", direction, DIRECTIONS)
        turn = so3.from_rpy((0.0, 0.0, float(self.session.stage.position[2] + self.session.stage.origin[2])))
        force = turn @ np.array(DIRECTIONS[direction], dtype=float) * _number(impulse) / PUSH_TIME
        self.session.push(link, force.tolist(), PUSH_TIME)
        return f"{impulse} N s to the {direction}"

    def _set(self, name: str, value: str) -> str:
        parameters = self.session.bus.parameters
        old = parameters.get(name)
        new: Any = value
        if isinstance(old, bool):
            if value.casefold() not in ("true", "false", "on", "off", "1", "0"):
                raise BadInput(f"parameter {name} is true or false, got {value}")
            new = value.casefold() in ("true", "on", "1")
        elif isinstance(old, int | float):
            new = _number(value)
        return f"{name} = {parameters.set(name, new)}"

    def _get(self, pattern: str = "*") -> str:
        found = self.session.bus.parameters.list(pattern)
        if not found:
            raise BadInput(f"no parameter matches {pattern!r}")
        return "\n".join(f"{parameter.name} = {parameter.value}" for parameter in found[:100])

    def _walker(self, *words: str) -> str:
        if words == ("start",) or words == ("stop",):
            return self._call(f"/walker/{words[0]}")
        if words == ("stats",):
            return self._call("/walker/get_statistics")
        pairs = [word.partition("=") for word in words]
        if not words or not all(sign for _, sign, _ in pairs):
            raise BadInput("walker start, stop, stats, or numbers like T=0.6 A_h=15")
        fields = {"symbols": [name for name, _, _ in pairs], "values": [_number(value) for *_, value in pairs]}
        return self._call("/walker/set_parameters", parameters=fields)

    def _search(self, what: str, number: str = "0") -> str:
        if what == "start":
            return self._call("/search/start", budget=int(_number(number)))
        if what == "replay":
            return self._call("/search/replay", number=int(_number(number)))
        if what not in FIXED["search"]:
            raise UnknownName.among("search command", what, FIXED["search"])
        return self._call(f"/search/{what}")

    def _record(self, what: str, name: str = "") -> str:
        if what not in FIXED["record"]:
            raise UnknownName.among("record command", what, FIXED["record"])
        return self._call(f"/record_{what}", name=name)

    def _topics(self) -> str:
        return "\n".join(f"{name:<32} {kind}" for name, kind in self.session.bus.topics().items())

    def _services(self) -> str:
        return "\n".join(f"{name:<32} {kind}" for name, kind in self.session.bus.services().items())

    def _nodes(self) -> str:
        return "\n".join(
            f"{node.name}: publishes {', '.join(node.publishes) or 'nothing'}; "
            f"subscribes to {', '.join(node.subscribes) or 'nothing'}"
            for node in self.session.bus.graph()
        )

    def _tf(self, target: str, source: str) -> str:
        for node in self.session.nodes:
            if isinstance(node, StatePublisher):
                node.refresh()
        x, y, z, *turn = self.session.bus.tf.lookup(target, source)
        roll, pitch, yaw = so3.to_rpy(so3.from_quaternion(np.array(turn)))
        angles = " ".join(f"{math.degrees(float(a)):.1f}" for a in (roll, pitch, yaw))
        return f"{x:.3f} {y:.3f} {z:.3f} m, roll pitch yaw {angles} deg"


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise BadInput(f"{text!r} is not a number") from None
    if not math.isfinite(value):
        raise BadInput(f"expected a finite number, got {text}")
    return value


def _planar(x: str, y: str, yaw: str) -> dict[str, float]:
    return {"x": _number(x), "y": _number(y), "yaw": math.radians(_number(yaw))}


def _flat(x: str, y: str, yaw: str) -> dict[str, Any]:
    half = math.radians(_number(yaw)) / 2
    return {"position": {"x": _number(x), "y": _number(y)}, "orientation": {"z": math.sin(half), "w": math.cos(half)}}
