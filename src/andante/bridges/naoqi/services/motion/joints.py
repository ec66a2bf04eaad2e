"""ALMotion: stiffness and joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.service import Service, method
from andante.motion.joint_lists import Points, bezier_points, points_of

LEAST_MOVE = 0.05  # [s]
PEAK = 1.5  # top speed of a smooth move from rest to rest in terms of its mean
HAND_TIME = 0.6  # to open or close a hand [s]
MIMIC, LEADER = "RHipYawPitch", "LHipYawPitch"  # one motor for both


class JointMethods(Service):
    """Stiffness and joints."""

    # ---- stiffness ---------------------------------------------------------------------------------
    def _stiffen(self, names: Sequence[str], values: Any) -> dict[str, float]:
        joints = self.model.expand(names)
        each = values if isinstance(values, list) else [values] * len(joints)
        if len(each) != len(joints):
            raise CallError(f"{len(joints)} joints need as many stiffnesses or one, got {len(each)}")
        wrong = [v for v in each if not 0.0 <= v <= 1.0]
        if wrong:
            raise CallError(f"stiffness lies between 0 and 1, got {wrong[0]:g}")
        return dict(zip(joints, each, strict=True))

    @method("names:names stiffnesses:numbers", blocking=True)
    def setStiffnesses(self, names: list[str], values: Any) -> None:
        """Stiffness of joints or groups, 0 limp to 1."""
        self.robot.set_stiffness(self._stiffen(names, values))

    @method("names:names stiffnesses:numbers times:numbers", blocking=True)
    def stiffnessInterpolation(self, names: list[str], values: Any, times: Any) -> None:
        """Stiffness of joints or groups in the course of time."""
        joints = self.model.expand(names)
        if isinstance(values, list) and len(joints) > 1 and len(values) == len(names) == 1:
            values = values[0]
        spread = values if isinstance(values, list) else [values] * len(joints)
        clocks = times if isinstance(times, list) else [times] * len(joints)
        if isinstance(times, list) and len(clocks) != len(joints):
            clocks = [clocks] * len(joints)
        if len(spread) != len(joints):
            spread = [spread] * len(joints)
        last = [row[-1] if isinstance(row, list) else row for row in spread]
        ends = [row[-1] if isinstance(row, list) else row for row in clocks]
        wanted = self._stiffen(joints, last)
        if min(ends, default=0.0) < 0:
            raise CallError("times must be above 0")
        if self.link.sleep(max(ends, default=0.0)):
            self.robot.set_stiffness(wanted)

    @method("names:names")
    def getStiffnesses(self, names: list[str]) -> list[float]:
        """Stiffness of joints or groups."""
        return [self.robot.stiffness[name] for name in self.model.expand(names)]

    # ---- joints ------------------------------------------------------------------------------------
    def _led(self, points: Points) -> Points:
        """Points without the joint that follows another one mechanically."""
        if MIMIC in points and MIMIC in self.model.joints:
            follower = points.pop(MIMIC)
            points.setdefault(LEADER, follower)
        return points

    def run_points(self, points: Points, relative: bool = False) -> bool:
        """Move joints through points and wait; angles are kept within the limits."""
        points = self._led(dict(points))
        if not relative:
            points = {n: (t, [self.model.clip(n, p) for p in row]) for n, (t, row) in points.items()}
        return self.tasks.own(points) and self.robot.interpolate(points, relative)

    @method("names:names angles:numbers times:numbers absolute:bool?", blocking=True)
    def angleInterpolation(self, names: list[str], angles: Any, times: Any, absolute: bool = True) -> None:
        """Move joints through angles [rad] at times [s] since the call."""
        self.run_points(points_of(self.model.expand(names), angles, times), not absolute)

    @method("names:names angles:numbers fraction:fraction", blocking=True)
    def angleInterpolationWithSpeed(self, names: list[str], angles: Any, fraction: Any) -> None:
        """Move joints to angles [rad] together, the one with the longest way at a fraction of its maximal speed."""
        joints = self.model.expand(names)
        targets = self._targets(joints, angles)
        speed = min(fraction) if isinstance(fraction, list) else fraction
        if not self.tasks.own(joints):
            return
        here = self.robot.commanded()
        ways = (abs(targets[n] - here[n]) / (speed * self.model.limits(n)[2]) for n in joints)
        time = max(LEAST_MOVE, PEAK * max(ways, default=0.0))
        self.run_points({name: ([time], [targets[name]]) for name in joints})

    @method("names:names times:numbers keys:numbers", blocking=True)
    def angleInterpolationBezier(self, names: list[str], times: Any, keys: Any) -> None:
        """Move joints along Bezier curves as Choregraphe exports them."""
        joints = self.model.expand(names)
        self.run_points(bezier_points(joints, times, keys, self.robot.commanded()))

    def _targets(self, joints: Sequence[str], angles: Any) -> dict[str, float]:
        each = angles if isinstance(angles, list) else [angles] * len(joints)
        each = [row[-1] if isinstance(row, list) and len(row) == 1 else row for row in each]
        if len(each) != len(joints):
            raise CallError(f"{len(joints)} joints need as many angles, got {len(each)}")
        if any(isinstance(value, list) for value in each):
            raise CallError("one angle for each joint is wanted")
        return {name: self.model.clip(name, value) for name, value in zip(joints, each, strict=True)}

    def _send(self, joints: Sequence[str], targets: dict[str, float], fraction: Any) -> None:
        speeds = fraction if isinstance(fraction, list) else [fraction] * len(joints)
        if len(speeds) != len(joints):
            raise CallError(f"{len(joints)} joints need as many fractions or one, got {len(speeds)}")
        if MIMIC in targets and LEADER not in targets:
            joints = [LEADER if name == MIMIC else name for name in joints]
            targets = {**targets, LEADER: targets[MIMIC]}
        groups: dict[float, dict[str, float]] = {}
        for name, speed in zip(joints, speeds, strict=True):
            if name != MIMIC:
                groups.setdefault(speed, {})[name] = targets[name]
        for speed, part in groups.items():
            self.robot.send_angles(part, speed)

    @method("names:names angles:numbers fraction:fraction")
    def setAngles(self, names: list[str], angles: Any, fraction: Any) -> None:
        """Send joints to angles [rad] and do not wait; the last call counts."""
        joints = self.model.expand(names)
        self._send(joints, self._targets(joints, angles), fraction)

    @method("names:names changes:numbers fraction:fraction")
    def changeAngles(self, names: list[str], changes: Any, fraction: Any) -> None:
        """Send joints away from where they are commanded to be [rad]."""
        joints, here = self.model.expand(names), self.robot.commanded()
        each = changes if isinstance(changes, list) else [changes] * len(joints)
        if len(each) != len(joints):
            raise CallError(f"{len(joints)} joints need as many changes, got {len(each)}")
        angles = [here[name] + change for name, change in zip(joints, each, strict=True)]
        self._send(joints, self._targets(joints, angles), fraction)

    @method("names:names sensors:bool?")
    def getAngles(self, names: list[str], sensors: bool = False) -> list[float]:
        """Angles of joints or groups [rad]: by the encoders, or as commanded."""
        found = self.robot.joints(sensors)
        return [found[name] for name in self.model.expand(names)]

    def _hand(self, name: str, place: float) -> None:
        if name not in ("LHand", "RHand"):
            raise CallError(f"the hand is LHand or RHand, got {name}")
        if name in self.model.joints:
            self.run_points({name: ([HAND_TIME], [place])})

    @method("hand:text", blocking=True)
    def openHand(self, hand: str) -> None:
        """Open a hand."""
        self._hand(hand, 1.0)

    @method("hand:text", blocking=True)
    def closeHand(self, hand: str) -> None:
        """Close a hand."""
        self._hand(hand, 0.0)
