"""Where everything stands in the arrays that the compiled control step of legged gaits works on."""

from __future__ import annotations

# Of the body, one vector: twist now, twist without the correction of the heading (vx, vy, wz), clock of the cycle 0 to
# 1, heading that is held, sway of the body over its feet (x, y), lean off the wanted tilt (roll, pitch), the mean of
# that over a second, where the body falls to beside its feet (x, y), whether anything is to be done.
TWIST, TWIST_GOAL, PHASE, HEADING_GOAL, SWAY, LEAN, USUAL_LEAN, FALL, ACTIVE = 0, 3, 6, 7, 8, 10, 12, 14, 16
BODY = 17

# Of every leg, one row: foot as commanded (x, y, z), where its swing began (x, y, z), share of the swing, time since a
# swing ended without finding the ground (inf: it stands), depth searched since then, 1 while it swings.
FOOT, FROM, SHARE, WAITED, DEPTH, SWINGING = 0, 3, 6, 7, 8, 9
LEG = 10

# Of every leg, what does not change: usual place of its foot (x, y, z), reach, radius of the foot, phase of its swing.
HOME, REACH, RADIUS, OFFSET = 0, 3, 4, 5
FIXED = 6

# Figures of the gait: see `LeggedSettings`, `GaitPattern` and `Rig`.
(
    PERIOD,
    DUTY,
    STEP_HEIGHT,
    RAMP,
    HEADING_GAIN,
    LEVEL_GAIN,
    HEIGHT_GAIN,
    SEARCH_DEPTH,
    SEARCH_SPEED,
    SETTLE,
    CATCH,
    SWAY_MARGIN,
    HOLD_HEADING,
    LEVEL,
    STATIC,
    SWAYS,
    WIDTH,
    CENTRE_X,
    CENTRE_Y,
    CENTRE_HEIGHT,
    FILTER_TIME,
    TOP_SPEED,
    TOP_TURN,
) = range(23)
FIGURES = 23

# What is asked for: vx, vy, wz, height, roll, pitch.
VX, VY, WZ, HEIGHT, ROLL, PITCH = range(6)

# What a foot feels.
UNKNOWN, FREE, PRESSED = -1, 0, 1
