"""Whether a recording can serve a fit; where it cannot, one line that says why and what to do."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from andante.description import Robot
from andante.errors import BadInput

from .recording import STILL, TARGETS, JointRecording, at_states

SHORTEST = 2.0  # [s]
FEWEST = 50  # samples
SLOWEST = 10.0  # samples per second
BEYOND = 2.0  # positions at so many widths of their limits are no radians
TURN = 4 * math.pi  # ... and no joint with limits has more than this [rad]
LOST, LOST_SAMPLES = 0.2, 10  # without states and targets: time, and usual samples, from which on something is lost
OPPOSED = -0.5  # correlation with its targets of a joint that goes the other way


def check_recording(recording: JointRecording, robot: Robot, joints: Sequence[str]) -> None:
    """Raise BadInput in one line where a recording cannot serve to identify these joints of a robot."""
    where, times = recording.source, recording.times
    for name in joints:
        if name not in recording.names:
            held = ", ".join(recording.names) or "none"
            raise BadInput(f"{where}: joint {name!r} is not recorded, which the fit needs; recorded joints: {held}")
        if not recording.told(name):
            raise BadInput(
                f"{where}: joint {name!r} has no targets, which the fit needs; record them on {TARGETS[0]} or as the "
                f"column {name}.target"
            )
    used = [recording.names.index(name) for name in joints]
    if not (np.isfinite(times).all() and np.isfinite(recording.positions[:, used]).all()):
        rows, columns = np.nonzero(~np.isfinite(recording.positions[:, used]))
        at = f"sample {rows[0] + 1} of joint {joints[columns[0]]!r}" if len(rows) else "the column of times"
        raise BadInput(f"{where}: {at} holds a number that is not finite; cut or repair the recording")
    back = np.flatnonzero(np.diff(times) <= 0)
    if len(back):
        raise BadInput(
            f"{where}: times do not grow: sample {back[0] + 2} is at {times[back[0] + 1]:.6g} s after "
            f"{times[back[0]]:.6g} s; sort the samples"
        )
    if recording.seconds < SHORTEST or len(times) < FEWEST:
        raise BadInput(
            f"{where}: {recording.seconds:.2f} s with {len(times)} samples are too short; a fit needs {SHORTEST:g} s "
            f"and {FEWEST} samples, better 30 s"
        )
    if len(times) / recording.seconds < SLOWEST:
        raise BadInput(
            f"{where}: {len(times) / recording.seconds:.1f} samples a second are too few; {SLOWEST:g} are needed"
        )
    _check_gaps(recording)
    for name in joints:
        _check_joint(recording, robot, name)


def _check_gaps(recording: JointRecording) -> None:
    """Raise where neither states nor targets were recorded for a while: nobody knows what the joints were told."""
    times = np.union1d(recording.times, recording.target_times)
    times = times[(times >= recording.times[0]) & (times <= recording.times[-1])]
    usual = float(np.median(np.diff(recording.times)))
    steps = np.diff(times)
    k = int(np.argmax(steps))
    if steps[k] > max(LOST, LOST_SAMPLES * usual):
        raise BadInput(
            f"{recording.source}: nothing is recorded from {times[k]:.2f} to {times[k + 1]:.2f} s, and what the joints "
            "were told then is not known; cut the recording there and fit the parts together"
        )


def _check_joint(recording: JointRecording, robot: Robot, name: str) -> None:
    """Units and motion of one joint."""
    where, k, limits = recording.source, recording.names.index(name), robot.joint(name).limits
    told = [recording.targets[:, k]] if recording.told(name) == "position" else []
    far = max((float(np.nanmax(np.abs(column))) for column in (recording.positions[:, k], *told)), default=0.0)
    if math.isfinite(limits.lower) and math.isfinite(limits.upper):
        widest = max(abs(limits.lower), abs(limits.upper))
        if far > BEYOND * max(widest, limits.upper - limits.lower) or (
            robot.joint(name).type == "revolute" and far > TURN
        ):
            raise BadInput(
                f"{where}: joint {name!r} is at up to {far:.4g} while its limits are {limits.lower:.3g} to "
                f"{limits.upper:.3g}; positions are wanted in rad and m, are these degrees?"
            )
    if not recording.urged(name):
        raise BadInput(
            f"{where}: the targets of joint {name!r} never change, which tells nothing of its servo; leave it out of "
            "the joints to fit, or record it with an excitation (`andante experiment excite`)"
        )
    if recording.moved(name) < STILL:
        raise BadInput(
            f"{where}: joint {name!r} does not move ({recording.moved(name):.2g}); leave it out of the joints to fit, "
            "or record it with an excitation (`andante experiment excite`)"
        )
    if recording.told(name) == "position" and (way := _together(recording, k)) < OPPOSED:
        raise BadInput(
            f"{where}: joint {name!r} goes against its targets (correlation {way:.2f}); is its sign turned, or are "
            "columns mixed up?"
        )


def _together(recording: JointRecording, k: int) -> float:
    """Correlation of a joint's positions with its targets, 1 where it follows and -1 where it goes the other way."""
    told = at_states(recording).targets[:, k]
    known = np.isfinite(told)
    if np.ptp(told[known]) == 0:
        return 1.0
    return float(np.corrcoef(told[known], recording.positions[known, k])[0, 1])
