"""ALAutonomousLife, ALAutonomousMoves, ALBasicAwareness and their kin: states are kept, the robot stays calm."""

from __future__ import annotations

from typing import Any

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.service import Service, method

from .memory import Memory
from .motion import Motion

STATES = ("solitary", "interactive", "safeguard", "disabled")
ENGAGEMENTS = ("Unengaged", "SemiEngaged", "FullyEngaged")
TRACKINGS = ("Head", "BodyRotation", "WholeBody", "MoveContextually")


class AutonomousLife(Service):
    """A life that keeps its state and starts nothing by itself."""

    name = "ALAutonomousLife"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._state, self._safeguard = "disabled", True
        self._abilities: dict[str, bool] = {}

    @method("state:text", blocking=True)
    def setState(self, state: str) -> None:
        """solitary, interactive, safeguard or disabled; all but the last wake the robot up."""
        if state not in STATES:
            raise CallError(f"the state is one of {', '.join(STATES)}, got {state}")
        self._state = state
        if state != "disabled":
            self.robot.service(Motion).wakeUp()
        self.robot.service(Memory).raise_event("AutonomousLife/State", state)

    @method()
    def getState(self) -> str:
        """As it was set."""
        return self._state

    @method("name:text on:bool")
    def setAutonomousAbilityEnabled(self, name: str, on: bool) -> None:
        """Noted."""
        self._abilities[name] = on

    @method("name:text")
    def getAutonomousAbilityEnabled(self, name: str) -> bool:
        """As it was set."""
        return self._abilities.get(name, False)

    @method("name:text on:bool")
    def setSafeguardEnabled(self, name: str, on: bool) -> None:
        """Noted."""
        self._safeguard = on

    @method("name:text")
    def isSafeguardEnabled(self, name: str) -> bool:
        """As it was set."""
        return self._safeguard


class Enabled(Service):
    """A movement that can be on or off: it is noted."""

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._on = False

    @method("on:bool")
    def setEnabled(self, on: bool) -> None:
        """Noted."""
        self._on = on

    @method()
    def isEnabled(self) -> bool:
        """As it was set."""
        return self._on


class BackgroundMovement(Enabled):
    """Breathing and idling: never."""

    name = "ALBackgroundMovement"


class ListeningMovement(Enabled):
    """Moves while it listens: never."""

    name = "ALListeningMovement"


class SpeakingMovement(Enabled):
    """Moves while it speaks: never."""

    name = "ALSpeakingMovement"


class AutonomousBlinking(Enabled):
    """Blinking: never."""

    name = "ALAutonomousBlinking"


class AutonomousMoves(Service):
    """Moves by itself: never."""

    name = "ALAutonomousMoves"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._listening, self._strategy = False, "none"

    @method("on:bool")
    def setExpressiveListeningEnabled(self, on: bool) -> None:
        """Noted."""
        self._listening = on

    @method()
    def getExpressiveListeningEnabled(self) -> bool:
        """As it was set."""
        return self._listening

    @method("strategy:text")
    def setBackgroundStrategy(self, strategy: str) -> None:
        """none or backToNeutral."""
        if strategy not in ("none", "backToNeutral"):
            raise CallError(f"the strategy is none or backToNeutral, got {strategy}")
        self._strategy = strategy

    @method()
    def getBackgroundStrategy(self) -> str:
        """As it was set."""
        return self._strategy


class BasicAwareness(Enabled):
    """Sees nobody."""

    name = "ALBasicAwareness"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._engagement, self._tracking = "Unengaged", "Head"
        self._stimuli: dict[str, bool] = {}

    @method()
    @method(name="resumeAwareness")
    def startAwareness(self) -> bool:
        """Noted."""
        self._on = True
        return True

    @method()
    @method(name="pauseAwareness")
    def stopAwareness(self) -> bool:
        """Noted."""
        self._on = False
        return True

    @method()
    @method(name="isRunning")
    def isAwarenessRunning(self) -> bool:
        """As it was set."""
        return self._on

    @method("mode:text")
    def setEngagementMode(self, mode: str) -> None:
        """Unengaged, SemiEngaged or FullyEngaged."""
        if mode not in ENGAGEMENTS:
            raise CallError(f"the mode is one of {', '.join(ENGAGEMENTS)}, got {mode}")
        self._engagement = mode

    @method()
    def getEngagementMode(self) -> str:
        """As it was set."""
        return self._engagement

    @method("mode:text")
    def setTrackingMode(self, mode: str) -> None:
        """Head, BodyRotation, WholeBody or MoveContextually."""
        if mode not in TRACKINGS:
            raise CallError(f"the mode is one of {', '.join(TRACKINGS)}, got {mode}")
        self._tracking = mode

    @method()
    def getTrackingMode(self) -> str:
        """As it was set."""
        return self._tracking

    @method("stimulus:text on:bool")
    def setStimulusDetectionEnabled(self, stimulus: str, on: bool) -> None:
        """Noted."""
        self._stimuli[stimulus] = on

    @method("stimulus:text")
    def isStimulusDetectionEnabled(self, stimulus: str) -> bool:
        """As it was set."""
        return self._stimuli.get(stimulus, True)
