"""Motors of the NAO: stall torque times reduction ratio and no-load speed of the V3.2/V3.3 motor tables.

Peak torques are those of the V4.0 URDF; friction, rotor inertia, play and delay are estimates of the usual size.
"""

from __future__ import annotations

import math

from andante.physics.actuators import Actuator

LEG_ROLL = Actuator(12.0, 4.16174, 0.10, 0.10, 4.0e-3, math.radians(0.2), 0.02, 3.348)
LEG_PITCH = Actuator(7.79, 6.40239, 0.08, 0.08, 2.0e-3, math.radians(0.2), 0.02, 3.023)
ARM_YAW = Actuator(2.27, 8.26797, 0.04, 0.02, 6.0e-4, math.radians(0.3), 0.02, 1.547)
ARM_ROLL = Actuator(2.62, 7.19407, 0.04, 0.02, 8.0e-4, math.radians(0.3), 0.02, 1.783)

NAO_ACTUATORS: dict[str, Actuator] = {
    **dict.fromkeys(("*HipYawPitch", "*HipRoll", "*AnkleRoll"), LEG_ROLL),
    **dict.fromkeys(("*HipPitch", "*KneePitch", "*AnklePitch"), LEG_PITCH),
    **dict.fromkeys(("HeadYaw", "*ShoulderPitch", "*ElbowYaw"), ARM_YAW),
    **dict.fromkeys(("HeadPitch", "*ShoulderRoll", "*ElbowRoll"), ARM_ROLL),
}
