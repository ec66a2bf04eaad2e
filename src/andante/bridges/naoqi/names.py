"""Words of NAOqi: joints and groups in their order, frames, axis masks, gait parameters, cameras, colors."""

from __future__ import annotations

import math

HEAD = ("HeadYaw", "HeadPitch")
L_ARM = ("LShoulderPitch", "LShoulderRoll", "LElbowYaw", "LElbowRoll", "LWristYaw", "LHand")
R_ARM = tuple("R" + name[1:] for name in L_ARM)
L_LEG = ("LHipYawPitch", "LHipRoll", "LHipPitch", "LKneePitch", "LAnklePitch", "LAnkleRoll")
R_LEG = tuple("R" + name[1:] for name in L_LEG)
BODY = (*HEAD, *L_ARM, *L_LEG, *R_LEG, *R_ARM)
GROUPS = {
    "Head": HEAD, "LArm": L_ARM, "RArm": R_ARM, "LLeg": L_LEG, "RLeg": R_LEG,
    "Arms": (*L_ARM, *R_ARM), "Legs": (*L_LEG, *R_LEG), "Body": BODY, "Joints": BODY, "JointActuators": BODY,
    "Actuators": BODY, "BodyJoints": BODY, "BodyActuators": BODY, "Hands": ("LHand", "RHand"),
}  # fmt: skip
CHAINS = ("Head", "LArm", "LLeg", "RLeg", "RArm")
EFFECTORS = {  # end of a chain -> link
    "Torso": "torso", "Head": "Head", "LArm": "l_gripper", "RArm": "r_gripper", "LLeg": "l_sole", "RLeg": "r_sole",
    "CameraTop": "CameraTop_frame", "CameraBottom": "CameraBottom_frame",
}  # fmt: skip
SOLES = ("l_sole", "r_sole")

FRAME_TORSO, FRAME_WORLD, FRAME_ROBOT = 0, 1, 2
AXIS_MASKS = {"X": 1, "Y": 2, "Z": 4, "WX": 8, "WY": 16, "WZ": 32, "VEL": 7, "ROT": 56, "ALL": 63}

STANDS = ("Stand", "StandInit", "StandZero")
FAMILIES = {
    "Stand": "Standing", "StandInit": "Standing", "StandZero": "Standing", "Crouch": "Standing",
    "Sit": "Sitting", "SitRelax": "Sitting", "LyingBelly": "LyingBelly", "LyingBack": "LyingBack",
}  # fmt: skip

# key: default, least, most (NAOqi documentation, gait of the NAO)
GAIT = {
    "MaxStepX": (0.040, 0.001, 0.080),
    "MaxStepY": (0.140, 0.101, 0.160),
    "MaxStepTheta": (0.349, 0.001, 0.524),
    "MaxStepFrequency": (1.0, 0.0, 1.0),
    "StepHeight": (0.020, 0.005, 0.040),
    "TorsoWx": (0.0, -0.122, 0.122),
    "TorsoWy": (0.0, -0.122, 0.122),
}
SLOW_STEP, QUICK_STEP = 0.60, 0.42  # time of a step at frequency 0 and 1 [s]
FEET_APART = 0.088  # least distance of the feet [m]

COLORS = {
    "white": 0xFFFFFF, "red": 0xFF0000, "green": 0x00FF00, "blue": 0x0000FF, "yellow": 0xFFFF00,
    "magenta": 0xFF00FF, "cyan": 0x00FFFF, "black": 0x000000,
}  # fmt: skip
EYES = tuple(f"{side}FaceLed{k}" for side in "RL" for k in range(1, 9))
EARS = (*(f"{side}EarLed{k}" for side in "RL" for k in range(1, 11)),)
LEDS = {
    "FaceLeds": ("RightFaceLeds", "LeftFaceLeds"), "RightFaceLeds": EYES[:8], "LeftFaceLeds": EYES[8:],
    "EarLeds": ("RightEarLeds", "LeftEarLeds"), "RightEarLeds": EARS[:10], "LeftEarLeds": EARS[10:],
    "ChestLeds": ("ChestLedsRed", "ChestLedsGreen", "ChestLedsBlue"), "FeetLeds": ("RightFootLeds", "LeftFootLeds"),
    "LeftFootLeds": ("LFootLedsRed", "LFootLedsGreen", "LFootLedsBlue"),
    "RightFootLeds": ("RFootLedsRed", "RFootLedsGreen", "RFootLedsBlue"),
    "BrainLeds": tuple(f"BrainLed{k}" for k in range(1, 13)),
    "AllLeds": ("FaceLeds", "EarLeds", "ChestLeds", "FeetLeds", "BrainLeds"),
    **{f"FaceLed{k}": (EYES[k], EYES[8 + k]) for k in range(8)},  # one spot of both eyes
    "FaceLedsTop": (EYES[0], EYES[7], EYES[8], EYES[15]), "FaceLedsBottom": (EYES[3], EYES[4], EYES[11], EYES[12]),
    "FaceLedsExternal": (EYES[1], EYES[2], EYES[14], EYES[13]),
    "FaceLedsInternal": (EYES[5], EYES[6], EYES[9], EYES[10]),
}  # fmt: skip
LED_DEVICES = ("Face/Led/", "Ears/Led/", "Head/Led/", "ChestBoard/Led/", "LFoot/Led/", "RFoot/Led/")  # their keys
LED_PARTS = ("Red", "Green", "Blue")  # groups of one color end so, such as LeftFaceLedsRed

RESOLUTIONS = {
    8: (40, 30), 7: (80, 60), 0: (160, 120), 1: (320, 240), 2: (640, 480), 3: (1280, 960), 4: (2560, 1920),
    5: (1280, 720), 6: (1920, 1080),
}  # fmt: skip
COLOR_SPACES = {0: 1, 9: 2, 10: 3, 11: 3, 12: 3, 13: 3}  # color space -> layers
CAMERAS = ("CameraTop", "CameraBottom")
HORIZONTAL_FOV, SHAPE = math.radians(60.9), 3 / 4  # of pictures, where a robot does not say it; height over width
VERSION = "V4.0"  # of a body that does not say it

TOUCHES = {  # switch -> event
    "Head/Touch/Front": "FrontTactilTouched", "Head/Touch/Middle": "MiddleTactilTouched",
    "Head/Touch/Rear": "RearTactilTouched", "LHand/Touch/Back": "HandLeftBackTouched",
    "LHand/Touch/Left": "HandLeftLeftTouched", "LHand/Touch/Right": "HandLeftRightTouched",
    "RHand/Touch/Back": "HandRightBackTouched", "RHand/Touch/Left": "HandRightLeftTouched",
    "RHand/Touch/Right": "HandRightRightTouched", "ChestBoard/Button": "ChestButtonPressed",
}  # fmt: skip
BUMPERS = {"LFoot": "LeftBumperPressed", "RFoot": "RightBumperPressed"}
