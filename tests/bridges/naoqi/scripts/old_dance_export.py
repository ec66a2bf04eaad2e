# Choregraphe bezier export in Python.
names = list()
times = list()
keys = list()

names.append("HeadYaw")
times.append([0.5, 1, 1.5])
keys.append([[0.25, [3, -0.166667, 0], [3, 0.166667, 0]], [-0.25, [3, -0.166667, 0.1], [3, 0.166667, -0.1]], [0, [3, -0.166667, 0], [3, 0, 0]]])

names.append("LHipYawPitch")
times.append([0.8])
keys.append([[-0.05, [3, -0.266667, 0], [3, 0, 0]]])

names.append("RHand")
times.append([0.6, 1.2])
keys.append([[0.9, [3, -0.2, 0], [3, 0.2, 0]], [0.4, [3, -0.2, 0], [3, 0, 0]]])

try:
  # uncomment the following line and modify the IP if you use this script outside Choregraphe.
  # motion = ALProxy("ALMotion", IP, 9559)
  from naoqi import ALProxy
  motion = ALProxy("ALMotion")
  motion.angleInterpolationBezier(names, times, keys)
except BaseException, err:
  print err
