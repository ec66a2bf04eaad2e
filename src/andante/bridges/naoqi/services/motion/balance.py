"""ALMotion: the whole-body methods, by the session's balance filter."""

from __future__ import annotations

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.service import Service, method

SUPPORTS = {"Legs": "both", "LLeg": "left", "RLeg": "right"}
ALONE = {"LLeg": "right_alone", "RLeg": "left_alone"}  # a leg that is free -> what stands
STATES = ("Fixed", "Plane", "Free")
GENTLE = 0.1  # speed with which the legs take over what they hold
LONGEST = 30.0  # of a way over a foot [s]
TAKEN = 5.0  # for the joints to be taken over [s]
SLOW, QUICK = 4.0, 1.0  # way over a foot at no and at full speed [s]


class BalanceMethods(Service):
    """Balance of the whole body. Other than on a real robot it is on from the start."""

    @method("on:bool", blocking=True)
    def wbEnable(self, on: bool) -> None:
        """Whether joint commands pass the balance filter."""
        self.link.call("/set_balance", "std_srvs/srv/SetBool", data=on)

    def _support(self, name: str) -> bool:
        """Let the balance filter take the legs as they are, and choose what it stands on; whether it could."""
        legs = self.model.groups["Legs"]
        if str(self.robot.status.behaviour) != "joints":
            here = self.robot.commanded()
            self.robot.send_angles({joint: here[joint] for joint in legs}, GENTLE)
            if not self.link.wait_until(lambda: str(self.robot.status.behaviour) == "joints", TAKEN):
                return False
            self.link.sleep(0.1)
        try:
            self.link.call("/set_support", "andante_msgs/srv/Choose", name=name)
        except CallError as error:
            self.robot.say(f"ALMotion: {error}")
            return False
        return True

    @method("state:text leg:text", blocking=True)
    def wbFootState(self, state: str, leg: str) -> None:
        """A foot is fixed on the ground, in its plane (here: fixed), or free."""
        if state not in STATES or leg not in SUPPORTS:
            raise CallError(f"the state is one of {', '.join(STATES)} and the leg of {', '.join(SUPPORTS)}")
        if state == "Free" and leg == "Legs":
            raise CallError("one foot must carry the robot: free one leg")
        self._support(ALONE[leg] if state == "Free" else "both")

    @method("on:bool leg:text", blocking=True)
    def wbEnableBalanceConstraint(self, on: bool, leg: str) -> bool:
        """Keep the center of mass over these feet, or let it go anywhere."""
        if leg not in SUPPORTS:
            raise CallError(f"the support is one of {', '.join(SUPPORTS)}, got {leg}")
        self.link.call("/set_balance", "std_srvs/srv/SetBool", data=on)
        return self._support(SUPPORTS[leg]) if on else True

    @method("leg:text seconds:float", blocking=True)
    def wbGoToBalance(self, leg: str, seconds: float) -> bool:
        """Bring the center of mass over one foot or both in a time."""
        if leg not in SUPPORTS:
            raise CallError(f"the support is one of {', '.join(SUPPORTS)}, got {leg}")
        if not 0.0 < seconds <= LONGEST:
            raise CallError(f"the time lies above 0 and up to {LONGEST:g} s, got {seconds:g}")
        return self._support(SUPPORTS[leg]) and self.link.sleep(seconds)

    @method("leg:text fraction:fraction", blocking=True)
    def wbGoToBalanceWithSpeed(self, leg: str, fraction: float) -> bool:
        """Bring the center of mass over one foot or both at a fraction of the speed."""
        return self.wbGoToBalance(leg, SLOW + fraction * (QUICK - SLOW))

    @method("effector:text on:bool")
    def wbEnableEffectorControl(self, effector: str, on: bool) -> None:
        """Head and arms follow `wbSetEffectorControl` at any time."""
        if effector not in ("Head", "LArm", "RArm"):
            raise CallError(f"the effector is Head, LArm or RArm, got {effector}")

    @method("effector:text on:bool")
    def wbEnableEffectorOptimization(self, effector: str, on: bool) -> None:
        """Noted."""
