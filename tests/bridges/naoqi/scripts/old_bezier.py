# Choregraphe bezier export in Python.
from naoqi import ALProxy
names = list()
times = list()
keys = list()

names.append("RShoulderPitch")
times.append([0.6, 1.2])
keys.append([[-0.5, [3, -0.2, 0], [3, 0.2, 0]], [1.2, [3, -0.2, 0], [3, 0, 0]]])

names.append("RElbowRoll")
times.append([0.4, 0.8, 1.2])
keys.append([[1.0, [3, -0.133, 0], [3, 0.133, 0]], [0.4, [3, -0.133, 0], [3, 0.133, 0]], [0.8, [3, -0.133, 0], [3, 0, 0]]])

try:
  # uncomment the following line and modify the IP if you use this script outside Choregraphe.
  motion = ALProxy("ALMotion", "127.0.0.1", 9559)
  motion.angleInterpolationBezier(names, times, keys)
except BaseException, err:
  print err
