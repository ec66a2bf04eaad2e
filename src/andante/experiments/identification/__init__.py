"""Identification from joint-level recordings: servo gains, friction, delay, play and masses of a robot on a held base.

`identify` finds them, `excitation` moves joints so that they can be found, `Identification` tells how sure they are.
"""

from .excitation import Excitation, ExcitationSettings, excitation
from .excite import Excited, excite_body, excite_dry, excite_robot
from .identify import IdentifyJob, fit_recordings, identify
from .model import ReplaySettings
from .recording import JointRecording, read_joint_recording, write_joint_recording
from .result import Estimate, Identification

__all__ = [
    "Estimate", "Excitation", "ExcitationSettings", "Excited", "Identification", "IdentifyJob", "JointRecording",
    "ReplaySettings", "excitation", "excite_body", "excite_dry", "excite_robot", "fit_recordings", "identify",
    "read_joint_recording", "write_joint_recording",
]  # fmt: skip
