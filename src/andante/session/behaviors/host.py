"""`MachineHost`: the state machine of a live session: loaded, checked, started, stepped with the session, stopped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from andante.control.machines import Machine, MachineRunner, Skill, check_machine
from andante.control.machines.io.files import find_machine, library_machines, read_machine, write_machine
from andante.description.source import Problem, Severity
from andante.errors import AndanteError, BadInput

from .facts import Facts
from .skills import SessionSkills

if TYPE_CHECKING:
    from andante.session.session import LiveSession

FALL, UP, TOUCH, RELEASE = "fall", "up", "touch", "release"  # events of the robot
SAVED = "machines"  # folder in that of the session


class MachineHost:
    """Runs one machine at a time.

    Args:
        session: whose robot it moves.
    """

    def __init__(self, session: LiveSession) -> None:
        from andante.session.nodes.expression import ExpressionNode
        from andante.session.nodes.switches import SwitchNode

        self.session = session
        found = {type(node): node for node in session.nodes}
        switches, shows = found.get(SwitchNode), found.get(ExpressionNode)
        self._pressed = (lambda: switches.pressed) if isinstance(switches, SwitchNode) else None

        def say(text: str) -> None:
            if isinstance(shows, ExpressionNode):
                shows.say(text)
            session.log(f'says "{text}"', node="machine")

        def light(name: str, color: tuple[float, float, float], seconds: float) -> None:
            if isinstance(shows, ExpressionNode):
                shows.fade(name, color, seconds)

        self.facts = Facts(session, self._pressed)
        self.skills: dict[str, Skill] = SessionSkills(session, say, light, self.facts.eyes).table()
        self.machine: Machine | None = None
        self.runner: MachineRunner | None = None
        self.own: Mapping[str, Skill] = {}  # that the machine brought along
        self._down: dict[str, bool] = {}
        self._falling = False

    # ---- a machine ---------------------------------------------------------------------------------
    @property
    def folder(self) -> Path:
        """Where machines are saved."""
        return self.session.folder / SAVED

    def names(self) -> dict[str, str]:
        """Machines that can be loaded by name, with what they are."""
        known = self._saved() | library_machines(self.session.stage.robot)
        return {name: _note(path) for name, path in known.items()}

    def _saved(self) -> dict[str, Path]:
        """Machines that were saved, by name."""
        return {path.stem: path for path in sorted(self.folder.glob("*.toml"))} if self.folder.is_dir() else {}

    def find(self, name: str, files: bool = False) -> tuple[Machine, Mapping[str, Skill]]:
        """A machine by name; files: by the name of a file, too."""
        if not files and ("/" in name or "\\" in name or ":" in name or "." in name):
            raise BadInput(f"{name!r}: only state machines by name are loaded here, no files")
        if not files and (saved := self._saved().get(name)):
            return read_machine(saved), {}
        return find_machine(self.session.stage.robot, name)

    def check(self, machine: Machine, own: Mapping[str, Skill] | None = None) -> tuple[Problem, ...]:
        """What is wrong with a machine for this robot."""
        known = {**self.skills, **(own or {})}
        return check_machine(machine, known, frozenset(self.facts), self.session.stage.robot.name)

    def load(self, machine: Machine, own: Mapping[str, Skill] | None = None) -> tuple[Problem, ...]:
        """Take a machine in place of the present one, which is stopped; refused where it has errors."""
        problems = self.check(machine, own)
        errors = [problem for problem in problems if problem.severity is Severity.ERROR]
        if errors:
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            raise BadInput(f"{errors[0]}{more}")
        self.stop()
        self.machine, self.own, self.runner = machine, own or {}, None
        return problems

    def save(self, name: str) -> Path:
        """Write the machine to a file of the session; one of the same name that was saved before is replaced."""
        if self.machine is None:
            raise BadInput("no state machine is loaded")
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{name}.toml"
        write_machine(self.machine, path)
        return path

    # ---- its run -----------------------------------------------------------------------------------
    @property
    def running(self) -> bool:
        """Whether a machine runs."""
        return self.runner is not None and self.runner.running

    def start(self) -> None:
        """Start the machine from its first state."""
        if self.machine is None:
            raise BadInput("no state machine is loaded; load one first")
        self.stop()
        self.facts.wake(self.machine)
        self._down, self._falling = dict(self.facts["touch"]), bool(self.facts["falling"])
        self.runner = MachineRunner(self.machine, {**self.skills, **self.own}, self.facts, self._tell)
        self.runner.start(self.session.time)

    def stop(self) -> None:
        """Leave all states."""
        if self.running:
            assert self.runner is not None
            self.runner.stop()
        self.facts.rest()

    def send(self, event: str) -> None:
        """Let an event happen."""
        if not event or len(event) > 100 or any(c.isspace() for c in event):
            raise BadInput(f"an event is a word of up to 100 letters, got {event[:40]!r}")
        if not self.running:
            raise BadInput("no state machine runs")
        assert self.runner is not None
        self.runner.send(event)

    def update(self) -> None:
        """A control period is over."""
        if not self.running:
            return
        assert self.runner is not None
        self._feel(self.runner)
        self.facts.look()
        try:
            self.runner.step(self.session.time)
        except AndanteError as error:
            self._tell(str(error))
            self.runner.stop()
        if not self.runner.running:
            self.facts.rest()

    def _tell(self, line: str) -> None:
        assert self.machine is not None
        self.session.log(f"{self.machine.name}: {line}", node="machine")

    def _feel(self, runner: MachineRunner) -> None:
        """Events of what the robot feels: switches that go down or up, a fall and its end."""
        pressed = self.facts["touch"]
        for name, on in pressed.items():
            if on != self._down.get(name, False):
                runner.send(f"{TOUCH if on else RELEASE}.{name.replace('/', '.')}")
        self._down = pressed
        falling = bool(self.facts["falling"])
        if falling != self._falling:
            runner.send(FALL if falling else UP)
        self._falling = falling


def _note(path: Path) -> str:
    try:
        return read_machine(path).note.partition("\n")[0]
    except AndanteError as error:
        return str(error)
