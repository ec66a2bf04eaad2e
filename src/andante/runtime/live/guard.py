"""The fall manager over whatever a live robot is doing: a fall is felt, softened, and followed by getting up."""

from __future__ import annotations

from collections.abc import Callable

from andante.description import Robot
from andante.geometry import Array
from andante.locomotion import Command, Readings
from andante.locomotion.falls.manager import FallEvent, FallManager, FallState
from andante.locomotion.io.fall_library import fall_motions

from .board import Board

UPRIGHT = 0.35  # a body tilted less than this has stood [rad]


class _BoardWalker:
    """The board as a walker, which the fall manager leads."""

    def __init__(self, board: Board, position: Callable[[], Array]) -> None:
        self._board, self._position = board, position
        self.top_speed = self.top_turn = self.stopping_time = 0.0

    @property
    def standing(self) -> bool:
        return self._board.present.resting

    @property
    def position(self) -> Array:
        return self._position()

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        return self._board.update(readings, command, dt)


class Guard:
    """Runs a board under a fall manager. It begins to watch once the robot has stood, and pauses in activities whose
    end is no accident, such as lying down."""

    def __init__(
        self,
        robot: Robot,
        board: Board,
        restart: Callable[[], None],
        position: Callable[[], Array],
        listener: Callable[[FallEvent], None],
    ) -> None:
        self.board, self.on = board, True
        self._restart = restart
        walker = _BoardWalker(board, position)
        self.manager = FallManager(walker, robot, fall_motions(robot), restart=self._renewed, listener=listener)
        self._armed = False

    def _renewed(self) -> _BoardWalker:
        self._restart()
        walker = self.manager.walker
        assert isinstance(walker, _BoardWalker)
        return walker

    @property
    def state(self) -> str:
        """upright, falling, fallen, getting up or failed."""
        return self.manager.state.value

    @property
    def upright(self) -> bool:
        """Whether the body is upright, by its IMU."""
        balance = self.manager.balance
        return balance is None or balance.tilt < UPRIGHT

    @property
    def busy(self) -> bool:
        """Whether the fall manager has the joints."""
        return self.manager.state is not FallState.UPRIGHT

    @property
    def stiffness(self) -> Array | None:
        """Share of the servos' strength (joints,)."""
        return self.manager.stiffness if self.busy else self.board.stiffness

    def try_again(self) -> bool:
        """Get up after it has given up; False when it has not."""
        failed = self.manager.state is FallState.FAILED
        self.manager.try_again()
        return failed

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]."""
        if self.busy:
            return self.manager.update(readings, command, dt)
        if not (self.on and self._armed and self.board.present.guarded):
            balance = self.manager.balance = self.manager.detector.update(readings, dt)
            settled = bool(self.manager.detector.attitude.state[-1])
            self._armed = self._armed or (settled and self.board.present.guarded and balance.tilt < UPRIGHT)
            return self.board.update(readings, command, dt)
        return self.manager.update(readings, command, dt)
