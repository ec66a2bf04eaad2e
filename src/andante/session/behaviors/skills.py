"""What states of a machine can call in a live session: motions, walks, joints, gaits, goals, speech, lights."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from andante.control.activities import Acting, GettingUp, Playing
from andante.control.joints.joint_moves import JointMoves
from andante.control.machines import Skill, SkillFailed, skill_of
from andante.control.machines.skills import Work
from andante.control.pose_guide import PoseTolerance
from andante.errors import BadInput, UnknownName
from andante.motion.io.library import find_motion
from andante.session.waiting import until_done, walk_to

if TYPE_CHECKING:
    from andante.session.session import LiveSession

    from .eyes import Eyes

LONGEST = 3600.0  # [s]
STREAM = 0.1  # between two targets of joints that are sent all the time [s]
HEADING = math.radians(3.0)  # usual tolerance of a walk [rad]


class SessionSkills:
    """The skills of a robot in a session.

    Args:
        session: that it lives in.
        say, light: what speaks a text, and what fades a light to a color; they are nodes of the session.
    """

    def __init__(
        self,
        session: LiveSession,
        say: Callable[[str], None],
        light: Callable[[str, tuple[float, float, float], float], None],
        eyes: Eyes | None = None,
    ) -> None:
        self._session, self._say, self._light, self._eyes = session, say, light, eyes
        self._streamed = -math.inf  # when joints were sent last [s]

    def table(self) -> dict[str, Skill]:
        """All skills by name."""
        made = (
            skill_of(self.play, check=self._check_motion),
            skill_of(self.walk_to),
            skill_of(self.go_to),
            skill_of(self.navigate),
            skill_of(self.drive, live=True, stop=self._release),
            skill_of(self.joints, check=self._check_joints),
            skill_of(self.set_joints, live=True, check=self._check_joints),
            skill_of(self.gaze, live=True),
            skill_of(self.gait, check=self._check_gait),
            skill_of(self.behave, check=self._check_behaviour),
            skill_of(self.get_up),
            skill_of(self.stop),
            skill_of(self.wait),
            skill_of(self.say),
            skill_of(self.leds),
        )
        return {skill.name: skill for skill in made}

    # ---- motions -----------------------------------------------------------------------------------
    def play(self, motion: str, speed: float = 1.0, rounds: int = 0) -> Work:
        """Play a pose or a motion of the robot to its end."""
        self._session.command_api.play(motion, float(speed), int(rounds))
        yield from until_done(self._session)

    def _check_motion(self, motion: str | None = None, speed: float | None = None, rounds: int | None = None) -> None:
        api = self._session.command_api
        if motion is None or str(motion).casefold().replace("-", "_") in {
            m.casefold() for m in (*api.poses, *api.motions)
        }:
            return
        if ":" not in motion:
            raise UnknownName.among(
                "pose or motion", motion, (*api.poses, *api.motions), self._session.stage.robot.name
            )
        find_motion(self._session.stage.robot, motion, api.own)

    def get_up(self) -> Work:
        """Get up from however the robot lies; at once done where it stands."""
        session = self._session
        busy = session.stage.supervisor is not None and session.stage.supervisor.busy
        if not busy and not session.stage.upright:
            session.command_api.play("get_up")
            yield from until_done(session)
        while session.stage.supervisor is not None and session.stage.supervisor.busy:
            yield None

    def behave(self, name: str) -> None:
        """Change to drive, balance, hold or wave."""
        self._session.command_api.behave(name)

    def _check_behaviour(self, name: str | None = None) -> None:
        if name is not None:
            UnknownName.check("behaviour", name, self._session.command_api.behaviours)

    # ---- ways --------------------------------------------------------------------------------------
    def drive(self, vx: float = 0.0, vy: float = 0.0, wz: float = 0.0) -> None:
        """Walk or drive at m/s ahead, m/s to the left, rad/s while the state is active; arguments are live."""
        self._session.drive(float(vx), float(vy), float(wz))

    def _release(self) -> None:
        self._session.teleop.release()

    def walk_to(
        self, x: float, y: float = 0.0, theta: float = 0.0, place: float = 0.02, heading: float = HEADING
    ) -> Work:
        """Walk to a place from where the robot stands: x ahead, y to the left [m], theta [rad]; within tolerances."""
        tolerance = PoseTolerance(float(place), float(heading))
        yield from walk_to(self._session, (float(x), float(y), float(theta)), tolerance=tolerance)

    def go_to(self, x: float, y: float, theta: float = 0.0, place: float = 0.02, heading: float = HEADING) -> Work:
        """Walk to a place in the frame of the start, straight; theta is the way to look there."""
        here = self._session.stage.position
        dx, dy = float(x) - here[0], float(y) - here[1]
        c, s = math.cos(here[2]), math.sin(here[2])
        turn = math.remainder(float(theta) - here[2], math.tau)
        yield from self.walk_to(c * dx + s * dy, c * dy - s * dx, turn, place, heading)

    def navigate(self, x: float, y: float, theta: float = math.nan) -> Work:
        """Find the way to a place of the map around obstacles; without theta any heading will do."""
        from andante.session.nodes.navigation import NavigationNode

        node = next((each for each in self._session.nodes if isinstance(each, NavigationNode)), None)
        if node is None:
            raise SkillFailed("this session has no navigation")
        yield from node.go(float(x), float(y), float(theta))

    def gait(self, name: str) -> None:
        """Walk in another gait from now on."""
        self._session.command_api.set_gait(name)

    def _check_gait(self, name: str | None = None) -> None:
        if name is not None:
            UnknownName.check("gait", name, self._session.command_api.gaits)

    def stop(self) -> None:
        """Stop walking and balance."""
        self._release()
        self._session.command_api.behave("drive")

    # ---- joints ------------------------------------------------------------------------------------
    def joints(self, speed: float = 0.3, **angles: float) -> Work:
        """Send joints to positions [rad or m] at a fraction of their top speed, and wait until they are there."""
        if not angles:
            raise BadInput("joints needs some, like joints(HeadYaw=0.5)")
        session, names = self._session, list(angles)
        session.command_api.joint_angles(names, [float(v) for v in angles.values()], float(speed))
        while True:
            yield None
            manager = session.stage.activities
            if manager.waiting == "joints":
                continue
            holders = [each for each in (manager.over, manager.present) if isinstance(each, JointMoves)]
            if not holders or all(each.arrived(names) for each in holders):
                return

    def set_joints(self, speed: float = 0.3, **angles: float) -> None:
        """Send joints to positions [rad or m] that may change all the time, while the state is active."""
        if not angles:
            raise BadInput("set_joints needs some, like set_joints(HeadYaw=sin(time))")
        self._stream(angles, speed)

    def gaze(self, x: float, y: float, z: float = 0.0, speed: float = 0.3) -> None:
        """Look at a point ahead, to the left and over the ground [m], while the state is active."""
        if self._eyes is None:
            raise SkillFailed(f"{self._session.stage.robot.name} has no camera to look through")
        if self._due():
            self._stream(self._eyes.gaze_at(float(x), float(y), float(z)), speed, True)

    def _due(self) -> bool:
        """Whether joints may be sent again: ten times a second."""
        return self._session.time - self._streamed >= STREAM - 1e-9

    def _stream(self, angles: Mapping[str, float], speed: float, now: bool = False) -> None:
        if now or self._due():
            self._streamed = self._session.time
            values = [float(v) for v in angles.values()]
            api, manager = self._session.command_api, self._session.stage.activities
            if manager.waiting or isinstance(manager.present, Playing | Acting | GettingUp):
                return  # a motion has the joints: these may wait
            api.joint_angles(list(angles), values, float(speed))

    def _check_joints(self, **angles: Any) -> None:
        known = self._session.stage.robot.joint_names
        UnknownName.check("joint", [name for name in angles if name != "speed"], known)

    # ---- time, speech, lights ----------------------------------------------------------------------
    def wait(self, seconds: float) -> Work:
        """Do nothing for some seconds."""
        if not 0 <= seconds <= LONGEST:
            raise BadInput(f"wait takes 0 to {LONGEST:g} s, got {seconds}")
        end = self._session.time + seconds
        while self._session.time < end - 1e-9:
            yield None

    def say(self, text: Any) -> None:
        """Say something: a line in the log, a bubble on the page."""
        self._say(str(text))

    def leds(self, name: str, red: float, green: float, blue: float, seconds: float = 0.0) -> None:
        """Fade a light or a group of them to a color, each part 0 to 1."""
        self._light(str(name), (float(red), float(green), float(blue)), float(seconds))
