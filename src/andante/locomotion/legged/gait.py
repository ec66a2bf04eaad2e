"""Gaits of robots with four legs or more: readings and a command in, joint targets out.

The feet live in walking axes (x ahead, z up) with the body's origin. Standing feet move against the body's twist,
exactly; a swinging foot goes on a smooth arc, in the frame of the ground, to where the twist will have it at its usual
place in the middle of its next stance. Feet sense the ground: a swing ends early when the foot is pressed, and a foot
that finds nothing reaches further down. Tilt and heading are held by the IMU.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray

from andante._moved import renamed
from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.gravity import GRAVITY
from andante.locomotion.attitude import Attitude, LegOdometry
from andante.locomotion.behaviour import Command, Places, Readings, Walker
from andante.locomotion.rigs.rig import LegSolver, Rig, check_rig, free_joints, imu_rotation
from andante.motion import vector_of
from andante.settings import check_fields, is_positive

from . import kernels
from .patterns import GaitPattern, pattern
from .sag import Sag


@renamed()
@dataclass(frozen=True)
class LeggedSettings:
    """How a gait walks; lengths and times that are left out follow from the rig."""

    period: float | None = None  # of a cycle [s]
    duty: float | None = None
    step_height: float | None = None  # [m]
    ramp: float = 1.5  # cycles from standing to full speed; a leg may stand for a whole cycle before its first step
    heading_gain: float = 2.0  # [1/s]
    level_gain: float = 1.5  # [1/s]
    height_gain: float = 2.0  # [1/s]
    touch_fraction: float = field(default=0.2, metadata={"was": "touch_share"})  # of its part of the weight: pressed
    search_depth: float = 0.8  # how far below the expected ground a foot is sent, in step heights
    search_speed: float = 0.15  # [m/s]
    settle: float = 0.04  # a swing that has ended waits this long for the ground before it searches [s]
    catch: float = 1.0  # how far feet step to where the body falls, in gaits that do not wait (0: not at all)
    sway_margin: float = 0.18  # wanted margin of the center of mass inside its support, in widths of the stance
    upright: float = 1.0  # how far a body on pairs of feet moves against its mean lean, in heights of its center
    hold_heading: bool = True
    feel: bool = True  # use foot contacts
    level: bool = True  # use the IMU's tilt

    def __post_init__(self) -> None:
        check_fields(self, "gait parameter", "> 0", is_positive, "ramp", "search_speed")


class LeggedGait(Walker):
    """A gait on a rig. `update` is the whole of it; the rest reports its state."""

    moves_body = True
    slowest = 0.3  # a trot that is slower makes its way no longer: what it catches is more

    def __init__(
        self, robot: Robot, rig: Rig, gait: str | GaitPattern = "tripod", settings: LeggedSettings | None = None
    ) -> None:
        check_rig(rig, robot)
        count = len(rig.legs)
        self.rig, self.settings = rig, settings or LeggedSettings()
        self.pattern = pattern(gait, count) if isinstance(gait, str) else gait
        if len(self.pattern.offsets) != count:
            raise BadInput(f"gait {self.pattern.name!r} is for {len(self.pattern.offsets)} legs, the rig has {count}")
        s = self.settings
        self.period = s.period or self.pattern.period * rig.stride_time
        self.duty = s.duty or self.pattern.duty
        self.step_height = s.step_height or rig.step_height
        self._solver = LegSolver(robot, rig)
        self._weight = rig.mass * GRAVITY / count
        self._mount = np.ascontiguousarray(rig.walking_from_body @ imu_rotation(robot, rig))
        self._names = robot.joint_names
        self._q = vector_of(robot, rig.stance)
        self._touch_names = [touch_names(robot, leg.foot) for leg in rig.legs]
        self._fixed = np.zeros((count, kernels.FIXED))
        self._fixed[:, kernels.HOME : kernels.HOME + 3] = rig.stands
        self._fixed[:, kernels.REACH] = [leg.reach for leg in rig.legs]
        self._fixed[:, kernels.RADIUS] = [leg.radius for leg in rig.legs]
        self._fixed[:, kernels.OFFSET] = self.pattern.offsets
        self._free = free_joints(robot, rig)
        self.attitude = Attitude()
        self.odometry = LegOdometry(self._fixed[:, kernels.RADIUS])
        self._figures = self._gather_figures()
        self.sag = Sag(robot, rig, self._solver)
        # ---- state
        self._body = np.zeros(kernels.BODY)
        self._legs = np.zeros((count, kernels.LEG))
        self._legs[:, kernels.FOOT : kernels.FOOT + 3] = rig.stands
        self._legs[:, kernels.FROM : kernels.FROM + 3] = rig.stands
        self._legs[:, kernels.WAITED] = math.inf
        self._goals = np.zeros((count, 3))
        self._touching = np.zeros(count, dtype=np.int64)
        self.error = np.zeros(count)  # of the inverse kinematics [m]

    def _gather_figures(self) -> kernels.Figures:
        """The figures of the gait for its kernels."""
        center = self.rig.walking_from_body @ np.asarray(self.rig.center)
        values = {
            **{name: value for name, value in asdict(self.settings).items() if name in kernels.Figures._fields},
            **{"period": self.period, "duty": self.duty, "step_height": self.step_height},
            **{"static": self.pattern.static, "sways": self.pattern.sway, "filter_time": self.attitude.settle},
            **{"center_x": center[0], "center_y": center[1], "center_height": self.rig.center_height},
            **{"width": np.min(np.ptp(self._fixed[:, :2], axis=0)), "max_speed": 0.0, "max_turn": 0.0},
        }
        made = kernels.Figures(**{name: float(value) for name, value in values.items()})
        fast = 1e3 * kernels.limit_scale(made, self._fixed, 1e3, 0.0, 0.0)
        return made._replace(max_speed=fast, max_turn=1e3 * kernels.limit_scale(made, self._fixed, 0.0, 0.0, 1e3))

    # ---- what it can do --------------------------------------------------------------------------
    @property
    def stance_time(self) -> float:
        """How long a foot stands per cycle [s]."""
        return self.duty * self.period

    def limited(self, twist: Array) -> Array:
        """The twist scaled down, if need be, so that every foot stays within its reach."""
        vx, vy, wz = (float(value) for value in twist)
        return np.asarray(twist) * kernels.limit_scale(self._figures, self._fixed, vx, vy, wz)

    @property
    def max_speed(self) -> float:
        """Straight ahead [m/s]."""
        return self._figures.max_speed

    @property
    def max_turn(self) -> float:
        """On the spot [rad/s]."""
        return self._figures.max_turn

    @property
    def stopping_time(self) -> float:
        """From top speed to a stand [s]."""
        return self.settings.ramp * self.period

    @property
    def approach(self) -> float:
        """Time in which a goal should be approached, so that the last steps are short [s]."""
        return self.stopping_time

    # ---- what it does ----------------------------------------------------------------------------
    @property
    def feet(self) -> Array:
        """Where the feet are commanded to touch the ground (legs, 3), walking axes [m]."""
        return self._legs[:, kernels.FOOT : kernels.FOOT + 3]

    @property
    def swinging(self) -> NDArray[np.bool_]:
        """Which legs are in the air (legs,) bool."""
        return np.asarray(self._legs[:, kernels.SWINGING] != 0.0)

    @property
    def twist(self) -> Array:
        """Of the body now: vx, vy, wz [m/s, rad/s]."""
        return self._body[kernels.TWIST : kernels.TWIST + 3]

    @property
    def phase(self) -> float:
        """Of the cycle, 0 to 1."""
        return float(self._body[kernels.PHASE])

    @property
    def sway(self) -> Array:
        """How far the body is moved over its support, x and y [m]."""
        return self._body[kernels.SWAY : kernels.SWAY + 2]

    @property
    def active(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._body[kernels.ACTIVE])

    @property
    def standing(self) -> bool:
        """Whether all feet are at their usual places and nothing moves."""
        return not kernels.in_motion(self._fixed, self._body, self._legs)

    @property
    def position(self) -> Array:
        """Where it believes to be: x, y in the frame of its start [m], and the heading, unwrapped [rad].

        It is the place over the feet: the body's sway to and fro is left out.
        """
        heading = self.attitude.heading
        c, s = math.cos(heading), math.sin(heading)
        (x, y), (place_x, place_y) = self.sway, self.odometry.position
        return np.array([place_x - (c * x - s * y), place_y - (s * x + c * y), heading])

    @property
    def free_joints(self) -> frozenset[str]:
        """All but those of the legs."""
        return self._free

    @property
    def footsteps(self) -> tuple[Places, Places]:
        """Feet on the ground and feet in the air, where they are commanded to be."""
        here = self.position
        places = {
            leg.name: np.array([*se2.transform(here, foot[:2]), here[2]])
            for leg, foot in zip(self.rig.legs, self.feet, strict=True)
        }
        swings = dict(zip(places, self.swinging.tolist(), strict=True))
        return {n: p for n, p in places.items() if not swings[n]}, {n: p for n, p in places.items() if swings[n]}

    # ---- one control step ------------------------------------------------------------------------
    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]: see `kernels.control_step`."""
        self._read_contacts(readings)
        if not self.active:
            self.sag.learn(np.asarray(readings.position, dtype=float), dt)
        asked = np.array([command.vx, command.vy, command.wz, command.height, command.roll, command.pitch], dtype=float)
        kernels.control_step(
            self._figures, self._fixed, self._mount, self.attitude.state, self.odometry.state, self.odometry.before,
            self._body, self._legs, self._solver.feet(np.asarray(readings.position, dtype=float)), self._touching,
            np.ascontiguousarray(readings.gyro, dtype=float), np.ascontiguousarray(readings.acceleration, dtype=float),
            asked, dt, self._goals,
        )  # fmt: skip
        self._q, self.error = self._solver.joints(self._goals, self._q)
        return self.sag.made_up(self._q, ~self.swinging)

    def _read_contacts(self, readings: Readings) -> None:
        """Per leg whether its foot is pressed, or unknown without a sensor."""
        if not self.settings.feel:
            self._touching[:] = kernels.UNKNOWN
            return
        least = self.settings.touch_fraction * self._weight
        for leg, (link, switches) in enumerate(self._touch_names):
            cells = readings.forces.get(link)
            if cells is not None:
                self._touching[leg] = sum(cells.tolist()) > least
            else:
                known = [readings.pressed[name] for name in switches if name in readings.pressed]
                self._touching[leg] = any(known) if known else kernels.UNKNOWN


def touch_names(robot: Robot, foot: str) -> tuple[str, tuple[str, ...]]:
    """The foot's link, whose load cells may be read, and the names of contact switches on it."""
    kinds = ("contact", "bumper", "touch")
    switches = tuple(spec.name for spec in robot.sensors if spec.link == foot and spec.kind in kinds)
    return foot, (*switches, f"{foot}/touch")
