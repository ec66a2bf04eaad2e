# Two joints by lists of angles and times, then relative.
from naoqi import ALProxy
motion = ALProxy("ALMotion", "192.168.0.4", 9559)
names = ["HeadYaw", "HeadPitch"]
angleLists = [[0.5, -0.5, 0.2], [-0.3, 0.1]]
timeLists = [[0.5, 1.2, 1.8], [0.6, 1.2]]
motion.angleInterpolation(names, angleLists, timeLists, True)
motion.angleInterpolation("HeadYaw", 0.1, 0.5, False)
print motion.getAngles("HeadYaw", False)
