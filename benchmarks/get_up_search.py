"""How the get-up motions of the NAO were found: postures designed by hand, a few numbers of them tuned by CMA-ES.

    python benchmarks/get_up_search.py {sitting,back,belly} [--generations 12] [--seed 0] [--write] [--folder F]

Every motion is a handful of key postures, left and right alike. A design below says what each posture is for; 14 to 16
of its numbers are free. A candidate is played on four robots that differ in friction, strength, joint offsets, pace and
in how they lie (as placed, or in the posture of a fall). The cost looks at how upright the body is on the way and at
the end. The numbers in the designs are the best of the rounds so far, so a search goes on from there; 0 generations
give the postures of the library (the motion from the back is played there at its shorter, unstretched times). --write
puts the motion, rounded to 0.01 rad and s, into the folder of motions.
"sitting" starts where the motion from the back ends, so it comes after it.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from cmaes import CMA

import andante as an
from andante.description import Robot
from andante.errors import Diverged
from andante.geometry import Array, so3
from andante.locomotion.falls.get_up import Track
from andante.locomotion.io.fall_library import fall_motions
from andante.motion import Keyframes, fit, play_from
from andante.motion.io.library import read_keyframes_toml
from andante.motion.keyframes import Key
from andante.robots.nao import ROBOT as NAO_PACKAGE
from andante.simulation.body import softened
from andante.simulation.simulation import simulate

NAO = an.robot("nao")
NAMES = NAO.joint_names
FOLDER = Path(NAO_PACKAGE.motions or "") / "falls"
PEAK = 15 / 8  # of the speed of a smooth move over its mean speed; no joint is asked for more than it can
TICK = 0.01  # control step [s]
SETTLE = 1.0  # after the motion [s]
TALL = 0.3  # height of the torso of a standing NAO [m], a little less than in StandInit
MIRRORED = ("ShoulderRoll", "ElbowYaw", "ElbowRoll", "HipRoll", "AnkleRoll")

Posture = Mapping[str, float]  # of the left side, by joint name without L
Step = tuple[float, str, Posture]  # time since the step before [s], what it does, posture
Numbers = Mapping[str, float]


def arms(pitch: float, roll: float, yaw: float, bend: float) -> dict[str, float]:
    """Shoulder pitch and roll, elbow yaw and roll of the left arm [rad]."""
    return {"ShoulderPitch": pitch, "ShoulderRoll": roll, "ElbowYaw": yaw, "ElbowRoll": bend}


def legs(spread: float, roll: float, hip: float, knee: float, ankle: float, tilt: float = 0.0) -> dict[str, float]:
    """Hip yaw pitch (opens both legs), hip roll, hip pitch, knee, ankle pitch and roll of the left leg [rad]."""
    return {
        "HipYawPitch": spread,
        "HipRoll": roll,
        "HipPitch": hip,
        "KneePitch": knee,
        "AnklePitch": ankle,
        "AnkleRoll": tilt,
    }


# Both legs wide open and bent at the hips as far as they go: the seat is on the ground between the legs. With the knees
# at 0.6 the feet hang free, and the body rests 6 cm (arms ahead) or 5 cm (arms behind) inside the back edge of its
# seat. At 1.0 the feet touch ahead of the centre of mass. At about 1.38 the soles are flat beside the seat, under the
# centre of mass: of all postures with level soles under the centre of mass it has the lowest seat.
REST = legs(-1.14, 0.6, -1.53, 0.6, 0.85, -0.3)
SIT = legs(-1.14, 0.78, -1.53, 1.0, 0.85, -0.3)
BEHIND = arms(2.05, 0.3, 0.3, -0.1)  # hands on or near the ground behind a body that sits
STAND = {name[1:]: v for name, v in NAO.pose("StandInit").items() if name[0] == "L" and "Hand" not in name}


def from_sitting(n: Numbers) -> list[Step]:
    """Soles flat beside the seat, up between the knees, feet turned in under the body, up."""
    hold = arms(n["arms"], 0.4, -0.3, -0.2)
    frog = legs(-1.14, n["frog roll"], -1.53, n["frog knee"], n["frog ankle"], -0.3)
    middle = legs(-1.14, n["mid roll"], n["mid hip"], n["mid knee"], n["mid ankle"], -0.35)
    low = legs(n["low spread"], n["low roll"], n["low hip"], 2.09, n["low ankle"], -0.1)
    return [
        (
            n["frog time"],
            "the feet slide in beside the seat, the arms swing forward",
            {**frog, **arms(1.3, n["arm roll"], 0.0, -0.1)},
        ),
        (0.7, "the arms go on: the weight comes onto the soles", {**frog, **hold}),
        (0.8, "the knees bend, the shins stand up: the seat leaves the ground", {**middle, **hold}),
        (0.7, "wide squat, the feet turn in", {**low, **hold}),
        (0.7, "squat on parallel feet", {**legs(0.0, 0.0, n["squat hip"], 2.05, n["squat ankle"]), **hold}),
        (1.2, "StandInit", STAND),
    ]


def from_back(n: Numbers) -> list[Step]:
    """Hands behind, a bridge, and the body folds over the hips while it is up."""
    behind = arms(2.08, n["arm roll"], n["arm yaw"], n["arm bend"])
    fold = legs(n["fold spread"], 0.0, -1.53, n["fold knee"], 0.5)
    opened = legs(n["open spread"], n["open roll"], n["open hip"], n["open knee"], 0.8)
    return [
        (0.7, "hands behind the body, feet drawn up", {**legs(0.0, 0.0, n["draw hip"], n["draw knee"], 0.0), **behind}),
        (
            0.5,
            "bridge: hips stretched, the pelvis hangs between hands and heels",
            {**legs(0.0, 0.0, 0.48, n["bridge knee"], 0.0), **behind},
        ),
        (
            n["fold time"],
            "the body folds quickly: the seat comes down, the trunk swings up over it",
            {**fold, **behind},
        ),
        (n["open time"], "the legs open, so that the trunk can come up to the vertical", {**opened, **behind}),
        (0.6, "sits, still on its hands", {**SIT, **behind}),
        (0.4, "hands nearer to the body", {**SIT, **BEHIND}),
    ]


def from_belly(n: Numbers) -> list[Step]:
    """Legs wide open, and straight arms push the body up and back between them."""

    def push(k: int, bend: float) -> dict[str, float]:
        leg = legs(-1.14, 0.78, n[f"hip {k}"], n[f"knee {k}"], 0.5)
        return {**leg, **arms(n[f"arms {k}"], n["arm roll"], n["arm yaw"], bend)}

    return [
        (
            0.6,
            "arms out to the sides, legs begin to open",
            {**legs(-0.5, 0.3, 0.2, 0.3, 0.5), **arms(-0.2, 1.2, n["arm yaw"], -0.04)},
        ),
        (0.8, "hands ahead of the shoulders, legs wide open", push(1, n["arm bend"])),
        (n["time 2"], "the arms push the chest off the ground", push(2, -0.04)),
        (n["time 3"], "the hands stay, the body goes back between the legs", push(3, -0.04)),
        (0.8, "sits on seat and thighs, arms ahead over the thighs", {**REST, **arms(0.3, 0.2, -0.3, -0.2)}),
        (0.4, "arms out to the sides", {**REST, **arms(0.1, 1.1, 0.0, -0.1)}),
        (0.6, "arms round to the back", {**REST, **arms(2.05, 1.1, 0.3, -0.1)}),
        (0.4, "hands behind", {**REST, **BEHIND}),
        (0.6, "the feet come down", {**SIT, **BEHIND}),
    ]


@dataclass(frozen=True)
class Design:
    """A motion with free numbers: name -> (designed value, spread of the search) [rad; s]."""

    steps: Callable[[Numbers], list[Step]]
    words: str
    start: str  # pose; empty: where the motion from the back ends
    fallen: str  # direction of the fall whose posture some of the robots lie in
    free: Mapping[str, tuple[float, float]]


DESIGNS = {
    "sitting": Design(
        from_sitting,
        "From sitting between wide open legs to standing, both sides alike.",
        "",
        "",
        {
            "frog roll": (0.93, 0.05),
            "frog knee": (1.37, 0.1),
            "frog ankle": (1.1, 0.1),
            "mid roll": (0.62, 0.1),
            "mid hip": (-1.98, 0.1),
            "mid knee": (1.96, 0.1),
            "mid ankle": (0.55, 0.15),
            "low spread": (-0.63, 0.15),
            "low roll": (0.23, 0.1),
            "low hip": (-0.91, 0.15),
            "low ankle": (-0.61, 0.15),
            "squat hip": (-0.84, 0.1),
            "squat ankle": (-1.17, 0.03),
            "arms": (0.51, 0.15),
            "frog time": (0.53, 0.1),
            "arm roll": (0.21, 0.1),
        },
    ),
    "back": Design(
        from_back,
        "From the back to sitting, both sides alike: a bridge over the hands, then the body folds up.",
        "LyingBack",
        "back",
        {
            "arm roll": (0.77, 0.05),
            "arm yaw": (2.16, 0.15),
            "arm bend": (-1.33, 0.1),
            "draw hip": (-1.53, 0.15),
            "draw knee": (2.11, 0.2),
            "bridge knee": (-0.09, 0.15),
            "fold spread": (-1.1, 0.1),
            "fold knee": (0.72, 0.15),
            "open spread": (0.14, 0.1),
            "open roll": (0.08, 0.07),
            "open hip": (-1.16, 0.05),
            "open knee": (0.73, 0.15),
            "fold time": (0.48, 0.05),
            "open time": (0.2, 0.05),
        },
    ),
    "belly": Design(
        from_belly,
        "From the belly to sitting, both sides alike: the arms push the body up and back between wide open legs.",
        "LyingBelly",
        "front",
        {
            "arm roll": (-0.22, 0.07),
            "arm yaw": (-0.83, 0.25),
            "hip 1": (-0.03, 0.15),
            "knee 1": (-0.17, 0.2),
            "arms 1": (-0.68, 0.15),
            "arm bend": (-0.52, 0.15),
            "hip 2": (-1.48, 0.15),
            "knee 2": (0.13, 0.2),
            "arms 2": (-0.16, 0.15),
            "hip 3": (-1.23, 0.1),
            "knee 3": (0.87, 0.2),
            "arms 3": (0.28, 0.15),
            "time 2": (1.07, 0.07),
            "time 3": (0.77, 0.07),
        },
    ),
}


def both_sides(posture: Posture) -> dict[str, float]:
    """Joint positions of the whole robot, rounded to 0.01 and inside the limits; the hip yaw pitch is one motor."""
    out: dict[str, float] = {"HeadPitch": 0.0}
    for side in "LR":
        for name, value in posture.items():
            if side + name != "RHipYawPitch":
                mirrored = -value if side == "R" and name in MIRRORED else value
                limits = NAO.joint(side + name).limits
                out[side + name] = round(float(np.clip(mirrored, limits.lower + 0.005, limits.upper - 0.005)), 2) + 0.0
    return out


def motion_of(name: str, numbers: Numbers) -> tuple[Keyframes, list[str]]:
    """The motion and what each key is for; a step takes as long as its fastest joint needs."""
    now, keys, words = 0.0, [], []
    before: dict[str, float] = {}
    for duration, purpose, posture in DESIGNS[name].steps(numbers):
        joints = both_sides(posture)
        ways = [abs(joints[joint] - v) / NAO.joint(joint).limits.velocity for joint, v in before.items()]
        now += math.ceil(100 * max(duration, PEAK * max(ways, default=0.0))) / 100
        keys.append(Key(round(now, 2), joints))
        words.append(purpose)
        before = joints
    return Keyframes(f"get_up_{name}", tuple(keys), robot="nao"), words


@dataclass(frozen=True)
class Variant:
    """A robot that is not quite the nominal one; factors, offsets [rad]."""

    friction: float = 1.0
    strength: float = 1.0
    offset: float = 0.0
    pace: float = 1.0
    fallen: bool = False
    seed: int = 0


VARIANTS = (
    Variant(),
    Variant(friction=0.8, strength=0.92, offset=0.02, pace=0.9, fallen=True, seed=1),
    Variant(friction=1.25, offset=0.02, pace=1.1, seed=2),
    Variant(friction=0.9, offset=0.03, fallen=True, seed=3),
    Variant(friction=0.7, offset=0.05, pace=0.85, fallen=True, seed=4),
    Variant(friction=1.1, strength=0.96, offset=0.05, pace=1.05, fallen=True, seed=5),
)


def rubbed(robot: Robot, factor: float) -> Robot:
    """A robot whose surfaces have so many times the friction."""

    def surface(mu: float | None) -> float:
        return factor * (1.0 if mu is None else mu)

    links = [
        replace(
            link,
            collisions=tuple(
                replace(each, surface=replace(each.surface, mu=surface(each.surface.mu))) for each in link.collisions
            ),
        )
        for link in robot.links
    ]
    return replace(robot, links=tuple(links))


class Trial:
    """One variant, lying or sitting, on which motions are tried."""

    def __init__(self, name: str, before: Keyframes | None, variant: Variant) -> None:
        design = DESIGNS[name]
        draw = np.random.default_rng(variant.seed)
        self.pace, self.offset = variant.pace, variant.offset * draw.uniform(-1.0, 1.0, len(NAMES))
        self.offset[NAMES.index("RHipYawPitch")] = self.offset[NAMES.index("LHipYawPitch")]
        self.sim = simulate(rubbed(NAO, variant.friction), pose=design.start)
        engine, model = self.sim.engine, self.sim.model
        engine.set_gains(model, softened(engine.commands[model].gains, np.full(len(NAMES), variant.strength)))
        rest = dict(NAO.pose(design.start))
        if variant.fallen:
            rest.update(fall_motions(NAO).protect[design.fallen].keys[-1].positions)
        self.sim.target(np.array([rest[name] for name in NAMES]) + 3 * self.offset)
        self.sim.run(0.6)
        self._begin = self.sim.snapshot()
        if before is not None:
            self.play(before)
            self._begin = self.sim.snapshot()

    def play(self, motion: Keyframes) -> tuple[Array, Array, Array]:
        """Uprightness (cosine of the tilt) and height of the torso every 40 ms, and at last the vertical."""
        sim, seen = self.sim, []
        sim.restore(self._begin)
        here = sim.joints.position.copy()
        played = play_from(fit(motion, NAO).motion, NAO, dict(zip(NAMES, here.tolist(), strict=True)))
        track = Track(played, NAMES, here, self.pace)
        steps = round(TICK / sim.engine.dt)
        for k in range(round((track.duration + SETTLE) / TICK)):
            sim.engine.command(sim.model, track.at(k * TICK) + self.offset)
            sim.engine.step(steps)
            if k % 4 == 3:
                x, y, z = sim.base_pose[3], sim.base_pose[4], sim.base_pose[2]
                seen.append((1.0 - 2.0 * (x * x + y * y), z))
        upright, height = np.array(seen).T
        return upright, height, so3.from_quaternion(sim.base_pose[3:])[2]


def rising_cost(upright: Array, height: Array, up: Array) -> float:
    """From sitting: 0 when it never leans and stands at full height; counts when it falls, too."""
    fell = upright < 0.6
    fraction = float(np.argmax(fell)) / len(fell) if fell.any() else 1.0
    end = float(upright[-20:].mean() * min(height[-20:].mean() / TALL, 1.0))
    way = float(np.clip(upright, 0.0, 1.0).mean())
    return 1.6 - 0.6 * fraction - 0.5 * end - 0.3 * way - 0.2 * float(upright.min())


def sitting_cost(upright: Array, height: Array, up: Array) -> float:
    """From lying: 0 when it is upright early, stays so, and leans back by 0 to 0.25 at the end, on its seat."""
    late = float(upright[-25:].mean())
    way = float(np.clip(upright[len(upright) // 3 :], 0.0, 1.0).mean())
    lean = max(0.0, float(up[0]) - 0.25) + max(0.0, -float(up[0]))
    return 1.5 - 0.5 * float(upright[-8:].min()) - 0.5 * late - 0.3 * float(upright.max()) - 0.2 * way + 0.5 * lean


def trials_of(name: str, folder: Path) -> list[Trial]:
    """The robots on which a motion is tried; the later ones on robots that have come as far."""
    if DESIGNS[name].start:
        return [Trial(name, None, variant) for variant in VARIANTS]
    before = read_keyframes_toml(folder / "get_up_back.toml")
    return [Trial("back", before, variant) for variant in VARIANTS]


def search(
    name: str, folder: Path, generations: int, seed: int, enough: float, population: int = 12
) -> dict[str, float]:
    """The best numbers found.

    The cost is half the mean and half the worst over all robots, plus a little for being far from the design.
    """
    design = DESIGNS[name]
    trials = trials_of(name, folder)
    cost = rising_cost if name == "sitting" else sitting_cost
    center = np.array([value for value, _ in design.free.values()])
    spread = np.array([width for _, width in design.free.values()])

    def numbers(y: Array) -> dict[str, float]:
        return {key: round(float(v), 2) for key, v in zip(design.free, center + spread * y, strict=True)}

    def judged(y: Array) -> tuple[float, list[float]]:
        motion, costs = motion_of(name, numbers(y))[0], []
        for trial in trials:
            try:
                costs.append(cost(*trial.play(motion)))
            except Diverged:
                costs.append(3.0)
            if costs[-1] > least + 0.5:  # hopeless: the others need not be played
                costs += [costs[-1]] * (len(trials) - len(costs))
                break
        return 0.5 * float(np.mean(costs)) + 0.5 * max(costs) + 0.002 * float(np.mean(y * y)), costs

    best, least = np.zeros(len(center)), math.inf
    least, costs = judged(best)
    print(f"design: {least:.4f}  {np.round(costs, 3).tolist()}", flush=True)
    optimizer = CMA(mean=best, sigma=1.0, seed=seed, population_size=population)
    for generation in range(generations):
        told = []
        for _ in range(population):
            y = optimizer.ask()
            value, costs = judged(y)
            told.append((y, value))
            if value < least:
                best, least = y, value
                print(f"generation {generation}: {least:.4f}  {np.round(costs, 3).tolist()}", flush=True)
        optimizer.tell(told)
        if least < enough:
            break
    return numbers(best)


def written(name: str, motion: Keyframes, words: list[str]) -> str:
    """The motion file with a comment per key."""
    lines = [f"# {DESIGNS[name].words}", "# Found by benchmarks/get_up_search.py.", f'name = "{motion.name}"']
    lines += ['robot = "nao"', f'interpolation = "{motion.interpolation}"']
    for key, purpose in zip(motion.keys, words, strict=True):
        lines += ["", f"# {purpose[0].upper()}{purpose[1:]}.", "[[keys]]", f"time = {key.time}"]
        lines += [f"{joint} = {value}" for joint, value in key.positions.items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Search, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("motion", choices=sorted(DESIGNS))
    parser.add_argument("--generations", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--enough", type=float, default=0.05, help="end after the generation that reaches this cost")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the motions are")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    begin = time.process_time()
    numbers = search(options.motion, options.folder, options.generations, options.seed, options.enough)
    print(f"{time.process_time() - begin:.0f} s of processor time")
    for key, value in numbers.items():
        print(f"  {key:12s} {value:6.2f}")
    if options.write:
        motion, words = motion_of(options.motion, numbers)
        (options.folder / f"{motion.name}.toml").write_text(written(options.motion, motion, words))


if __name__ == "__main__":
    main()
