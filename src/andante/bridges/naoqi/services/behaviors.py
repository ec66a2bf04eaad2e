"""ALBehaviorManager and ALAnimationPlayer: motions of the robot by their names."""

from __future__ import annotations

from typing import Any

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.service import Service, method
from andante.bridges.naoqi.tasks import CallTask, current_task

from .memory import Memory

STANDARD = {"hey": "wave_hand", "hello": "wave_hand", "wave": "wave_hand", "point": "point:right"}
LONGEST = 300.0  # [s]


class BehaviorManager(Service):
    """What is installed are the motions of the robot."""

    name = "ALBehaviorManager"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._running: dict[str, CallTask] = {}
        self._default: list[str] = []

    def motions(self) -> list[str]:
        """Names of the motions that the session has."""
        return [str(name) for name in self.link.call("/list", "andante_msgs/srv/List", kind="motions").names]

    def motion_of(self, behavior: str, known: list[str]) -> str | None:
        """The motion that a behavior stands for: its own name, the last part of its path, or a standard animation."""
        last = behavior.rstrip("/").rsplit("/", 1)[-1]
        for name in (behavior, last, last.casefold(), last.casefold().replace("-", "_")):
            if name in known:
                return name
        stem = last.casefold().rstrip("0123456789").rstrip("_")
        found = STANDARD.get(stem)
        return found if found in known else None

    def play(self, behavior: str) -> bool:
        """Play the motion of a behavior and wait; False where there is none, or it was called off."""
        motion = self.motion_of(behavior, self.motions())
        if motion is None:
            return False
        if not self.tasks.own(self.model.joints):
            return False
        memory, task = self.robot.service(Memory), current_task()
        if task is not None:
            self._running[behavior] = task
        memory.raise_event("BehaviorsRun", self.getRunningBehaviors())
        try:
            done = self.link.call("/play", "andante_msgs/srv/Play", name=motion, speed=1.0, rounds=0)
            time = float(done.duration)
            self.link.sleep(max(0.3, time))
            if task is not None and task.canceled:
                self.link.call("/stop", "std_srvs/srv/Trigger")
            else:
                self.link.wait_until(lambda: str(self.robot.status.behaviour) not in ("motion", "action"), LONGEST)
        finally:
            self._running.pop(behavior, None)
            memory.raise_event("BehaviorsRun", self.getRunningBehaviors())
        return task is None or not task.canceled

    def begin(self, behavior: str, waits: bool) -> None:
        """Run a behavior, here or beside; CallError where it is not installed and somebody waits for it."""
        if self.motion_of(behavior, self.motions()) is None:
            if waits:
                raise CallError(f"behavior {behavior} is not installed")
            self.robot.say(f"animation {behavior} is not installed here")
            return
        if waits:
            self.play(behavior)
            return
        task = CallTask(self.name, "startBehavior")
        self._running[behavior] = task
        self.tasks.start(task, lambda: self._quietly(behavior))

    def _quietly(self, behavior: str) -> None:
        try:
            self.play(behavior)
        except CallError as error:
            self.robot.say(f"behavior {behavior}: {error}")
        finally:
            self._running.pop(behavior, None)

    @method("behavior:text", blocking=True)
    def runBehavior(self, behavior: str) -> None:
        """Run a behavior and wait."""
        self.begin(behavior, waits=True)

    @method("behavior:text", blocking=True)
    def startBehavior(self, behavior: str) -> None:
        """Run a behavior beside."""
        if self.motion_of(behavior, self.motions()) is None:
            raise CallError(f"behavior {behavior} is not installed")
        self.begin(behavior, waits=False)

    @method("behavior:text")
    def stopBehavior(self, behavior: str) -> None:
        """Stop a behavior."""
        task = self._running.get(behavior)
        if task is not None:
            task.cancel()

    @method()
    def stopAllBehaviors(self) -> None:
        """Stop all."""
        for task in list(self._running.values()):
            task.cancel()

    @method("behavior:text", blocking=True)
    @method("behavior:text", blocking=True, name="isBehaviorPresent")
    def isBehaviorInstalled(self, behavior: str) -> bool:
        """Whether there is one of that name."""
        return self.motion_of(behavior, self.motions()) is not None

    @method("behavior:text")
    def isBehaviorRunning(self, behavior: str) -> bool:
        """Whether it runs."""
        return behavior in self._running

    @method("behavior:text", blocking=True)
    def preloadBehavior(self, behavior: str) -> bool:
        """Whether there is one of that name."""
        return self.isBehaviorInstalled(behavior)

    @method(blocking=True)
    @method(blocking=True, name="getUserBehaviorNames")
    @method(blocking=True, name="getBehaviorNames")
    def getInstalledBehaviors(self) -> list[str]:
        """All names."""
        return self.motions()

    @method()
    def getRunningBehaviors(self) -> list[str]:
        """Those that run."""
        return list(self._running)

    @method("behavior:text")
    def addDefaultBehavior(self, behavior: str) -> None:
        """Noted."""
        if behavior not in self._default:
            self._default.append(behavior)

    @method("behavior:text")
    def removeDefaultBehavior(self, behavior: str) -> None:
        """Noted."""
        self._default = [name for name in self._default if name != behavior]

    @method()
    def getDefaultBehaviors(self) -> list[str]:
        """As they were set."""
        return self._default


class AnimationPlayer(Service):
    """Runs animations by path or tag; those without a motion here are passed over."""

    name = "ALAnimationPlayer"

    @method("path:text names:any*", blocking=True)
    @method("tag:text names:any*", blocking=True, name="runTag")
    def run(self, path: str, *_: Any) -> None:
        """Run an animation and wait."""
        manager = self.robot.service(BehaviorManager)
        if not manager.play(path):
            self.robot.say(f"animation {path} is not installed here")


class FrameManager(Service):
    """What boxes of Choregraphe ask for the files of their behavior."""

    name = "ALFrameManager"

    @method("behavior:text")
    def getBehaviorPath(self, behavior: str) -> str:
        """The folder of the robot's files."""
        return str(self.robot.existing(""))

    @method("behavior:text")
    @method("behavior:text", name="exitBehavior")
    @method("behavior:text", name="completeBehavior")
    def stopBehavior(self, behavior: str) -> None:
        """Noted: no box runs here."""
