"""ALMotion: waking and resting, what the robot is made of, reflexes, running tasks."""

from __future__ import annotations

from typing import Any

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.names import CHAINS, GROUPS
from andante.bridges.naoqi.service import Service, method
from andante.bridges.naoqi.services.memory import Memory
from andante.bridges.naoqi.services.posture import Posture

REST_SPEED, WAKE_SPEED = 0.4, 0.5
FLAGS = {  # flag -> as it is at the start
    "Breath": False, "IdlePosture": False, "CollisionProtection": True, "ExternalCollisionProtection": True,
}  # fmt: skip


class BodyMethods(Service):
    """The whole robot."""

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._flags: dict[tuple[str, str], bool] = {}
        self._arms = {"LArm": True, "RArm": True}
        self._breath = [["Bpm", 12.0], ["Amplitude", 0.5]]
        self._awake = True

    def stop_walking(self) -> None:
        """End whatever walks, and wait."""
        raise NotImplementedError

    # ---- waking and resting ------------------------------------------------------------------------
    @method(blocking=True)
    def wakeUp(self) -> bool:
        """Stiffen all joints; stand up where it was at rest."""
        memory = self.robot.service(Memory)
        was = self.awake and not self.robot.fallen
        memory.raise_event("ALMotion/Stiffness/wakeUpStarted", True)
        self.robot.set_stiffness(dict.fromkeys(self.model.joints, 1.0))
        done = was or self.robot.service(Posture).go("StandInit", WAKE_SPEED)
        self._awake = True
        memory.raise_event("robotIsWakeUp", True)
        memory.raise_event("ALMotion/Stiffness/wakeUpFinished", True)
        return done

    @method(blocking=True)
    def rest(self) -> None:
        """Crouch, then let all joints go limp."""
        memory = self.robot.service(Memory)
        memory.raise_event("ALMotion/Stiffness/restStarted", True)
        self.stop_walking()
        if self.awake:
            self.robot.service(Posture).go("Crouch", REST_SPEED)
            self.link.sleep(0.5)
        self.robot.set_stiffness(dict.fromkeys(self.model.joints, 0.0))
        self._awake = False
        memory.raise_event("robotIsWakeUp", False)
        memory.raise_event("ALMotion/Stiffness/restFinished", True)

    @property
    def awake(self) -> bool:
        """Whether the legs are stiff."""
        return all(self.robot.stiffness[name] > 0.0 for name in self.model.groups["Legs"] or self.model.joints)

    @method()
    def robotIsWakeUp(self) -> bool:
        """Whether it is awake."""
        return self.awake

    # ---- what it is made of ------------------------------------------------------------------------
    @method("name:text?")
    @method("name:text?", name="getJointNames")
    def getBodyNames(self, name: str = "Body") -> list[str]:
        """Joints of a group, a chain or one joint; Chains: the chains."""
        return list(CHAINS) if name == "Chains" else self.model.expand([name])

    @method()
    def getSensorNames(self) -> list[str]:
        """Names of all sensors."""
        return [spec.name for spec in self.model.robot.sensors]

    @method("name:text")
    def getLimits(self, name: str) -> list[list[float]]:
        """Least and most angle [rad], maximal speed [rad/s] and torque [N m] of each joint."""
        return [self.model.limits(joint) for joint in self.model.expand([name])]

    @method("name:text")
    def getMass(self, name: str) -> float:
        """Of the body, a chain or a part [kg]."""
        return self.model.mass(name)

    @method()
    def getRobotConfig(self) -> list[list[Any]]:
        """Names and values."""
        hands = "LHand" in self.model.joints
        version = "VERSION_" + self.model.version.lstrip("V").replace(".", "")
        table = {
            "Model Type": "naoH25" if hands else "naoH21", "Head Version": version, "Body Version": version,
            "Laser": False, "Legs": True, "Arms": True, "Extended Arms": hands, "Hands": hands,
            "Arm Version": version, "Number of Legs": 2, "Number of Arms": 2, "Number of Hands": 2 * hands,
        }  # fmt: skip
        return [list(table), list(table.values())]

    @method()
    def getSummary(self) -> str:
        """A table of all joints."""
        command, sensor = self.robot.commanded(), self.robot.sensed()
        lines = ["---------------------- Model ---------------------------", "JointName  Stiffness  Command  Sensor"]
        lines += [
            f"{n:>16} {self.robot.stiffness[n]:10.6f} {command[n]:10.6f} {sensor[n]:10.6f}" for n in self.model.joints
        ]
        return "\n".join(lines) + "\n"

    @method()
    def getMotionCycleTime(self) -> int:
        """[ms]."""
        return 20

    # ---- reflexes and flags ------------------------------------------------------------------------
    def _chain(self, name: str) -> str:
        if name not in GROUPS and name not in ("All", "Move", *self.model.joints):
            raise CallError(f"{name} is not a chain of this robot")
        return name

    @method("on:bool")
    def setFallManagerEnabled(self, on: bool) -> None:
        """The fall manager stays on unless its owner allows otherwise."""
        if not on:
            raise CallError("the deactivation of the fall manager is not allowed by the owner of the robot")

    @method()
    def getFallManagerEnabled(self) -> bool:
        """Always on."""
        return True

    @method()
    def isFallManagerEnabled(self) -> bool:
        """Always on."""
        return True

    @method("on:bool")
    def setSmartStiffnessEnabled(self, on: bool) -> None:
        """Noted; no motor gets warm."""
        self._flags["SmartStiffness", ""] = on

    @method()
    def getSmartStiffnessEnabled(self) -> bool:
        """As it was set."""
        return self._flags.get(("SmartStiffness", ""), True)

    @method("on:bool")
    def setPushRecoveryEnabled(self, on: bool) -> None:
        """Noted; the walk recovers by its own steps."""
        self._flags["PushRecovery", ""] = on

    @method()
    def getPushRecoveryEnabled(self) -> bool:
        """As it was set."""
        return self._flags.get(("PushRecovery", ""), True)

    @method("on:bool")
    def setDiagnosisEffectEnabled(self, on: bool) -> None:
        """Noted; nothing breaks."""
        self._flags["DiagnosisEffect", ""] = on

    @method()
    def getDiagnosisEffectEnabled(self) -> bool:
        """As it was set."""
        return self._flags.get(("DiagnosisEffect", ""), True)

    @method("chain:text")
    def isCollision(self, chain: str) -> str:
        """Parts of the robot are kept apart by the session."""
        self._chain(chain)
        return "none"

    @method("frame:int sensors:bool?")
    def getSupportPolygon(self, frame: int, sensors: bool = False) -> list[list[float]]:
        """Corners x, y [m] of the hull of the soles that stand in one plane, in a frame."""
        joints, root = self.robot.joints(sensors), self.robot.world_from_root()
        corners = self.model.support(joints, root, frame)
        return [[float(x), float(y)] for x, y in corners]

    @method("chain:text on:bool")
    def setBreathEnabled(self, chain: str, on: bool) -> None:
        """Noted; the robot does not breathe."""
        self._flags["Breath", self._chain(chain)] = on

    @method("chain:text")
    def getBreathEnabled(self, chain: str) -> bool:
        """As it was set."""
        return self._flags.get(("Breath", self._chain(chain)), False)

    @method("config:list")
    def setBreathConfig(self, config: list[Any]) -> None:
        """Noted."""
        self._breath = [list(entry) for entry in config]

    @method()
    def getBreathConfig(self) -> list[Any]:
        """As it was set."""
        return self._breath

    @method("chain:text on:bool")
    def setIdlePostureEnabled(self, chain: str, on: bool) -> None:
        """Noted."""
        self._flags["IdlePosture", self._chain(chain)] = on

    @method("chain:text")
    def getIdlePostureEnabled(self, chain: str) -> bool:
        """As it was set."""
        return self._flags.get(("IdlePosture", self._chain(chain)), False)

    @method("chain:text on:bool")
    def setCollisionProtectionEnabled(self, chain: str, on: bool) -> bool:
        """Noted; always true."""
        self._flags["CollisionProtection", self._chain(chain)] = on
        return True

    @method("chain:text")
    def getCollisionProtectionEnabled(self, chain: str) -> bool:
        """As it was set."""
        return self._flags.get(("CollisionProtection", self._chain(chain)), True)

    @method("name:text on:bool")
    def setExternalCollisionProtectionEnabled(self, name: str, on: bool) -> None:
        """Noted."""
        self._flags["ExternalCollisionProtection", self._chain(name)] = on

    @method("name:text")
    def getExternalCollisionProtectionEnabled(self, name: str) -> bool:
        """As it was set."""
        return self._flags.get(("ExternalCollisionProtection", self._chain(name)), True)

    @method("left:bool right:bool")
    @method("left:bool right:bool", name="setWalkArmsEnabled")
    def setMoveArmsEnabled(self, left: bool, right: bool) -> None:
        """Noted; arms that were sent somewhere stay there in any case."""
        self._arms = {"LArm": left, "RArm": right}

    @method("chain:text?")
    @method("chain:text?", name="getWalkArmsEnabled")
    def getMoveArmsEnabled(self, chain: str = "") -> Any:
        """As it was set, of one arm or of both."""
        return self._arms[chain] if chain in self._arms else list(self._arms.values())

    @method("config:list")
    def setMotionConfig(self, config: list[Any]) -> None:
        """[[name, value], ...]: checked and noted."""
        for entry in config:
            if not (isinstance(entry, list | tuple) and len(entry) == 2 and isinstance(entry[0], str)):
                raise CallError(f"a setting is [name, value], got {entry}")

    # ---- running tasks -----------------------------------------------------------------------------
    @method()
    def getTaskList(self) -> list[list[Any]]:
        """Name and number of every call that moves the robot."""
        return [[task.method, task.number] for task in self.tasks if task.resources or task.method.startswith("move")]

    @method("names:names")
    def areResourcesAvailable(self, names: list[str]) -> bool:
        """Whether no call moves these joints."""
        return not self.tasks.busy(self.model.expand(names))

    @method("number:int")
    def killTask(self, number: int) -> bool:
        """Call one off."""
        return self.tasks.cancel(lambda task: task.number == number) > 0

    @method("names:names")
    def killTasksUsingResources(self, names: list[str]) -> None:
        """Call off those that move these joints."""
        joints = set(self.model.expand(names))
        self.tasks.cancel(lambda task: not joints.isdisjoint(task.resources))

    @method(blocking=True)
    def killAll(self) -> None:
        """Call off all that moves."""
        self.tasks.cancel(lambda task: bool(task.resources))
        self.stop_walking()
