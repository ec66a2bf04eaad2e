"""How a walk on two legs is done: lengths and times of a step, speeds, and how errors are answered."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

from andante._moved import renamed
from andante.errors import BadInput
from andante.gravity import GRAVITY

from .body import BipedBody
from .footsteps import pendulum_rate

SENSED = 0.0045  # from a joint's motion to its reading, on average over control steps [s]
USUAL_LAG = 0.1235  # of servos behind their targets, in times of the pendulum; slower ones get their targets sooner
WIDEST_STANCE = 1.7  # between the soles, in their widths: what the plan does not know sways with it, and tips the foot
SLIM = 0.2  # soles slimmer than this, in heights of the center, tip sooner: their steps are shorter in time
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
    arms: float | None = None  # swing of the arms per meter between the feet [rad/m]
    sway: float = 2.0  # frequency at which masses are weighed, in steps: see BipedBody.weigh
    heading_gain: float | None = None  # [1/s]
    heading_most: float = 0.25  # fastest turn back to the heading, in top turns; what asks for more is given up
    stand_gain: float | None = None  # with which a stand pulls the pendulum to the middle [1/s]
    shift_time: float | None = None  # from a stand to the first foot in the air [s]
    lead: float | None = None  # of the targets before the plan, for servos that lag [s]
    lag: float | None = None  # from a target to what is measured of it [s]
    calm: float | None = None  # errors of the divergent component below this are left alone [m]
    calm_tilt: float = 0.03  # tilts of the standing foot below this too [rad]
    hurry: float | None = None  # errors above this let steps come sooner or later than usual [m]
    hurry_time: float | None = None  # for so long [s]
    shortest: float = 0.57  # quickest step, in step times
    longest: float = 1.8  # slowest step
    quick: float | None = None  # fastest way of a swinging foot over the ground [m/s]
    cautious: float = 0.4  # fraction of a velocity that is walked while something is caught
    caution_time: float | None = None  # in which the whole of it comes back [s]
    fade: float | None = None  # in which a lean that a catch has left is straightened [s]
    lag_way: float = 0.004  # a sole that comes down or goes aside may lag by this, in heights of the center
    lag_swing: float = 0.04  # and one in the air by this where it goes straight; see `command_set`
    weigh_place: float = 1.0  # cost of a step aside [1/m²]
    weigh_time: float | None = None  # of one at another time [1/s²]
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
    arms: float  # and the rest as in `BipedSettings`
    heading_gain: float
    stand_gain: float
    shift_time: float
    lead: float
    lag: float
    calm: float
    calm_tilt: float
    hurry: float
    hurry_time: float
    quick: float
    caution_time: float
    fade: float
    weigh_time: float
    last_change: float  # a step that ends sooner is left as it is [s]
    early: float  # a foot that meets the ground sooner after it was lifted has not left it [s]
    rest: float  # a stand counts as one after this time [s]
    calm_control: float  # the pressure answers as if at least this much of the step was left [s]
    soonest: float  # a foot comes down no sooner than this after it was told to [s]
    last: float  # a foot that comes down this much early is in time [s]

    @staticmethod
    def of(settings: BipedSettings, body: BipedBody, height: float, center: float) -> BipedMeasures:
        """Measures of a robot whose root stands `height`, its center of mass `center` [m] over the soles.

        Times go with 1/w, speeds with sqrt(g h) and lengths with h of the center of mass, h = 0.265 m at the NAO: steps
        of w t = 1.7 (less on slim soles), lifted by 0.06 h, top speeds 0.225 sqrt(g h) ahead and 0.075 aside, a turn of
        0.165 w. So robots of one shape walk alike whatever their size is (Froude's law). The lag is that of the servos,
        kd / kp; slow ones are led and walk slower.
        """
        s, rate = settings, pendulum_rate(center)
        pace = 1.0 / rate
        lead = _or(s.lead, max(0.0, body.servo_lag - USUAL_LAG * pace))
        quickness = math.sqrt(GRAVITY * center)
        servos = math.sqrt(min(1.0, USUAL_LAG * pace / max(body.servo_lag, 1e-9)))  # slow ones carry out less
        slim = min(sole.box[3] - sole.box[2] for sole in body.soles)
        step = s.step_time or min(1.7, max(1.4, 1.7 * (slim / (SLIM * center)) ** 0.4)) / rate
        inner = abs(body.soles[0].box[2]) + abs(body.soles[1].box[3])
        heel = max(sole.box[0] for sole in body.soles)
        toe = min(sole.box[1] for sole in body.soles)
        top = s.max_speed or 0.225 * quickness * servos
        near = inner + 0.045 * center
        width = s.width or max(min(body.stance_width, WIDEST_STANCE * slim), min(near, body.stance_width))
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
            max_side=s.max_side or 0.075 * quickness * servos,
            max_turn=s.max_turn or 0.165 * rate * servos,
            acceleration=s.acceleration or top / (3.6 * step),
            margin=min(0.03 * center, 0.15 * slim),
            reach_back=-0.42 * center,
            reach_ahead=0.45 * center,
            narrowest=min(width, near),
            widest=max(0.75 * center, 1.5 * width),
            arms=_or(s.arms, 1.323 / center),
            heading_gain=_or(s.heading_gain, 0.2464 * rate),
            stand_gain=_or(s.stand_gain, 0.9855 * rate),
            shift_time=_or(s.shift_time, 1.8265 * pace),
            lead=lead,
            lag=_or(s.lag, max(body.servo_lag - lead, 0.0) + SENSED),
            calm=_or(s.calm, 0.03778 * center),
            calm_tilt=s.calm_tilt,
            hurry=_or(s.hurry, 0.13225 * center),
            hurry_time=_or(s.hurry_time, 4.87 * pace),
            quick=_or(s.quick, 0.5586 * quickness),
            caution_time=_or(s.caution_time, 12.18 * pace),
            fade=_or(s.fade, 0.9132 * pace),
            weigh_time=_or(s.weigh_time, 0.0077 * GRAVITY * center),
            last_change=0.2131 * pace,
            early=0.487 * pace,
            rest=2.435 * pace,
            calm_control=0.7306 * pace,
            soonest=0.1826 * pace,
            last=0.1218 * pace,
        )


def _or(value: float | None, usual: float) -> float:
    return usual if value is None else value
