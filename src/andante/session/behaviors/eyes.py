"""`Eyes`: what the cameras of a live robot show, as facts of a state machine: ball, goal and marks.

Cameras are looked through in turn. Where a thing is on the ground follows from the sight line, the joints and the IMU;
it is remembered in the frame of the robot's odometry, and told from where the robot stands now.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.control.estimate import BaseEstimate
from andante.control.gaze import Gaze, Limbs
from andante.errors import BadInput
from andante.geometry import Array, so3
from andante.sensors import CameraSensor
from andante.sensors.sensor import Scene
from andante.vision import (
    BallSettings,
    GoalSettings,
    Pinhole,
    TargetMemory,
    find_balls,
    find_goal,
    find_marks,
    on_plane,
)

if TYPE_CHECKING:
    from andante.session.session import LiveSession

FAR = 1000.0  # distance of what was never seen [m]
HELP = {
    "ball": "seen (now), known, age [s], x, y [m] ahead and to the left, distance [m], bearing [rad], count",
    "goal": "as ball, of the middle of the goal; width [m]",
    "marks": "marks['7']: seen, age, bearing, x, y (where its size is known) of every mark that was seen",
}


@dataclass(frozen=True)
class EyeSettings:
    """How a robot looks."""

    rate: float = 6.0  # pictures of all cameras together [Hz]
    width: int = 320  # [px]
    height: int = 240  # [px]
    fresh: float = 0.8  # what was seen so lately is seen now [s]
    lasting: float = 60.0  # what was seen so lately is known [s]
    farthest: float = 4.0  # that a ball is believed [m]
    fits: tuple[float, float] = (0.65, 1.6)  # distance of a ball on the ground by that of its size
    ball: BallSettings = field(default_factory=BallSettings)
    goal: GoalSettings = field(default_factory=GoalSettings)
    marks: str = "aruco_4x4"  # family; empty: none are looked for
    mark_size: float = 0.1  # [m]


class Eyes:
    """Looks through the cameras of a session's robot, simulated ones."""

    def __init__(self, session: LiveSession, settings: EyeSettings | None = None) -> None:
        self._session, self.settings = session, settings or EyeSettings()
        self.stage = session.stage
        suite = self.stage.sim.sensors
        self.cameras = {c.name: c.sensor for c in suite or () if isinstance(c.sensor, CameraSensor)}
        self.ball, self.goal = TargetMemory(), TargetMemory(gain=0.3)
        self.goal_width = 0.0  # [m]
        self.marks: dict[int, TargetMemory] = {}
        self.pictures = 0
        self._wanted: frozenset[str] = frozenset()
        self._due, self._turn, self._rests_until = -math.inf, 0, 0.0
        self._scene = Scene(self.stage.sim.engine, self.stage.sim.model)
        self._gazes = {name: Gaze(self.stage.robot, c.link, c.pose) for name, c in self.cameras.items()}
        turning = {joint for gaze in self._gazes.values() for joint in gaze.joints}
        self._limbs = Limbs(self.stage.robot, self.stage.walker.free_joints - turning)
        self._estimate: BaseEstimate | None = None

    def wake(self, wanted: frozenset[str]) -> None:
        """Look for these from now on."""
        self._wanted = wanted
        self.ball.forget()
        self.goal.forget()
        self.marks.clear()
        if wanted and not self.cameras:
            raise BadInput(f"{self.stage.robot.name} has no camera to look through")
        self._estimate = BaseEstimate(self.stage) if wanted else None

    def rest(self) -> None:
        """Look no more."""
        self._wanted = frozenset()
        for camera in self.cameras.values():
            camera.turn_off()

    def look(self) -> None:
        """A control period is over: a picture of one camera where it is due, all in the first wanted moment."""
        if not self._wanted or self._estimate is None:
            return
        self._estimate.update()
        now = self._session.time
        if now < self._due - 1e-9 or (self._session.paced and time.perf_counter() < self._rests_until):
            return
        began = time.perf_counter()
        self._due = now + 1.0 / self.settings.rate
        name = list(self.cameras)[self._turn % len(self.cameras)]
        self._turn += 1
        self.see(name, self.picture(name), now)
        if self._session.paced:  # a slow renderer gives fewer pictures, not a slow robot
            self._rests_until = began + 3 * (time.perf_counter() - began)

    def picture(self, name: str) -> np.ndarray:
        """A picture (height, width, 3) of now."""
        camera = self.cameras[name]
        camera.turn_on(self.settings.width, self.settings.height)
        if self._scene.engine is not self.stage.sim.engine:  # models came or went
            self._scene = Scene(self.stage.sim.engine, self.stage.sim.model)
        self._scene.renew()
        camera.measure(self._scene)
        camera.on = False  # it takes no pictures of its own accord: the loop would pay for them
        self.pictures += 1
        return camera.pictures[-1][1].image

    def odom_from_camera(self, name: str) -> Array:
        """Pose (4, 4) of a camera in odom, by encoders, IMU and odometry."""
        return np.asarray(self._odom_from_root() @ self._gazes[name].root_from_camera(self._positions(name)))

    def _odom_from_root(self) -> Array:
        assert self._estimate is not None
        pose, out = self._estimate.pose, np.eye(4)
        out[:3, :3], out[:3, 3] = so3.from_quaternion(pose[3:]), pose[:3]
        return out

    def _felt(self) -> dict[str, float]:
        return dict(zip(self.stage.robot.joint_names, self.stage.state.position.tolist(), strict=True))

    def _positions(self, name: str) -> Array:
        names, felt = self.stage.robot.joint_names, self.stage.state.position
        return np.array([felt[names.index(joint)] for joint in self._gazes[name].joints])

    def see(self, name: str, image: np.ndarray, now: float) -> None:
        """Take in a picture of a camera."""
        camera, at = self.cameras[name].model, self.odom_from_camera(name)
        pinhole = Pinhole(image.shape[1], image.shape[0], camera.horizontal_fov)
        if "ball" in self._wanted:
            self._see_ball(image, pinhole, at, now)
        if "goal" in self._wanted:
            goal = find_goal(image, pinhole, at, self.settings.goal)
            if goal is not None:
                far = math.dist(goal.middle, at[:2, 3])
                self.goal.see(np.array(goal.middle), now, far)
                self.goal_width = goal.width
        if "marks" in self._wanted:
            for mark in find_marks(image, pinhole, self.settings.marks, self.settings.mark_size):
                if mark.pose is not None:
                    place = (at @ mark.pose)[:2, 3]
                    self.marks.setdefault(mark.number, TargetMemory()).see(place, now, math.dist(place, at[:2, 3]))

    def _see_ball(self, image: np.ndarray, pinhole: Pinhole, at: Array, now: float) -> None:
        """The largest ball whose size fits to where its sight line meets the ground: parts of the robot do not."""
        low, high = self.settings.fits
        odom_from_root = self._odom_from_root()
        for ball in find_balls(image, pinhole, self.settings.ball):
            point = on_plane(at, ball.direction, self.settings.ball.radius)
            far = float(np.linalg.norm(point - at[:3, 3]))
            fits = far <= self.settings.farthest and low <= far / ball.distance <= high
            if fits and not self._limbs.hide(
                self._felt(), np.asarray(np.linalg.solve(odom_from_root, at), dtype=float), ball.direction, far
            ):
                self.ball.see(point[:2], now, far)
                return

    # ---- what is told ------------------------------------------------------------------------------
    def told(self, memory: TargetMemory) -> dict[str, Any]:
        """A remembered place from where the robot stands."""
        age = memory.age(self._session.time)
        if memory.seen is None:
            return {"seen": False, "known": False, "age": FAR, "x": FAR, "y": 0.0, "distance": FAR, "bearing": 0.0,
                    "count": 0}  # fmt: skip
        x, y, heading = (float(v) for v in self.stage.position)
        dx, dy = float(memory.seen.place[0]) - x, float(memory.seen.place[1]) - y
        ahead, left = math.cos(heading) * dx + math.sin(heading) * dy, math.cos(heading) * dy - math.sin(heading) * dx
        return {
            "seen": age <= self.settings.fresh,
            "known": age <= self.settings.lasting,
            "age": age,
            "x": ahead,
            "y": left,
            "distance": math.hypot(ahead, left),
            "bearing": math.atan2(left, ahead),
            "count": memory.count,
        }

    def facts(self) -> dict[str, Any]:
        """What can be asked, by name."""
        return {
            "ball": lambda: self.told(self.ball),
            "goal": lambda: {**self.told(self.goal), "width": self.goal_width},
            "marks": lambda: {str(number): self.told(memory) for number, memory in self.marks.items()},
        }

    def gaze_at(self, x: float, y: float, z: float) -> dict[str, float]:
        """Joints that look at a point ahead, to the left and over the ground [m], by the camera that turns least."""
        if self._estimate is None:
            self._estimate = BaseEstimate(self.stage)
        hx, hy, heading = (float(v) for v in self.stage.position)
        c, s = math.cos(heading), math.sin(heading)
        pose = self._estimate.pose
        world = np.array([hx + c * x - s * y, hy + s * x + c * y, z])
        point = so3.from_quaternion(pose[3:]).T @ (world - pose[:3])
        best: tuple[float, dict[str, float]] | None = None
        for name, gaze in self._gazes.items():
            here = self._positions(name)
            q, miss = gaze.aim(point, here)
            cost = 10 * miss + float(np.abs(q - here).sum())
            if best is None or cost < best[0]:
                best = (cost, dict(zip(gaze.joints, q.tolist(), strict=True)))
        if best is None:
            raise BadInput(f"{self.stage.robot.name} has no camera to look through")
        return best[1]
