"""Programs in the ways of the documentation and of public repositories; what they do is seen from outside.

Every program runs in a process of its own against one session; what came of it is told by the simulator's truth.
"""

import math
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent / "scripts"
EYES = "FaceLeds"


class Seen:
    """The session before and after a program, and what it printed."""

    def __init__(self, before, after, out):
        self.before, self.after, self.out = before, after, out

    @property
    def moved(self):
        """x ahead, y left [m], turned [rad], in the axes of the start."""
        (x0, y0, a0), (x1, y1, a1) = self.before["pose"], self.after["pose"]
        c, s = math.cos(a0), math.sin(a0)
        turned = math.remainder(a1 - a0, 2 * math.pi)
        return c * (x1 - x0) + s * (y1 - y0), c * (y1 - y0) - s * (x1 - x0), turned

    def joint(self, name):
        return self.after["joints"][name]

    @property
    def said(self):
        return self.after["said"][len(self.before["said"]) :]

    def walked(self, x, y=0.0, turn=0.0, near=0.04, near_turn=0.12):
        a, b, c = self.moved
        return abs(a - x) < near and abs(b - y) < near and abs(c - turn) < near_turn

    def at(self, near=0.03, **joints):
        return all(abs(self.joint(name) - value) < near for name, value in joints.items())


CHECKS = {
    "old_head": lambda s: s.at(HeadYaw=math.radians(30)) and s.out.count("at") == 2,
    "old_interpolation": lambda s: s.at(HeadYaw=0.3, HeadPitch=0.1),
    "old_arm_speed": lambda s: s.at(LShoulderPitch=0.9, LShoulderRoll=0.4, LElbowYaw=-0.9, LElbowRoll=-0.8),
    "old_stiffness": lambda s: s.after["stiffness"]["LElbowRoll"] == 0.6 and "limp [0.0, 0.0" in s.out,
    "old_walk": lambda s: s.walked(0.15) and "Robot Move" in s.out,
    "old_walk_post": lambda s: s.walked(0.1) and s.said == ["I am walking"] and "running True" in s.out,
    "old_walk_stop": lambda s: 0.05 < s.moved[0] < 0.8 and "stopped False False" in s.out,
    "old_walk_velocity": lambda s: 0.1 < s.moved[0] < 0.5,
    "old_walk_config": lambda s: 0.25 < s.moved[2] < 1.2 and abs(s.moved[0]) < 0.08 and "StepHeight" in s.out,
    "old_turn": lambda s: s.walked(0.0, 0.0, math.pi / 4),
    "old_path": lambda s: s.walked(0.08, 0.06),
    "old_postures": lambda s: s.at(LKneePitch=-0.0923, near=0.12) and _lines(
        s, "True", "Crouch True Crouch", "StandZero True StandZero", "StandInit True StandInit", "Stand True Stand",
        "family Standing False"),
    "old_memory": lambda s: _lines(s, "[5, [1, [2.5, 'x']], 'text', None]", "gone True"),
    "old_touch_module": lambda s: s.said == ["You touched my head"] and "count 1" in s.out,
    "old_bumper": lambda s: "hit True" in s.out,
    "old_image": lambda s: "320 240 230400 12" in s.out,
    "old_image_numpy": lambda s: "camera 1 (240, 320, 3) True 106" in s.out,
    "old_leds": lambda s: s.after["leds"][EYES] == [0, 1, 0] and s.after["leds"]["ChestLeds"][0] == 1
    and "no nose True" in s.out,
    "old_say": lambda s: s.said == ["Hello, world!"] and "English 0.5" in s.out
    and s.after["time"] - s.before["time"] > 0.9,
    "old_dance_export": lambda s: s.at(HeadYaw=0.0, RHand=0.4, near=0.05) and not s.out,
    "old_own_event": lambda s: s.out == "answer 42 ('MyApp/Ask', 42) 2",
    "old_rasta": lambda s: s.after["leds"][EYES] == [0, 0, 1] and s.out.startswith("eyes ["),
    "old_arm_circle": lambda s: _lines(s, "LArm back True", "RArm back True", "up True"),
    "old_whole_body": lambda s: _lines(s, "yaw 0.5", "balance True"),
    "old_footsteps": lambda s: _lines(s, "moved True True") and s.moved[0] > 0.03,
    "old_follow_walk": lambda s: 0.08 < s.moved[0] < 0.4 and _lines(s, "walking False"),
    "old_camera_thread": lambda s: _lines(s, "[((320, 240, 2, 153600), 2)]"),
    "old_sit": lambda s: _lines(s, "True Sitting", "True Standing") and s.said == ["I sit"],
    "qi_greeter": lambda s: s.said == ["Hello Ada", "Hello Grace"] and "count 2 ticks True robot True" in s.out,
    "old_bezier": lambda s: s.at(RShoulderPitch=1.2, RElbowRoll=0.8, near=0.05) and not s.out,
    "old_timeline": lambda s: s.at(HeadPitch=0.1, LShoulderRoll=0.3),
    "old_cartesian": lambda s: "moved [0.0, -0.02, 0.06]" in s.out.replace("-0.0,", "0.0,"),
    "old_transform": lambda s: "camera height 0." in s.out and s.out.count("True") == 2,
    "old_hands": lambda s: s.at(LHand=0.0) and "open 1.0" in s.out and "closed 0.0" in s.out,
    "old_sensors": lambda s: "weight 5" in s.out and "down True upright True" in s.out,
    "old_sonar": lambda s: "far True True" in s.out,
    "old_errors": lambda s: s.out.count("refused True") == 7 and "accepted" not in s.out,
    "old_broker_division": lambda s: _lines(s, "name? 6 True x [0, 0, 1] ", "5 511 10"),
    "qi_application": lambda s: s.at(HeadYaw=0.3, HeadPitch=0.1) and "there" in s.out,
    "qi_session": lambda s: "['HeadYaw', 'HeadPitch'] 26 5.2" in s.out and s.out.count("refused True") == 2,
    "qi_async": lambda s: s.walked(0.1) and s.said == ["On my way"] and "reached True" in s.out,
    "qi_cancel": lambda s: 0.02 < s.moved[0] < 0.8 and "value False" in s.out,
    "qi_subscriber": lambda s: "seen ['Head/Touch/Middle'] [[1, 'a']]" in s.out,
    "qi_camera": lambda s: "(320, 240) 1 76800 True bytearray" in s.out,
    "qi_life": lambda s: _lines(s, "disabled False False", "100 nao", "refused True"),
    "qi_look": lambda s: 0.5 < s.joint("HeadYaw") < 1.0 and s.joint("RShoulderPitch") < 0.9,
    "qi_behavior": lambda s: "False False" in s.out and "refused True" in s.out and s.said == ["Hey there"],
    "qi_navigation": lambda s: s.walked(0.12) and "reached True" in s.out and "position 0.1" in s.out,
    "qi_torso": lambda s: "lower 0.03" in s.out and s.after["height"] < s.before["height"] + 0.02,
    "qi_photo": lambda s: s.out.count("True True") == 2,
    "qi_rest": lambda s: _lines(s, "asleep False Crouch", "awake True") and s.after["stiffness"]["LKneePitch"] == 1.0,
    "old_order": lambda s: _lines(s, "missed 0"),
    "old_sound_module": lambda s: _lines(
        s, "film True True", "heard True 0", "stands on True True True", "smart True none"),
    "old_walk_configs": lambda s: s.moved[0] > 0.05 and "rest of the way True norm True" in s.out and "0.08" in s.out,
    "old_react_to_touch": lambda s: s.said == ["My Head is touched."] and s.out.endswith("parts ['Head']"),
    "old_image_text": lambda s: _lines(s, "(320, 240) RGB True", "True", "2 13"),
    "old_torso_arms": lambda s: s.out.count(" True") == 3 and s.out.endswith("False") and s.at(LKneePitch=2.11),
    "old_whole_body_arm": lambda s: s.out.count(" True") == 2 and s.out.endswith("StandInit Standing"),
    "qi_human_greeter": lambda s: s.walked(0.1) and s.said == ["Hello, you!"] and s.out.count("touches 1") == 2,
    "old_step_dance": lambda s: _lines(s, "steps left 0", "ahead True", *s.out.splitlines()[2:3], "turned left True",
                                       "refused") and 0.1 < float(s.out.splitlines()[2].split()[1]) < 0.2,
    "old_bezier_post": lambda s: _lines(s, "[True, True, True]", "True", "running True", "pos 1.0", "changed 0.5"),
    "old_walk_log": lambda s: ("something is near" in s.out or ("True 3" in s.out and s.moved[0] > 0.05))
    and "weight True" in s.out and s.said[0].startswith("I walked"),
    "old_behaviors_speech": lambda s: _lines(
        s, "True", "[]", "running True", "after False", "True", "1 list", "disabled")
    and s.said[-1] == "from a thread" and len(s.said) == 4,
    "qi_tracker_life": lambda s: "looks left True" in s.out and "straight True" in s.out and "\n[]\n" in s.out
    and s.after["stiffness"]["LKneePitch"] == 0.0,
    "old_opencv_dcm": lambda s: "yaw -0.3" in s.out and "[(480, 640, 3), (480, 640, 3), (480, 640, 3)]" in s.out,
    "qi_audio": lambda s: "40 True ['', 0.0]" in s.out,
}  # fmt: skip
WITH_BALL = {
    "qi_ball": lambda s: "ball [" in s.out and _yaw(s.out) == pytest.approx(0.21, abs=0.08),
    "qi_tracker": lambda s: 0.05 < s.joint("HeadYaw") < 0.45 and "target [1." in s.out,
}
PRESSED = {
    "old_touch_module": "Head/Touch/Front",
    "old_bumper": "LFoot/Bumper/Left",
    "qi_subscriber": "Head/Touch/Middle",
}
LOW = ("old_sit",)  # they bring the robot to the ground
QUICK = ("old_touch_module", "qi_async")


def _lines(seen, *wanted):
    return [line.strip() for line in seen.out.splitlines()] == [line.strip() for line in wanted]


def _yaw(out):
    return float(out.partition("ball [")[2].partition(",")[0])


def carry_out(host, run_program, name, checks):
    before = host.state
    program = run_program(SCRIPTS / f"{name}.py")
    if name in PRESSED:
        program.until("ready")
        assert host.ask(f"press {PRESSED[name]} 0.6")
    code, out, errors = program.finish()
    after = host.state
    assert code == 0, errors
    assert name in LOW or after["fell"] == before["fell"], "the robot fell"
    assert checks[name](Seen(before, after, out)), (out, Seen(before, after, out).moved, after["joints"], errors)


@pytest.mark.drill
@pytest.mark.parametrize("name", sorted(WITH_BALL))
def test_programs_that_see(host, run_program, name):
    """First, while the robot faces the ball. Pictures without a graphics card take a tenth of a second each."""
    carry_out(host, run_program, name, WITH_BALL)


@pytest.mark.parametrize("name", QUICK)
def test_programs_of_a_nao(host, run_program, name):
    carry_out(host, run_program, name, CHECKS)


@pytest.mark.drill
@pytest.mark.parametrize("name", sorted(set(CHECKS) - set(QUICK)))
def test_more_programs_of_a_nao(host, run_program, name):
    """A process each and up to some seconds of walking: minutes in all."""
    carry_out(host, run_program, name, CHECKS)


def test_every_script_has_its_check():
    assert {file.stem for file in SCRIPTS.glob("*.py")} == {*CHECKS, *WITH_BALL}
    assert len(CHECKS) + len(WITH_BALL) >= 40
