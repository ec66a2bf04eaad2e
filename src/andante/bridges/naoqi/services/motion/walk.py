"""ALMotion: walking."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.model import position6d
from andante.bridges.naoqi.names import FEET_APART, GAIT, QUICK_STEP, SLOW_STEP
from andante.bridges.naoqi.robot import ODOM
from andante.bridges.naoqi.service import Service, method
from andante.bridges.naoqi.services.posture import Posture
from andante.bridges.naoqi.tasks import current_task
from andante.geometry import se2

WALKING = ("moveTo", "walkTo", "setFootStepsWithSpeed", "navigateTo")
STOP_TIME = 8.0  # that a walk takes to stop at most [s]
UP_TIME = 40.0  # ... and a robot that lies to get up [s]


def gait_of(config: Any) -> dict[str, float]:
    """Gait parameters of a list of [key, value]; unknown keys are refused, values kept within their limits."""
    found = {name: usual for name, (usual, _, _) in GAIT.items()} | {"Frequency": 1.0}
    if isinstance(config, list) and len(config) == 2 and isinstance(config[0], str):
        config = [config]
    for entry in config or []:
        if not (isinstance(entry, list | tuple) and len(entry) == 2 and isinstance(entry[0], str)):
            raise CallError(f"a gait parameter is [name, value], got {entry}")
        name, value = entry[0].removeprefix("Left").removeprefix("Right"), entry[1]
        if name not in found and name not in ("MinStepX", "MinStepY"):
            raise CallError(f"no gait parameter {entry[0]}; there are {', '.join(found)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise CallError(f"gait parameter {entry[0]} is a number, got {value}")
        if name in found:
            _, low, high = GAIT.get(name, (1.0, 0.0, 1.0))
            found[name] = min(high, max(low, float(value)))
    return found


def speeds_of(gait: dict[str, float]) -> tuple[float, float, float]:
    """Top speeds ahead, aside [m/s] and turning [rad/s] of a gait.

    A step takes T = 0.6 + f (0.42 - 0.6) [s]; vx = MaxStepX / T, vy = (MaxStepY - 0.088) / 2T, wz = MaxStepTheta / 2T:
    feet part in every other step only.
    """
    period = SLOW_STEP + gait["Frequency"] * gait["MaxStepFrequency"] * (QUICK_STEP - SLOW_STEP)
    ahead = gait["MaxStepX"] / period
    return ahead, max(0.005, (gait["MaxStepY"] - FEET_APART) / (2 * period)), gait["MaxStepTheta"] / (2 * period)


class WalkMethods(Service):
    """Walking."""

    def ready_to_walk(self) -> bool:
        """Stiff and upright; a robot that is getting up is waited for."""
        if any(self.robot.stiffness[name] < 1.0 for name in self.model.groups["Legs"]):
            self.robot.set_stiffness(dict.fromkeys(self.model.joints, 1.0))
        up = self.link.wait_until(lambda: not self.robot.fallen, UP_TIME)
        return up and self.robot.service(Posture).rise()

    def walk_to(self, x: float, y: float, theta: float, tops: tuple[float, float, float]) -> bool:
        """Walk to a pose relative to FRAME_ROBOT and wait; whether it was reached."""
        self.link.drive(None)
        if not self.ready_to_walk():
            return False
        done, _ = self.link.work(
            "/walk_to", "andante_msgs/action/WalkTo", x=x, y=y, theta=theta, vx=tops[0], vy=tops[1], wz=tops[2]
        )
        return done

    @method("x:float y:float theta:float | x:float y:float theta:float config:list"
            " | x:float y:float theta:float time:float | points:list config:list?", blocking=True)  # fmt: skip
    @method("x:float y:float theta:float config:list?", blocking=True, name="walkTo")
    def moveTo(self, *given: Any) -> bool:
        """Walk to x, y [m], theta [rad] relative to where it stands; through several such poses too."""
        if isinstance(given[0], list):
            points, config = [_pose(each) for each in given[0]], given[1] if len(given) > 1 else []
        else:
            points, config = [given[:3]], given[3] if len(given) > 3 else []
        if not points:
            raise CallError("a path has one pose or more")
        gait = gait_of(config if isinstance(config, list) else [])
        tops, here = speeds_of(gait), np.zeros(3)
        for pose in points:
            part = se2.compose(se2.inverse(here), np.array(pose, dtype=float))
            turn = pose[2] - here[2]
            if not self.walk_to(float(part[0]), float(part[1]), float(turn), tops):
                return False
            here = np.array(pose, dtype=float)
        return True

    @method("vx:float vy:float vtheta:float config:list?")
    def move(self, vx: float, vy: float, wz: float, config: Any = None) -> None:
        """Walk at a speed [m/s, rad/s] until stopMove."""
        tops = speeds_of(gait_of(config or []))
        self._drive(tuple(max(-top, min(top, v)) for v, top in zip((vx, vy, wz), tops, strict=True)))

    @method("x:float y:float theta:float config:list?")
    def moveToward(self, x: float, y: float, theta: float, config: Any = None) -> None:
        """Walk at fractions -1 to 1 of the top speeds until stopMove."""
        tops = speeds_of(gait_of(config or []))
        self._drive(tuple(max(-1.0, min(1.0, v)) * top for v, top in zip((x, y, theta), tops, strict=True)))

    @method("x:float y:float theta:float frequency:float"
            " | x:float y:float theta:float frequency:float config:list"
            " | x:float y:float theta:float frequency:float left:list right:list")  # fmt: skip
    def setWalkTargetVelocity(self, x: float, y: float, theta: float, frequency: float, *config: Any) -> None:
        """The old name of moveToward."""
        words = [*(entry for part in config for entry in part), ["Frequency", frequency]]
        self.moveToward(x, y, theta, words)

    def _drive(self, velocity: tuple[float, ...]) -> None:
        self.tasks.cancel(lambda task: task.method in WALKING)
        vx, vy, wz = velocity
        if not (vx or vy or wz):
            self.link.drive(None)
            return
        if any(self.robot.stiffness[name] < 1.0 for name in self.model.groups["Legs"]):
            self.robot.set_stiffness(dict.fromkeys(self.model.joints, 1.0))
        self.link.drive((vx, vy, wz))

    @method(blocking=True)
    @method(blocking=True, name="walkInit")
    def moveInit(self) -> None:
        """Take the pose in which it walks."""
        if self.ready_to_walk():
            self.link.call("/set_behaviour", "andante_msgs/srv/Choose", name="drive")
            self.link.wait_until(self._stands, 10.0)

    def _stands(self) -> bool:
        status = self.robot.status
        return bool(status.standing) and not str(status.detail).startswith("drive")

    @property
    def walking(self) -> bool:
        """Whether it walks, or is about to."""
        me = current_task()
        asked = any(task.method in WALKING and task is not me for task in self.tasks)
        return asked or self.link.driving or str(self.robot.status.behaviour) == "drive"

    @method(blocking=True)
    @method(blocking=True, name="stopWalk")
    def stopMove(self) -> bool:
        """Stop at the next stand on both feet, and wait for it."""
        self.tasks.cancel(lambda task: task.method in WALKING)
        self.link.drive(None)
        return self.link.wait_until(lambda: not self.walking, STOP_TIME)

    @method()
    @method(name="killWalk")
    def killMove(self) -> None:
        """Stop as soon as it can stand."""
        self.tasks.cancel(lambda task: task.method in WALKING)
        self.link.drive(None)

    @method()
    @method(name="walkIsActive")
    def moveIsActive(self) -> bool:
        """Whether it walks."""
        return self.walking

    @method(blocking=True)
    @method(blocking=True, name="waitUntilWalkIsFinished")
    def waitUntilMoveIsFinished(self) -> None:
        """Wait until it stands."""
        self.link.wait_until(lambda: not self.walking)

    @method("legs:names steps:list times:numbers clear:bool?", blocking=True)
    @method("legs:names steps:list fractions:numbers clear:bool?", blocking=True, name="setFootStepsWithSpeed")
    def setFootSteps(self, legs: list[str], steps: list[Any], times: Any, clear: bool = True) -> None:
        """Walk to where the last of some steps stand: each [x, y, theta] is relative to the other foot."""
        if len(legs) != len(steps):
            raise CallError(f"{len(legs)} legs need as many steps, got {len(steps)}")
        feet = {"LLeg": np.array([0.0, 0.05, 0.0]), "RLeg": np.array([0.0, -0.05, 0.0])}
        for leg, step in zip(legs, steps, strict=True):
            if leg not in feet:
                raise CallError(f"a leg is LLeg or RLeg, got {leg}")
            other = feet["RLeg" if leg == "LLeg" else "LLeg"]
            feet[leg] = np.asarray(se2.compose(other, np.array(_pose(step), dtype=float)), dtype=float)
        x, y, theta = (0.5 * (feet["LLeg"] + feet["RLeg"])).tolist()
        self.walk_to(x, y, theta, speeds_of(gait_of([])))

    # ---- where it is -------------------------------------------------------------------------------
    @method("sensors:bool?")
    def getRobotPosition(self, sensors: bool = True) -> list[float]:
        """x, y [m], theta [rad] of FRAME_ROBOT in FRAME_WORLD, as it believes."""
        pose = self.model.world_from_robot(self.robot.sensed(), self.robot.world_from_root())
        x, y, _, _, _, theta = position6d(pose)
        return [x, y, theta]

    @method()
    def getNextRobotPosition(self) -> list[float]:
        """Where it will be after the steps that cannot change; as it stands."""
        return self.getRobotPosition()

    @method()
    def getRobotVelocity(self) -> list[float]:
        """vx, vy [m/s], wz [rad/s] in FRAME_ROBOT."""
        twist = self.link.latest(ODOM).twist.twist
        return [float(twist.linear.x), float(twist.linear.y), float(twist.angular.z)]

    @method("config:text?")
    @method("config:text?", name="getFootGaitConfig")
    def getMoveConfig(self, config: str = "Default") -> list[Any]:
        """Gait parameters: Default, Min or Max."""
        column = {"Default": 0, "Min": 1, "Max": 2}.get(config)
        if column is None:
            raise CallError(f"the configuration is Default, Min or Max, got {config}")
        return [[name, row[column]] for name, row in GAIT.items()]

    @method()
    def getFootSteps(self) -> list[Any]:
        """Where the feet stand in FRAME_WORLD, and no steps that are planned."""
        root, poses = self.robot.world_from_root(), self.model.robot.link_poses(self.robot.sensed())
        feet = [position6d(root @ poses[sole].matrix) for sole in ("l_sole", "r_sole") if sole in poses]
        return [[[x, y, wz] for x, y, _, _, _, wz in feet], [], []]


def _pose(entry: Any) -> tuple[float, float, float]:
    if not (isinstance(entry, list | tuple) and len(entry) == 3):
        raise CallError(f"a pose is [x, y, theta], got {entry}")
    x, y, theta = (float(v) for v in entry)
    if not all(map(math.isfinite, (x, y, theta))):
        raise CallError(f"a pose has finite numbers, got {entry}")
    return x, y, theta
