"""The geometry of old programs, on that of Andante: values, functions between them, angles, axis masks."""

from __future__ import annotations

import math

from .functions import *  # noqa: F403 (programs take what they want)
from .functions import (
    transformFrom3DRotation,
    transformFromPosition,
    transformFromRotX,
    transformFromRotY,
    transformFromRotZ,
)
from .values import *  # noqa: F403

PI, PI_2, PI_4, _2_PI_ = math.pi, math.pi / 2, math.pi / 4, 2 * math.pi
TO_RAD, TO_DEG = math.pi / 180.0, 180.0 / math.pi
AXIS_MASK_X, AXIS_MASK_Y, AXIS_MASK_Z, AXIS_MASK_WX, AXIS_MASK_WY, AXIS_MASK_WZ = 1, 2, 4, 8, 16, 32
AXIS_MASK_XY, AXIS_MASK_XZ, AXIS_MASK_YZ, AXIS_MASK_XYZ, AXIS_MASK_VEL = 3, 5, 6, 7, 7
AXIS_MASK_ROT, AXIS_MASK_WXWYWZ, AXIS_MASK_ALL, AXIS_MASK_NONE = 56, 56, 63, 0
vectorFloat = vectorInt = vectorString = list
Transform_from3DRotation, Transform_fromPosition = transformFrom3DRotation, transformFromPosition
Transform_fromRotX, Transform_fromRotY, Transform_fromRotZ = transformFromRotX, transformFromRotY, transformFromRotZ
