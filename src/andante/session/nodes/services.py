"""Services of the session: time, scene, motions, gaits, speed, stiffness, lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.description.load import robot_names, world_names
from andante.description.solver import parse_settings
from andante.errors import BadInput, UnknownName
from andante.locomotion.keys import BODY_KEYS, KEYS
from andante.physics import ENGINES
from andante.physics.solver import solver_lines
from andante.session.command_api import BEHAVIOURS

from .node import Answer, LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession


class RobotServiceNode(LiveNode):
    """What one robot is asked for: /stop /play /list /set_speed /set_gait /set_behaviour /set_stiffness."""

    name = "services"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.advertise_service("/stop", "std_srvs/srv/Trigger", self._stop)
        self.advertise_service("/play", "andante_msgs/srv/Play", self._play)
        self.advertise_service("/set_speed", "andante_msgs/srv/SetSpeed", self._speed)
        self.advertise_service("/set_gait", "andante_msgs/srv/Choose", self._gait)
        self.advertise_service("/set_behaviour", "andante_msgs/srv/Choose", self._behaviour)
        self.advertise_service("/set_stiffness", "andante_msgs/srv/SetStiffness", self._stiffness)
        self.advertise_service("/set_balance", "std_srvs/srv/SetBool", self._balance)
        self.advertise_service("/set_support", "andante_msgs/srv/Choose", self._support)
        self._handles.append(self.bus.provide("/list", "andante_msgs/srv/List", self._list, self.name))

    def _stop(self, _: Any) -> str:
        """Let go of keys and velocities, and hold or balance."""
        self.session.teleop.release()
        present = self.stage.activities.present.name
        self.command_api.behave("drive" if present in ("drive", "balance", "wave") else "hold")
        return "stops"

    def _play(self, request: Any) -> Answer:
        duration = self.command_api.play(str(request.name), float(request.speed), int(request.rounds))
        return {"message": str(request.name), "duration": duration}

    def _speed(self, request: Any) -> str:
        self.session.set_speed(float(request.percent))
        return f"{request.percent:g} percent"

    def _gait(self, request: Any) -> str:
        with self.session.hub.progress.stage(f"preparing the gait {request.name}"):
            self.command_api.set_gait(str(request.name))
        return str(request.name)

    def _behaviour(self, request: Any) -> str:
        self.command_api.behave(str(request.name))
        return str(request.name)

    def _stiffness(self, request: Any) -> str:
        names = self.stage.set_stiffness(float(request.share), [str(j) for j in request.joints])
        return f"{len(names)} joints at {request.share:g}"

    def _balance(self, request: Any) -> str:
        """Whether joint commands pass the balance filter."""
        self.stage.balance.on = bool(request.data)
        return f"the balance filter is {'on' if request.data else 'off'}"

    def _support(self, request: Any) -> str:
        """Feet that the balance filter keeps the center of mass over."""
        self.stage.balance.rest_on(str(request.name))
        return f"balances on {request.name}"

    def _list(self, request: Any) -> Answer:
        table = self.listed(str(request.kind))
        return {"names": list(table), "help": list(table.values())}

    def listed(self, kind: str) -> dict[str, str]:
        """Names of a kind, each with a line of help."""
        command_api, robot = self.command_api, self.stage.robot
        own: dict[str, Callable[[], Mapping[str, str]]] = {
            "poses": command_api.pose_refusals,
            "motions": lambda: dict.fromkeys(command_api.motions, ""),
            "robots": lambda: dict.fromkeys(robot_names(), ""),
            "worlds": lambda: dict.fromkeys(world_names(), ""),
            "engines": lambda: dict.fromkeys(ENGINES, ""),
            "solver": lambda: solver_lines(self.stage.sim.engine),
            "gaits": lambda: dict.fromkeys(command_api.gaits, ""),
            "behaviours": lambda: {name: BEHAVIOURS[name] for name in command_api.behaviours},
            "keys": self.keys,
            "joints": lambda: {j.name: f"{j.limits.lower:.2f} to {j.limits.upper:.2f}" for j in robot.movable},
            "links": lambda: dict.fromkeys((link.name for link in robot.links), ""),
        }
        for node in self.session.nodes:
            own |= node.lists if isinstance(node, LiveNode) else {}
        if kind not in own:
            raise UnknownName.among("kind of names", kind, own)
        return dict(own[kind]())

    def keys(self) -> dict[str, str]:
        """The keys that the robot answers, with what they do."""
        walker = self.stage.walker
        keys = {key: text for key, text in KEYS.items() if walker.moves_body or key not in BODY_KEYS}
        return {**keys, **walker.buttons}


class ServiceNode(RobotServiceNode):
    """/pause /resume /step /reset /spawn /remove /select /set_solver, beside what its first robot is asked for."""

    name = "session"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.advertise_service("/pause", "std_srvs/srv/Trigger", self._pause)
        self.advertise_service("/resume", "std_srvs/srv/Trigger", self._resume)
        self.advertise_service("/step", "andante_msgs/srv/Step", self._step)
        self.advertise_service("/reset", "std_srvs/srv/Trigger", self._reset)
        self.advertise_service("/spawn", "andante_msgs/srv/Spawn", self._spawn)
        self.advertise_service("/remove", "andante_msgs/srv/Choose", self._remove)
        self.advertise_service("/select", "andante_msgs/srv/Select", self._select)
        self.advertise_service("/set_solver", "andante_msgs/srv/Choose", self._solver)
        self._met: dict[str, tuple[Any, Mapping[str, str]]] = {}  # robots by file that were here, by their names
        self._worlds: dict[str, Any] = {}
        self.lists = {
            "robots": lambda: dict.fromkeys((*robot_names(), *self._met), ""),
            "worlds": lambda: dict.fromkeys((*world_names(), *self._worlds), ""),
        }
        self.rebuilt()

    def rebuilt(self) -> None:
        """What was here once can be chosen again."""
        choice = self.session.choice
        if choice.robot_name not in robot_names() or choice.arguments:
            self._met[self.stage.name] = (choice.robot, dict(choice.arguments))
        if choice.world_name not in world_names():
            self._worlds[choice.world_name] = choice.world

    def _pause(self, _: Any) -> str:
        self.session.pause()
        return f"paused at {self.session.time:.2f} s"

    def _resume(self, _: Any) -> str:
        self.session.resume()
        return "resumed"

    def _step(self, request: Any) -> Answer:
        count = int(request.periods) or 1
        self.session.single_step(count)
        return {"message": f"{count} control periods", "sim_time": self.session.time + 0.01 * count}

    def _reset(self, _: Any) -> str:
        self.session.reset()
        return "the scene is reset"

    def _spawn(self, request: Any) -> str:
        numbers = (request.x, request.y, request.yaw, request.height)
        if not all(math.isfinite(v) for v in numbers):
            raise BadInput(f"a place has finite numbers, got {', '.join(str(v) for v in numbers)}")
        x, y, yaw = float(request.x), float(request.y), float(request.yaw)
        if request.model:
            known = (*robot_names(), *self._met)
            if request.model not in known:
                raise UnknownName.among("robot", str(request.model), known)
            model, _ = self._met.get(str(request.model), (str(request.model), {}))
            name = self.session.spawn(model, str(request.name), x, y, yaw)
            return f"{name} at {x:.2f}, {y:.2f}"
        self.session.respawn(x, y, yaw, str(request.pose), float(request.height))
        return f"{self.stage.name} at {x:.2f}, {y:.2f}"

    def _remove(self, request: Any) -> str:
        return f"{request.name} is gone{self.session.remove(str(request.name))}"

    def _select(self, request: Any) -> str:
        engine, world, robot = str(request.engine), str(request.world), str(request.robot)
        choice = self.session.choice
        for what, name, known, present in (
            ("engine", engine, ENGINES, choice.engine),
            ("world", world, (*world_names(), *self._worlds), choice.world_name),
            ("robot", robot, (*robot_names(), *self._met), choice.robot_name),
        ):
            if name not in ("", present, *known):
                raise UnknownName.among(what, name, known)
        chosen, arguments = self._met.get(robot, (robot, {}))
        self.session.select(engine, self._worlds.get(world, world), chosen, arguments)
        choice = self.session.choice
        return f"{self.stage.name} in {Path(choice.world_name).stem} on {choice.engine}"

    def _solver(self, request: Any) -> str:
        """Settings like "erp=0.3, iterations=20"; empty: the engine's own and those of the world."""
        self.session.set_solver(parse_settings(str(request.name)))
        return f"solver: {request.name or 'as the engine and the world have it'}"
