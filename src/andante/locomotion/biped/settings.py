"""How a walk on two legs is done: lengths and times of a step, speeds, and how errors are answered."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

from andante._moved import renamed
from andante.errors import BadInput
from andante.gravity import GRAVITY

from .body import BipedBody
from .footsteps import pendulum_rate

POSITIVE = ("step_time", "height", "width", "max_speed", "max_side", "max_turn", "acceleration", "quick", "fade")


@renamed()
@dataclass(frozen=True)
class BipedSettings:
    """What is None follows from the robot; see `BipedMeasures.of`."""

    step_time: float | None = None  # from foot to foot [s]
    double: float = 0.15  # fraction of a step in which the load goes over
    lift: float | None = None  # how high a foot is lifted [m]
    height: float | None = None  # of the root over the soles [m]
    width: float | None = None  # between the soles [m]
    pressure: float | None = None  # where the sole is pressed, ahead of the ankle [m]
    max_speed: float | None = field(default=None, metadata={"was": "top_speed"})  # [m/s]
    max_side: float | None = field(default=None, metadata={"was": "top_side"})  # [m/s]
    max_turn: float | None = field(default=None, metadata={"was": "top_turn"})  # [rad/s]
    acceleration: float | None = None  # [m/s²]
    arms: float = 5.0  # swing of the arms per meter between the feet [rad/m]
    sway: float = 2.0  # frequency at which masses are weighed, in steps: see BipedBody.weigh
    heading_gain: float = 1.5  # [1/s]
    stand_gain: float = 6.0  # with which a stand pulls the pendulum to the middle [1/s]
    shift_time: float = 0.3  # from a stand to the first foot in the air [s]
    lag: float = 0.025  # from a target to what is measured of it [s]
    calm: float = 0.010  # errors of the divergent component below this are left alone [m]
    calm_tilt: float = 0.03  # tilts of the standing foot below this too [rad]
    hurry: float = 0.035  # errors above this let steps come sooner or later than usual [m]
    hurry_time: float = 0.8  # for so long [s]
    shortest: float = 0.57  # quickest step, in step times
    longest: float = 1.8  # slowest step
    quick: float = 0.9  # fastest way of a swinging foot over the ground [m/s]
    fade: float = 0.15  # in which a lean that a catch has left is straightened [s]
    lag_way: float = 0.02  # a sole may lag behind its plan by this, in heights of the center; see `command_set`
    weigh_place: float = 1.0  # cost of a step aside [1/m²]
    weigh_time: float = 0.02  # of one at another time [1/s²]
    weigh_error: float = 100.0  # of what is not caught [1/m²]

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise BadInput(f"gait parameter {each.name} must be a number, got {value!r}")
            if value < 0 or (value == 0 and each.name in POSITIVE):
                bound = ">" if each.name in POSITIVE else ">="
                raise BadInput(f"gait parameter {each.name} must be {bound} 0, got {value}")
        if not self.double < 0.6:
            raise BadInput(f"gait parameter double is a fraction of a step below 0.6, got {self.double}")


@dataclass(frozen=True)
class BipedMeasures:
    """Lengths, times and speeds of a walk on one robot."""

    rate: float  # w of the pendulum [1/s]
    center: float  # height of the center of mass [m]
    step_time: float
    double: float  # [s]
    lift: float
    height: float
    width: float
    pressure: float
    max_speed: float
    max_side: float
    max_turn: float
    acceleration: float
    margin: float  # of the pressure point inside the sole [m]
    reach_back: float  # where a next foot may stand, seen from the standing one [m]
    reach_ahead: float
    narrowest: float
    widest: float

    @staticmethod
    def of(settings: BipedSettings, body: BipedBody, height: float, center: float) -> BipedMeasures:
        """Measures of a robot whose root stands `height`, its center of mass `center` [m] over the soles.

        Times go with 1/w, speeds with sqrt(g h) and lengths with h of the center of mass, h = 0.265 m at the NAO: steps
        of w t = 1.7, lifted by 0.06 h, top speeds 0.22 sqrt(g h) ahead and 0.075 aside, a turn of 0.165 w.
        """
        s, rate = settings, pendulum_rate(center)
        quickness = math.sqrt(GRAVITY * center)
        step = s.step_time or 1.7 / rate
        inner = abs(body.soles[0].box[2]) + abs(body.soles[1].box[3])
        heel = max(sole.box[0] for sole in body.soles)
        toe = min(sole.box[1] for sole in body.soles)
        top = s.max_speed or 0.22 * quickness
        width = s.width or body.stance_width
        return BipedMeasures(
            rate=rate,
            center=center,
            step_time=step,
            double=s.double * step,
            lift=0.06 * center if s.lift is None else s.lift,
            height=height,
            width=width,
            pressure=0.3 * (heel + toe) if s.pressure is None else s.pressure,
            max_speed=top,
            max_side=s.max_side or 0.075 * quickness,
            max_turn=s.max_turn or 0.165 * rate,
            acceleration=s.acceleration or top / (3.6 * step),
            margin=0.03 * center,
            reach_back=-0.42 * center,
            reach_ahead=0.45 * center,
            narrowest=min(width, inner + 0.045 * center),
            widest=max(0.75 * center, 1.5 * width),
        )
