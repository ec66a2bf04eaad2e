# Choregraphe simplified export in Python.
from naoqi import ALProxy

names = list()
times = list()
keys = list()
names.append("HeadPitch")
times.append([0.4, 0.9, 1.4])
keys.append([-0.2, 0.3, 0.1])
names.append("LShoulderRoll")
times.append([0.7, 1.4])
keys.append([0.8, 0.3])
motion = ALProxy("ALMotion", "127.0.0.1", 9559)
motion.angleInterpolation(names, keys, times, True)
