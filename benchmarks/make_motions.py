# ruff: noqa: E501 (tables of postures)
"""Make the motions of the NAO's library: postures in time, kept on its feet by the stand filter, as key-frames.

    python benchmarks/make_motions.py                 # all, into src/andante/robots/nao/motions
    python benchmarks/make_motions.py dance bow       # these

A motion is a list of beats: how long each takes [s] and where joints shall be then [deg]. What moves legs is run through
`StandFilter`, standing on both feet or one, and sampled; arms and head alone are written as they are.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

from andante.control.drivers import make_ready
from andante.description.load import load_robot
from andante.locomotion.biped.standing import LEFT, RIGHT, StandFilter, StandSettings
from andante.motion import Keyframes
from andante.motion.io.library import write_keyframes_toml
from andante.motion.keyframes import Key

FOLDER = Path(__file__).resolve().parents[1] / "src" / "andante" / "robots" / "nao" / "motions"
DT, SAMPLE = 0.01, 0.15
BEGIN, END = 1.2, 1.2  # to the first posture and from the last one [s]

Beat = tuple[float, dict[str, float]] | str  # seconds and degrees, or what it stands on from then on

ARMS = {"LShoulderPitch": 84, "LShoulderRoll": 10, "LElbowYaw": -68, "LElbowRoll": -24, "LWristYaw": 6, "LHand": 17}
SIDEWAYS = ("ShoulderRoll", "ElbowYaw", "ElbowRoll", "WristYaw", "HipRoll", "AnkleRoll")


def mirrored(posture: dict[str, float]) -> dict[str, float]:
    """A posture seen in the mirror: sides change, and so do signs of what goes sideways."""
    out = {}
    for name, value in posture.items():
        other = {"L": "R", "R": "L"}.get(name[0], name[0]) + name[1:]
        out[other] = -value if name[1:] in SIDEWAYS or name == "HeadYaw" else value
    return out


def both(posture: dict[str, float]) -> dict[str, float]:
    """The same with both sides."""
    return {**posture, **mirrored(posture)}


REST = both(ARMS) | {"HeadYaw": 0, "HeadPitch": 0}
UP = {"LShoulderPitch": -70, "LShoulderRoll": 20, "LElbowRoll": -20, "LHand": 57}
OUT = {"LShoulderPitch": 10, "LShoulderRoll": 70, "LElbowRoll": -5, "LHand": 57}
AHEAD = {"LShoulderPitch": 0, "LShoulderRoll": 5, "LElbowYaw": -60, "LElbowRoll": -3, "LHand": 57}
CLAP = {"LShoulderPitch": 20, "LShoulderRoll": 18, "LElbowYaw": -10, "LElbowRoll": -50, "LHand": 57}
HIP = {"LShoulderPitch": 75, "LShoulderRoll": 35, "LElbowYaw": -50, "LElbowRoll": -80}
SQUAT = {"LHipPitch": -18, "LKneePitch": 36, "LAnklePitch": -18}  # beside the stance
SWAY = {"LHipRoll": 8, "RHipRoll": 8, "LAnkleRoll": -8, "RAnkleRoll": -8}


def less(posture: dict[str, float], fraction: float) -> dict[str, float]:
    """Part of a posture."""
    return {name: fraction * value for name, value in posture.items()}


def dance() -> list[Beat]:
    """Twenty seconds of arms, knees and hips in a beat of 0.8 s."""
    beats: list[Beat] = []
    for k in range(3):
        turn = 1 if k % 2 == 0 else -1
        beats += [
            (0.8, both(less(SQUAT, 0.7)) | both(OUT) | {"HeadYaw": 25 * turn}),
            (0.8, both(less(SQUAT, 0.0)) | both(UP) | {"HeadYaw": -25 * turn}),
            (0.8, less(SWAY, turn) | both(less(SQUAT, 0.4)) | OUT | mirrored(UP) | {"HeadYaw": 30 * turn}),
            (0.8, less(SWAY, -turn) | both(less(SQUAT, 0.4)) | UP | mirrored(OUT) | {"HeadYaw": -30 * turn}),
            (0.8, less(SWAY, 0) | both(less(SQUAT, 0.8)) | both(CLAP) | {"HeadPitch": 12, "HeadYaw": 0}),
            (0.6, both(CLAP | {"LShoulderRoll": 4})),
            (0.6, both(CLAP)),
            (0.8, both(less(SQUAT, 0.0)) | both(HIP) | {"HeadPitch": -5}),
        ]
    return [*beats, (1.0, both(UP)), (1.4, REST)]


def one_foot(stand: str, knee: float, arms: dict[str, float], hold: float) -> list[Beat]:
    """Stand on the left or right foot alone and lift the other knee [deg]."""
    lift = {"RHipPitch": -knee, "RKneePitch": 1.5 * knee, "RAnklePitch": -0.5 * knee}
    lift = lift if stand == "left" else mirrored(lift)
    down = less(lift, 0.0)
    return [(1.5, arms), stand, (2.5, arms), f"{stand}_alone", (2.0, lift), (hold, lift), (2.0, down), stand,
            (0.8, down), "both", (2.0, REST)]  # fmt: skip


def kick(stand: str) -> list[Beat]:
    """Stand on one foot, draw the other leg back and swing it ahead."""
    back = {"RHipPitch": 12, "RKneePitch": 25, "RAnklePitch": -8}
    swing = {"RHipPitch": -35, "RKneePitch": 12, "RAnklePitch": 10}
    raised = {"RHipPitch": -12, "RKneePitch": 24, "RAnklePitch": -12}
    arms = {"LShoulderPitch": 90, "LShoulderRoll": 25, "RShoulderPitch": 90, "RShoulderRoll": -25}
    legs = [raised, back, swing, raised, less(raised, 0.0)]
    raised, back, swing, again, down = legs if stand == "left" else [mirrored(leg) for leg in legs]
    return [(1.0, arms), stand, (2.2, arms), f"{stand}_alone", (0.8, raised), (0.8, back), (0.5, swing), (1.0, again),
            (0.9, down), stand, (0.8, down), "both", (1.5, REST)]  # fmt: skip


MOTIONS: dict[str, list[Beat]] = {
    "wave_left": [(1.0, {"LShoulderPitch": -60, "LShoulderRoll": 20, "LElbowYaw": -60, "LElbowRoll": -60, "LHand": 57, "HeadYaw": 15}),
                  *[(0.5, {"LElbowRoll": v}) for v in (-20, -70, -20, -70, -20)], (1.2, REST)],
    "point_ahead": [(1.2, mirrored(AHEAD) | {"HeadYaw": 0}), (1.0, mirrored(AHEAD)), (1.2, REST)],
    "point_left": [(1.2, OUT | {"HeadYaw": 60}), (1.0, OUT), (1.2, REST)],
    "point_right": [(1.2, mirrored(OUT | {"HeadYaw": 60})), (1.0, mirrored(OUT)), (1.2, REST)],
    "applaud": [(1.0, both(CLAP)), *[(0.3, both(CLAP | {"LShoulderRoll": 3 if k % 2 == 0 else 18})) for k in range(8)], (1.2, REST)],
    "look_around": [(1.2, {"HeadYaw": 70, "HeadPitch": 5}), (0.8, {"HeadPitch": -15}), (2.0, {"HeadYaw": -70, "HeadPitch": -15}),
                    (0.8, {"HeadPitch": 15}), (1.2, {"HeadYaw": 0, "HeadPitch": 0})],
    "nod": [*[(0.4, {"HeadPitch": v}) for v in (20, -5, 20, -5, 0)]],
    "shake_head": [*[(0.5, {"HeadYaw": v}) for v in (30, -30, 30, -30, 0)]],
    "mirrored_arms": [(1.2, both(OUT)), (1.2, both(UP)), (1.2, both(AHEAD)), (1.2, both(HIP)), (1.2, both(OUT)), (1.2, REST)],
    "salute": [(1.2, {"RShoulderPitch": -35, "RShoulderRoll": -45, "RElbowYaw": 30, "RElbowRoll": 85, "HeadYaw": 0}), (1.2, {}), (1.2, REST)],
    "shrug": [(0.8, both({"LShoulderPitch": 70, "LShoulderRoll": 25, "LElbowYaw": -110, "LElbowRoll": -70, "LHand": 57}) | {"HeadPitch": 8}),
              (0.8, {}), (1.0, REST)],
    "victory": [(1.0, both(UP | {"LHand": 0}) | {"HeadPitch": -15}), (0.4, both({"LElbowRoll": -60})), (0.4, both({"LElbowRoll": -10})),
                (0.4, both({"LElbowRoll": -60})), (0.4, both({"LElbowRoll": -10})), (1.2, REST)],
    "stretch": [(1.5, both(OUT)), (1.5, both(UP)), (1.5, both(UP) | {"HeadPitch": -20}), (1.5, REST)],
    "bow": [(1.6, both({"LHipPitch": -32, "LAnklePitch": 6}) | {"HeadPitch": 20}), (0.8, {}), (1.8, both({"LHipPitch": 0, "LAnklePitch": 0}) | REST)],
    "squat": [(1.5, both(SQUAT) | both(AHEAD)), (0.5, {}), (1.5, both(less(SQUAT, 0.0)) | REST)],
    "sway": [(1.2, SWAY | both(HIP)), (1.6, less(SWAY, -1.0)), (1.6, SWAY), (1.6, less(SWAY, -1.0)), (1.2, less(SWAY, 0.0) | REST)],
    "dance": dance(),
    "balance_left": one_foot("left", 40, both(OUT), 2.5),
    "balance_right": one_foot("right", 40, both(OUT), 2.5),
    "kick_right": kick("left"),
    "kick_left": kick("right"),
}  # fmt: skip


class Maker:
    """Turns beats into key-frames of a robot."""

    def __init__(self) -> None:
        self.ready = make_ready(load_robot("nao"))
        self.body = self.ready.walker.body
        self.names = list(self.body.names)
        self.legs = [
            n for n in self.names if n not in self.ready.walker.free_joints and self.ready.robot.joint(n).mimic is None
        ]

    def make(self, name: str, beats: list[Beat]) -> Keyframes:
        """The motion; legs only where a beat moves them or changes what it stands on."""
        moves = any(isinstance(beat, str) or any(joint in self.legs for joint in beat[1]) for beat in beats)
        keys = self._kept(beats) if moves else self._plain(beats)
        return Keyframes(name, tuple(keys), "cubic" if moves else "smooth", robot="nao")

    def _plain(self, beats: list[Beat]) -> list[Key]:
        clock, keys = 0.0, []
        for seconds, posture in beats:  # type: ignore[misc]
            clock = round(clock + seconds, 3)
            if posture:
                keys.append(Key(clock, {n: round(math.radians(v), 4) for n, v in posture.items()}))
        return keys

    def _kept(self, beats: list[Beat]) -> list[Key]:
        stance = self.body.stance
        goal = stance.copy()
        for n, v in REST.items():
            goal[self.names.index(n)] = math.radians(v)
        begin = goal.copy()
        made = StandFilter(self.body, StandSettings(speed=0.13, free_speed=0.3))
        if not made.begin(begin):
            raise SystemExit("the stance does not stand")
        rows = [made.limit(goal, DT) for _ in range(2)]
        for beat in beats:
            if isinstance(beat, str):
                feet = {"left": (LEFT,), "right": (RIGHT,)}.get(beat.removesuffix("_alone"), (LEFT, RIGHT))
                made.rest_on(*feet, alone=beat.endswith("alone"))
                continue
            seconds, posture = beat
            start = goal.copy()
            for n, v in posture.items():
                k = self.names.index(n)
                goal[k] = math.radians(v) + (stance[k] if n in self.legs else 0.0)
            steps = round(seconds / DT)
            for k in range(1, steps + 1):
                s = k / steps
                rows.append(made.limit(start + (10 * s**3 - 15 * s**4 + 6 * s**5) * (goal - start), DT))
        rows += [made.limit(goal, DT) for _ in range(round(1.0 / DT))]  # the legs come to rest
        stride = round(SAMPLE / DT)
        chosen = [*range(0, len(rows), stride), len(rows) - 1]
        used = [
            n
            for n in self.names
            if self.ready.robot.joint(n).mimic is None and np.ptp(np.array(rows)[:, self.names.index(n)]) > 1e-3
        ]
        used = [n for n in self.names if n in used or n in self.legs]
        return [
            Key(round(BEGIN + k * DT, 3), {n: round(float(rows[k][self.names.index(n)]), 4) for n in used})
            for k in dict.fromkeys(chosen)
        ]


def main() -> None:
    """Write them."""
    maker = Maker()
    for name in sys.argv[1:] or MOTIONS:
        motion = maker.make(name, MOTIONS[name])
        write_keyframes_toml(motion, FOLDER / f"{name}.toml")
        print(f"{name}: {motion.round_duration:.1f} s, {len(motion.names)} joints, {len(motion.keys)} keys")


if __name__ == "__main__":
    main()
