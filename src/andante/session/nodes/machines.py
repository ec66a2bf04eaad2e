"""/machine/...: the state machine of a session, to load, start, stop, watch, edit and save."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from andante.bags import messages
from andante.control.machines.io.files import machine_of_text, machine_text
from andante.description.source import Problem
from andante.errors import AndanteError
from andante.session.behaviors.host import MachineHost

from .node import Answer, LiveNode, plain_name

if TYPE_CHECKING:
    from andante.session.session import LiveSession

RATE = 5.0  # of the state while nothing changes [Hz]


class MachineNode(LiveNode):
    """/machine/load /machine/get /machine/set /machine/check /machine/save /machine/start /machine/stop; /machine/event
    in; /machine/state out: with every transition, and five times a second."""

    name = "machine"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._host: MachineHost | None = None
        self.advertise_service("/machine/load", "andante_msgs/srv/Choose", self._load)
        self.advertise_service("/machine/set", "andante_msgs/srv/SetMachine", self._set)
        self._handles.append(self.bus.provide("/machine/check", "andante_msgs/srv/SetMachine", self._check, self.name))
        self.advertise_service("/machine/save", "andante_msgs/srv/Choose", self._save)
        self.advertise_service("/machine/start", "std_srvs/srv/Trigger", self._start)
        self.advertise_service("/machine/stop", "std_srvs/srv/Trigger", self._stop)
        self._handles.append(self.bus.provide("/machine/get", "andante_msgs/srv/GetMachine", self._get, self.name))
        self.subscribe("/machine/event", "std_msgs/msg/String", self._event)
        self._state = self.advertise("/machine/state", "andante_msgs/msg/MachineState", latched=True)
        self._told: tuple[object, ...] = ()
        self._told_at = -math.inf
        self.lists = {
            "machines": lambda: self.host.names(),
            "skills": lambda: {
                name: f"{name}{skill.signature}: {skill.help}" for name, skill in self.host.skills.items()
            },
            "facts": lambda: self.host.facts.help,
        }

    @property
    def host(self) -> MachineHost:
        """Made when it is first wanted: the other nodes are there then."""
        if self._host is None:
            self._host = MachineHost(self.session)
        return self._host

    def rebuilt(self) -> None:
        """Another scene: the machine stops, and stays loaded."""
        if self._host is not None:
            machine, own = self._host.machine, self._host.own
            self._host.stop()
            self._host = MachineHost(self.session)
            self._host.machine, self._host.own = machine, own

    def close(self) -> None:
        """Leave the bus."""
        if self._host is not None:
            self._host.stop()
        super().close()

    # ---- services ----------------------------------------------------------------------------------
    def _load(self, request: Any) -> str:
        machine, own = self.host.find(str(request.name))
        problems = self.host.load(machine, own)
        return f"{machine.name}: {len(machine.states)} states" + _more(problems)

    def _set(self, request: Any) -> Answer:
        machine = machine_of_text(str(request.definition))
        problems = self.host.check(machine)
        try:
            self.host.load(machine)
        except AndanteError as error:
            return {"success": False, "message": str(error), "problems": [str(each) for each in problems]}
        return {
            "message": f"{machine.name}: {len(machine.states)} states",
            "problems": [str(each) for each in problems],
        }

    def _check(self, request: Any) -> Answer:
        """What is wrong with a machine; it is not loaded, and what runs goes on. An editor asks after every change."""
        try:
            problems = self.host.check(machine_of_text(str(request.definition)))
        except AndanteError as error:
            return {"success": False, "message": str(error), "problems": []}
        return {"success": True, "message": f"{len(problems)} remarks", "problems": [str(each) for each in problems]}

    def _get(self, _: Any) -> Answer:
        machine = self.host.machine
        if machine is None:
            return {"success": False, "message": "no state machine is loaded"}
        problems = [str(each) for each in self.host.check(machine, self.host.own)]
        return {"success": True, "definition": machine_text(machine), "problems": problems}

    def _save(self, request: Any) -> str:
        machine = self.host.machine
        name = plain_name(str(request.name) or (machine.name if machine is not None else ""), "machine")
        return f"saved {self.host.save(name.removesuffix('.toml'))}"

    def _start(self, _: Any) -> str:
        self.host.start()
        assert self.host.machine is not None
        return f"{self.host.machine.name} runs"

    def _stop(self, _: Any) -> str:
        was = self.host.running
        self.host.stop()
        return "stopped" if was else "nothing ran"

    def _event(self, message: Any) -> str:
        self.host.send(str(message.data))
        return str(message.data)

    # ---- what is told ------------------------------------------------------------------------------
    def update(self) -> None:
        """One step of the machine, and its state."""
        host = self._host
        if host is None:
            return
        if host.running and not self.session.paused:
            host.update()
        runner, machine, now = host.runner, host.machine, self.session.time
        count = (runner.taken[-1] if runner.taken else None) if runner is not None else None
        key = (machine, host.running, runner.active if runner is not None else (), count)
        due = host.running and not 0 <= now - self._told_at < 1.0 / RATE
        if key == self._told and not due:
            return
        self._told, self._told_at = key, now
        self._state.publish(self._message(host))

    def _message(self, host: MachineHost) -> Any:
        runner = host.runner
        given: dict[str, Any] = {"name": host.machine.name if host.machine is not None else "", "transition": -1}
        if runner is not None:
            active = runner.active
            given |= {"running": runner.running, "outcome": runner.outcome, "active": list(active)}
            given |= {"elapsed": [runner.elapsed(name) for name in active], "taken": runner.count}
            given["variables"] = json.dumps(runner.variables)
            if runner.taken:
                last = runner.taken[-1]
                given |= {"event": last.event, "source": last.source, "target": last.target, "transition": last.index}
        return messages.make("andante_msgs/msg/MachineState", **given)


def _more(problems: tuple[Problem, ...]) -> str:
    return f"; {len(problems)} remarks, the first: {problems[0]}" if problems else ""
